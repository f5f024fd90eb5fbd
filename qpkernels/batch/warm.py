# SPDX-License-Identifier: BSD-3-Clause
"""The start of a machine from the answer of another."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.machine import Machine

__all__ = ["carried", "warm_start"]


def carried(beta: Vector, old: tuple[Vector, Vector], new: tuple[Vector, Vector]) -> Vector:
    """Return ``beta`` with what was at an ``old`` bound, lower or upper, at the ``new`` one where that is finite."""
    moved = beta
    for bound, now in zip(old, new, strict=True):
        moved = np.where((beta == bound) & (bound != 0) & np.isfinite(now), now, moved)
    return moved


def warm_start(machine: Machine, before: Machine, beta: Vector) -> Vector:
    """Return the coefficients ``beta`` of another machine at the samples that both have, 0 at the others.

    What was at a bound is moved to the bound that it has now; the start need not be feasible.
    """
    _, here, there = np.intersect1d(machine.samples, before.samples, assume_unique=True, return_indices=True)
    old, new = before.program, machine.program
    start = np.zeros(len(new))
    start[here] = carried(beta[there], (old.lower[there], old.upper[there]), (new.lower[here], new.upper[here]))
    return start
