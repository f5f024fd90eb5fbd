# SPDX-License-Identifier: BSD-3-Clause
"""Limits of iterations and time that several solvers share."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

__all__ = ["Budget"]

_INSTANT = 1e-3
"""Seconds that the last one has at least: 0 would be no limit of some."""


@dataclass
class Budget:
    """Limits of all together, either of them None where there is none, and what is spent of them since it was made.

    Attributes
    ----------
    max_iter
        Iterations of all together; None: no limit.
    time_limit
        Seconds of all together; None: no limit.
    iterations
        Those spent.
    begun
        When it was made, by the clock of :func:`time.perf_counter`.
    """

    max_iter: int | None
    time_limit: float | None
    iterations: int = 0
    begun: float = field(default_factory=perf_counter)

    def spend(self, iterations: int | None) -> None:
        """Count the iterations of a solver, if it tells them.

        Parameters
        ----------
        iterations
            What a solver says that it took; None: it does not say.
        """
        self.iterations += iterations or 0

    @property
    def seconds(self) -> float:
        """Seconds that are spent."""
        return perf_counter() - self.begun

    @property
    def is_spent(self) -> bool:
        """Whether a limit is reached."""
        late = self.time_limit is not None and self.seconds >= self.time_limit
        return late or (self.max_iter is not None and self.iterations >= self.max_iter)

    @property
    def iterations_left(self) -> int | None:
        """Iterations of the next one, at least 1."""
        return None if self.max_iter is None else max(1, self.max_iter - self.iterations)

    @property
    def seconds_left(self) -> float | None:
        """Seconds of the next one, at least a moment, and no more than those of all."""
        if self.time_limit is None:
            return None
        return max(min(_INSTANT, self.time_limit), self.time_limit - self.seconds)
