# SPDX-License-Identifier: BSD-3-Clause
"""Proofs that a cone program has no solution: Farkas multipliers, and directions of unbounded decrease."""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags_array

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, relative, undefined
from qpkernels.certificates.cone_program.residuals import (
    distance_outside,
    largest_coefficients,
    largest_ratio,
    place,
    without_rounding,
)
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Nonnegative

__all__ = ["certify_infeasibility", "certify_unboundedness"]


def certify_infeasibility(program: ConeProgram, z: Vector) -> Certificate:
    """Certify that no x satisfies the constraints, by multipliers z (Farkas).

    A proof is z in K* with A'z = 0 and b'z < 0: along it the dual is unbounded above, so both values are +inf. The dual
    residual is how far z is from such a proof: |A'z| column by column, relative to what the heaviest multiplier could
    add there, and its distance from K* relative to the same (wrong signs of inequalities are dropped); both against
    what is left of b'z after cancellation.
    """
    if not np.isfinite(z).all():
        return undefined("the multipliers hold NaN or infinity")
    z = z.copy()
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            # A wrong sign proves nothing, so the proof has to do without it.
            z[rows] = np.maximum(z[rows], 0.0)
    if not program.b @ z < 0:
        return undefined("the multipliers prove nothing: b'z is not negative")
    clean = without_rounding(z)
    residuals = [_farkas_residual(program, proof) for proof in (z, clean) if program.b @ proof < 0]
    return Certificate(
        primal_value=np.inf,
        dual_value=np.inf,
        relative_gap=0.0,
        primal_residual=0.0,
        dual_residual=min(residuals),
        complementarity=0.0,
        worst=f"the heaviest of the contradicting constraints is {place(program.rows, int(np.argmax(np.abs(z))))}",
    )


def _farkas_residual(program: ConeProgram, z: Vector) -> float:
    sizes = abs(program.A)
    # The unit of a row cancels between its largest coefficient and its multiplier.
    units = largest_coefficients(sizes, axis=1)
    columns = (diags_array(1.0 / units) @ sizes).max(axis=0)
    heaviest = float((units * np.abs(z)).max(initial=0.0))
    unbalanced = largest_ratio(np.abs(program.A.T @ z), heaviest * columns.toarray().ravel())
    # What is left of b'z after cancellation is what the imbalance has to be small against.
    strength = -float(program.b @ z) / float(np.abs(program.b) @ np.abs(z))
    outside = [cone.dual_violation(z[rows]) * float(units[rows].max(initial=0.0)) for cone, rows in program.parts()]
    return max(unbalanced, relative(max(outside, default=0.0), heaviest)) / strength


def certify_unboundedness(program: ConeProgram, x: Vector) -> Certificate:
    """Certify that the objective is unbounded below along the direction x, so that both values are -inf.

    A proof is x with Px = 0, -Ax in K and q'x < 0. The primal residual is how far x is from such a proof: |Px| and the
    distance of -Ax from K relative to their terms, row by row.
    """
    if not np.isfinite(x).all() or not program.q @ x < 0:
        return undefined("the direction proves nothing: q'x is not negative")
    clean = without_rounding(x)
    residuals = [_ray_residual(program, direction) for direction in (x, clean) if program.q @ direction < 0]
    steepest = int(np.argmax(np.abs(program.q * x)))
    return Certificate(
        primal_value=-np.inf,
        dual_value=-np.inf,
        relative_gap=0.0,
        primal_residual=min(residuals),
        dual_residual=0.0,
        complementarity=0.0,
        worst=f"the objective falls most along {place(program.variables, steepest, 'entry')}",
    )


def _ray_residual(program: ConeProgram, x: Vector) -> float:
    curved = largest_ratio(np.abs(program.P @ x), abs(program.P) @ np.abs(x))
    rise, terms = -(program.A @ x), abs(program.A) @ np.abs(x)
    strength = -float(program.q @ x) / float(np.abs(program.q) @ np.abs(x))
    return max(curved, distance_outside(program, rise, terms)) / strength
