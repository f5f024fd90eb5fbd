# SPDX-License-Identifier: BSD-3-Clause
"""Conic KKT residuals of any candidate (x, z) of a ConeProgram.

Every residual is relative to the size of the terms it is made of, row by row and column by column, so that neither the
units of a variable or a constraint nor a single large row can hide a violation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, relative, undefined
from qpkernels.certificates.cone_program.residuals import (
    block_sizes,
    distance_outside,
    largest_ratio,
    place,
    without_rounding,
)
from qpkernels.certificates.cone_program.terms import Terms
from qpkernels.programs.cone_program import ConeProgram
from qpkernels.programs.cones import Nonnegative

__all__ = ["certify_cone_program"]


def certify_cone_program(program: ConeProgram, x: Vector, z: Vector) -> Certificate:
    """Certify the point x with the multipliers z.

    With s = b - Ax and r = Px + q + A'z:

    * primal residual: the distance of s from K, each row relative to its terms |b_i| + sum_j |A_ij| |x_j|;
    * dual residual: |r_j| relative to the terms of column j, and the distance of z from K* (wrong signs) relative to
      the terms of the columns it enters;
    * gap: |x'Px + q'x + b'z| relative to max(|primal value|, |dual value|), constants apart;
    * complementarity: the largest |s_i z_i| (an inequality) or |s'z| (another cone), relative to the same.

    In these terms |x_j| and |z_i| stand for the largest of their block, whose entries share a unit; and a residual that
    a move of a single entry mends is measured by what the other rows notice of that move. Multipliers of slack rows, or
    those that are nothing but rounding, are set to 0 if that makes the better proof. The values bound the optimum up to
    these residuals.

    Raises
    ------
    NonconvexError
        If P has a negative eigenvalue: then the same residuals prove nothing.
    """
    program.require_convex()
    if not (np.isfinite(x).all() and np.isfinite(z).all()):
        return undefined("the answer holds NaN or infinity")
    cleaned = (_without_slack_rows(program, x, z), without_rounding(z))
    candidates = (z, *(other for other in cleaned if not np.array_equal(other, z)))
    proofs = [_certify(program, x, multipliers) for multipliers in candidates]
    return min(proofs, key=lambda proof: max(proof.primal_residual, proof.dual_residual, proof.relative_gap))


def _certify(program: ConeProgram, x: Vector, z: Vector) -> Certificate:
    s, Px = program.b - program.A @ x, program.P @ x
    primal_value, dual_value = float(0.5 * x @ Px + program.q @ x), float(-0.5 * x @ Px - program.b @ z)
    scale = max(abs(primal_value), abs(dual_value))
    terms = Terms.of(program, x, z, scale)
    products = np.concatenate([[0.0], *_products(program, s, z)])
    largest = int(np.argmax(np.abs(products))) - 1
    wrong_sign = [0.0]
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            wrong_sign.append(largest_ratio(np.maximum(-z[rows], 0.0), terms.signs[rows]))
        else:
            wrong_sign.append(relative(cone.dual_violation(z[rows]), float(terms.signs[rows].max(initial=0.0))))
    return Certificate(
        primal_value=primal_value + program.offset,
        dual_value=dual_value + program.offset,
        relative_gap=relative(abs(primal_value - dual_value), scale),
        primal_residual=distance_outside(program, s, terms.rows),
        dual_residual=max(largest_ratio(np.abs(Px + program.q + program.A.T @ z), terms.columns), *wrong_sign),
        complementarity=relative(abs(float(products[largest + 1])), scale),
        worst=f"{place(program.rows, largest)} contributes {products[largest + 1]:.1e} to the gap",
    )


def _without_slack_rows(program: ConeProgram, x: Vector, z: Vector) -> Vector:
    """Return the multipliers with 0 where an inequality is slack by far more, in its terms, than its multiplier weighs.

    Interior-point methods leave rounding there, and without an objective all multipliers are such.
    """
    if not program.P.nnz and not program.q.any():
        return np.zeros_like(z)
    scale = abs(float(0.5 * x @ (program.P @ x) + program.q @ x))
    terms = np.abs(program.b) + abs(program.A) @ block_sizes(program.variables, x)
    slack = program.b - program.A @ x
    cleaned = z.copy()
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            rounding = np.abs(z[rows]) * terms[rows] ** 2 < 1e-7 * scale * slack[rows]
            cleaned[rows] = np.where(rounding, 0.0, z[rows])
    return cleaned


def _products(program: ConeProgram, s: Vector, z: Vector) -> Iterator[Vector]:
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            yield s[rows] * z[rows]
        else:
            spread = np.zeros(cone.size)
            spread[:1] = s[rows] @ z[rows]
            yield spread
