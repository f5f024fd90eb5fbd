# SPDX-License-Identifier: BSD-3-Clause
"""Conic KKT residuals of any candidate (x, z) of a ConeProgram, and the proofs that there is no solution.

Every residual is relative to the size of the terms it is made of, row by row and column by column, so that neither the
units of a variable or a constraint nor a single large row can hide a violation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, vstack

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.certificate import Certificate, relative, undefined
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Nonnegative, Zero

__all__ = ["certify_cone_program", "certify_infeasibility", "certify_unboundedness"]


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
    """
    if not (np.isfinite(x).all() and np.isfinite(z).all()):
        return undefined("the answer holds NaN or infinity")
    cleaned = (_without_slack_rows(program, x, z), _without_rounding(z))
    candidates = (z, *(other for other in cleaned if not np.array_equal(other, z)))
    proofs = [_certify(program, x, multipliers) for multipliers in candidates]
    return min(proofs, key=lambda proof: max(proof.primal_residual, proof.dual_residual, proof.relative_gap))


def _certify(program: ConeProgram, x: Vector, z: Vector) -> Certificate:
    s, Px = program.b - program.A @ x, program.P @ x
    primal_value, dual_value = float(0.5 * x @ Px + program.q @ x), float(-0.5 * x @ Px - program.b @ z)
    scale = max(abs(primal_value), abs(dual_value))
    terms = _Terms.of(program, x, z, scale)
    products = np.concatenate([[0.0], *_products(program, s, z)])
    largest = int(np.argmax(np.abs(products))) - 1
    wrong_sign = [0.0]
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            wrong_sign.append(_worst(np.maximum(-z[rows], 0.0), terms.signs[rows]))
        else:
            wrong_sign.append(relative(cone.dual_violation(z[rows]), float(terms.signs[rows].max(initial=0.0))))
    return Certificate(
        primal_value=primal_value + program.offset,
        dual_value=dual_value + program.offset,
        relative_gap=relative(abs(primal_value - dual_value), scale),
        primal_residual=_outside(program, s, terms.rows),
        dual_residual=max(_worst(np.abs(Px + program.q + program.A.T @ z), terms.columns), *wrong_sign),
        complementarity=relative(abs(float(products[largest + 1])), scale),
        worst=f"{_place(program.rows, largest)} contributes {products[largest + 1]:.1e} to the gap",
    )


def _without_slack_rows(program: ConeProgram, x: Vector, z: Vector) -> Vector:
    """Return the multipliers with 0 where an inequality is slack by far more, in its terms, than its multiplier weighs.

    Interior-point methods leave rounding there, and without an objective all multipliers are such.
    """
    if not program.P.nnz and not program.q.any():
        return np.zeros_like(z)
    scale = abs(float(0.5 * x @ (program.P @ x) + program.q @ x))
    terms = np.abs(program.b) + abs(program.A) @ _block_sizes(program.variables, x)
    slack = program.b - program.A @ x
    cleaned = z.copy()
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            negligible = np.abs(z[rows]) * terms[rows] ** 2 < 1e-7 * scale * slack[rows]
            cleaned[rows] = np.where(negligible, 0.0, z[rows])
    return cleaned


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
    clean = _without_rounding(z)
    residuals = [_farkas_residual(program, proof) for proof in (z, clean) if program.b @ proof < 0]
    return Certificate(
        primal_value=np.inf,
        dual_value=np.inf,
        relative_gap=0.0,
        primal_residual=0.0,
        dual_residual=min(residuals),
        complementarity=0.0,
        worst=f"the heaviest of the contradicting constraints is {_place(program.rows, int(np.argmax(np.abs(z))))}",
    )


