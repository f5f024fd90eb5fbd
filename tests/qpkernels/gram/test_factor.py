# SPDX-License-Identifier: BSD-3-Clause
"""The factor of a kernel matrix."""

import numpy as np
import pytest

from qpkernels import RBF, Gram
from qpkernels.gram.factor import pivoted_cholesky


def test_the_factor_has_as_many_columns_as_the_rank() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 4, axis=0)
    gram = Gram(RBF(1.0), X)
    assert gram.factor.shape == (20, 5)
    np.testing.assert_allclose(gram.factor @ gram.factor.T, gram.dense, atol=1e-14)


@pytest.mark.parametrize("gamma", [0.05, 0.5, 5.0])
def test_no_entry_is_a_remnant_of_cancellation(gamma: float) -> None:
    """Equal samples would be told apart by it: |L_ij| L_jj is 0 or above the rounding of K."""
    X = np.random.default_rng(23).normal(size=(30, 3))
    K = RBF(gamma)(np.vstack([X, X[:5]]))
    held = pivoted_cholesky(K, np.ones(35))
    shares = np.abs(held.factor) * np.diag(held.factor[held.pivots])
    assert shares[shares > 0].min() > 4 * np.finfo(float).eps
    assert held.factor @ held.factor.T == pytest.approx(K, abs=1e-13)
