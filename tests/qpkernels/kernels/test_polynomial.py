# SPDX-License-Identifier: BSD-3-Clause
"""The polynomial kernel against its formula."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

from kernel_samples import X, Z, by_pairs
from qpkernels import Polynomial


@pytest.mark.parametrize(("degree", "gamma", "coef0"), [(1, 1.0, 0.0), (2, 0.5, 1.0), (3, 2.0, -0.7), (5, 0.1, 0.3)])
def test_polynomial_against_the_formula_and_scikit_learn(degree: int, gamma: float, coef0: float) -> None:
    K = Polynomial(degree, gamma, coef0)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: (gamma * sum(x * z) + coef0) ** degree, X, Z), rtol=1e-12)
    np.testing.assert_allclose(K, polynomial_kernel(X, Z, degree=degree, gamma=gamma, coef0=coef0), rtol=1e-13)


def test_the_defaults_of_the_polynomial_kernel() -> None:
    assert Polynomial() == Polynomial(degree=3, gamma=1.0, coef0=0.0)
