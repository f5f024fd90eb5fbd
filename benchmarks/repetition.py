# SPDX-License-Identifier: BSD-3-Clause
"""One run of milliseconds tells little: short runs are repeated. Needs no library, for Pythons that have few."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import TypeVar

__all__ = ["Turns", "repeated", "typical"]

T = TypeVar("T")

Turns = tuple[tuple[float, ...], ...]
"""The seconds of each run, by turns: with several solvers, all have theirs before the next begins."""

_ENOUGH, _MOST = 0.3, 30


def repeated(run: Callable[[], T]) -> tuple[tuple[float, ...], T]:
    """Return the seconds of each run and what the last one returned, after 0.3 s in all, or 30 runs."""
    seconds: list[float] = []
    while True:
        begin = perf_counter()
        answer = run()
        seconds.append(round(perf_counter() - begin, 7))
        if sum(seconds) >= _ENOUGH or len(seconds) == _MOST:
            return tuple(seconds), answer


def typical(turns: Sequence[Sequence[float]]) -> float:
    """Return the median over the turns of the best run of each: what disturbs a run only ever makes it longer."""
    return median(min(turn) for turn in turns)
