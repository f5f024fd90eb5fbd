# SPDX-License-Identifier: BSD-3-Clause
"""Separability: a separating function, or a point of both hulls, and what certifies either."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer

from builders import two_classes
from formulations import HardMargin, HullIntersection, Separability, Solution
from model_data import KERNELS, contradiction, overlapping, separable, xor
from qpkernels.errors import InseparableError
from qpkernels.kernels import RBF, Kernel, Polynomial, Precomputed
from qpkernels.problems import Status

each_kernel = pytest.mark.parametrize("kernel", ["explicit", "rbf"])


def model_of(model: type, kernel: str) -> Any:
    return model(*separable(), KERNELS[kernel])


@each_kernel
def test_certifying_separation(kernel: str) -> None:
    model = model_of(Separability, kernel)
    solution = model.solve()
    hard = model_of(HardMargin, kernel).solve("smo")
    assert model.certify(hard).holds(1e-12)
    assert model.certify((0.01 * hard.beta, 0.01 * hard.intercept)).holds(1e-12)
    assert not model.certify((-hard.beta, -hard.intercept)).holds(1.0)
    assert not model.certify((hard.beta, hard.intercept + 100.0)).holds(1.0)
    margins = model.y * solution.function(model.gram.X)
    assert margins.min() >= 1 - 1e-6


@each_kernel
def test_separable_data_give_a_separating_function(kernel: str) -> None:
    answer = model_of(Separability, kernel).decide()
    assert isinstance(answer, Solution)
    X, y = separable()
    assert (y * answer.function(X)).min() >= 1 - 1e-6
    assert np.array_equal(answer.function.predict(X), y)


@pytest.mark.parametrize("solver", ["clarabel", "scs"])
@pytest.mark.parametrize("data", [xor(), overlapping(), contradiction()], ids=["xor", "overlapping", "contradiction"])
def test_inseparable_data_give_a_point_of_both_hulls(data: tuple[np.ndarray, np.ndarray], solver: str) -> None:
    X, y = data
    point = Separability(X, y).decide(solver)
    assert isinstance(point, HullIntersection)
    weights = point.multipliers
    assert weights.min() >= 0
    for sign in (1, -1):
        assert weights[y == sign].sum() == pytest.approx(1, abs=1e-12)
    positive, negative = weights[y > 0] @ X[y > 0], weights[y < 0] @ X[y < 0]
    assert positive == pytest.approx(negative, abs=1e-5)
    assert point.coordinates == pytest.approx(positive, abs=1e-5)
    assert point.distance <= 1e-5
    grid = np.random.default_rng(2).normal(size=(5, X.shape[1]))
    assert point.positive(grid) == pytest.approx(grid @ positive, abs=1e-9)
    assert point.negative(grid) == pytest.approx(grid @ negative, abs=1e-9)
    assert set(point.support.tolist()) == set(np.flatnonzero(weights > 1e-6).tolist())


def test_a_point_of_both_hulls_in_the_space_of_the_kernel() -> None:
    X, y = contradiction()
    point = Separability(X, y, RBF(0.5)).decide()
    assert isinstance(point, HullIntersection)
    assert point.coordinates is None
    assert point.support.tolist() in ([0, 30], [30, 0])
    assert point.positive(X) == pytest.approx(point.negative(X), abs=1e-6)


def test_samples_that_are_numbers_of_rows() -> None:
    """A precomputed kernel has samples of one dimension, in whose values nothing but the number of terms is rounded."""
    X, y = separable()
    answer = Separability(np.arange(len(X)), y, Precomputed(RBF(0.5)(X))).decide()
    assert isinstance(answer, Solution)
    assert (y * answer.decision).min() >= 1 - 1e-6


@pytest.mark.parametrize("kernel", [None, RBF(0.05)], ids=["explicit", "rbf"])
@pytest.mark.parametrize("model", [Separability, HardMargin])
def test_the_hard_margin_decides_without_a_linear_program(model: type[Any], kernel: Kernel | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    stated = model(X, y, kernel)
    solution = stated.solve()
    assert set(solution.solver.split(", ")) <= {"smo", "interior-point"}
    assert solution.status is Status.OPTIMAL
    assert stated.margins(stated.candidate(solution)).min() > 0.99 * (model is HardMargin)
    # Two equal samples of different classes: nothing separates them.
    X[1], y[0], y[1] = X[0], 1.0, -1.0
    with pytest.raises(InseparableError, match="solver 'interior-point' says 'unbounded below") as error:
        model(X, y, kernel).solve()
    proof = error.value.proof
    assert proof.distance <= 1e-9
    assert proof.certificate.holds(1e-6)
    if kernel is not None:
        # All other images are linearly independent.
        assert set(proof.support) == {0, 1}


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e-7])
def test_the_unit_of_a_feature_does_not_matter(unit: float) -> None:
    X, y = np.random.default_rng(0).standard_normal((60, 4)), np.where(np.arange(60) % 2 == 0, -1.0, 1.0)
    apart = X.copy()
    apart[:, 3] = unit * (0.01 * y + 0.001 * X[:, 3])
    found = Separability(apart, y).decide()
    assert not isinstance(found, HullIntersection)
    assert (y * found.decision_function(apart) > 0).all()


def test_a_real_set_in_its_own_units() -> None:
    """Of which the hulls are 3e-8 of the radius apart, and far apart in the units of some features."""
    samples, targets = load_breast_cancer(return_X_y=True)
    found = Separability(samples, targets).decide()
    assert not isinstance(found, HullIntersection)
    assert found.predict(samples).tolist() == targets.tolist()


def common_point(X: ArrayLike, y: ArrayLike, **options: bool) -> HullIntersection:
    answer = Separability(X, y, **options).decide()
    assert isinstance(answer, HullIntersection)
    return answer


def separates(X: np.ndarray, y: np.ndarray, intercept: bool) -> bool:
    """Whether y (Xw + b) >= 1 has a solution, by a simplex method."""
    rows = -y[:, None] * (np.column_stack([X, np.ones(len(y))]) if intercept else X)
    return bool(linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(y)), bounds=(None, None)).status == 0)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_no_more_samples_than_caratheodory_says_and_none_to_spare(seed: int, intercept: bool) -> None:
    X, y = two_classes(60, seed=seed, shift=0.3, features=3)
    point = common_point(X, y, fit_intercept=intercept)
    carriers = np.sort(point.support)
    assert carriers.size <= (5 if intercept else 4)
    assert np.abs(X.T @ (y * point.multipliers)).max() <= 1e-9
    assert not separates(X[carriers], y[carriers], intercept)
    for spared in carriers:
        rest = np.setdiff1d(carriers, spared)
        assert separates(X[rest], y[rest], intercept)


def test_in_the_space_of_a_kernel() -> None:
    # 6 dimensions of 3 features: 8 samples at most.
    X, y = two_classes(60, seed=1, shift=0.1, features=3)
    point = Separability(X, y, Polynomial(2, 0.5, 0.0)).decide()
    assert isinstance(point, HullIntersection)
    assert point.support.size <= 8
    assert point.positive(X) == pytest.approx(point.negative(X), abs=1e-8)


def test_hulls_that_touch_in_a_corner() -> None:
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0]]), np.array([-1, -1, 1, 1])
    point = common_point(X, y)
    assert sorted(point.support.tolist()) == [1, 2]
    assert point.coordinates == pytest.approx([1.0, 0.0], abs=1e-9)


def test_a_corner_that_touches_an_edge() -> None:
    X, y = np.array([[-1.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.5, 3.0]]), np.array([-1, -1, 1, 1])
    point = common_point(X, y)
    assert sorted(point.support.tolist()) == [0, 1, 2]
    assert point.multipliers == pytest.approx([0.25, 0.75, 1.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_an_offset_of_the_features_changes_nothing(offset: float) -> None:
    X, y = two_classes(30, seed=3, shift=0.1)
    point = common_point(X + offset, y)
    assert point.support.size <= 4
    assert point.distance <= 1e-9
    assert np.abs(X.T @ (y * point.multipliers)).max() <= 1e-6


def test_without_an_intercept_the_conic_hulls_meet() -> None:
    """Two samples of different classes on one ray from the origin: no line through the origin separates them."""
    X, y = [[1.0], [2.0]], [1, -1]
    point = common_point(X, y, fit_intercept=False)
    assert point.multipliers == pytest.approx([4 / 3, 2 / 3], rel=1e-6)
    assert point.distance <= 1e-9
    assert isinstance(Separability(X, y).decide(), Solution)
    with pytest.raises(
        InseparableError, match=r"no hyperplane through the origin separates .* conic combination"
    ) as caught:
        HardMargin(X, y, fit_intercept=False).solve()
    assert sorted(caught.value.proof.support.tolist()) == [0, 1]


def test_without_an_intercept_one_class_may_suffice() -> None:
    X, y = [[1.0, 0.0], [-3.0, 0.0], [0.0, 1.0]], [1, 1, -1]
    point = common_point(X, y, fit_intercept=False)
    assert point.multipliers == pytest.approx([1.5, 0.5, 0.0], abs=1e-6)
    assert point.positive(X) == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


def test_separable_classes_have_none() -> None:
    assert isinstance(Separability(*separable()).decide(), Solution)
    assert isinstance(Separability([[1.0], [-2.0]], [1, -1], fit_intercept=False).decide(), Solution)