def _farkas_residual(program: ConeProgram, z: Vector) -> float:
    sizes = abs(program.A)
    # The unit of a row cancels between its largest coefficient and its multiplier.
    units = _largest(sizes, axis=1)
    columns = (diags_array(1.0 / units) @ sizes).max(axis=0)
    heaviest = float((units * np.abs(z)).max(initial=0.0))
    unbalanced = _worst(np.abs(program.A.T @ z), heaviest * columns.toarray().ravel())
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
    clean = _without_rounding(x)
    residuals = [_ray_residual(program, direction) for direction in (x, clean) if program.q @ direction < 0]
    steepest = int(np.argmax(np.abs(program.q * x)))
    return Certificate(
        primal_value=-np.inf,
        dual_value=-np.inf,
        relative_gap=0.0,
        primal_residual=min(residuals),
        dual_residual=0.0,
        complementarity=0.0,
        worst=f"the objective falls most along {_place(program.variables, steepest, 'entry')}",
    )


def _ray_residual(program: ConeProgram, x: Vector) -> float:
    curved = _worst(np.abs(program.P @ x), abs(program.P) @ np.abs(x))
    rise, terms = -(program.A @ x), abs(program.A) @ np.abs(x)
    strength = -float(program.q @ x) / float(np.abs(program.q) @ np.abs(x))
    return max(curved, _outside(program, rise, terms)) / strength


def _outside(program: ConeProgram, s: Vector, sizes: Vector) -> float:
    """Return how far s is from K: equations and inequalities row by row, another cone as a whole, relative to sizes."""
    distances = [0.0]
    for cone, rows in program.parts():
        if isinstance(cone, Zero | Nonnegative):
            amounts = np.abs(s[rows]) if isinstance(cone, Zero) else np.maximum(-s[rows], 0.0)
            distances.append(_worst(amounts, sizes[rows]))
        else:
            distances.append(relative(cone.violation(s[rows]), float(sizes[rows].max(initial=0.0))))
    return max(distances)


def _without_rounding(proof: Vector) -> Vector:
    """Return a proof without the entries that are nothing but rounding; it is verified as any other."""
    return np.where(np.abs(proof) > 1e-6 * np.abs(proof).max(initial=0.0), proof, 0.0)


@dataclass(frozen=True, eq=False)
class _Terms:
    """Sizes that residuals are relative to: of the rows, of the columns, and of the multipliers' signs."""

    rows: Vector
    columns: Vector
    signs: Vector

    @classmethod
    def of(cls, program: ConeProgram, x: Vector, z: Vector, scale: float) -> _Terms:
        A, P = csc_array(abs(program.A)), abs(program.P)
        # Entries of a block are compared in the units that their coefficients give them, rows first.
        unit_z = _largest(A, axis=1)
        unit_x = _largest(diags_array(1.0 / unit_z) @ A, axis=0)
        size_x = _block_sizes(program.variables, x * unit_x) / unit_x
        size_z = _block_sizes(program.rows, z * unit_z) / unit_z
        slope = P @ size_x + np.abs(program.q)
        rows = np.abs(program.b) + A @ size_x
        columns = slope + A.T @ size_z
        At, costs = csc_array(A.T), np.abs(program.b)
        mended = _Moves.of(At, columns, costs, scale).coupled(program).one_sided(program).mended(columns)
        signs = _Moves.of(At, mended, costs, scale).noticed
        return cls(rows=_Moves.of(A, rows, slope, scale).mended(rows), columns=mended, signs=signs)


