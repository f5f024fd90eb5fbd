# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix whose samples come and go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from qpkernels import RBF, Gram, Kernel, Linear, Polynomial
from qpkernels.errors import IndefiniteKernelError, NonFiniteError, NotSymmetricError
from qpkernels.gram import ChangingGram, changed
from qpkernels.gram.changing import stored
from sparse_samples import each_taker, with_zeros


def agrees(gram: Gram) -> None:
    """Settle that every view of the matrix is that of a matrix of the same samples alone."""
    K, v = gram.kernel.matrix(gram.X, gram.X), np.random.default_rng(3).normal(size=len(gram))
    tolerance = 2e-11 * np.abs(K).max()
    np.testing.assert_allclose(gram.product(v), K @ v, atol=tolerance * np.abs(v).sum())
    known = stored(gram)
    if known is not None:
        np.testing.assert_allclose(known.matrix[np.ix_(known.slots, known.slots)], K, atol=tolerance)
    np.testing.assert_allclose(gram.diagonal, K.diagonal(), atol=tolerance)
    np.testing.assert_allclose(gram.dense, K, atol=tolerance)


def random_changes(kernel: Kernel, X: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    gram = ChangingGram.of(Gram(kernel, X[:6]))
    pool = Gram(kernel, X).X
    for _ in range(12):
        m, new = len(gram), pool[rng.choice(pool.shape[0], int(rng.integers(0, 3)), replace=False)]
        rows = rng.permutation(m + new.shape[0])[: max(3, m - 1)]
        rows = np.union1d(rows, np.arange(m, m + new.shape[0]))
        after = changed(gram, rows, new)
        agrees(after)
        gram.leave(after) if isinstance(gram, ChangingGram) else None
        agrees(gram)
        gram = after


@pytest.mark.parametrize("name", KERNEL_EXAMPLES)
def test_every_kernel_keeps_its_entries(name: str) -> None:
    if name not in INDEFINITE:
        random_changes(KERNEL_EXAMPLES[name], example_samples(KERNEL_EXAMPLES[name], 9), seed=1)


@each_taker
def test_sparse_samples_keep_their_entries(kernel: Kernel) -> None:
    random_changes(kernel, csr_array(with_zeros(9)), seed=2)


class Counting(RBF):
    """A Gaussian kernel that counts its values."""

    values = 0

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        Counting.values += X.shape[0] * Z.shape[0]
        return super().matrix(X, Z)


def test_a_change_computes_the_rows_of_new_samples_alone() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    gram = ChangingGram.of(Gram(Counting(0.5), X[:40]))
    Counting.values = 0
    fewer = changed(gram, np.arange(39), X[:0])
    more = changed(fewer, np.arange(41), X[40:42])
    assert Counting.values == 2 * 41 + 4
    more.product(np.ones(41))
    assert Counting.values == 2 * 41 + 4


def test_both_matrices_hold_until_one_leaves() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    before = ChangingGram.of(Gram(RBF(0.5), X[:40]))
    after = changed(before, np.append(np.arange(1, 40), 40), X[40:41])
    assert isinstance(before, ChangingGram)
    assert isinstance(after, ChangingGram)
    agrees(before)
    agrees(after)
    after.leave(before)
    assert not after.is_shared
    other = changed(before, np.append(np.arange(2, 40), 40), X[41:42])
    agrees(after)
    before.leave(other)
    agrees(before)
    agrees(other)


def test_what_needs_no_memory_takes_none() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    for gram in (
        Gram(Linear(), X),
        Gram(RBF(0.5), X, memory_limit=8 * 19**2),
        Gram(INDEFINITE_EXAMPLE, X, indefinite="clip"),
    ):
        assert ChangingGram.of(gram) is gram
        agrees_with_fresh = changed(gram, np.append(np.arange(19), 20), X[:1])
        assert not isinstance(agrees_with_fresh, ChangingGram)
        np.testing.assert_array_equal(agrees_with_fresh.X, np.vstack([X[:19], X[:1]]))


INDEFINITE_EXAMPLE = KERNEL_EXAMPLES[next(iter(INDEFINITE))] if INDEFINITE else RBF(1.0)


def test_beyond_the_memory_limit_entries_are_computed_as_they_are_needed() -> None:
    X = np.random.default_rng(0).normal(size=(22, 3))
    gram = ChangingGram.of(Gram(RBF(0.5), X[:20], memory_limit=8 * 21**2))
    more = changed(gram, np.arange(21), X[20:21])
    assert isinstance(more, ChangingGram)
    most = changed(more, np.arange(22), X[21:22])
    assert not isinstance(most, ChangingGram)
    v = np.ones(22)
    np.testing.assert_allclose(most.product(v), RBF(0.5)(X) @ v, atol=1e-9)
    agrees(more)


class Odd(Linear):
    """A kernel that is not symmetric."""

    positive_semidefinite = False  # type: ignore[assignment]

    def features(self, X: Any) -> None:
        del X

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        K = X @ Z.T
        return K + (X[:, :1] > 5.0) * 1.0


def test_what_fails_leaves_the_matrix_as_it_was() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    gram = ChangingGram.of(Gram(Polynomial(9, 1.0, 1.0), X[:12]))
    with pytest.raises(NonFiniteError):
        changed(gram, np.arange(13), np.full((1, 3), 1e200))
    agrees(gram)
    agrees(changed(gram, np.arange(13), X[12:13]))
    odd = ChangingGram.of(Gram(Odd(), X[:12]))
    with pytest.raises(NotSymmetricError):
        changed(odd, np.arange(13), np.full((1, 3), 9.0))
    agrees(odd)


class Hollow(Linear):
    """A kernel that is no longer positive semidefinite with a sample of a large first feature."""

    positive_semidefinite = False  # type: ignore[assignment]

    def features(self, X: Any) -> None:
        del X

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        large = (X[:, :1] > 5.0) & (Z[:, 0] > 5.0)
        return np.where(large, -1.0, X @ Z.T)

    def diagonal(self, X: Any) -> np.ndarray:
        return np.where(X[:, 0] > 5.0, -1.0, (X**2).sum(axis=1))


def test_definiteness_is_settled_for_each_new_sample() -> None:
    X = np.random.default_rng(0).normal(size=(12, 3))
    gram = ChangingGram.of(Gram(Hollow(), X))
    gram.require_psd()
    changed(gram, np.arange(11), X[:0]).require_psd()
    with pytest.raises(IndefiniteKernelError):
        changed(gram, np.arange(13), np.full((1, 3), 9.0)).require_psd()
