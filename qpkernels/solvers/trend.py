# SPDX-License-Identifier: BSD-3-Clause
r"""How much more effort a descent needs, from how its optimality violation fell so far.

The fall is taken to be geometric, at the rate of the second half of the effort: with the violation v_h half-way and v
now, after the effort t, a tolerance tau takes about (t - t_h) log(v / tau) / log(v_h / v) more.
"""

from __future__ import annotations

import numpy as np

__all__ = ["Trend"]


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
