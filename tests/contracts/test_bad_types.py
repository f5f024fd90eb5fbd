# SPDX-License-Identifier: BSD-3-Clause
"""What is no number, no array or no model at all is refused with an error of ours, wherever it comes in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from formulations import (
    BatchPerceptron,
    ChebyshevFit,
    HardTube,
    Huber,
    KernelRidge,
    LeastSquares,
    LinearProgramMachine,
    NormConstrainedRegression,
    NuMargin,
    OneClass,
    OneVersusRest,
    Perceptron,
    PlattCalibration,
    Quantile,
    RelevanceRegression,
    Separability,
    SoftMargin,
    SoftTube,
    calibrate,
    compare,
    cross_validated_scores,
)
from formulations.losses import AbsolutePower, EpsilonInsensitive, Hinge, Pinball
from model_data import MODEL_CASES, Case
from qpkernels import (
    RBF,
    Expansion,
    Gram,
    Laplacian,
    Linear,
    Matern,
    Mercer,
    Polynomial,
    Sigmoid,
)
from qpkernels.errors import ParameterError, QPKernelsError, SolverFailedError
from qpkernels.files import load_dataset, scale_features
from qpkernels.files.datasets import one_versus_rest
from qpkernels.problems import ConeProgram, KernelQP, Nonnegative, Status, Zero
from qpkernels.solvers import Answer, Request, Solver, find_solver, registry
from together import together

Entry = Callable[[Any], object]


class Hostile:
    """An object that raises whatever it is asked for."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no array")

    def __float__(self) -> float:
        raise RuntimeError("no float")

    def __repr__(self) -> str:
        raise RuntimeError("no words")


X = np.random.default_rng(3).normal(size=(8, 2))
y = np.where(np.arange(8) % 2, 1, -1)
t = X[:, 0] + 0.1 * y
GRAM = Gram(RBF(0.5), X)

NO_NUMBERS: dict[str, Any] = {
    "a number as text": "1e-6",
    "text": "x",
    "bytes": b"1",
    "True": True,
    "complex": 1 + 1j,
    "complex of NumPy": np.complex128(2.0),
    "nan": np.nan,
    "beyond float64": 10**400,
    "too long to write": -(10**5000),
    "a list": [1.0],
    "a ragged list": [[1], [1, 2]],
    "an empty list": [],
    "an array": np.ones(3),
    "a cube": np.ones((2, 2, 2)),
    "a dict": {},
    "an object": object(),
    "hostile": Hostile(),
    "a function": len,
    "a generator": (k for k in ()),
    "a date": datetime(2020, 1, 1),
    "a duration": np.timedelta64(1, "s"),
    "masked": np.ma.masked,
    "a masked array": np.ma.array(1.0, mask=True),
    "sparse": csr_array(np.eye(2)),
    "a series": pd.Series([1.0]),
    "missing": pd.NA,
    "a variable": cp.Variable(),
}

