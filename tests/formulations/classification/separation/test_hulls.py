# SPDX-License-Identifier: BSD-3-Clause
"""The common point of two hulls, carried by few samples."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from builders import two_classes
from formulations import HardMargin, HullIntersection, Separability, Solution
from model_data import separable
from qpkernels.errors import InseparableError
from qpkernels.kernels import Polynomial


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
