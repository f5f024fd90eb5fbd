# SPDX-License-Identifier: BSD-3-Clause
"""Enclosed functions hold the exact ones, and are known to a few units of rounding of their terms."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.sparse import csr_array

from exact import exact, exact_function, exact_kernel, exact_matrix, holds
from qpkernels.gram import Gram
from qpkernels.gram.enclosed import enclose_expansion, enclose_on_samples, largest_row_error
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Polynomial, Precomputed, Sigmoid

UNIT = 2.0**-53
KERNELS = [Linear(), RBF(0.6), Polynomial(3, 0.3, 1.0), Laplacian(0.3), RBF(0.5) + Linear()]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def cloud(m: int, seed: int, offset: float = 0.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(m, 3)) + offset


def wide(m: int, seed: int) -> np.ndarray:
    """Return coefficients of many sizes and both signs, a few of them 0."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=m) * 10.0 ** rng.integers(-8, 9, size=m) * (rng.random(m) < 0.8)


@pytest.mark.parametrize("offset", [0.0, 1e4])
@each_kernel
def test_values_and_norm_are_held(kernel: Kernel, offset: float) -> None:
    X, beta = cloud(25, 1, offset), wide(25, 2)
    K = exact_matrix(exact_kernel(kernel), X)
    f, true = enclose_on_samples(Gram(kernel, X), beta), exact_function(K, beta)
    assert holds(f.values, true)
    assert holds(f.squared_norm, [mp.fdot(exact(beta), true)])
    if not offset:
        terms = np.abs(np.array(K.tolist(), dtype=float)) @ np.abs(beta)
        assert np.all(f.values.radius <= 50 * UNIT * terms)


@each_kernel
def test_expansions_in_other_samples(kernel: Kernel) -> None:
    X, Z, c = cloud(9, 3), cloud(6, 4), wide(6, 5)
    k, f = exact_kernel(kernel), enclose_expansion(kernel, Z, c, X)
    assert holds(f.values, exact_function(exact_matrix(k, X, Z), c))
    assert holds(f.squared_norm, [mp.fdot(exact(c), exact_function(exact_matrix(k, Z), c))])


def test_of_small_integers_it_is_exact() -> None:
    rng = np.random.default_rng(6)
    X, beta = rng.integers(-9, 10, size=(30, 4)).astype(float), rng.integers(-9, 10, size=30) / 8.0
    f = enclose_on_samples(Gram(Linear(), X), beta)
    assert np.array_equal(f.values.lower, X @ (X.T @ beta))
    assert np.array_equal(f.values.lower, f.values.upper)


def test_large_sums_are_taken_in_blocks() -> None:
    # 900 samples fill several blocks of rows; a few rows are compared.
    X, beta = cloud(900, 7), wide(900, 8)
    f = enclose_on_samples(Gram(RBF(0.4), X), beta)
    some = np.array([0, 291, 292, 583, 899])
    assert holds(f.values[some], exact_function(exact_matrix(exact_kernel(RBF(0.4)), X[some], X), beta))


def test_sparse_samples() -> None:
    X, beta = cloud(12, 9) * (np.random.default_rng(3).random((12, 3)) < 0.5), wide(12, 10)
    for kernel in (Linear(), RBF(0.4)):
        f = enclose_on_samples(Gram(kernel, csr_array(X)), beta)
        assert holds(f.values, exact_function(exact_matrix(exact_kernel(kernel), X), beta))


def test_no_coefficients() -> None:
    f = enclose_on_samples(Gram(RBF(1.0), cloud(5, 0)), np.zeros(5))
    assert not f.values.lower.any()
    assert not f.values.upper.any()
    assert f.squared_norm.upper == 0.0


def test_a_corrected_matrix_is_the_data() -> None:
    X = cloud(10, 11)
    gram, beta = Gram(Sigmoid(1.0, 1.0), X, indefinite="clip"), wide(10, 12)
    assert gram.correction is not None
    f = enclose_on_samples(gram, beta)
    assert holds(f.values, exact_function(mp.matrix([exact(row) for row in gram.dense]), beta))
    assert largest_row_error(gram) == 0.0


def test_the_error_of_the_whole_matrix() -> None:
    X = cloud(10, 13)
    gram = Gram(RBF(0.7), X)
    K = exact_matrix(exact_kernel(RBF(0.7)), X)
    true = max(mp.fsum(abs(mp.mpf(gram.dense[i, j]) - K[i, j]) for j in range(10)) for i in range(10))
    assert true <= largest_row_error(gram) <= 1e-12
    assert largest_row_error(Gram(Precomputed(np.eye(3)), np.arange(3))) == 0.0


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_beyond_float64_nothing_is_known(size: float) -> None:
    f = enclose_on_samples(Gram(RBF(1.0), cloud(4, 14)), np.full(4, size))
    assert np.isneginf(f.values.lower).all()
    assert np.isposinf(f.values.upper).all()