NUMBERS: dict[str, tuple[Entry, str]] = {
    "tol": (lambda v: SoftMargin(X, y).solve(tol=v), "tol must be"),
    "tol of a form": (lambda v: SoftMargin(X, y).dual.solve("clarabel", tol=v), "tol must be"),
    "tol of compare": (lambda v: compare(SoftMargin(X, y), tol=v), "tol must be"),
    "time_limit": (lambda v: SoftMargin(X, y).solve(time_limit=v), "time_limit must be"),
    "max_iter": (lambda v: SoftMargin(X, y).solve(max_iter=v), "max_iter must be"),
    "verbose": (lambda v: SoftMargin(X, y).solve(verbose=None if v is True else v), "verbose must be True or False"),
    "cache_size": (lambda v: SoftMargin(X, y).solve("smo", cache_size=v), "cache_size must be"),
    "rank": (lambda v: LeastSquares(X, t).solve("conjugate-gradient", rank=v), "rank must be"),
    "epsilon": (lambda v: SoftTube(X, t, epsilon=v), "epsilon must be"),
    "nu": (lambda v: NuMargin(X, y, nu=v), "nu must be"),
    "tau": (lambda v: Quantile(X, t, tau=v), "tau must be"),
    "delta": (lambda v: Huber(X, t, delta=v), "delta must be"),
    "R": (lambda v: NormConstrainedRegression(X, t, R=v), "R must be"),
    "regularisation": (lambda v: KernelRidge(X, t, regularisation=v), "regularisation must be"),
    "C of all": (lambda v: LeastSquares(X, t, C=v), "C must be"),
    "set_params": (lambda v: OneClass(X).set_params(nu=v), "nu must be"),
    "b": (lambda v: SoftMargin(X, y).certify((np.zeros(8), 1j if v is np.nan else v)), "b "),
    "a sample": (lambda v: SoftMargin(X, y).solve().explain(v), "a sample has a number"),
    "memory_limit": (lambda v: Gram(Linear(), X, memory_limit=v), "memory_limit must be"),
    "gamma of a polynomial": (lambda v: Polynomial(2, v), "gamma must be"),
    "degree": (lambda v: Polynomial(v), "degree must be"),
    "coef0": (lambda v: Polynomial(2, 1.0, v), "coef0 must be"),
    "gamma": (Laplacian, "gamma must be"),
    "length_scale": (Matern, "length_scale must be"),
    "nu of a kernel": (lambda v: Matern(1.0, v), "nu must be"),
    "kappa": (lambda v: Sigmoid(v, 0.0), "kappa must be"),
    "sigma": (RBF.from_sigma, "sigma must be"),
    "exponent": (lambda v: Linear() ** v, "the exponent of a kernel must be"),
    "p of a loss": (AbsolutePower, "p must be"),
    "epsilon of a loss": (EpsilonInsensitive, "epsilon must be"),
    "tau of a loss": (Pinball, "tau must be"),
    "total": (lambda v: KernelQP(GRAM, t, -1.0, 1.0, total=v), "total must be"),
    "threshold": (lambda v: BatchPerceptron(X, y, threshold=v), "threshold must be"),
    "max_epochs": (lambda v: Perceptron(X, y).solve(max_epochs=v), "max_epochs must be"),
    "noise": (lambda v: RelevanceRegression(X, t, RBF(0.5), noise=v), "noise must be"),
    "n_jobs": (lambda v: OneVersusRest(X, np.arange(8) % 3).solve(n_jobs=v), "n_jobs must be"),
    "folds": (lambda v: cross_validated_scores(SoftMargin, X, y, folds=v), "folds must be"),
    "seed": (lambda v: cross_validated_scores(SoftMargin, X, y, folds=2, seed=v), "seed must be"),
}

NO_SAMPLES: dict[str, Any] = {
    **{name: value for name, value in NO_NUMBERS.items() if name not in ("sparse",)},
    "None": None,
    "text of numbers": X.astype(str),
    "text among objects": X.astype(str).astype(object),
    "complex entries": X + 0j,
    "masked entries": np.ma.array(X, mask=X > 0),
    "nothing masked": np.ma.array(X),
    "masked rows": list(np.ma.array(X, mask=X > 0)),
    "dates": np.full((8, 2), "2020-01-01", dtype="datetime64[D]"),
    "durations": np.full((8, 2), 1, dtype="timedelta64[D]"),
    "huge integers": [[10**400, 1]] * 8,
    "beyond float64 in long double": np.full((8, 2), np.longdouble("1e4000")),
    "a frame with missing entries": pd.DataFrame(X).astype("Float64").mask(pd.DataFrame(X) > 0),
    "a frame with NaN": pd.DataFrame(np.where(X > 0, np.nan, X)),
    "a frame of categories": pd.DataFrame({"a": list("abababab")}).astype("category"),
    "records": np.zeros(8, dtype=[("a", float)]),
    "a map": map(list, X),
    "sets": [{1.0}] * 8,
    "sparse and complex": csr_array(X + 1j),
    "sparse in one dimension": coo_array(np.ones(8)),
    "sparse in three": coo_array(np.ones((8, 2, 2))),
}

