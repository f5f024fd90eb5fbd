# SPDX-License-Identifier: BSD-3-Clause
"""Conic KKT residuals of any candidate (x, z) of a ConeProgram, and the proof that there is no solution."""

from collections.abc import Iterator

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, relative, undefined
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Nonnegative

__all__ = ["certify_cone_program", "certify_infeasibility"]


def certify_cone_program(program: ConeProgram, x: Vector, z: Vector) -> Certificate:
    """Certify the point x with the multipliers z.

    With s = b - Ax and r = Px + q + A'z, relative to the size of their terms:

    * primal residual: the distance of s from K;
    * dual residual: max |r|, and the distance of z from K* (wrong signs);
    * gap: |x'Px + q'x + b'z| against max(1, |primal value|, |dual value|);
    * complementarity: the largest |s_i z_i| (an inequality) or |s'z| (another cone), against the same.

    The values bound the optimum up to these residuals.
    """
    if not (np.isfinite(x).all() and np.isfinite(z).all()):
        return undefined("the answer holds NaN or infinity")
    Px, Ax, Az = program.P @ x, program.A @ x, program.A.T @ z
    s = program.b - Ax
    primal_value = program.objective(x)
    dual_value = float(-0.5 * x @ Px - program.b @ z) + program.offset
    scale = max(1.0, abs(primal_value), abs(dual_value))
    stationarity = float(np.abs(Px + program.q + Az).max(initial=0.0))
    products = np.concatenate([[0.0], *_products(program, s, z)])
    largest = int(np.argmax(np.abs(products))) - 1
    outside = max((cone.violation(s[rows]) for cone, rows in program.parts()), default=0.0)
    wrong_sign = max((cone.dual_violation(z[rows]) for cone, rows in program.parts()), default=0.0)
    return Certificate(
        primal_value=primal_value,
        dual_value=dual_value,
        relative_gap=abs(primal_value - dual_value) / scale,
        primal_residual=outside / _size(Ax, program.b),
        dual_residual=max(stationarity / _size(Px, program.q, Az), wrong_sign / _size(z)),
        complementarity=abs(float(products[largest + 1])) / scale,
        worst=f"{_place(program.rows, largest)} contributes {products[largest + 1]:.1e} to the gap",
    )


def certify_infeasibility(program: ConeProgram, z: Vector) -> Certificate:
    """Certify that no x satisfies the constraints, by multipliers z (Farkas).

    A proof is z in K* with A'z = 0 and b'z < 0: along it the dual rises without end, so both values are +inf. The dual
    residual is how far z is from such a proof, relative to -b'z = 1 and to the sizes of z and A.
    """
    proof = -float(program.b @ z) if np.isfinite(z).all() else 0.0
    if not proof > 0:
        return undefined("the multipliers prove nothing: b'z is not negative")
    wrong_sign = max((cone.dual_violation(z[rows]) for cone, rows in program.parts()), default=0.0)
    unbalanced = float(np.abs(program.A.T @ z).max(initial=0.0))
    entry = float(abs(program.A).max()) if program.A.nnz else 1.0
    heaviest = int(np.argmax(np.abs(z)))
    return Certificate(
        primal_value=np.inf,
        dual_value=np.inf,
        relative_gap=0.0,
        primal_residual=0.0,
        dual_residual=max(relative(wrong_sign, float(np.abs(z).max())), unbalanced / (proof * max(1.0, entry))),
        complementarity=0.0,
        worst=f"the heaviest of the contradicting constraints is {_place(program.rows, heaviest)}",
    )


def _products(program: ConeProgram, s: Vector, z: Vector) -> Iterator[Vector]:
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            yield s[rows] * z[rows]
        else:
            spread = np.zeros(cone.size)
            spread[:1] = s[rows] @ z[rows]
            yield spread


def _size(*terms: Vector) -> float:
    return max(1.0, *(float(np.abs(term).max(initial=0.0)) for term in terms))


def _place(blocks: tuple[Block, ...], row: int) -> str:
    for block in blocks:
        if block.start <= row < block.stop:
            return f"row {row - block.start} of {block.name!r}"
    return "no row"
