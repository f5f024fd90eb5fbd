# SPDX-License-Identifier: BSD-3-Clause
"""What the certificates of cone programs measure, and against what."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import relative
from qpkernels.programs.cone_program import Block, ConeProgram
from qpkernels.programs.cones import Nonnegative, Zero

__all__ = ["block_sizes", "distance_outside", "largest_coefficients", "largest_ratio", "place", "without_rounding"]


def distance_outside(program: ConeProgram, s: Vector, sizes: Vector) -> float:
    """Return how far s is from K: equations and inequalities row by row, another cone as a whole, relative to sizes."""
    distances = [0.0]
    for cone, rows in program.parts():
        if isinstance(cone, Zero | Nonnegative):
            amounts = np.abs(s[rows]) if isinstance(cone, Zero) else np.maximum(-s[rows], 0.0)
            distances.append(largest_ratio(amounts, sizes[rows]))
        else:
            distances.append(relative(cone.violation(s[rows]), float(sizes[rows].max(initial=0.0))))
    return max(distances)


def without_rounding(proof: Vector) -> Vector:
    """Return a proof without the entries that are nothing but rounding; it is verified as any other."""
    return np.where(np.abs(proof) > 1e-6 * np.abs(proof).max(initial=0.0), proof, 0.0)


def largest_coefficients(sizes: Any, axis: int) -> Vector:
    """Return the largest coefficients along an axis as units, and 1 where there are none."""
    if not sizes.shape[axis]:
        return np.ones(sizes.shape[1 - axis])
    units = np.asarray(sizes.max(axis=axis).toarray(), dtype=np.float64).ravel()
    return np.where(units > 0, units, 1.0)


def block_sizes(blocks: tuple[Block, ...], values: Vector) -> Vector:
    """Return for each entry the largest size in its block."""
    sizes = np.zeros(values.size)
    for block in blocks:
        sizes[block.range] = np.abs(values[block.range]).max(initial=0.0)
    return sizes


def largest_ratio(amounts: Vector, sizes: Vector) -> float:
    """Return the largest of amounts / sizes, with 0 / 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.where(amounts == 0, 0.0, amounts / sizes).max(initial=0.0))


def place(blocks: tuple[Block, ...], index: int, kind: str = "row") -> str:
    """Return in words which entry of which block an index is."""
    for block in blocks:
        if block.start <= index < block.stop:
            return f"{kind} {index - block.start} of {block.name!r}"
    return f"no {kind}"
