# SPDX-License-Identifier: BSD-3-Clause
"""The factor of a kernel matrix."""

import numpy as np

from qpkernels import RBF, Gram


def test_the_factor_has_as_many_columns_as_the_rank() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 4, axis=0)
    gram = Gram(RBF(1.0), X)
    assert gram.factor.shape == (20, 5)
    np.testing.assert_allclose(gram.factor @ gram.factor.T, gram.dense, atol=1e-14)
