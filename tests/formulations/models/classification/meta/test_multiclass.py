# SPDX-License-Identifier: BSD-3-Clause
"""Several classes from machines of two."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import SVC

from formulations import (
    HardMargin,
    LeastSquaresClassifier,
    Logistic,
    NuMargin,
    OneVersusOne,
    OneVersusRest,
    SoftMargin,
    SquaredHinge,
)
from formulations.modelling import batch
from formulations.models.classification.margins.soft_margin import SoftMarginDual
from qpkernels import RBF, Gram, Precomputed
from qpkernels.errors import (
    InseparableError,
    LabelError,
    OneClassError,
    ParameterError,
    ShapeError,
    UnsupportedOptionError,
)
from qpkernels.files import scale_features
from qpkernels.problems import Status

SCHEMES = [OneVersusRest, OneVersusOne]
each_scheme = pytest.mark.parametrize("scheme", SCHEMES)
KERNEL = RBF(0.3)


def wine() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_wine(return_X_y=True)
    return scale_features(X), y


def crowded(classes: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return overlapping clouds around the corners of a square, the labels not in the order of their first sample."""
    rng = np.random.default_rng(2)
    y = np.arange(80) % classes
    corners = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    return corners[y] + 0.9 * rng.normal(size=(80, 2)), y


@each_scheme
@pytest.mark.parametrize("kernel", [None, KERNEL])
@pytest.mark.parametrize("machine", [SoftMargin, SquaredHinge, Logistic, LeastSquaresClassifier])
def test_every_machine_is_that_of_its_pair(scheme: type, machine: Any, kernel: Any) -> None:
    X, y = crowded()
    solution = scheme(X, y, kernel, machine=machine, C=2.0).solve(tol=1e-7)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.holds(1e-7)
    expected = [(-1, k) for k in range(4)] if scheme is OneVersusRest else list(combinations(range(4), 2))
    assert list(solution.pairs) == expected
    values = solution.function(X)
    assert values.shape == (80, len(expected))
    for (negative, positive), value, answer in zip(expected, values.T, solution.solutions, strict=True):
        rows = np.flatnonzero((y == positive) | (y == negative) | (negative < 0))
        alone = machine(X[rows], np.where(y[rows] == positive, 1, -1), kernel, C=2.0).solve(tol=1e-7)
        assert answer.objective == pytest.approx(alone.objective, rel=1e-6)
        assert value == pytest.approx(alone.function(X), abs=1e-3)


@each_scheme
def test_against_scikit_learn(scheme: type) -> None:
    X, y = crowded()
    solution = scheme(X, y, KERNEL, C=2.0).solve("smo", tol=1e-9)
    peer = {OneVersusRest: OneVsRestClassifier, OneVersusOne: OneVsOneClassifier}[scheme]
    fitted = peer(SVC(C=2.0, gamma=0.3, tol=1e-8)).fit(X, y)
    grid = np.random.default_rng(5).normal(scale=1.5, size=(500, 2))
    assert np.array_equal(solution.predict(grid), fitted.predict(grid))


def test_votes_decide_before_the_sum() -> None:
    """Class 0 wins both its duels narrowly, class 1 one of two by far: two votes weigh more."""
    solution = OneVersusOne(*wine(), KERNEL).solve()
    X, _ = wine()
    values = solution.function(X)
    votes = np.zeros((len(X), 3))
    for (negative, positive), value in zip(solution.pairs, values.T, strict=True):
        votes[np.arange(len(X)), np.where(value > 0, positive, negative)] += 1
    clear = votes.max(axis=1) == 2
    assert clear.sum() > 170
    assert np.array_equal(solution.predict(X)[clear], np.argmax(votes, axis=1)[clear])


@each_scheme
@pytest.mark.parametrize("labels", [np.array(["barolo", "grignolino", "barbera"]), np.array([-7, 0, 3])])
def test_the_labels_come_back(scheme: type, labels: np.ndarray) -> None:
    X, y = wine()
    solution = scheme(X, labels[y], KERNEL, C=10.0).solve()
    predicted = solution.predict(X)
    assert predicted.dtype == labels.dtype
    assert np.mean(predicted == labels[y]) > 0.98
    assert np.array_equal(solution.classes, np.sort(labels))


