# SPDX-License-Identifier: BSD-3-Clause
"""Points that meet the constraints of a dual exactly, not to rounding: bounds, and 1'beta = total as real numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.intervals import exact_sum

__all__ = ["exactly_feasible"]

_STEPS = 64
"""Moves after which the sum is given up."""

_NOTHING = 2.0**-100
"""Share of the largest entry below which an entry is set to 0: it would make the sum a number of many digits."""


def exactly_feasible(beta: Vector, lower: Vector, upper: Vector, total: float | None) -> Vector | None:
    """Return a point next to ``beta`` within the bounds whose exact sum is ``total``; None where none was found.

    What the exact sum is short of is added to a single entry, the smallest one that is larger: its last digit is the
    finest that can take it. What that rounds off is smaller by 2^-52, and goes to a smaller entry, until nothing is
    left.
    """
    point = np.clip(beta, lower, upper)
    if total is None:
        return point
    point[np.abs(point) < _NOTHING * np.abs(point).max()] = 0.0
    stuck = np.zeros(point.size, dtype=bool)
    for _ in range(_STEPS):
        missing = exact_sum(np.append(-point, total))
        if missing == 0.0:
            return point
        if not np.isfinite(missing):
            return None
        room = np.where(stuck, 0.0, upper - point if missing > 0 else point - lower)
        entry = _taker(np.abs(point), room, abs(missing))
        if room[entry] <= 0.0:
            return None
        moved = float(np.clip(point[entry] + missing, lower[entry], upper[entry]))
        if moved == point[entry]:
            # One place too far, from where an entry with room on the other side, and a finer last place, leads back.
            moved = float(np.clip(np.nextafter(moved, np.copysign(np.inf, missing)), lower[entry], upper[entry]))
            stuck[entry] = True
        point[entry] = moved
    return None


def _taker(sizes: Vector, room: Vector, missing: float) -> int:
    """Return the entry to add to: a coefficient rather than a 0, with room for all of it."""
    wide: NDArray[np.bool_] = room >= 2.0 * missing
    for some in (wide & (sizes >= missing), wide & (sizes > 0.0), wide):
        if some.any():
            candidates = np.flatnonzero(some)
            return int(
                candidates[np.argmin(np.abs(np.log2(np.maximum(sizes[candidates], missing)) - np.log2(missing)))]
            )
    return int(np.argmax(room))
