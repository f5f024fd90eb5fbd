# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that a cone program has no solution: Farkas multipliers, and directions of unbounded decrease."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, undefined
from qpkernels.certificates.cone_program.residuals import (
    distances_outside,
    into_dual_cone,
    longest,
    outside_dual_cones,
    place,
    ratios,
)
from qpkernels.certificates.rounding import EPS
from qpkernels.programs.cone_program import ConeProgram

__all__ = ["certify_infeasibility", "certify_unboundedness"]


def certify_infeasibility(program: ConeProgram, z: Vector) -> Certificate:
    """Certify that no x satisfies the constraints, by multipliers z (Farkas).

    For z in K* every feasible x has (A'z)'x <= b'z. So A'z = 0 and b'z < 0 contradict it: along z the dual is unbounded
    above, and both values are +inf. What z has outside of K* is dropped first; all else is said of what is left. Where
    A'z is not quite 0, what is proved is that each feasible x has sum_j |A'z|_j |x_j| >= -b'z. The dual residual is the
    largest |A'z|_j relative to sum_i |A_ij| |z_i|, and the distance of the given z from K* relative to its largest
    entry in that cone, over what is left of b'z after cancellation, -b'z / |b|'|z|: where it is w, a feasible x is
    about 1 / w times as large as the data.

    Parameters
    ----------
    program
        The program whose constraints are Ax + s = b with s in K.
    z
        Multipliers, shape (rows of A,), in the dual cone up to rounding, with A'z = 0 and b'z < 0; their size does not
        matter.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import HardMargin
    >>> from qpkernels.certificates import certify_infeasibility
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

    A proof is x with Px = 0, -Ax in K and q'x < 0. Where x'Px is above 0, however little, the objective is bounded
    below along x; so Px must be 0 within the rounding errors of its own sums, or there is no proof. The primal residual
    is the distance of -Ax from K relative to its terms, row by row, over what is left of q'x after cancellation.

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
    >>> from qpkernels.certificates import certify_unboundedness
    >>> from qpkernels.programs import Block, ConeProgram, Nonnegative
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
