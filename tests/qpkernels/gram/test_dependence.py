# SPDX-License-Identifier: BSD-3-Clause
"""Which samples are dependent in the space of their kernel, without rounding."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from qpkernels import Gram
from qpkernels.gram.dependence import enclose_dependence, equal_samples
from qpkernels.kernels import RBF, Kernel, Linear, Nystroem, Polynomial, Precomputed, RandomFourier

EXAMPLES = list(KERNEL_EXAMPLES.values())


@pytest.mark.parametrize("kernel", EXAMPLES, ids=lambda kernel: type(kernel).__name__)
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
    X = (np.random.default_rng(3).random((100, 90)) > 0.5).astype(float)
    X = np.hstack([X, 1.0 - X])
    gram, v = Gram(Linear(), X), np.random.default_rng(4).normal(size=100)
    for balanced in (False, True):
        found = enclose_dependence(gram, np.arange(92), v[:92], balanced=balanced)
        assert found is not None
        assert np.abs(X[:92].T @ found.middle).max() <= 1e-9 * np.abs(found.middle).max()
        assert enclose_dependence(gram, np.arange(91), v[:91], balanced=balanced) is None
    # A complement that is off by a digit is an equation of its own.
    X[5, 95] += 2.0**-40
    assert enclose_dependence(Gram(Linear(), X), np.arange(92), v[:92], balanced=True) is None


def test_a_matrix_that_is_data_is_dependent_at_every_sample() -> None:
    """Two rows that agree at two samples, and not at a third, have no combination that is 0."""
    K = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5 - 1e-12], [0.5, 0.5 - 1e-12, 4.0]])
    gram = Gram(Precomputed(K), [0, 1, 2])
    assert enclose_dependence(gram, np.array([0, 1]), np.array([1.0, -1.0]), balanced=False) is None
