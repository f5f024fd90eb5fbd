# SPDX-License-Identifier: BSD-3-Clause
"""The start of a machine from the answer of another."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.batch.machine import Machine

__all__ = ["warm_start"]


def warm_start(machine: Machine, before: Machine, beta: Vector) -> Vector:
    """Return the coefficients ``beta`` of another machine at the samples that both have, 0 at the others.

    What was at a bound is moved to the bound that it has now; the start need not be feasible.
    """
    common, here, there = np.intersect1d(machine.samples, before.samples, assume_unique=True, return_indices=True)
    del common
    old, new, moved = before.program, machine.program, beta[there]
    for bound, now in ((old.lower, new.lower), (old.upper, new.upper)):
        at_bound = (moved == bound[there]) & (bound[there] != 0) & np.isfinite(now[here])
        moved = np.where(at_bound, now[here], moved)
    start = np.zeros(len(new))
    start[here] = moved
    return start
