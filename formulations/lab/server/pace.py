# SPDX-License-Identifier: BSD-3-Clause
"""How fast the messages of a page are read."""

from __future__ import annotations

__all__ = ["Pace"]


class Pace:
    """At most ``burst`` messages at once, and ``rate`` a second on the average (a token bucket).

    Who sends faster is read later: nothing is lost, and TCP lets the sender wait.

    Parameters
    ----------
    rate
        Messages a second, above 0.
    burst
        Messages that come at once without a pause, at least 1.
    """

    def __init__(self, rate: float, burst: int) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._counted = float(burst), 0.0

    def pause(self, now: float) -> float:
        """Count a message that came at ``now``, in seconds, and return how long to wait before the next is read."""
        self._left = min(self._burst, self._left + self._rate * (now - self._counted)) - 1.0
        self._counted = now
        return max(0.0, -self._left / self._rate)
