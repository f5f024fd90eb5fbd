# SPDX-License-Identifier: BSD-3-Clause
r"""The report of a descent on its way: steps, gap, time so far, and about how much more.

A descent from 0 begins with a relative gap v near 1, which hardly falls until most of the blocks were visited, and
falls geometrically at the end. Both are an almost straight line in log(v / (1 - v)), by which the time is extrapolated
once v is below 0.9. Descents quicken, so that it is rather too long: on four sets of 20,000 to 581,012 samples the
median of the estimates was 2 to 4 times what it took, and a tenth of them, in the last seconds mostly, more than 3 to
20 times; by log v alone all were several times that.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from qpkernels.solvers.smo.iterate import Iterate
from qpkernels.solvers.trend import Trend

__all__ = ["Report"]

_KNOWN = 5.0
"""Seconds after which an estimate of the remaining time is worth something."""

_NEARLY_ALL = 0.999
"""Violation that stands for all larger ones."""

_FALLING = 0.9
"""Violation below which the descent is on its way, and an estimate no guess."""

_MOST = 100.0
"""Times the seconds so far beyond which the remaining time counts as unknown."""


class Report:
    """Writes a line for each iterate.

    The time left is extrapolated from the fall of the gap; nothing is said of it at first, and where the gap did not
    fall in the second half of the time. The certificate comes after it.

    Parameters
    ----------
    tol
        What the gap has to fall to.
    write
        Called with each line.
    earlier
        Seconds of earlier runs of the same descent.
    """

    def __init__(self, tol: float, write: Callable[[str], None], earlier: float = 0.0) -> None:
        self._tol, self._write, self._earlier = tol, write, earlier
        self._begun, self._first = perf_counter(), 0.0
        self._trend: Trend | None = None

    def __call__(self, iterate: Iterate) -> None:
        """Take note of an iterate, and tell of it."""
        now, odds = perf_counter() - self._begun, _odds(iterate.gap.shortfall)
        if self._trend is None:
            self._first, self._trend = now, Trend(_odds(self._tol), odds)
        else:
            self._trend.note(now - self._first, odds)
        self._write(self._line(iterate, now, self._trend.missing()))

    def _line(self, iterate: Iterate, now: float, missing: float) -> str:
        about = "about" if iterate.estimated else "     "
        gap = f"smo: {iterate.iterations:9d} steps, relative gap {about} {iterate.gap.relative:.3e}"
        known = now >= _KNOWN and iterate.gap.shortfall < _FALLING and 0.0 < missing <= _MOST * now
        left = f", about {_in_words(missing)} left" if known else ""
        return f"{gap}, {_in_words(self._earlier + now)}{left}"


def _odds(violation: float) -> float:
    return violation / (1.0 - min(violation, _NEARLY_ALL))


def _in_words(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