SAMPLES: dict[str, Entry] = {
    "a model": lambda v: SoftMargin(v, y),
    "a model with a kernel": lambda v: SoftTube(v, t, RBF(0.5)),
    "a kernel": lambda v: Laplacian(0.5)(v),
    "a second argument": lambda v: Linear()(X, _not_none(v)),
    "Gram": lambda v: Gram(RBF(0.5), v),
    "Mercer": lambda v: Mercer(RBF(0.5), v),
    "a function": lambda v: Expansion(RBF(0.5), X, t)(v),
    "centers": lambda v: Expansion(RBF(0.5), v, np.ones(8)),
    "predict": lambda v: Expansion(RBF(0.5), X, t).predict(v),
    "scale_features": scale_features,
    "scale": RBF.from_data,
    "many classes": lambda v: OneVersusRest(v, np.arange(8) % 3),
    "a perceptron": lambda v: Perceptron(v, y),
    "relevance": lambda v: RelevanceRegression(v, t, RBF(0.5)),
}

NO_VECTORS: dict[str, Any] = {
    **{name: value for name, value in NO_NUMBERS.items() if name not in ("an array",)},
    "None": None,
    "text in a list": ["1.0"] * 8,
    "complex entries": t + 0j,
    "masked entries": np.ma.array(t, mask=t > 0),
    "nothing masked": np.ma.array(t),
    "missing among numbers": [1.0, None] * 4,
    "huge integers": [10**400, 1] * 4,
    "a column": t[:, None],
    "dates": pd.date_range("2020", periods=8),
    "missing integers": pd.array([1, None] * 4, dtype="Int64"),
    "lists": [[1], [2, 3]] * 4,
    "too few": t[:3],
}

VECTORS: dict[str, Entry] = {
    "targets": lambda v: LeastSquares(X, v),
    "beta": lambda v: SoftMargin(X, y).certify((_not_missing(v), 0.0)),
    "beta of a tube": lambda v: HardTube(X, t).certify((_not_missing(v), 0.0)),
    "warm_start": lambda v: SoftMargin(X, y).solve("smo", warm_start=_not_none(v)),
    "costs": lambda v: SoftMargin(X, y, C=v),
    "gram.product": lambda v: GRAM.product(v),
    "gram.coefficients": lambda v: GRAM.coefficients(t[:3, None] if isinstance(v, np.ndarray) and v.ndim == 2 else v),
    "coefficients": lambda v: Expansion(RBF(0.5), X, v),
    "lower": lambda v: KernelQP(GRAM, t, v, 1.0),
    "target": lambda v: KernelQP(GRAM, v, -1.0, 1.0),
    "scores": lambda v: PlattCalibration(v, y),
    "relevance": lambda v: RelevanceRegression(X, v, RBF(0.5)),
}

NO_LABELS: dict[str, Any] = {
    **{name: value for name, value in NO_VECTORS.items() if name != "text in a list"},
    "numbers and text": [1, "a"] * 4,
    "missing text": pd.array(["a", None] * 4, dtype="string"),
    "void": np.zeros(8, dtype="V4"),
}

LABELS: dict[str, Entry] = {
    "a model": lambda v: SoftMargin(X, v),
    "many classes": lambda v: OneVersusRest(X, v),
    "a perceptron": lambda v: Perceptron(X, v),
    "a calibration": lambda v: PlattCalibration(t, v),
    "folds": lambda v: cross_validated_scores(SoftMargin, X, v, folds=2),
    "one class": lambda v: one_versus_rest(v, 7.25),
}

NO_OBJECTS: dict[str, Any] = {**NO_NUMBERS, "None": None, "a class": SoftMargin, "NumPy": np}
del NO_OBJECTS["a function"]

