# SPDX-License-Identifier: BSD-3-Clause
"""Which samples are in which block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from qpkernels.arrays import Indices

__all__ = ["Place", "by_block", "sample_count", "taken"]


@dataclass(frozen=True)
class Place:
    """The first sample of a block, and the number of its samples."""

    first: int
    count: int

    @property
    def rows(self) -> slice:
        """All of them."""
        return slice(self.first, self.first + self.count)


def sample_count(places: list[Place]) -> int:
    """Return the number of all samples."""
    return places[-1].first + places[-1].count


def by_block(places: list[Place], which: Indices) -> tuple[list[Indices], Indices]:
    """Return the numbers within each block of the samples ``which``, and the order that brought these to the blocks."""
    order = np.argsort(which, kind="stable")
    wanted, edges = which[order], [*(place.first for place in places), sample_count(places)]
    ends = np.searchsorted(wanted, edges)
    return [
        wanted[start:stop] - place.first for place, start, stop in zip(places, ends[:-1], ends[1:], strict=True)
    ], order


def taken(rows: Any, which: Indices) -> Any:
    """Return some rows of a block."""
    return rows[which]
