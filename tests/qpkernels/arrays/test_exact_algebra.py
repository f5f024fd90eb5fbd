# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that a matrix maps to 0 exactly, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from qpkernels.arrays.exact_algebra import enclose_null_vector, exact_solution
from qpkernels.errors import NoProofError
from together import together


@together("seed", range(20))
def test_it_is_enclosed(seed: int) -> None:
    """Over twelve decades; the last columns are combinations of the others."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    rank = int(rng.integers(1, k))
    free, mixing = (fractions(rng.integers(-9, 10, shape)) for shape in ((k, rank), (rank, k - rank)))
    R = np.hstack([free, free.dot(mixing)]) * fractions(10.0 ** rng.uniform(-6, 6, k))[:, None]
    found = enclose_null_vector(R, rng.normal(size=k))
    assert found is not None
    assert (np.abs(found.middle) > 0).any()
    ends = np.stack([R * fractions(found.lower), R * fractions(found.upper)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    assert (low.sum(axis=1) <= 0).all()
    assert (high.sum(axis=1) >= 0).all()
    assert ((high - low).sum(axis=1) <= 1e-15 * np.abs(ends).max(axis=0).sum(axis=1)).all()


def fractions(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.frompyfunc(Fraction, 1, 1)(values))


def test_a_regular_matrix_has_none() -> None:
    assert enclose_null_vector(np.array([[1, 2], [2, 5]], dtype=object), np.array([2.0, -1.0])) is None
    by_a_digit = np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]], dtype=object)
    assert enclose_null_vector(by_a_digit, np.array([1.0, -1.0])) is None


def test_what_is_not_solved_for_stays() -> None:
    found = enclose_null_vector(np.array([[3, 1, 1]], dtype=object), np.array([-1.0, 0.5, 0.75]))
    assert found is not None
    assert found.lower[1:].tolist() == found.upper[1:].tolist() == [0.5, 0.75]
    assert Fraction(found.lower[0]) < Fraction(-5, 12) < Fraction(found.upper[0])


def test_numbers_beyond_float64() -> None:
    assert enclose_null_vector(np.array([[Fraction(1, 10**200), 10**200]], dtype=object), np.array([2.0, 1.0])) is None


def products(B, y):
    return [
        sum((Fraction(value) * each for value, each in zip(row, y, strict=True)), Fraction(0)) for row in B.tolist()
    ]


def test_a_sparse_system_with_dense_rows_is_solved_exactly():
    """Each of 300 unknowns has an equation of its own, and 5 others tie them all."""
    rng = np.random.default_rng(0)
    B = np.block([[np.eye(300), rng.integers(-3, 4, (300, 5))], [rng.integers(-3, 4, (5, 305))]]).astype(float)
    right = [Fraction(k, 7) for k in range(305)]
    found = exact_solution(csr_array(B), right)
    assert found is not None
    assert products(B, found) == right


def test_equations_that_depend_on_each_other_are_solved_where_they_agree():
    B = np.arange(9.0).reshape(3, 3)[[0, 1, 2, 0]]
    right = products(B, [Fraction(1, 3), Fraction(2), Fraction(-1)])
    found = exact_solution(csr_array(B), right)
    assert found is not None
    assert products(B, found) == right
    assert exact_solution(csr_array(B), [*right[:3], right[0] + 1]) is None


def test_a_dense_system_that_would_take_long_is_refused():
    with pytest.raises(NoProofError, match="equations have to be solved together"):
        exact_solution(csr_array(np.random.default_rng(0).normal(size=(200, 200))), [Fraction(1)] * 200)
