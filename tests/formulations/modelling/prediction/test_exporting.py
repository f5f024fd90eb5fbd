# SPDX-License-Identifier: BSD-3-Clause
"""Exported programs compute what is proved of them: compiled C, ONNX by its reference, and JSON by a few lines."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from formulations import OneVersusRest, SoftMargin, export, load
from formulations.estimators import SVC, SVR, KernelLogisticRegression, LinearSVC, OneClassSVM, RelevanceClassifier
from formulations.modelling.prediction import Labels, Predictor
from formulations.modelling.prediction.decisions import Inliers, Ordered, Sigmoids, Targets, Votes
from formulations.modelling.prediction.exporting import FORMATS, ExportedMachine
from qpkernels import RBF, Linear, Nystroem, Polynomial, RandomFourier
from qpkernels.errors import ParameterError
from qpkernels.gram.functions import Expansions
from qpkernels.kernels import Laplacian, Matern, Sigmoid
from together import together

X, Y = load_iris(return_X_y=True)
X, Y = X[::4], Y[::4]
NAMES = np.array(['se"tosa', "versicolor", "virgiñica"])[Y]
NEW = X[np.arange(60) % len(X)] + 0.4 * np.random.default_rng(0).normal(size=(60, 4))

PAIRS = ((0, 1), (0, 2), (1, 2))
SIGMOIDS = Sigmoids(np.array([1.5, 0.7, 2.0]), np.array([0.1, -0.2, 0.0]))


def predictor(kernel: Any, decision: Any = None) -> Predictor:
    """Return a machine of random functions, one for each value of the decision."""
    generator, functions = np.random.default_rng(1), 3 if isinstance(decision, Votes) else 1
    coefficients = generator.normal(size=(len(X), functions)) * (generator.random((len(X), functions)) < 0.7)
    known = Expansions(kernel, X, coefficients, generator.normal(size=functions))
    return Predictor(known, Labels(np.array([0, 1])) if decision is None else decision)


def drowned() -> Predictor:
    """Return a machine whose intercept is so large that every addition to it is rounded by more than what is added."""
    generator = np.random.default_rng(2)
    centers = 0.3 * generator.normal(size=(700, 4)) + X[0]
    coefficients = 1e-6 * generator.random((700, 1))
    return Predictor(Expansions(RBF(0.5), centers, coefficients, np.array([1e6])), Targets())


@cache
def machines() -> dict[str, Any]:
    """Return a machine for everything that programs are written of."""
    classes = np.unique(NAMES)
    return {
        "two": SVC().fit(X, Y > 0),
        "pairs": SVC(gamma=0.5).fit(X, Y),
        "scaled": make_pipeline(StandardScaler(), SVC(probability=True, random_state=0)).fit(X, NAMES),
        "ranged": make_pipeline(MinMaxScaler(), SVC(probability=True, random_state=0)).fit(X, Y == 1),
        "values": SVR().fit(X, X[:, 0] * X[:, 1]),
        "weights": LinearSVC(tol=1e-3).fit(X, Y),
        "one_class": OneClassSVM(nu=0.2).fit(X),
        "rest": OneVersusRest(X, Y, RBF(0.5), machine=SoftMargin, C=1.0).solve(),
        "favour": predictor(RBF(0.3), Votes(classes, PAIRS, SIGMOIDS)),
        "shares": predictor(RBF(0.3), Votes(classes, ((-1, 0), (-1, 1), (-1, 2)), SIGMOIDS)),
        "by_share": predictor(Linear(), Labels(np.array([-1.0, 1.0]), Sigmoids(*np.array([[0.02], [0.3]])), True)),
        "ordered": predictor(Laplacian(0.3), Ordered(np.array([3, 5, 9]), np.array([-0.5, 0.25]))),
        "polynomial": predictor(Polynomial(3, 0.1, 0.5)),
        "sigmoid": predictor(Sigmoid(0.1, 2.0)),
        "bessel": predictor(Matern(0.9, 1.5) + Matern(1.1, 2.5)),
        "rough": predictor(Matern(0.9, 0.5), Targets()),
        "combined": predictor(0.5 * RBF((0.1, 0.0, 0.2, 0.3)) * Linear() + RBF(0.2).polynomial([0.5, 1.0, 2.0]) ** 2),
        "grown": predictor((0.02 * Linear()).exp() + RBF(0.2).polynomial([2.0]), Inliers(0.5)),
        "drowned": drowned(),
        "condensed": predictor(Nystroem(RBF(0.2), X[:6])),
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def library(folder: Path) -> Any:
    """All machines in C, compiled at once."""
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("without a C compiler, cc, nothing shows here that exported C compiles and computes what is proved")
    sources = [str(export(each, folder / f"{name}.c").path) for name, each in machines().items()]
    strict = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *strict, *sources, "-o", str(folder / "machines.so"), "-lm"], check=True)
    return ctypes.CDLL(str(folder / "machines.so"))


def of_c(library: Any, program: ExportedMachine, samples: Any) -> tuple[Any, Any, Any]:
    """Return values, labels and probabilities by the compiled program."""
    doubles, name, rule = ctypes.POINTER(ctypes.c_double), program.path.stem, program.table.rule
    values = np.empty((len(samples), program.table.intercepts.size))
    shares = np.empty((len(samples), 0 if rule is None else rule.classes.size))
    numbers = np.zeros(len(samples), dtype=int)
    for i, sample in enumerate(np.ascontiguousarray(samples)):
        given = sample.ctypes.data_as(doubles)
        getattr(library, f"{name}_decision")(given, values[i].ctypes.data_as(doubles))
        if rule is not None:
            numbers[i] = getattr(library, f"{name}_predict")(given)
        if program.table.sigmoids is not None:
            getattr(library, f"{name}_probabilities")(given, shares[i].ctypes.data_as(doubles))
    return values, None if rule is None else rule.classes[numbers], shares


def of_onnx(program: ExportedMachine, samples: Any) -> tuple[Any, Any, Any]:
    from onnx.reference import ReferenceEvaluator

    found = ReferenceEvaluator(str(program.path)).run(None, {"X": samples.astype(np.float32)})
    values, label, shares = (*found, None, None)[:3]
    return values.astype(np.float64), label, shares


def of_json(program: ExportedMachine, samples: Any) -> tuple[Any, Any, Any]:
    """Evaluate what the file says, and nothing else."""
    machine = json.loads(program.path.read_text(encoding="utf-8"))
    x = samples[:, machine["columns"]]
    for step in machine["steps"]:
        x = (x - step["shift"]) * step["factor"] + step["offset"]
    values = np.array(machine["intercepts"])
    for term in machine["terms"]:
        values = values + _of_tree(term["kernel"], x, np.array(term["centers"])) @ np.array(term["coefficients"])
    if "rule" not in machine:
        return values, None, None
    rule, classes = machine["rule"], np.array(machine["classes"])
    if rule["kind"] == "thresholds":
        return values, classes[(values > rule["thresholds"]).sum(axis=1)], None
    if rule["kind"] == "largest":
        return values, classes[values.argmax(axis=1)], None
    votes, favour = np.zeros((2, len(x), classes.size))
    for (negative, positive), value in zip(rule["pairs"], values.T, strict=True):
        votes[np.arange(len(x)), np.where(value > 0, positive, negative)] += 1
        favour[:, positive] += value
        favour[:, negative] -= value
    ties = 0.0 if rule["ties_to_first"] else favour / (3 * (abs(favour) + 1))
    return values, classes[(votes + ties).argmax(axis=1)], None


def _of_tree(tree: list[Any], x: Any, z: Any) -> Any:
    name, *given = tree
    given = [_of_tree(each, x, z) if isinstance(each, list) and isinstance(each[0], str) else each for each in given]
    return {
        "inner_products": lambda: x @ z.T,
        "negative_squares": lambda w: -cdist(x * np.sqrt(w), z * np.sqrt(w), "sqeuclidean"),
        "distances": lambda metric: cdist(x, z, metric),
        "affine": lambda v, factor, constant: factor * v + constant,
        "plus": lambda v, w: v + w,
        "times": lambda v, w: v * w,
        "power": lambda v, n: v**n,
        "exp": np.exp,
        "tanh": np.tanh,
    }[name](*given)


def proved(machine: Any, suffix: str, folder: Path) -> ExportedMachine:
    """Return what is proved of a format, without its file: that of ONNX takes a package."""
    return replace(export(machine, folder / "proved.json"), program=FORMATS[suffix])


@pytest.mark.parametrize("suffix", list(FORMATS))
@together("name", machines())
def test_programs_are_as_near_as_is_proved(name: str, suffix: str, folder: Path, request: Any) -> None:
    machine = machines()[name]
    if suffix == ".onnx":
        pytest.importorskip(
            "onnx", reason="without onnx, of qpkernels[test], nothing shows what exported graphs compute"
        )
    program = export(machine, folder / f"{name}{suffix}")
    if suffix == ".c":
        values, labels, shares = of_c(request.getfixturevalue("library"), program, NEW)
    else:
        values, labels, shares = (of_onnx if suffix == ".onnx" else of_json)(program, NEW)
    expected, found = program.predictor.values(NEW), program.check(NEW)
    assert (np.abs(values - expected) <= found.bounds).all()
    # A bound that says nothing would hold as well.
    assert found.largest <= (3e-2 if suffix == ".onnx" else 2e-11) * (1.0 + np.abs(expected).max())
    if labels is None:
        assert found.certain is None
        return
    assert np.array_equal(labels[found.certain], machine.predict(NEW)[found.certain])
    assert found.certain.sum() >= 55
    if program.table.sigmoids is not None and suffix != ".json":
        assert np.allclose(shares, program.predictor.predict_proba(NEW), rtol=0, atol=3e-5)


@together("name", machines())
def test_a_bound_over_a_box_holds_inside_it(name: str, folder: Path) -> None:
    for suffix in (".c", ".onnx"):
        program = proved(machines()[name], suffix, folder)
        over = program.bound_over(NEW.min(axis=0), NEW.max(axis=0))
        near = program.bound_over(NEW[0] - 1e-6, NEW[0] + 1e-6)
        # It is no better than what is proved of single samples, and not much worse where the box is small.
        assert (over >= 0.5 * program.bound(NEW).max(axis=0)).all()
        assert (near <= 3.0 * program.bound(NEW[:1])[0] + 1e-13).all()


def test_labels_at_the_boundary_are_not_certain(folder: Path) -> None:
    machine = machines()["two"]
    low, high = X[0], X[-1]
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if machine.predict([middle]) == machine.predict([low]) else (low, middle)
    program = proved(machine, ".onnx", folder)
    assert program.certain([X[0], low, high, X[-1]]).tolist() == [True, False, False, True]
    assert "3 are" not in str(program.check([low]))


def test_numbers_beyond_the_floats_of_a_program_are_not_proved(folder: Path) -> None:
    known = predictor(Polynomial(4, 1.0, 0.0))
    program = proved(known, ".onnx", folder)
    assert np.isinf(program.bound(1e10 * NEW[:2])).all()
    assert not program.certain(1e10 * NEW[:2]).any()
    assert np.isinf(program.bound_over(np.zeros(4), np.full(4, 1e10))).all()


def test_rules_settle_what_all_values_between_agree_on() -> None:
    generator = np.random.default_rng(3)
    middle = generator.integers(-2, 3, size=(300, 3)) + 0.02 * generator.normal(size=(300, 3))
    reach = 0.02 * generator.random((300, 3))
    lower, upper = middle - reach, middle + reach
    corners = [np.where([(k >> j) & 1 for j in range(3)], upper, lower) for k in range(8)]
    for decision in (
        Votes(np.arange(3), PAIRS),
        Votes(np.arange(3), PAIRS, ties_to_first=True),
        Votes(np.arange(3), ((-1, 0), (-1, 1), (-1, 2))),
        Labels(np.array([0, 1])),
        Ordered(np.array([0, 1, 2]), np.array([-1.0, 1.0])),
    ):
        rule, labels = decision.rule(), np.array([decision.predict(each) for each in corners])
        settled = rule.settled(lower, upper, 2.0**-53)
        agreed = (labels == labels[0]).all(axis=0)
        assert np.array_equal(labels[0][settled >= 0], settled[settled >= 0])
        assert not (settled[~agreed] >= 0).any()
        assert (settled >= 0).sum() >= 0.7 * agreed.sum()


def test_ties_of_votes_are_those_of_the_estimator(tmp_path: Path) -> None:
    # Each of three classes lies once before the next: every one gets a vote.
    around = np.array([[0.0, 1.0], [0.87, -0.5], [-0.87, -0.5]])
    turned = around @ np.array([[0.0, -1.0], [1.0, 0.0]])
    samples, labels = np.vstack([around, turned, 0.3 * around]), np.tile([2, 0, 1], 3)
    grid = np.random.default_rng(0).normal(size=(500, 2))
    for break_ties in (False, True):
        classifier = SVC(gamma=3.0, C=10.0, break_ties=break_ties).fit(samples, labels)
        machine = classifier.predictor
        assert np.array_equal(machine.predict(grid), classifier.predict(grid))
        assert np.array_equal(load(machine.save(tmp_path / "m.npz")).predict(grid), classifier.predict(grid))


def test_exports_that_are_refused_name_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    encoded = make_pipeline(OneHotEncoder(sparse_output=False), SVC()).fit(X.round(), Y)
    several = KernelLogisticRegression().fit(X, Y)
    cases = {
        "ends in .c, .onnx, .json": (machines()["two"], "machine.cpp"),
        "pip install 'qpkernels": (machines()["two"], "machine.onnx"),
        "what is exported is a solution": (StandardScaler().fit(X), "machine.c"),
        "encode the samples": (encoded, "machine.c"),
        "coupled probabilities": (several, "machine.c"),
        "averaged over its weights": (RelevanceClassifier().fit(X, Y), "machine.c"),
        "states no formula": (predictor(RandomFourier.sampled(RBF(0.1), 4, 6)), "machine.json"),
        "nu = 1/2, 3/2": (predictor(Matern(1.0, 0.7)), "machine.c"),
        "does not rise": (
            predictor(Linear(), Labels(np.array([0, 1]), Sigmoids(np.zeros(1), np.ones(1)), True)),
            "m.c",
        ),
    }
    for words, (machine, name) in cases.items():
        with pytest.raises(ParameterError, match=words):
            export(machine, tmp_path / name)
    assert not list(tmp_path.iterdir())
    program = export(machines()["values"], tmp_path / "values.c")
    with pytest.raises(ParameterError, match="no labels"):
        program.certain(NEW)
    with pytest.raises(ParameterError, match="at most the upper"):
        program.bound_over(np.ones(4), np.zeros(4))