@dataclass(frozen=True, eq=False)
class _Moves:
    """How far an entry can move before a row that it enters, or the objective, notices.

    Attributes
    ----------
    sizes
        |A| with the sizes of the objective's coefficients as one more row; shape (rows + 1, entries).
    first, second
        For each entry: the move that the first row notices, and the one that the next row notices.
    nearest
        For each nonzero: whether its row is the one that notices first.
    """

    sizes: csc_array
    first: Vector
    second: Vector
    nearest: NDArray[np.bool_]

    @classmethod
    def of(cls, A: csc_array, rows: Vector, objective: Vector, scale: float) -> _Moves:
        sizes = csc_array(vstack([A, csc_array(objective[None, :])]))
        sizes.eliminate_zeros()
        reach = np.append(rows, scale)[sizes.indices] / sizes.data
        entry = _entries(sizes)
        first = _smallest(reach, entry, sizes.shape[1])
        (candidates,) = np.nonzero(reach == first[entry])
        _, chosen = np.unique(entry[candidates], return_index=True)
        nearest = np.zeros(reach.size, dtype=np.bool_)
        nearest[candidates[chosen]] = True
        second = _smallest(np.where(nearest, np.inf, reach), entry, sizes.shape[1])
        return cls(sizes, first, second, nearest)

    def coupled(self, program: ConeProgram) -> _Moves:
        """Let an entry that nothing else notices be noticed by its cone, whose entries share a unit."""
        second = self.second.copy()
        for cone, rows in program.parts():
            seen = self.first[rows][np.isfinite(self.first[rows])]
            if seen.size and not isinstance(cone, Zero | Nonnegative):
                second[rows] = np.where(np.isfinite(second[rows]), second[rows], seen.max())
        return replace(self, second=second)

    def one_sided(self, program: ConeProgram) -> _Moves:
        """Let the multipliers of inequalities mend nothing: they may not move below 0."""
        first, second = self.first.copy(), self.second.copy()
        for cone, rows in program.parts():
            if isinstance(cone, Nonnegative):
                first[rows] = second[rows] = np.inf
        return replace(self, first=first, second=second)

    @property
    def noticed(self) -> Vector:
        """For each entry, the move after which something notices; 0 where nothing ever does."""
        return np.where(np.isfinite(self.first), self.first, 0.0)

    def mended(self, rows: Vector) -> Vector:
        """Return the sizes of the rows, raised to what moving one entry changes in a row before another notices."""
        entry = _entries(self.sizes)
        others = np.where(self.nearest, self.second[entry], self.first[entry])
        raised = np.append(rows, 0.0)
        np.maximum.at(raised, self.sizes.indices, np.where(np.isfinite(others), self.sizes.data * others, 0.0))
        return raised[:-1]


def _largest(sizes: Any, axis: int) -> Vector:
    """Return the largest coefficients along an axis as units, and 1 where there are none."""
    if not sizes.shape[axis]:
        return np.ones(sizes.shape[1 - axis])
    units = np.asarray(sizes.max(axis=axis).toarray(), dtype=np.float64).ravel()
    return np.where(units > 0, units, 1.0)


def _entries(sizes: csc_array) -> Indices:
    """Return the column of each nonzero."""
    return np.repeat(np.arange(sizes.shape[1]), np.diff(sizes.indptr))


def _smallest(values: Vector, group: Indices, groups: int) -> Vector:
    smallest = np.full(groups, np.inf)
    np.minimum.at(smallest, group, values)
    return smallest


def _block_sizes(blocks: tuple[Block, ...], values: Vector) -> Vector:
    """Return for each entry the largest size in its block."""
    sizes = np.zeros(values.size)
    for block in blocks:
        sizes[block.range] = np.abs(values[block.range]).max(initial=0.0)
    return sizes


def _worst(amounts: Vector, sizes: Vector) -> float:
    """Return the largest of amounts / sizes, with 0 / 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(amounts == 0, 0.0, amounts / sizes).max(initial=0.0))


def _products(program: ConeProgram, s: Vector, z: Vector) -> Iterator[Vector]:
    for cone, rows in program.parts():
        if isinstance(cone, Nonnegative):
            yield s[rows] * z[rows]
        else:
            spread = np.zeros(cone.size)
            spread[:1] = s[rows] @ z[rows]
            yield spread


def _place(blocks: tuple[Block, ...], index: int, kind: str = "row") -> str:
    for block in blocks:
        if block.start <= index < block.stop:
            return f"{kind} {index - block.start} of {block.name!r}"
    return f"no {kind}"
