# SPDX-License-Identifier: BSD-3-Clause
"""Enclosures of cone programs whose optimum is known exactly: built from integers that satisfy the KKT conditions."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csc_array

from model_data import FIRST_CASES
from qpkernels.errors import NonFiniteError, ShapeError, UnsupportedProgramError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF
from qpkernels.problems import (
    Block,
    ConeProgram,
    Enclosure,
    Exponential,
    KernelQP,
    Nonnegative,
    SecondOrder,
    Zero,
    enclose_cone_program,
)
from qpkernels.problems.kernel_qp.enclosure import enclose_kernel_qp
from qpkernels.solvers import find_solver

TRIPLES = np.array([[5, 3, 4], [13, 5, 12], [5, -4, 3]])


def program_of(P, q, A, b, cones, offset=0.0):
    return ConeProgram(
        csc_array(np.asarray(P, dtype=float)),
        np.asarray(q, dtype=float),
        csc_array(np.asarray(A, dtype=float)),
        np.asarray(b, dtype=float),
        tuple(cones),
        (Block("x", 0, len(q)),),
        (Block("rows", 0, len(b)),),
        offset,
    )


def known(seed, *, n=8, equations=2, inequalities=10, cones=2, curved=8, bounds=True):
    """A program of integers, with its exact optimum, point and multipliers."""
    rng = np.random.default_rng(seed)
    Phi = rng.integers(-3, 4, size=(n, curved))
    P = Phi @ Phi.T
    x = rng.integers(-4, 5, size=n)
    active = rng.random(inequalities) < 0.4
    rows = [rng.integers(-5, 6, size=(equations + inequalities, n))]
    s = [np.zeros(equations, dtype=int), np.where(active, 0, rng.integers(1, 9, size=inequalities))]
    z = [rng.integers(-4, 5, size=equations), np.where(active, rng.integers(1, 6, size=inequalities), 0)]
    if bounds:
        # A box around all variables, slack at the optimum, so that every residual has a price.
        rows.append(np.vstack([np.eye(n, dtype=int), -np.eye(n, dtype=int)]))
        s.append(50 - np.concatenate([x, -x]))
        z.append(np.zeros(2 * n, dtype=int))
    for k in range(cones):
        rows.append(rng.integers(-5, 6, size=(3, n)))
        s.append(TRIPLES[k % 3])
        z.append(rng.integers(1, 4) * TRIPLES[k % 3] * [1, -1, -1])
    A, s, z = np.vstack(rows), np.concatenate(s), np.concatenate(z)
    q, b = -(P @ x) - A.T @ z, A @ x + s
    kinds = [Zero(equations), Nonnegative(inequalities + 2 * n * bounds), *[SecondOrder(3)] * cones]
    optimum = Fraction(int(x @ P @ x), 2) + int(q @ x) + 7
    return program_of(P, q, A, b, kinds, 7.0), optimum, x.astype(float), z.astype(float)


def encloses(enclosure, optimum):
    return (enclosure.lower == -np.inf or Fraction(enclosure.lower) <= optimum) and (
        enclosure.upper == np.inf or optimum <= Fraction(enclosure.upper)
    )


SHAPES = {
    "quadratic program": {"cones": 0},
    "second-order cones": {},
    "linear program": {"curved": 0, "cones": 0, "equations": 0},
    "singular P": {"curved": 3},
    "without a box": {"curved": 12, "bounds": False},
    "inequalities only": {"equations": 0, "cones": 0},
    "equations only": {"inequalities": 0, "cones": 0, "equations": 3, "curved": 12, "bounds": False},
}


@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-8, 1e-4, 1e-1])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_optimum_lies_inside_whatever_was_done_to_the_answer(shape, noise):
    for seed in range(6):
        program, optimum, x, z = known(seed, **SHAPES[shape])
        rng = np.random.default_rng(seed)
        x, z = x + noise * rng.normal(size=x.size), z + noise * rng.normal(size=z.size)
        assert encloses(enclose_cone_program(program, x, z), optimum), (seed, noise)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_width_of_a_good_answer_is_a_matter_of_rounding(shape):
    narrow = 0
    for seed in range(12):
        program, optimum, x, z = known(seed, **SHAPES[shape])
        enclosure = enclose_cone_program(program, x + 1e-14, z * (1 + 1e-14))
        terms = 0.5 * abs(x) @ abs(program.P) @ abs(x) + abs(program.q) @ abs(x) + abs(program.b) @ abs(z)
        narrow += enclosure.width <= 1e-10 * terms
        assert encloses(enclosure, optimum)
    # Degenerate vertices and dual points at the boundary remain, of which some have no interior to move to.
    assert narrow >= 9


def test_an_exact_answer_is_enclosed_to_a_hundred_units_of_rounding():
    program = program_of([[2.0]], [-4.0], [[1.0], [-1.0]], [1.0, 3.0], [Nonnegative(2)])
    enclosure = enclose_cone_program(program, np.array([1.0]), np.array([2.0, 0.0]))
    assert enclosure.contains(-3.0)
    assert enclosure.width <= 100 * 2.0**-53 * 6.0


@pytest.mark.parametrize("case", FIRST_CASES, ids=str)
def test_every_form_is_enclosed(case):
    program = case.state().lower().program
    answer = find_solver("clarabel").solve(program, tol=1e-9)
    if not all(isinstance(cone, Zero | Nonnegative | SecondOrder) for cone in program.cones):
        with pytest.raises(UnsupportedProgramError, match="no enclosure"):
            enclose_cone_program(program, answer.point, answer.multipliers)
        return
    enclosure = enclose_cone_program(program, answer.point, answer.multipliers)
    size = max(abs(program.objective(answer.point)), 1e-6)
    assert enclosure.width <= 1e-6 * size
    assert abs(enclosure.middle - program.objective(answer.point)) <= 1e-5 * size


def test_a_concave_objective_has_no_lower_bound():
    program = program_of([[-1.0]], [0.0], [[1.0], [-1.0]], [2.0, 1.0], [Nonnegative(2)])
    enclosure = enclose_cone_program(program, np.zeros(1), np.zeros(2))
    assert enclosure.lower == -np.inf
    assert enclosure.upper == 0.0


def test_an_infeasible_program_has_no_upper_bound():
    program = program_of([[1.0]], [0.0], [[1.0], [-1.0]], [-1.0, -1.0], [Nonnegative(2)])
    assert enclose_cone_program(program, np.zeros(1), np.zeros(2)).upper == np.inf


def test_an_unbounded_program_has_no_lower_bound():
    program = program_of(np.zeros((2, 2)), [-1.0, 0.0], [[0.0, 1.0]], [1.0], [Nonnegative(1)])
    assert enclose_cone_program(program, np.zeros(2), np.zeros(1)).lower == -np.inf


def test_equations_that_depend_on_each_other_leave_the_upper_side_open():
    program = program_of(np.eye(2), [0.0, 0.0], [[0.1, 0.3], [0.2, 0.6]], [0.7, 1.4], [Zero(2)])
    enclosure = enclose_cone_program(program, np.array([0.7, 2.1]), np.array([-7.0, 0.0]))
    assert enclosure.upper == np.inf
    assert enclosure.lower <= 2.45 + 1e-12


def test_what_does_not_fit_is_refused():
    program = program_of([[2.0]], [-4.0], [[1.0]], [1.0], [Nonnegative(1)])
    with pytest.raises(ShapeError, match="x"):
        enclose_cone_program(program, np.zeros(2), np.zeros(1))
    with pytest.raises(NonFiniteError, match="z"):
        enclose_cone_program(program, np.zeros(1), np.array([np.nan]))
    exponential = program_of(np.eye(3), np.zeros(3), -np.eye(3), np.zeros(3), [Exponential()])
    with pytest.raises(UnsupportedProgramError, match="Exponential"):
        enclose_cone_program(exponential, np.ones(3), np.zeros(3))


def test_an_enclosure_speaks():
    enclosure = Enclosure(1.0, 1.5)
    assert enclosure.width == 0.5
    assert enclosure.middle == 1.25
    assert enclosure.contains(1.5)
    assert not enclosure.contains(1.6)
    assert str(enclosure) == "[1, 1.5] (width 5.0e-01)"


def test_the_two_halves_of_a_tube_s_coefficients_are_in_a_box_of_their_own():
    """P = [[K, -K], [-K, K]] is singular, and what rounding may take from it has a price within a box only."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    kernel_qp = KernelQP(Gram(RBF(0.5), X), np.sin(X[:, 0]) + 0.1 * rng.normal(size=30), -1.0, 1.0, 0.0, epsilon=0.1)
    program = kernel_qp.to_cone_program()
    found = find_solver("clarabel").solve(program, tol=1e-9)
    enclosure = enclose_cone_program(program, found.point, found.multipliers)
    assert enclosure.width <= 1e-6 * abs(enclosure.upper)
    own = find_solver("smo").solve(kernel_qp, tol=1e-10)
    other = enclose_kernel_qp(kernel_qp, own.point, float(own.multipliers[0]))
    # The one for K as it is rounded, the other for the kernel itself.
    assert -other.upper - 1e-12 <= enclosure.upper
    assert enclosure.lower <= -other.lower + 1e-12
