# SPDX-License-Identifier: BSD-3-Clause
"""Kernels given by their matrix."""

from typing import Any

import numpy as np
import pytest

from kernel_samples import X
from qpkernels import Precomputed
from qpkernels.errors import NonFiniteError, NotSquareError, NotSymmetricError, ParameterError, ShapeError


def test_precomputed_picks_rows_and_columns() -> None:
    K = X @ X.T
    kernel = Precomputed(K)
    np.testing.assert_allclose(kernel([2, 0], [1, 1, 5]), K[np.ix_([2, 0], [1, 1, 5])], rtol=1e-15)
    np.testing.assert_array_equal(kernel(np.array([[2], [0]])), kernel([2, 0]))
    np.testing.assert_array_equal(kernel([2.0, 0.0]), kernel([2, 0]))
    assert not kernel.positive_semidefinite


def test_precomputed_does_not_follow_later_changes_of_the_matrix() -> None:
    K = X @ X.T
    kernel = Precomputed(K)
    before = kernel([0, 1])
    K[:] = 0.0
    np.testing.assert_array_equal(kernel([0, 1]), before)
    with pytest.raises(ValueError, match="read-only"):
        kernel.K[0, 0] = 1.0


def test_precomputed_refuses_matrices_that_are_no_kernel_matrix() -> None:
    with pytest.raises(NotSquareError, match=r"\(2, 3\)"):
        Precomputed(np.ones((2, 3)))
    with pytest.raises(NotSymmetricError, match=r"K\[0, 1\] = 2 and K\[1, 0\] = 1"):
        Precomputed(np.array([[1.0, 2.0], [1.0, 1.0]]))
    with pytest.raises(NonFiniteError, match=r"K\[1, 1\]"):
        Precomputed(np.array([[1.0, 0.0], [0.0, np.nan]]))
    rounding = np.array([[1.0, 0.5], [0.5 + 1e-12, 1.0]])
    np.testing.assert_array_equal(Precomputed(rounding).K, Precomputed(rounding).K.T)


@pytest.mark.parametrize("bad", [[0, 3], [-1], [0.5], [], ["a"], [np.nan], [np.inf]])
def test_precomputed_refuses_what_is_no_row_number(bad: list[Any]) -> None:
    with pytest.raises(ParameterError, match="row numbers of K"):
        Precomputed(np.eye(3))(bad)


def test_precomputed_refuses_samples_with_several_columns() -> None:
    with pytest.raises(ShapeError, match="row numbers of K"):
        Precomputed(np.eye(3))(np.zeros((2, 2)))
