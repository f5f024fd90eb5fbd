# SPDX-License-Identifier: BSD-3-Clause
"""Records of many machines at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.records.record import Record
from benchmarks.repetition import Turns, typical

__all__ = ["Changes", "Search", "Training"]


@dataclass(frozen=True)
class Training(Record):
    """Machines on samples in common, from the arrays to the proved answers.

    ``proved`` of them are; ``gap`` is the largest of their relative gaps, ``steps`` counts those of all, and
    ``processor`` are the seconds of all processors, a turn each.
    """

    workload: str
    tol: float
    machines: int
    proved: int
    steps: int
    gap: float
    turns: Turns
    processor: tuple[float, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Workload and tolerance."""
        return self.workload, self.tol

    @property
    def summary(self) -> str:
        """Its time, and how many are proved."""
        return f"{typical(self.turns):.3g} s, {self.proved} of {self.machines} proved, {self.steps} steps"


@dataclass(frozen=True)
class Search(Record):
    """A grid of hyper-parameters in folds, by us and by scikit-learn: times, the points chosen, and their scores."""

    problem: str
    tol: float
    fits: int
    proved: int
    jobs: int
    ours: Turns
    theirs: Turns
    our_choice: dict[str, float]
    their_choice: dict[str, float]
    our_score: float
    their_score: float

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem and tolerance."""
        return self.problem, self.tol

    @property
    def summary(self) -> str:
        """Both times."""
        return f"ours {typical(self.ours):.3g} s, scikit-learn {typical(self.theirs):.3g} s"


@dataclass(frozen=True)
class Changes(Record):
    """Changes of single samples, of each kind in turns, and fits from the arrays between them, all proved: seconds."""

    problem: str
    tol: float
    samples: int
    kinds: tuple[str, ...]
    changes: tuple[float, ...]
    fits: tuple[float, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """Problem, tolerance and samples."""
        return self.problem, self.tol, self.samples

    def of_kind(self, kind: str) -> float:
        """Return the median of one kind."""
        return float(np.median(self.changes[self.kinds.index(kind) :: len(self.kinds)]))

    @property
    def within(self) -> float:
        """What 95 of 100 changes take at most."""
        return float(np.quantile(self.changes, 0.95))

    @property
    def ratio(self) -> float:
        """Median of the fits over that of the changes."""
        return float(np.median(self.fits) / np.median(self.changes))

    @property
    def summary(self) -> str:
        """How many times faster than a fit."""
        return f"a change {1e3 * np.median(self.changes):.3g} ms, a fit {self.ratio:.3g} times that"