OBJECTS: dict[str, tuple[Entry, str]] = {
    "an answer": (lambda v: SoftMargin(X, y).certify(v), "an answer is a Solution"),
    "a kernel": (lambda v: SoftMargin(X, y, 0 if v is None else v), "kernel must be a Kernel object"),
    "kernel of a Gram": (lambda v: Gram(v, X), "takes a Kernel first"),
    "kernel of a function": (lambda v: Expansion(v, X, t), "takes a Kernel first"),
    "a Gram": (lambda v: KernelQP(v, t, -1.0, 1.0), "takes a Gram first"),
    "models": (lambda v: compare(v, progress=False), "compare needs at least one model"),
    "models in a list": (lambda v: compare([v], progress=False), "compare needs at least one model"),
    "solvers": (
        lambda v: compare(
            SoftMargin(X, y), 1 if isinstance(v, str | list | dict | Iterator | cp.Variable) else v, progress=False
        ),
        "solvers must",
    ),
    "a solver": (lambda v: SoftMargin(X, y).solve(0 if v is None else v), "solver"),
    "indefinite": (lambda v: Gram(Linear(), X, indefinite=v), "indefinite must be 'refuse'"),
    "structure": (lambda v: SoftMargin(X, y).dual.export("nowhere", structure=v), "structure must be"),
    "a label": (lambda v: SoftMargin(X, y).primal.constraint(v), "no constraint is labelled"),
    "a constraint": (lambda v: SoftMargin(X, y).primal.extend(v), "extend takes CVXPY constraints"),
    "fit_intercept": (lambda v: SoftMargin(X, y, fit_intercept=2 if v is True else v), "fit_intercept must be"),
    "targets": (lambda v: PlattCalibration(t, y, targets=v), "targets must be"),
    "state": (lambda v: calibrate(0 if v is SoftMargin else v, X, y, folds=2), "state must be"),
    "what state returns": (lambda v: calibrate(lambda *_: 0 if v is SoftMargin else v, X, y, folds=2), "must return"),
    "a separator": (lambda v: Perceptron(X, y).mistake_bound(v), "the bound needs a function"),
    "a source": (lambda v: load_dataset(0 if isinstance(v, str) else v), "The data set must be"),
}


def _not_missing(value: Any) -> Any:
    # Coefficients may be NaN: that is an answer which no certificate proves.
    return "x" if isinstance(value, pd.api.extensions.ExtensionArray) else value


def _not_none(value: Any) -> Any:
    return "x" if value is None else value


def _refused(entry: Entry, value: Any, words: str = "") -> None:
    with pytest.raises(QPKernelsError) as caught:
        entry(value)
    assert words in str(caught.value)
    assert len(str(caught.value)) > 25


@together("name", NUMBERS)
def test_what_is_no_number(name: str) -> None:
    entry, words = NUMBERS[name]
    for value in NO_NUMBERS.values():
        _refused(entry, value, words)


@together("name", SAMPLES)
def test_what_are_no_samples(name: str) -> None:
    for value in NO_SAMPLES.values():
        _refused(SAMPLES[name], value)


@pytest.mark.parametrize("name", VECTORS)
def test_what_is_no_vector(name: str) -> None:
    for value in NO_VECTORS.values():
        _refused(VECTORS[name], value)


@pytest.mark.parametrize("name", LABELS)
def test_what_are_no_labels(name: str) -> None:
    for value in NO_LABELS.values():
        _refused(LABELS[name], value)


@pytest.mark.parametrize("name", OBJECTS)
def test_what_is_another_object(name: str) -> None:
    entry, words = OBJECTS[name]
    for value in NO_OBJECTS.values():
        _refused(entry, value, words)


@pytest.mark.parametrize("size", [1e-320, 1e-101, 1e101, 1e200, 1e308])
def test_numbers_whose_squares_leave_float64(size: float) -> None:
    for entry in (
        lambda: SoftMargin(X, y, C=size),
        lambda: SoftMargin(X, y, C=np.append(np.ones(7), size)),
        lambda: HardTube(X, t, epsilon=size),
        lambda: LeastSquares(X, t).set_params(C=size),
        lambda: LeastSquares(X, t / np.abs(t).max() * size),
    ):
        with pytest.raises(QPKernelsError, match=r"square.*(scale the data|scale the targets)"):
            entry()


