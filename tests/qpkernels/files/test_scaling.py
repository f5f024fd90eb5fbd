# SPDX-License-Identifier: BSD-3-Clause
"""Features scaled, dense and sparse, those of new samples as those of the first."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import coo_array, csc_matrix, csr_array
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from qpkernels.arrays.checks import is_mapped
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.files import Scaling, scale_features


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


TRAINING = np.random.default_rng(0).normal(size=(40, 4)) * [1.0, 1e3, 1e-3, 0.0] + [0.0, 5.0, -1.0, 2.0]
NEW = TRAINING[:5] * 1.5 - 0.25


@pytest.mark.parametrize(
    ("made", "theirs"),
    [
        (lambda X: Scaling.to_range(X), MinMaxScaler((-1.0, 1.0))),
        (lambda X: Scaling.to_range(X, 0.0, 3.0), MinMaxScaler((0.0, 3.0))),
        (lambda X: Scaling.standardise(X), StandardScaler()),
    ],
)
def test_new_samples_are_mapped_as_the_first_ones(made: Callable[..., Scaling], theirs: Any) -> None:
    ours, theirs = made(TRAINING), theirs.fit(TRAINING)
    moving = np.ptp(TRAINING, axis=0) > 0
    for samples in (TRAINING, NEW):
        np.testing.assert_allclose(ours.transform(samples)[:, moving], theirs.transform(samples)[:, moving], rtol=1e-9)
        np.testing.assert_array_equal(ours.transform(samples)[:, ~moving], 0.0)
    with pytest.raises(ParameterError, match="would fill sparse samples"):
        ours.transform(csr_array(NEW))


@pytest.mark.parametrize(
    ("made", "theirs"),
    [(Scaling.to_range, MaxAbsScaler()), (Scaling.standardise, StandardScaler(with_mean=False))],
)
def test_sparse_samples_stay_sparse(made: Callable[..., Scaling], theirs: Any) -> None:
    X = np.where(np.random.default_rng(1).random((30, 5)) < 0.3, TRAINING[:30, [0, 1, 2, 0, 1]], 0.0)
    X[:, 4] = 0.0
    ours, theirs = made(csr_array(X)), theirs.fit(csr_array(X))
    mapped = ours.transform(csr_array(2.0 * X))
    assert isinstance(mapped, csr_array)
    np.testing.assert_allclose(mapped.toarray(), theirs.transform(2.0 * X), rtol=1e-9)
    np.testing.assert_allclose(ours.transform(2.0 * X), mapped.toarray(), rtol=1e-12)


def test_scalings_refuse_what_they_cannot_map() -> None:
    with pytest.raises(ShapeError, match="samples with 4 features, but those of X have 3"):
        Scaling.standardise(TRAINING).transform(np.ones((2, 3)))
    with pytest.raises(ParameterError, match="lower must be below upper, but 1 and 1 came"):
        Scaling.to_range(TRAINING, 1.0, 1.0)
    with pytest.raises(ParameterError, match=r"the range \[0, 1\] cannot be chosen"):
        Scaling.to_range(csr_array(TRAINING), 0.0, 1.0)
    with pytest.raises(ShapeError, match="high"):
        Scaling(np.zeros(2), np.zeros(3))


def test_samples_in_a_file_stay_in_one(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 50.0, 0.0] + 3.0
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for make in (Scaling.standardise, Scaling.to_range):
        scaled = make(mapped).transform(mapped)
        assert is_mapped(scaled)
        np.testing.assert_allclose(scaled, make(X).transform(X), atol=1e-14)