@each_scheme
def test_threads_change_nothing(scheme: type) -> None:
    X, y = wine()
    one, many = (scheme(X, y, KERNEL).solve("smo", n_jobs=jobs) for jobs in (1, 2))
    assert np.array_equal(one.function(X), many.function(X))


@each_scheme
def test_a_gram_and_a_precomputed_matrix(scheme: type) -> None:
    X, y = wine()
    expected = scheme(X, y, KERNEL).solve("smo", tol=1e-9)
    shared = scheme(Gram(KERNEL, X), y).solve("smo", tol=1e-9)
    assert np.array_equal(expected.function(X), shared.function(X))
    numbers = np.arange(len(X))
    given = scheme(numbers, y, Precomputed(KERNEL(X))).solve("smo", tol=1e-9)
    assert given.function(numbers) == pytest.approx(expected.function(X), abs=1e-6)


@pytest.mark.parametrize(
    ("option", "error"),
    [({"cache_size": value}, ParameterError) for value in (None, "a", np.nan, np.inf, True)]
    + [({"nonsense": None}, UnsupportedOptionError)],
    ids=str,
)
def test_options_are_those_of_one_machine(option: dict[str, Any], error: type[Exception]) -> None:
    X, y = crowded()
    for problem in (SoftMargin(X, y % 2, KERNEL), OneVersusOne(X, y, KERNEL)):
        with pytest.raises(error, match=f"{next(iter(option))}"):
            problem.solve(**option)


def test_a_cost_for_each_sample() -> None:
    X, y = crowded()
    costs = np.random.default_rng(0).uniform(0.5, 2.0, 80)
    solution = OneVersusOne(X, y, KERNEL, C=costs).solve("smo", tol=1e-9)
    rows = (y == 0) | (y == 2)
    alone = SoftMargin(X[rows], np.where(y[rows] == 2, 1, -1), KERNEL, C=costs[rows]).solve("smo", tol=1e-9)
    assert solution.solutions[1].objective == pytest.approx(alone.objective, rel=1e-8)


def test_the_status_is_that_of_the_weakest() -> None:
    X, y = crowded()
    stopped = OneVersusRest(X, y, KERNEL, C=100.0).solve("smo", max_iter=3)
    assert stopped.status is Status.STOPPED
    assert stopped.certificate.relative_gap == max(s.certificate.relative_gap for s in stopped.solutions)
    assert "stopped (unproved: class 0 against the rest, class 1 against the rest" in str(stopped)
    assert re.search(r"weakest proof    class \d against the rest: not proved to", str(stopped))
    assert OneVersusOne(X, y, KERNEL).solve().unproved == ""


@each_scheme
def test_the_machine_without_an_answer_is_named(scheme: type) -> None:
    X, y = crowded()
    names = np.array(["a", "b", "c", "d"])[y]
    with pytest.raises(InseparableError) as caught:
        scheme(X, names, machine=HardMargin).solve(n_jobs=1)
    pair = "'a' against the rest" if scheme is OneVersusRest else "'b' against 'a'"
    assert str(caught.value).startswith(f"{scheme.__name__}, class {pair}: no hyperplane separates")


def test_the_machines_with_an_answer_are_kept() -> None:
    """Two of three classes cannot be told apart; the machines of the third have answers."""
    X = np.array([[0.0, 0], [0, 0], [0, 0], [0, 0], [5, 5], [6, 5]])
    with pytest.raises(InseparableError) as caught:
        OneVersusOne(X, [0, 0, 1, 1, 2, 2], machine=HardMargin).solve()
    others = caught.value.others
    assert sorted(others) == [(0, 2), (1, 2)]
    assert all(solution.status is Status.OPTIMAL for solution in others.values())


