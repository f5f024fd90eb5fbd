# SPDX-License-Identifier: BSD-3-Clause
"""Enclosed functions hold the exact ones, and dependent samples are found without rounding."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from exact import exact, exact_function, exact_kernel, exact_matrix, holds
from qpkernels import Gram
from qpkernels.gram.exact import (
    enclose_dependence,
    enclose_expansion,
    enclose_on_samples,
    equal_samples,
    largest_row_error,
)
from qpkernels.kernels import RBF, Kernel, Laplacian, Linear, Nystroem, Polynomial, Precomputed, RandomFourier, Sigmoid
from together import together

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


EXAMPLES = list(KERNEL_EXAMPLES.values())


@together("kernel", EXAMPLES)
def test_equal_samples_are_dependent_for_every_kernel(kernel: Kernel) -> None:
    X = example_samples(kernel)
    X = np.concatenate([X, X[2:3]])
    gram = Gram(kernel, X)
    if not isinstance(kernel, Precomputed):
        assert [2, 8] in [each.tolist() for each in equal_samples(gram)]
    for balanced in (False, True):
        found = enclose_dependence(gram, np.array([2, 8]), np.array([1.0, -1.0]), balanced=balanced)
        assert found is not None
        assert found.lower.tolist() == found.upper.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("kernel", EXAMPLES, ids=lambda kernel: type(kernel).__name__)
def test_what_is_called_dependent_is(kernel: Kernel) -> None:
    """Ten samples, of which weights at random are moved to where they may be: f = 0 everywhere, up to rounding."""
    X = example_samples(kernel, 10)
    gram, rng = Gram(kernel, X, indefinite="clip" if type(kernel) in INDEFINITE else "refuse"), np.random.default_rng(2)
    for k in range(2, 11):
        found = enclose_dependence(gram, np.arange(k), rng.normal(size=k), balanced=False)
        if found is not None:
            values = gram.dense[:, :k] @ found.middle
            size = np.abs(gram.dense[:, :k]) @ np.abs(found.middle)
            assert np.abs(values).max() <= 1e-9 * size.max()


@pytest.mark.parametrize("sparse", [False, True])
def test_as_many_as_there_are_dimensions(sparse: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 3))
    X = csr_array(X) if sparse else X
    # Two squares and what three features have in common: 1 + 3 + 6 dimensions.
    for kernel, dimensions in ((Linear(), 3), (Polynomial(2, 0.7, 0.0), 6), (Polynomial(2, 0.7, 1.3), 10)):
        gram = Gram(kernel, X)
        v = rng.normal(size=12)
        assert enclose_dependence(gram, np.arange(dimensions), v[:dimensions], balanced=False) is None
        assert enclose_dependence(gram, np.arange(dimensions + 1), v[: dimensions + 1], balanced=False) is not None
        # Where the constant is in the space, weights of samples that are dependent add up to 0 anyway.
        room = dimensions + (1 if kernel == Polynomial(2, 0.7, 1.3) else 2)
        assert enclose_dependence(gram, np.arange(room), v[:room], balanced=True) is not None


def test_many_features() -> None:
    """More samples than fractions are taken for: the weights are enclosed in float64."""
    X = np.random.default_rng(0).normal(size=(121, 120))
    found = enclose_dependence(Gram(Linear(), X), np.arange(121), np.ones(121), balanced=False)
    assert found is not None
    assert np.abs(X.T @ found.middle).max() <= 1e-9 * np.abs(found.middle).max()
    assert enclose_dependence(Gram(RBF(1.0), X), np.arange(121), np.ones(121), balanced=False) is None


@pytest.mark.parametrize("kind", [Nystroem, RandomFourier])
def test_an_approximation_has_few_dimensions(kind: type[Kernel]) -> None:
    kernel = KERNEL_EXAMPLES[kind]
    X = example_samples(kernel, 40)
    gram, v = Gram(kernel, X), np.random.default_rng(4).normal(size=40)
    rank = np.linalg.matrix_rank(kernel.features(X))
    assert enclose_dependence(gram, np.arange(rank), v[:rank], balanced=False) is None
    assert enclose_dependence(gram, np.arange(rank + 1), v[: rank + 1], balanced=False) is not None


def test_indicators_of_categories() -> None:
    """Each with its complement, and all of them add up to a constant: half of the equations follow from the others."""
    X = (np.random.default_rng(3).random((40, 30)) > 0.5).astype(float)
    X = np.hstack([X, 1.0 - X])
    gram, v = Gram(Linear(), X), np.random.default_rng(4).normal(size=40)
    for balanced in (False, True):
        found = enclose_dependence(gram, np.arange(32), v[:32], balanced=balanced)
        assert found is not None
        assert np.abs(X[:32].T @ found.middle).max() <= 1e-9 * np.abs(found.middle).max()
        assert enclose_dependence(gram, np.arange(31), v[:31], balanced=balanced) is None
    # A complement that is off by a digit is an equation of its own.
    X[5, 35] += 2.0**-40
    assert enclose_dependence(Gram(Linear(), X), np.arange(32), v[:32], balanced=True) is None


def test_a_matrix_that_is_data_is_dependent_at_every_sample() -> None:
    """Two rows that agree at two samples, and not at a third, have no combination that is 0."""
    K = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5 - 1e-12], [0.5, 0.5 - 1e-12, 4.0]])
    gram = Gram(Precomputed(K), [0, 1, 2])
    assert enclose_dependence(gram, np.array([0, 1]), np.array([1.0, -1.0]), balanced=False) is None
