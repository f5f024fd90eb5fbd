# SPDX-License-Identifier: BSD-3-Clause
"""An inverse whose rows come and go."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.linalg import LinAlgError

from qpkernels.solvers.active_set.inverse import Inverse


def definite(m: int) -> np.ndarray:
    A = np.random.default_rng(0).normal(size=(m, m + 3))
    return A @ A.T


def test_it_is_the_inverse_of_its_members_after_every_change() -> None:
    rng, A, inverse = np.random.default_rng(1), definite(90), Inverse()
    inverse.rebuild(np.arange(4), A[:4, :4])
    for _ in range(200):
        absent = np.setdiff1d(np.arange(90), inverse.members)
        if inverse.members.size == 0 or (absent.size and rng.random() < 0.65):
            new = int(rng.choice(absent))
            assert inverse.add(new, A[new, inverse.members], A[new, new])
        else:
            inverse.drop(int(rng.integers(inverse.members.size)))
        assert np.unique(inverse.members).size == inverse.members.size
        exact = np.linalg.inv(A[np.ix_(inverse.members, inverse.members)])
        np.testing.assert_allclose(inverse.matrix, exact, rtol=1e-6, atol=1e-8 * np.abs(exact).max(initial=0.0))


def test_a_row_that_depends_on_the_others_is_not_taken() -> None:
    A, inverse = definite(5), Inverse()
    inverse.rebuild(np.arange(5), A)
    before = inverse.matrix.copy()
    assert not inverse.add(5, A[2], A[2, 2])
    np.testing.assert_array_equal(inverse.matrix, before)
    np.testing.assert_array_equal(inverse.members, np.arange(5))


@pytest.mark.parametrize("A", [np.ones((3, 3)), -np.eye(3)], ids=["singular", "negative"])
def test_a_matrix_that_is_not_definite_is_refused(A: np.ndarray) -> None:
    with pytest.raises(LinAlgError):
        Inverse().rebuild(np.arange(3), A)
