# SPDX-License-Identifier: BSD-3-Clause
"""The sigmoid kernel against its formula."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import sigmoid_kernel

from kernel_samples import X, Z, by_pairs
from qpkernels import Sigmoid


@pytest.mark.parametrize(("kappa", "b"), [(1.0, 0.0), (0.3, 1.2), (2.0, -0.4)])
def test_sigmoid_against_the_formula_and_scikit_learn(kappa: float, b: float) -> None:
    K = Sigmoid(kappa, b)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: np.tanh(kappa * sum(x * z) - b), X, Z), rtol=1e-11)
    np.testing.assert_allclose(K, sigmoid_kernel(X, Z, gamma=kappa, coef0=-b), rtol=1e-11)
