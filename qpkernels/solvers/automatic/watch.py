# SPDX-License-Identifier: BSD-3-Clause
"""Whether a first-order method is on its way to the tolerance, or had better hand over."""

from __future__ import annotations

from typing import Protocol

from qpkernels.solvers.trend import Trend

__all__ = ["MeasuredPoint", "Watch"]

_EARLY = 0.5
"""Part of what the other method costs that is spent before anything is concluded from the progress."""

_HOPELESS = 4.0
"""Times that cost which must still be missing to hand over before as much is spent."""


class MeasuredPoint(Protocol):
    """A point of the method, with how far it is from optimal."""

    @property
    def iterations(self) -> int:
        """Steps so far."""

    @property
    def violation(self) -> float:
        """What has to fall to the tolerance, relative: 1 at the start."""


class Watch:
    """Predicts from the progress so far how many steps are still missing, and says when to give up.

    Another method would end after the cost of ``allowed`` steps. Once as many are taken, this one goes on only while
    fewer are missing: whichever of the two is faster, both together take about twice as long at most, where the
    prediction is right. See :class:`~qpkernels.solvers.trend.Trend` for how it is made.
    """

    def __init__(self, allowed: float, tol: float) -> None:
        self._allowed, self._trend = allowed, Trend(tol)

    def __call__(self, point: MeasuredPoint) -> bool:
        """Take note of a point, and return whether to give up there."""
        steps = point.iterations
        self._trend.note(steps, float(point.violation))
        missing = self._trend.missing()
        if steps < _EARLY * self._allowed:
            return False
        return missing > (_HOPELESS * self._allowed if steps < self._allowed else self._allowed)