@together("size", [1e100, 1e149, 1e155, 1e300, 1.7e308])
@together("case", [case for case in MODEL_CASES if case.model is not Separability])
def test_answers_too_large_for_float64_are_not_proved(case: Case, size: float) -> None:
    model = case.state_model()
    m = len(model)
    for beta in (np.where(np.arange(m) == 1, size, 0.0), np.where(np.arange(m) % 2, size, -size)):
        for b in (0.0, size) if model.fit_intercept else (0.0,):
            assert not model.certify((beta, b)).holds(1e-3)


@pytest.mark.parametrize("kernel", [None, RBF(0.5)], ids=str)
@pytest.mark.parametrize("cost", [1e-100, 1e-30, 1e30, 1e100])
def test_costs_at_the_ends_of_their_range_end_in_words(cost: float, kernel: Any) -> None:
    """Warnings of NumPy are errors here."""
    solution = SoftMargin(X, y, kernel, C=cost).solve(time_limit=2.0)
    assert solution.message
    assert cost > 1.0 or solution.status is Status.OPTIMAL


@pytest.mark.parametrize("kernel", [RBF, Laplacian, lambda v: Polynomial(2, v), lambda v: Sigmoid(v, 0.0)])
def test_words_of_scikit_learn_for_gamma(kernel: Any) -> None:
    for word, words in (("scale", r"that is scale_gamma\(X\)"), ("auto", r"that is 1 / X.shape\[1\]")):
        with pytest.raises(ParameterError, match=f"must be a number above 0, but '{word}' came; {words}"):
            kernel(word)


def test_a_kernel_that_overflows() -> None:
    for kernel in (Linear(), Polynomial(3), Linear().exp()):
        with pytest.raises(QPKernelsError, match="not finite on these samples; scale the features"):
            kernel(1e200 * X)


def test_a_loss_of_what_is_no_number() -> None:
    for loss in (Hinge(), AbsolutePower(1.5)):
        for value in ("x", 1j, [[1], [1, 2]], 10**400, np.ma.array(t, mask=t > 0)):
            for entry in (loss.value, loss.slope, loss.conjugate):
                _refused(entry, value)


def test_objectives_that_are_none() -> None:
    form = SoftMargin(X, y).primal
    for objective in (10**400, np.nan, cp.Constant(1j), 1j, form.w, "x"):
        with pytest.raises(ParameterError, match="a further objective term must be"):
            form.extend(objective=objective)


# --- plug-ins ---


class Plugin(Solver):
    """Returns what it is made with in place of a part of a true answer."""

    name, module, install = "plug-in", "numpy", "pip install plug-in"
    cones = (Zero, Nonnegative)
    options = frozenset({"tol"})
    part, value = "", None

    def run(self, program: Any, request: Request, **options: Any) -> Answer:
        del options
        answer = find_solver("clarabel" if isinstance(program, ConeProgram) else "smo").run(program, request)
        return self.value if self.part == "answer" else replace(answer, **{self.part: self.value} if self.part else {})


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Plugin]]:
    own = registry._families()

    class Mine(Plugin):
        programs = (ConeProgram, KernelQP)

    monkeypatch.setattr(registry, "_families", lambda: (*own, Mine))
    return Mine


@pytest.mark.parametrize("part", ["point", "multipliers", "values", "claim", "answer"])
def test_plugins_that_return_something_else(part: str, plugin: Any) -> None:
    plugin.part = part
    for name, value in NO_VECTORS.items():
        if (part == "values" and value is None) or (part == "multipliers" and name in ("a list", "a series")):
            continue
        plugin.value = np.ma.array(1.0, mask=True) if name == "nan" else value
        for stated in (SoftMargin(X, y, RBF(0.5)), SoftMargin(X, y, RBF(0.5)).dual):
            with pytest.raises(SolverFailedError, match="solver 'plug-in'"):
                stated.solve("plug-in")


def test_fits_of_nothing() -> None:
    for model in (ChebyshevFit(X, t), LinearProgramMachine(X, y)):
        with pytest.raises(ParameterError, match="b must be a number, but None came"):
            model.certify((np.zeros(8), None))
