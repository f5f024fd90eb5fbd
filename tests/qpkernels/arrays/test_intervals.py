# SPDX-License-Identifier: BSD-3-Clause
"""Intervals against exact rational arithmetic: what a float holds is a fraction."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csc_array

from qpkernels.arrays.exact_algebra import enclose_solution, semidefinite_shift
from qpkernels.arrays.intervals import Interval, exact_sum, gamma, inner, product, quadratic, sum_bounds, two_product
from qpkernels.errors import ShapeError
from together import together

SCALES = [1.0, 1e-160, 1e150]


def fractions(values):
    return [Fraction(float(value)) for value in np.ravel(values)]


def holds(interval, exact):
    ends = zip(np.ravel(interval.lower), np.ravel(interval.upper), exact, strict=True)
    return all(
        (low == -np.inf or Fraction(float(low)) <= value) and (high == np.inf or value <= Fraction(float(high)))
        for low, high, value in ends
    )


def exact_product(A, x):
    return [sum((a * b for a, b in zip(fractions(row), fractions(x), strict=True)), Fraction(0)) for row in A]


def spread(rng, *shape, digits=12):
    """Numbers of many sizes, so that sums cancel and lose digits."""
    return rng.normal(size=shape) * 10.0 ** rng.integers(-digits, digits, size=shape)


@pytest.mark.parametrize("seed", range(5))
def test_the_bounds_of_a_sum_are_neighbours_of_it(seed):
    rng = np.random.default_rng(seed)
    values = spread(rng, 200)
    values = np.concatenate([values, -values[::-1] * (1 + 2**-50)])
    low, high = sum_bounds(values)
    exact = sum(fractions(values))
    assert Fraction(low) <= exact <= Fraction(high)
    assert high <= np.nextafter(low, np.inf)


def test_a_sum_that_is_a_float_has_no_width():
    assert sum_bounds(np.array([1e16, 1.0, -1e16])) == (1.0, 1.0)
    assert exact_sum(np.array([1e16, 1.0, -1e16])) == 1.0


def test_a_sum_that_overflows_has_infinite_bounds():
    assert sum_bounds(np.array([1e308, 1e308])) == (-np.inf, np.inf)
    assert np.isnan(exact_sum(np.array([np.inf, -np.inf])))


def test_a_product_and_its_error_are_the_exact_product():
    rng = np.random.default_rng(0)
    a, b = spread(rng, 300), spread(rng, 300)
    p, e = two_product(a, b)
    assert fractions(p) == fractions(a * b)
    assert [x + y for x, y in zip(fractions(p), fractions(e), strict=True)] == [
        x * y for x, y in zip(fractions(a), fractions(b), strict=True)
    ]


@together("scale", SCALES)
@together("operation", ["+", "-", "*", "/", "square", "sqrt"])
def test_operations_hold_the_exact_result(operation, scale):
    rng = np.random.default_rng(1)
    a, b = scale * spread(rng, 100, digits=3), spread(rng, 100, digits=3)
    x, y = Interval.of(a), Interval.of(b)
    exact_a, exact_b = fractions(a), fractions(b)
    pairs = list(zip(exact_a, exact_b, strict=True))
    match operation:
        case "+":
            assert holds(x + y, [p + q for p, q in pairs])
            assert holds(b + x, [p + q for p, q in pairs])
        case "-":
            assert holds(x - y, [p - q for p, q in pairs])
            assert holds(b - x, [q - p for p, q in pairs])
        case "*":
            assert holds(x * y, [p * q for p, q in pairs])
        case "/":
            assert holds(x.divided_by(b), [p / q for p, q in pairs])
        case "square":
            assert holds(x.square(), [p * p for p in exact_a])
        case "sqrt":
            root = Interval.of(np.abs(a)).sqrt()
            assert holds(root.square(), [abs(p) for p in exact_a])


def test_wide_intervals_hold_all_their_products():
    x, y = Interval(np.array([-2.0, 1.0]), np.array([3.0, 2.0])), Interval(np.array([-5.0, -1.0]), np.array([4.0, 7.0]))
    xy, squares = x * y, x.square()
    assert (xy.lower <= [-15, -2]).all()
    assert (xy.upper >= [12, 14]).all()
    assert squares.lower[0] == 0.0
    assert squares.upper[0] >= 9.0
    assert (x * 0.0).contains([0.0, 0.0])
    assert x.maximum(0.0).lower[0] == 0.0
    assert (-x).upper[0] == 2.0
    assert len(x[:1]) == 1


def test_zero_times_an_infinite_end_is_zero():
    x = Interval(np.array([-np.inf]), np.array([np.inf])) * np.array([0.0])
    assert x.contains([0.0])
    assert x.magnitude[0] < 1e-300


def test_ends_have_one_shape():
    with pytest.raises(ShapeError, match="one shape"):
        Interval(np.zeros(2), np.zeros(3))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("form", [np.asarray, csc_array], ids=["dense", "sparse"])
def test_products_hold_the_exact_product(form, scale):
    rng = np.random.default_rng(2)
    A, x = spread(rng, 20, 30, digits=6) * (rng.random((20, 30)) < 0.5), scale * spread(rng, 30, digits=6)
    A[3] = 0.0
    enclosed = product(form(A), x)
    assert holds(enclosed, exact_product(A, x))
    terms = np.abs(A) @ np.abs(x)
    assert (enclosed.radius <= 40 * np.finfo(float).eps * terms + 1e-300).all()


def test_products_hold_those_of_all_vectors_inside():
    rng = np.random.default_rng(3)
    A, x, radius = rng.normal(size=(8, 12)), rng.normal(size=12), 1e-3 * rng.random(12)
    enclosed = product(csc_array(A), Interval.of(x, radius))
    for corner in rng.choice([-1.0, 1.0], size=(50, 12)):
        assert holds(enclosed, exact_product(A, x + corner * radius * (1 - 1e-9)))


@pytest.mark.parametrize("scale", [1.0, 1e-155, 1e160, 1e-165])
def test_inner_products_are_exact_to_the_last_digit(scale):
    rng = np.random.default_rng(4)
    a, b = scale * spread(rng, 100), spread(rng, 100) * 1e-3
    b[50:], a[50:] = -b[:50], a[:50]
    a[0] *= 1 + 2**-52
    enclosed = inner(a, b)
    exact = exact_product([a], b)
    assert holds(enclosed, exact)
    if 1e-150 < scale < 1e150:
        assert float(enclosed.upper) - float(enclosed.lower) <= 2**-52 * abs(float(exact[0]))


def test_quadratic_forms_hold_the_exact_value():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(10, 4))
    P, x = A @ A.T, rng.normal(size=10)
    exact = sum(v * Fraction(float(w)) for v, w in zip(exact_product(P, x), x, strict=True))
    assert holds(quadratic(P, x), [exact])


@pytest.mark.parametrize("size", [0, 1, 5, 40])
def test_the_solution_of_a_system_is_enclosed(size):
    rng = np.random.default_rng(size)
    B, y = rng.integers(-5, 6, size=(size, size)).astype(float), rng.integers(-9, 10, size=size) / 8.0
    B += 20 * np.eye(size)
    enclosed = enclose_solution(B, B @ y)
    assert enclosed.contains(y)
    assert enclosed.radius.max(initial=0.0) < 1e-12


def test_an_ill_conditioned_system_is_enclosed_or_refused():
    n = 8
    hilbert = 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
    scaled = np.round(hilbert * 2.0**40)
    assert enclose_solution(scaled, scaled @ np.ones(n)).contains(np.ones(n))
    assert enclose_solution(np.ones((3, 3)), np.ones(3)) is None
    assert enclose_solution(np.ones((3, 3)) + 1e-17 * np.eye(3), np.ones(3)) is None


@pytest.mark.parametrize("form", [np.asarray, csc_array], ids=["dense", "sparse"])
def test_a_shift_makes_every_matrix_semidefinite_that_is_so_up_to_rounding(form):
    rng = np.random.default_rng(6)
    Phi = rng.integers(-3, 4, size=(30, 5)).astype(float)
    singular = Phi @ Phi.T
    tau = semidefinite_shift(form(singular))
    assert 0 < tau < 1e-10
    assert semidefinite_shift(form(singular + np.eye(30))) == 0.0
    assert semidefinite_shift(form(singular - 1e-6 * np.eye(30))) == np.inf
    assert semidefinite_shift(form(np.diag([1.0, -1.0]))) == np.inf
    assert semidefinite_shift(form(np.array([[0.0, 1.0], [1.0, 0.0]]))) == np.inf


def test_a_shift_is_large_enough_for_a_slightly_indefinite_matrix():
    rng = np.random.default_rng(7)
    Q = np.linalg.qr(rng.normal(size=(20, 20)))[0]
    for depth in (1e-16, 1e-15, 3e-15, 1e-14):
        P = (Q * np.append(np.ones(10), -depth * np.ones(10))) @ Q.T
        P = 0.5 * (P + P.T)
        tau = semidefinite_shift(P)
        assert tau >= -np.linalg.eigvalsh(P)[0] - 1e-15


def test_a_diagonal_matrix_needs_no_shift():
    assert semidefinite_shift(csc_array(np.diag([0.0, 2.0]))) == 0.0
    assert semidefinite_shift(np.zeros((0, 0))) == 0.0


def test_a_sum_of_too_many_terms_has_no_bound():
    assert gamma(10) >= 10 * 2.0**-53
    with pytest.raises(ValueError, match="no bound"):
        gamma(10**14)


@pytest.mark.parametrize("form", [np.asarray, csc_array], ids=["dense", "sparse"])
def test_a_small_matrix_is_settled_exactly(form):
    ones = np.ones((3, 3))
    assert semidefinite_shift(form(ones)) == 0.0
    below = ones.copy()
    below[2, 2] -= 2**-53
    assert semidefinite_shift(form(below)) == np.inf


def test_blocks_that_nothing_couples_stand_for_themselves():
    rng = np.random.default_rng(8)
    Phi = rng.integers(-3, 4, size=(30, 5)).astype(float)
    large, small = Phi @ Phi.T, np.ones((2, 2))
    P = np.zeros((35, 35))
    P[:30, :30], P[31:33, 31:33], P[34, 34] = large, small, 1e9
    order = rng.permutation(35)
    assert semidefinite_shift(csc_array(P[np.ix_(order, order)])) == pytest.approx(semidefinite_shift(large), rel=1e-3)
    P[34, 34] = -1.0
    assert semidefinite_shift(csc_array(P)) == np.inf