def test_decisions_of_sparse_and_of_single_samples() -> None:
    X, y = crowded()
    solution = OneVersusOne(X, y, KERNEL, C=2.0).solve(tol=1e-8)
    alone = np.column_stack([each.function(X) for each in solution.solutions])
    assert solution.decision_function(X) == pytest.approx(alone, abs=1e-12)
    assert solution.decision_function(csr_array(X[:7])) == pytest.approx(alone[:7], abs=1e-10)
    assert solution.decision_function(X[:1]).shape == (1, 6)
    with pytest.raises(ShapeError):
        solution.decision_function(X[:, :1])


@each_scheme
def test_bad_input(scheme: type) -> None:
    X, y = wine()
    with pytest.raises(OneClassError, match="several classes, but every label is 1"):
        scheme(X, np.ones(len(X), int))
    with pytest.raises(ShapeError, match="178 samples and y has 177"):
        scheme(X, y[1:])
    with pytest.raises(ParameterError, match="machine must be a model of two classes"):
        scheme(X, y, machine=RBF)
    with pytest.raises(ParameterError, match="machine must be a model of two classes, such as SoftMargin, but"):
        scheme(X, y, machine=SoftMarginDual)
    with pytest.raises(ParameterError, match="C must be a number above 0"):
        scheme(X, y, C=-1.0).solve()
    with pytest.raises(ParameterError, match="largest feasible nu"):
        scheme(X, y, machine=NuMargin, nu=1.0).solve()


def test_a_class_with_one_sample() -> None:
    X, y = wine()
    lonely = np.where(np.arange(len(y)) == 5, 9, y)
    with pytest.raises(LabelError, match=r"at least two samples of every class, but 9 has one; .* OneVersusRest"):
        OneVersusOne(X, lonely)
    assert OneVersusRest(X, lonely, KERNEL).solve().status is Status.OPTIMAL


@each_scheme
def test_machines_share_what_the_samples_are_bound_to(scheme: type) -> None:
    """Without a kernel every machine has weights, of the same features."""
    X, y = crowded()
    several = scheme(X, y)
    for pair in several.pairs():
        machine = several.model(pair)
        assert isinstance(machine, SoftMargin)
        assert machine.data.explicit
        assert machine.gram.X.tolist() == X[several.rows(pair)].tolist()
        assert (machine.gram is several.data.gram) == (scheme is OneVersusRest)


@pytest.mark.parametrize(
    ("machine", "settings"),
    [
        (SoftMargin, {"C": np.linspace(0.5, 2.0, 80)}),
        (NuMargin, {"nu": 0.6, "sample_weight": np.linspace(0.5, 2.0, 80)}),
        (SquaredHinge, {"C": 2.0}),
        (LeastSquaresClassifier, {"C": 2.0}),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_held_out_values_are_those_of_machines_that_did_not_see_the_sample(
    machine: Any, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = crowded(3)
    scheme = OneVersusOne(X, y, KERNEL, machine=machine, **settings)
    folds = [np.random.default_rng(0).permutation(part.samples.size) % 3 for part in scheme.parts]
    if machine in (SoftMargin, NuMargin):
        # All that is asked is proved as arrays.
        for name in ("_train_alone", "_train_together"):
            monkeypatch.setattr(batch, name, None)
    found = scheme.held_out_values(folds, lambda _: 2.0, tol=1e-8)
    monkeypatch.undo()
    for pair, part, fold, values in zip(scheme.pairs(), scheme.parts, folds, found, strict=True):
        for number in range(3):
            solution = scheme.model(pair).on(fold != number).solve(tol=1e-8)
            expected = 2.0 * solution.function(X[part.samples[fold == number]])
            np.testing.assert_allclose(values[fold == number], expected, atol=1e-3)


def test_a_fold_without_an_answer_is_an_error() -> None:
    X, y = crowded(2)
    scheme = OneVersusOne(X, y, machine=HardMargin)
    with pytest.raises(InseparableError):
        scheme.held_out_values([np.arange(80) // 2 % 5], lambda _: 1.0, tol=1e-6)
