# SPDX-License-Identifier: BSD-3-Clause
"""A kernel matrix whose samples come and go, and products that follow it within their bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from qpkernels import RBF, Gram, Kernel, Linear, Polynomial
from qpkernels.errors import IndefiniteKernelError, NonFiniteError, NotSymmetricError
from qpkernels.gram.changing import ChangingGram, GrowingMatrix, changed, stored
from qpkernels.problems import KernelQP, certify_kernel_qp
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


EPS = float(np.finfo(float).eps)


def samples(m: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(m, 3))


def start(m: int) -> ChangingGram:
    gram = ChangingGram.of(Gram(RBF(0.4), samples(m)))
    assert isinstance(gram, ChangingGram)
    return gram


def assert_within(gram: ChangingGram, v: np.ndarray) -> float:
    """Settle that the product is within its bounds and those of one afresh; return the largest of its own bounds."""
    product, exact = gram.followed_product(v), gram.product(v)
    afresh = np.sqrt(np.count_nonzero(v)) * EPS * np.abs(v).sum()
    assert (np.abs(product.values - exact) <= product.error + 2 * afresh).all()
    assert (product.error <= 8 * afresh).all()
    np.testing.assert_array_equal(product.coefficients, v)
    return float(product.error.max())


def test_it_follows_random_changes_of_samples_and_coefficients() -> None:
    rng, gram, followed = np.random.default_rng(1), start(60), 0
    v = rng.normal(size=60)
    for _ in range(150):
        m, new = len(gram), rng.normal(size=(int(rng.integers(0, 3)), 3))
        rows = np.arange(m + len(new))
        if rng.random() < 0.6 and m > 40:
            rows = np.delete(rows, rng.choice(m, int(rng.integers(1, 3)), replace=False))
        if rng.random() < 0.3:
            rows = rng.permutation(rows)
        after = changed(gram, rows, new)
        assert isinstance(after, ChangingGram)
        gram.leave(after)
        gram, v = after, np.append(v, rng.normal(size=len(new)))[rows]
        few = rng.choice(v.size, 3, replace=False)
        v[few] = rng.normal(size=3) * (rng.random(3) < 0.5)
        if rng.random() < 0.8:  # Not every change is followed by a product.
            followed += assert_within(gram, v) > 0.0
    assert followed > 50


def test_a_change_that_is_given_up_is_forgotten() -> None:
    rng, gram = np.random.default_rng(2), start(60)
    v = rng.normal(size=60)
    assert_within(gram, v)
    for _ in range(5):
        given_up = changed(gram, np.append(np.arange(1, 60), 60), rng.normal(size=(1, 3)))
        assert isinstance(given_up, ChangingGram)
        assert_within(given_up, v)
        given_up.leave(gram)
        v[7] += 0.5
        assert_within(gram, v)


def test_it_is_made_afresh_before_its_bounds_are_wide() -> None:
    gram, v, errors = start(60), np.ones(60), []
    for step in range(400):
        v[step % 60] = 1.0 + 0.1 * np.sin(step)
        errors.append(assert_within(gram, v))
    assert errors.count(0.0) >= 2
    assert errors.count(0.0) < 40
    gram.forget_product()
    assert assert_within(gram, v) == 0.0


def test_many_coefficients_that_change_make_it_afresh() -> None:
    gram, v = start(60), np.ones(60)
    assert_within(gram, v)
    assert assert_within(gram, 2.0 * v) == 0.0


def test_the_certificate_counts_its_bounds_and_does_without_it_where_constraints_are_hard() -> None:
    X = samples(60)
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    for upper in (1.0, np.inf):
        gram = start(60)
        program = KernelQP(gram, y, np.where(y > 0, 0.0, -upper), np.where(y > 0, upper, 0.0), None)
        beta = 0.5 * y
        first = certify_kernel_qp(program, beta, 0.0)
        beta[3] *= 0.5
        second = certify_kernel_qp(program, beta, 0.0)
        gram.forget_product()
        third = certify_kernel_qp(program, beta, 0.0)
        assert first != second
        assert abs(second.dual_value - third.dual_value) <= 1e-13 * abs(third.dual_value)
        wider = second.rounding > third.rounding
        assert wider == (upper == 1.0)


def symmetric(m: int, seed: int = 0) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(m, m))
    return A + A.T


def test_rows_come_and_go_as_in_a_matrix_that_is_copied() -> None:
    rng, every = np.random.default_rng(1), symmetric(60)
    memory, here, slots = GrowingMatrix(every[:5, :5]), np.arange(5), np.arange(5)
    absent = list(range(5, 60))
    for _ in range(80):
        if absent and (rng.random() < 0.6 or here.size == 1):
            count = min(len(absent), int(rng.integers(1, 4)))
            new = np.array([absent.pop(int(rng.integers(len(absent)))) for _ in range(count)])
            claimed = memory.claim(count)
            here, slots = np.append(here, new), np.append(slots, claimed)
            memory.write(claimed, slots, every[np.ix_(new, here)])
        else:
            k = int(rng.integers(here.size))
            memory.give_back(slots[k : k + 1])
            absent.append(int(here[k]))
            here, slots = np.delete(here, k), np.delete(slots, k)
        assert np.unique(slots).size == slots.size
        np.testing.assert_array_equal(memory.part(slots), every[np.ix_(here, here)])
        v = rng.normal(size=here.size) * (rng.random(here.size) < 0.7)
        np.testing.assert_allclose(memory.product(slots, v), every[np.ix_(here, here)] @ v, atol=1e-12)


def test_it_grows_to_what_is_claimed_at_once() -> None:
    memory = GrowingMatrix(symmetric(3))
    slots = memory.claim(200)
    assert np.unique(slots).size == 200
    assert slots.min() >= 3
    np.testing.assert_array_equal(memory.part(np.arange(3)), symmetric(3))


def test_a_change_that_fails_leaves_the_product_as_it_was() -> None:
    """Room for more rows is made before the kernel is asked for them."""
    rng = np.random.default_rng(3)
    gram = ChangingGram.of(Gram(Polynomial(9, 1.0, 1.0), 0.1 * rng.normal(size=(20, 3))))
    assert isinstance(gram, ChangingGram)
    v = rng.normal(size=20)
    gram.followed_product(v)
    with pytest.raises(NonFiniteError):
        changed(gram, np.arange(40), np.full((20, 3), 1e200))
    v[7] += 0.5
    np.testing.assert_allclose(gram.followed_product(v).values, gram.product(v), rtol=1e-12)
