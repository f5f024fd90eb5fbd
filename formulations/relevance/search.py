# SPDX-License-Identifier: BSD-3-Clause
"""Search for the highest evidence from many starts.

The evidence has many local maxima, and no start leads to the highest of them on all data. Most steps of an ascent gain
almost nothing, so every start is followed only as far as the evidence rises fast; those that came close to
the best are then followed to the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from formulations.relevance.ascent import Ascent, Likelihood, Point, ascend

__all__ = ["Search", "search"]

_SLOW = 0.02
"""Gain in log evidence below which a step is slow."""

_SLOW_STEPS = 5
"""Slow steps in a row after which a start is left."""

_CLOSE = 0.5
"""Log evidence by which a start may have stayed below the best one, and still be followed to the end."""

_SAME = 1e-6
"""Difference of two log evidences, against the larger of them and 1, that tells no two stationary points apart."""


@dataclass(frozen=True, eq=False)
class Search:
    """What a search found.

    Attributes
    ----------
    best
        The ascent with the highest end.
    starts, stationary_points
        From how many starts, and how many stationary points of different evidence they led to.
    """

    best: Ascent
    starts: int
    stationary_points: int

    @classmethod
    def of(cls, ascents: Iterable[Ascent], starts: int) -> Search:
        """Choose among ascents; of equal ends, one that is stationary."""
        falling = sorted(ascents, key=lambda ascent: -ascent.posterior.log_evidence)
        best = max((ascent for ascent in falling if _same(ascent, falling[0])), key=lambda ascent: ascent.converged)
        different = list[Ascent]()
        for ascent in falling:
            if ascent.converged and not (different and _same(ascent, different[-1])):
                different.append(ascent)
        return cls(best, starts, len(different))

    def __str__(self) -> str:
        ends = "the only one" if self.stationary_points == 1 else f"the highest of {self.stationary_points}"
        return f"a local maximum, {ends} found from {self.starts} starts"


def search(likelihood: Likelihood, starts: Sequence[Point], *, tol: float, max_iter: int, until: float) -> Search:
    """Raise the evidence from each of the starts, and from where the best of them led until it is stationary.

    After the time ``until`` no other start is begun.
    """
    beginnings = list[Ascent]()
    for alpha, noise in starts:
        if beginnings and perf_counter() >= until:
            break
        start = likelihood.posterior(alpha, noise, None)
        beginnings.append(
            ascend(likelihood, start, tol=tol, max_iter=max_iter, until=until, slow=_SLOW, patience=_SLOW_STEPS)
        )
    least = max(ascent.posterior.log_evidence for ascent in beginnings) - _CLOSE
    close = [ascent for ascent in beginnings if ascent.posterior.log_evidence >= least]
    return Search.of((_continued(likelihood, ascent, tol, max_iter, until) for ascent in close), len(beginnings))


def _continued(likelihood: Likelihood, beginning: Ascent, tol: float, max_iter: int, until: float) -> Ascent:
    before = beginning.log_evidences[:-1]
    end = ascend(likelihood, beginning.posterior, tol=tol, max_iter=max_iter - len(before), until=until)
    return replace(end, log_evidences=before + end.log_evidences)


def _same(one: Ascent, other: Ascent) -> bool:
    higher, lower = one.posterior.log_evidence, other.posterior.log_evidence
    return abs(higher - lower) <= _SAME * max(1.0, abs(higher))
