# SPDX-License-Identifier: BSD-3-Clause
"""The Laplacian kernel against its formula."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel

from kernel_samples import X, Z, by_pairs
from qpkernels import Laplacian


@pytest.mark.parametrize("gamma", [0.05, 0.8, 30.0])
def test_laplacian_against_the_formula_and_scikit_learn(gamma: float) -> None:
    K = Laplacian(gamma)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: np.exp(-gamma * sum(abs(x - z))), X, Z), rtol=1e-13)
    np.testing.assert_allclose(K, laplacian_kernel(X, Z, gamma=gamma), rtol=1e-13)
    np.testing.assert_array_equal(Laplacian(gamma)(X).diagonal(), 1.0)
