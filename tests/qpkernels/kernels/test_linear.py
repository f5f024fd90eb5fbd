# SPDX-License-Identifier: BSD-3-Clause
"""The linear kernel, and when its samples serve as features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from kernel_samples import X, Z, by_pairs
from qpkernels import RBF, Gram, Linear
from sparse_samples import assert_close, with_zeros


def test_linear_and_rbf_against_scikit_learn() -> None:
    np.testing.assert_allclose(Linear()(X, Z), linear_kernel(X, Z), rtol=1e-13)
    np.testing.assert_allclose(Linear()(X, Z), by_pairs(lambda x, z: sum(x * z), X, Z), rtol=1e-13)
    np.testing.assert_allclose(RBF(0.8)(X, Z), rbf_kernel(X, Z, gamma=0.8), rtol=1e-13)
    np.testing.assert_allclose(Linear().features(X), X)


def test_few_features_are_made_dense_and_many_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    X = with_zeros(6, d=4)
    features = Gram(Linear(), csr_array(X)).features
    np.testing.assert_array_equal(features, X)
    assert Gram(Linear(), csr_array(X.T)).features is None
    assert Linear().features(csr_array(X.T)) is None
    assert Gram(2 * Linear() + Linear(), csr_array(X)).features is None
    monkeypatch.setattr("qpkernels.kernels.linear._FEW_BYTES", 8 * 6 * 4 - 1)
    gram, v = Gram(Linear(), csr_array(X)), np.arange(6.0)
    assert gram.features is None
    assert_close(gram.product(v), X @ (X.T @ v))
