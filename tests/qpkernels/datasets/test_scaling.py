# SPDX-License-Identifier: BSD-3-Clause
"""Features scaled, dense and sparse, and one class against the rest."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_array, csc_matrix, csr_array

from qpkernels.datasets import one_versus_rest, scale_features
from qpkernels.errors import LabelError, NonFiniteError, ShapeError


def test_scale_features_by_hand() -> None:
    X = np.array([[0.0, 5.0, -1.0], [10.0, 5.0, 3.0], [2.5, 5.0, 1.0]])
    before = X.copy()
    np.testing.assert_array_equal(scale_features(X), [[-1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-0.5, 0.0, 0.0]])
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("column", [[-1.7e308, 0.0, 1.7e308], [0.0, 5e-324, 5e-324], [7.0], [1e308, 1e308]])
def test_scale_features_at_the_ends_of_float64(column: list[float]) -> None:
    scaled = scale_features(np.reshape(column, (-1, 1)))
    expected = [0.0] if len(set(column)) == 1 else [-1.0, 1.0]
    assert [scaled.min(), scaled.max()] == [expected[0], expected[-1]]


@seed(0)
@settings(max_examples=200, deadline=None, database=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_scale_features_properties(X: np.ndarray) -> None:
    scaled = scale_features(X)
    assert scaled.shape == X.shape
    for before, after in zip(X.T, scaled.T, strict=True):
        if before.min() == before.max():
            assert (after == 0.0).all()
            continue
        assert (after[before == before.min()] == -1.0).all()
        assert (after[before == before.max()] == 1.0).all()
        assert (np.abs(after) <= 1.0).all()
        assert (np.diff(after[np.argsort(before)]) >= 0.0).all()


@pytest.mark.parametrize("container", [csr_array, csc_matrix, coo_array])
def test_scale_features_keeps_the_zeros_of_sparse_samples(container: Callable[[np.ndarray], object]) -> None:
    before = container(np.array([[0.0, 3.0, -4.0, 0.0, 5e-324], [0.0, 0.0, 1.0, 2.0, 0.0], [0.0, 3.0, 0.0, -1.0, 0.0]]))
    after = scale_features(before)
    assert isinstance(after, csr_array)
    np.testing.assert_array_equal(after.toarray(), [[0, 1, -1, 0, 1], [0, 0, 0.25, 1, 0], [0, 1, 0, -0.5, 0]])
    assert before.max() == 3.0


@seed(0)
@settings(max_examples=100, deadline=None, database=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.just(0.0) | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_scale_features_of_sparse_samples_properties(X: np.ndarray) -> None:
    scaled = scale_features(csr_array(X)).toarray()
    for before, after in zip(X.T, scaled.T, strict=True):
        largest = np.abs(before).max()
        np.testing.assert_array_equal(np.abs(after[np.abs(before) == largest]), float(largest > 0.0))
        assert (np.abs(after) <= 1.0).all()
        assert (after * before >= 0.0).all()
        assert (np.diff(after[np.argsort(before)]) >= 0.0).all()


def test_scale_features_refuses_sparse_samples_that_are_not_finite() -> None:
    with pytest.raises(NonFiniteError, match=r"X\[0, 1\] is inf"):
        scale_features(csr_array(np.array([[1.0, np.inf]])))


@pytest.mark.parametrize(
    ("X", "error"), [([1.0, 2.0], ShapeError), ([[np.nan]], NonFiniteError), (np.empty((0, 2)), ShapeError)]
)
def test_scale_features_refusals(X: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        scale_features(X)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("y", "positive", "expected"),
    [
        ([0, 1, 2, 1], 1, [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1", [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1.0", [-1, 1, -1, 1]),
        ([-1.0, 1.0], " +1 ", [-1, 1]),
        ([0.5, 1.5], 0.5, [1, -1]),
        ([True, False], 1, [1, -1]),
        ([True, False], True, [1, -1]),
        (np.array([0.1, 0.2], dtype=np.float32), np.float32(0.1), [1, -1]),
        (["a", "b"], "b", [-1, 1]),
        (["1", "01"], "01", [-1, 1]),
        (["1", "2"], 2, [-1, 1]),
        (np.array(["a", "b"], dtype=object), "a", [1, -1]),
    ],
)
def test_one_versus_rest(y: list[object], positive: str | float, expected: list[int]) -> None:
    labels = one_versus_rest(np.asarray(y), positive)
    assert labels.dtype == np.float64
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("y", "positive", "message"),
    [
        ([0, 1, 2], 3, "one of the classes 0, 1, 2, but 3 came"),
        ([0.5, 1.0], "cat", "one of the classes 0.5, 1, but 'cat' came"),
        ([0, 1], "nan", "one of the classes 0, 1, but 'nan' came"),
        (["a", "b"], "A", "one of the classes 'a', 'b', but 'A' came"),
        (["1", "2"], "1.0", "one of the classes '1', '2', but '1.0' came"),
        (range(30), 99, r"18, 19, ... \(30 in all\), but 99 came"),
        ([], 1, "of y, which is empty, but 1 came"),
    ],
)
def test_one_versus_rest_unknown_class(y: object, positive: str | float, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        one_versus_rest(np.asarray(y), positive)


def test_one_versus_rest_refusals() -> None:
    with pytest.raises(ShapeError, match="y must have one dimension"):
        one_versus_rest(np.ones((2, 1)), 1)
    with pytest.raises(NonFiniteError):
        one_versus_rest(np.array([1.0, np.nan]), 1)
