# SPDX-License-Identifier: BSD-3-Clause
"""Certificates of answers to a cone program: bounds on the optimum, or a proof that there is none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.problems.certificate import Certificate, relative, undefined
from qpkernels.problems.cone_program.program import ConeProgram
from qpkernels.problems.cone_program.residuals import (
    Terms,
    VariableBounds,
    distances_outside,
    into_dual_cone,
    longest,
    outside_dual_cones,
    place,
    products,
    ratios,
)
from qpkernels.problems.rounding import EPS

__all__ = [
    "Judge",
    "certify_cone_program",
    "certify_infeasibility",
    "certify_unboundedness",
]


def certify_cone_program(program: ConeProgram, x: Vector, z: Vector) -> Certificate:
    """Certify the point x with the multipliers z.

    The dual of min 1/2 x'Px + q'x s.t. b - Ax = s in K has a point y of its own. For every z in K* and every y,

        1/2 x'Px + q'x  >=  -1/2 y'Py - b'z + r'x    at each feasible x,    r = Py + q + A'z,

    so the right side without r'x is a lower bound D on the optimum if r = 0, and P = 1/2 x'Px + q'x is an upper bound
    if x is feasible. Exactly, with u = x - y,

        P - D = 1/2 u'Pu + r'x + z's.

    The part of z outside of K* is dropped first, and y is chosen: y_j = -(q + A'z)_j / P_jj for a variable that P joins
    with no other, and x_j for the rest. A slope that remains where the objective is strongly convex is therefore not a
    residual, but costs 1/2 r'P^+ r. The certificate then says:

    * primal residual: the distance of s from K, each row relative to its own terms |b_i| + sum_j |A_ij| |x_j|; no value
      counts it. For a coupled cone it is the least d at which a point p of the cone has |p_i - s_i| within d times the
      terms of row i, for every i, so it is the same in all scalings of rows that keep the cone. Where the terms of t +
      v_k or t - v_k, of a second-order cone (t, v), cancel to a thousandth, both are measured like rows;
    * dual residual: |r_j|, and what dropping changed, relative to the terms |q_j| + sum_k |P_jk| |y_k| + sum_i |A_ij|
      |z_i| of its own column; and the distance of the multipliers of a coupled cone from its dual, relative to the
      largest of them, which proves nothing, as all values belong to multipliers in the dual cone;
    * values: P and D, after bounds of x_j took over every residual r_j that they can. There D is a lower bound however
      large r_j was. Where none can, D is less by |r_j x_j|, since other feasible x of this size may go lower by that
      much. D says nothing about other sizes, so this r_j is uncounted;
    * gap: 1/2 u'Pu + sum_j |r_j x_j| + sum_i |s_i z_i| (for a coupled cone |p'z| + |(p - s)'z|, with p its point near
      s) and a bound of all rounding errors in these sums, so that nothing cancels, relative to max(|P|, |D|), with the
      constant of the objective or without it, whichever is less. Where values and gap are within that bound, the
      optimum may be 0, and there is nothing that a gap could be relative to. The gap is then that bound, relative to
      the larger of 1/2 x'Px and q'x, which cancel; where each of these is within its own rounding errors, relative to
      1/2 |x|'|P||x| + |q|'|x| + |b|'|z|, so that rows which cancel to their last digits prove nothing; and 0 where that
      is 0, for a homogeneous program;
    * complementarity: the largest |s_i z_i|, relative to the same.

    No rows or variables share a unit, so names and blocks change nothing. Both residuals belong to a program whose
    coefficients differ by that share of each. Where the terms of a row all but cancel, such a program can have any
    other optimum, so the uncounted part must be within 1e-9 at any tolerance.

    Parameters
    ----------
    program
        min 1/2 x'Px + q'x subject to Ax + s = b with s in K.
    x
        A point, shape (variables,).
    z
        Multipliers, shape (rows of A,), in the sign of Px + q + A'z = 0.

    Raises
    ------
    NonconvexError
        If P has a negative eigenvalue, since the same residuals then prove nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> from qpkernels.problems import certify_cone_program
    >>> from qpkernels.problems import Block, ConeProgram, Nonnegative
    >>> A, b, q = csc_array([[-1.0, -1.0]]), np.array([-1.0]), np.zeros(2)
    >>> blocks = (Block("x", 0, 2),), (Block("sum", 0, 1),)
    >>> program = ConeProgram(csc_array(np.eye(2)), q, A, b, (Nonnegative(1),), *blocks)
    >>> for x in ([0.5, 0.5], [0.5, 0.6]):
    ...     print(certify_cone_program(program, np.array(x), np.array([0.5])).holds(1e-9))
    True
    False
    """
    return Judge.of(program).certify(x, z)


@dataclass(frozen=True, eq=False)
class _Gap:
    """Both values without the constant, what lies between them, and what their terms are where they vanish."""

    primal: float
    dual: float
    amount: float
    rounding: float
    terms: float
    products: Vector

    @classmethod
    def of(cls, terms: Terms, x: Vector, y: Vector, z: Vector, r: Vector, left: Vector) -> _Gap:
        """Evaluate both, with the slope ``r``; ``left`` is the part of it beyond rounding that no bound took over."""
        program, unit = terms.program, terms.unit
        s, u = program.b - program.A @ x, x - y
        curved, linear = float(0.5 * x @ (program.P @ x)), float(program.q @ x)
        primal, dual = curved + linear, float(-0.5 * y @ (program.P @ y) - program.b @ z - np.abs(left) @ np.abs(x))
        shares = products(program, s, z)
        parts = float(0.5 * u @ (program.P @ u)) + float(np.abs(r) @ np.abs(x)) + float(shares.sum())
        slopes = terms.columns(np.maximum(np.abs(x), np.abs(y)), z)
        curved_terms = 0.5 * float(np.abs(x) @ (terms.P @ np.abs(x)))
        linear_terms = float(np.abs(program.q) @ np.abs(x))
        cancelling = max(_beyond(curved, unit * curved_terms), _beyond(linear, unit * linear_terms))
        vanishing = curved_terms + linear_terms + float(np.abs(program.b) @ np.abs(z))
        size = float(np.abs(x) @ slopes + np.abs(y) @ (terms.P @ np.abs(y)) + np.abs(z) @ terms.rows(x))
        rounding = unit * size + EPS * abs(program.offset)
        return cls(primal, dual, max(parts, abs(primal - dual)), rounding, cancelling or vanishing, shares)

    def relative(self, offset: float) -> tuple[float, float]:
        """Return the gap and the largest product, relative to the values with the constant or without it."""
        size = min(max(abs(self.primal + shift), abs(self.dual + shift)) for shift in (0.0, offset))
        if max(size, self.amount) > self.rounding:
            return relative(self.amount + self.rounding, size), relative(_largest(self.products), size)
        # Without terms all is homogeneous: a point as small as one likes is as good, and so is its rounding.
        return (relative(self.rounding, self.terms) if self.terms else 0.0), 0.0


@dataclass(frozen=True, eq=False)
class Judge:
    """Certifies points of one program.

    Attributes
    ----------
    terms, bounds
        The scales of points and the bounds that take over residuals, computed once for all points.
    """

    terms: Terms
    bounds: VariableBounds

    @classmethod
    def of(cls, program: ConeProgram) -> Judge:
        """Prepare to judge points of a program, which must be convex."""
        program.require_convex()
        with np.errstate(over="ignore", invalid="ignore"):
            return cls(Terms.of(program), VariableBounds.of(program))

    @property
    def program(self) -> ConeProgram:
        """The program."""
        return self.terms.program

    def certify(self, x: Vector, z: Vector) -> Certificate:
        """Certify a point with its multipliers, as :func:`certify_cone_program` does."""
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return undefined("the answer holds NaN or infinity")
        with np.errstate(over="ignore", invalid="ignore"):
            return self._certify(x, z)

    def _certify(self, x: Vector, given: Vector) -> Certificate:
        terms, program = self.terms, self.program
        z = into_dual_cone(program, given)
        slope, curved = program.q + program.A.T @ z, terms.curvature
        y = np.where(curved > 0, -slope / np.where(curved > 0, curved, 1.0), x)
        r, columns = program.P @ y + slope, terms.columns(y, np.maximum(np.abs(z), np.abs(given)))
        unbalanced = ratios(np.abs(r) + terms.transposed @ np.abs(z - given), columns)
        outside = terms.outside(x)
        notable = np.where(np.abs(r) > terms.unit * columns, r, 0.0)
        z, left = self.bounds.take_over(z, notable)
        uncounted = max(_largest(outside), _largest(ratios(np.abs(left), columns)))
        gap = _Gap.of(terms, x, y, z, r - notable + left, left)
        if not np.isfinite([gap.primal, gap.dual, gap.amount, gap.rounding]).all():
            return undefined("the value of the answer is infinite")
        relative_gap, complementarity = gap.relative(program.offset)
        measures = [_largest(outside), _largest(unbalanced), relative_gap]
        reasons = (
            f"{place(program.rows, outside)} is outside of its cone by {measures[0]:.1e} of its terms",
            f"the slope of {place(program.variables, unbalanced, 'entry')} is off by {measures[1]:.1e} of its terms",
            f"{place(program.rows, gap.products)} adds {_largest(gap.products):.1e} to the gap",
        )
        return Certificate(
            primal_value=gap.primal + program.offset,
            dual_value=gap.dual + program.offset,
            relative_gap=relative_gap,
            primal_residual=measures[0],
            dual_residual=max(measures[1], outside_dual_cones(program, given)),
            complementarity=complementarity,
            worst=reasons[int(np.argmax(measures))],
            rounding=gap.rounding,
            uncounted=uncounted,
        )


def _beyond(value: float, rounding: float) -> float:
    return abs(value) if abs(value) > rounding else 0.0


def _largest(values: Vector) -> float:
    return float(values.max(initial=0.0))


def certify_infeasibility(program: ConeProgram, z: Vector) -> Certificate:
    """Certify that no x satisfies the constraints, by multipliers z (Farkas).

    For z in K* every feasible x has (A'z)'x <= b'z. So A'z = 0 and b'z < 0 contradict feasibility: along z the dual is
    unbounded above, and both values are +inf. The part of z outside of K* is dropped first; all statements are about
    the rest. If A'z is not quite 0, the proof shows that each feasible x has sum_j |A'z|_j |x_j| >= -b'z. The dual
    residual is the largest |A'z|_j relative to sum_i |A_ij| |z_i|, and the distance of the given z from K* relative to
    its largest entry in that cone, divided by the share of b'z that cancellation leaves, -b'z / |b|'|z|. If the
    residual is w, a feasible x is about 1 / w times as large as the data.

    Parameters
    ----------
    program
        The program whose constraints are Ax + s = b with s in K.
    z
        Multipliers, shape (rows of A,), in the dual cone up to rounding, with A'z = 0 and b'z < 0, of any size.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import HardMargin
    >>> from qpkernels.problems import certify_infeasibility
    >>> program = HardMargin([[0.0], [1.0], [2.0]], [-1, 1, -1]).primal.lower().program
    >>> print(certify_infeasibility(program, np.array([0.5, 1.0, 0.5])).holds(1e-9))
    True
    >>> print(certify_infeasibility(program, np.array([1.0, 1.0, 0.5])).holds(1e-9))
    False
    """
    if not np.isfinite(z).all():
        return undefined("the multipliers hold NaN or infinity")
    outside, z = outside_dual_cones(program, z), into_dual_cone(program, z)
    size = float(np.abs(program.b) @ np.abs(z))
    if not program.b @ z < -(program.b.size + 1) * EPS * size:
        return undefined("the multipliers prove nothing: b'z is not negative beyond rounding")
    unbalanced = float(ratios(np.abs(program.A.T @ z), abs(program.A).T @ np.abs(z)).max(initial=0.0))
    return Certificate(
        primal_value=np.inf,
        dual_value=np.inf,
        relative_gap=0.0,
        primal_residual=0.0,
        dual_residual=max(unbalanced, outside) * size / -float(program.b @ z),
        complementarity=0.0,
        worst=f"the heaviest of the contradicting constraints is {place(program.rows, np.abs(z))}",
    )


def certify_unboundedness(program: ConeProgram, x: Vector) -> Certificate:
    """Certify that the objective is unbounded below along the direction x, so that both values are -inf.

    A proof is x with Px = 0, -Ax in K and q'x < 0. If x'Px is above 0, however little, the objective is bounded below
    along x, so without Px = 0 within the rounding errors of its own sums there is no proof. The primal residual is the
    distance of -Ax from K relative to its terms, row by row, divided by the share of q'x that cancellation leaves.

    Parameters
    ----------
    program
        The program, whose objective is 1/2 x'Px + q'x.
    x
        A direction, shape (variables,), with Px = 0, -Ax in K and q'x < 0; its size does not matter.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csc_array
    >>> from qpkernels.problems import certify_unboundedness
    >>> from qpkernels.problems import Block, ConeProgram, Nonnegative
    >>> A, b, q = csc_array([[1.0, -1.0]]), np.zeros(1), np.array([-1.0, 0.0])
    >>> blocks = (Block("x", 0, 2),), (Block("order", 0, 1),)
    >>> program = ConeProgram(csc_array((2, 2)), q, A, b, (Nonnegative(1),), *blocks)
    >>> print(certify_unboundedness(program, np.array([1.0, 1.0])).holds(1e-9))
    True
    """
    if not np.isfinite(x).all():
        return undefined("the direction holds NaN or infinity")
    size, fall, rounding = float(np.abs(program.q) @ np.abs(x)), -float(program.q @ x), longest(program) * EPS
    if not fall > (x.size + 1) * EPS * size:
        return undefined("the direction proves nothing: q'x is not negative beyond rounding")
    if (np.abs(program.P @ x) > rounding * (abs(program.P) @ np.abs(x))).any():
        return undefined("the direction proves nothing: the objective curves upwards along it")
    outside = distances_outside(program, -(program.A @ x), abs(program.A) @ np.abs(x))
    return Certificate(
        primal_value=-np.inf,
        dual_value=-np.inf,
        relative_gap=0.0,
        primal_residual=float(outside.max(initial=0.0)) * size / fall,
        dual_residual=0.0,
        complementarity=0.0,
        worst=f"the objective falls most along {place(program.variables, np.abs(program.q * x), 'entry')}",
    )
