# SPDX-License-Identifier: BSD-3-Clause
"""How much more effort a descent needs, from how its optimality violation fell so far, and when it had better end.

The fall is taken to be geometric, at the rate of the second half of the effort: with the violation v_h half-way and v
now, after the effort t, a tolerance tau takes about (t - t_h) log(v / tau) / log(v_h / v) more.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

__all__ = [
    "MeasuredPoint",
    "Trend",
    "Watch",
]


class Trend:
    """Violations by the effort after which they were reached, in any unit: steps, or seconds.

    Parameters
    ----------
    tol
        What the violation has to fall to.
    start
        The violation before any effort, relative.
    """

    def __init__(self, tol: float, start: float = 1.0) -> None:
        self._tol = tol
        self._efforts, self._violations = [0.0], [start]

    def note(self, effort: float, violation: float) -> None:
        """Take note of where it stands after so much effort; a violation above an earlier one counts as that."""
        self._efforts.append(effort)
        self._violations.append(min(violation, self._violations[-1]))

    def missing(self) -> float:
        """Return how much effort is still missing; infinity where the second half gained nothing."""
        effort, violation = self._efforts[-1], self._violations[-1]
        if violation <= self._tol:
            return 0.0
        half = int(np.searchsorted(self._efforts, effort / 2, side="right")) - 1
        gained = np.log(self._violations[half] / violation)
        if gained <= 0:
            return float("inf")
        return float((effort - self._efforts[half]) * np.log(violation / self._tol) / gained)


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
        """The quantity that has to fall to the tolerance, relative: 1 at the start."""


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
