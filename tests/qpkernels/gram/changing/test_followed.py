# SPDX-License-Identifier: BSD-3-Clause
"""A product that follows a matrix whose rows come and go: within its bounds of the one made afresh."""

from __future__ import annotations

import numpy as np

from qpkernels import RBF, Gram
from qpkernels.gram import ChangingGram, changed
from qpkernels.problems import KernelQP, certify_kernel_qp

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
