# SPDX-License-Identifier: BSD-3-Clause
"""Products of a kernel matrix with several vectors at a time: formed, streamed, and by features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from qpkernels.gram import Gram, LowRank
from qpkernels.gram.products import products
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, Sigmoid

X = np.random.default_rng(0).normal(size=(1300, 5))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("formed", [False, True], ids=["streamed", "formed"])
@pytest.mark.parametrize(
    "kernel", [RBF(0.2), Polynomial(3), Laplacian(0.3), Linear()], ids=["rbf", "polynomial", "laplacian", "linear"]
)
def test_they_are_those_of_the_whole_matrix(kernel: Kernel, formed: bool, columns: int) -> None:
    gram, V = Gram(kernel, X), np.random.default_rng(1).normal(size=(1300, columns))
    K = kernel(X, X)
    if formed:
        assert gram.dense.shape == K.shape
    found = products(gram, V)
    np.testing.assert_allclose(found, K @ V, atol=1e-10 * np.abs(K).sum(axis=1).max())
    assert gram.is_formed is formed


def test_of_sparse_samples_low_rank_and_corrected_matrices() -> None:
    thin, V = np.where(np.abs(X) > 1.5, X, 0.0), np.random.default_rng(2).normal(size=(1300, 4))
    np.testing.assert_allclose(products(Gram(RBF(0.2), csr_array(thin)), V), RBF(0.2)(thin, thin) @ V, atol=1e-9)
    low = LowRank(RBF(0.2), X, 30)
    np.testing.assert_allclose(products(low, V), low.features @ (low.features.T @ V), atol=1e-9)
    shifted = Gram(Sigmoid(1.0, -1.0), X[:80], indefinite="shift")
    for columns in (1, 4):
        np.testing.assert_allclose(products(shifted, V[:80, :columns]), shifted.dense @ V[:80, :columns], atol=1e-10)
