# SPDX-License-Identifier: BSD-3-Clause
"""The pieces of a path, as little of each as gives back beta and b at any parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.paths.parametric import ParametricQP
from qpkernels.paths.state import LOWER, UPPER, Record

__all__ = ["Pieces", "Sweep"]


@dataclass(frozen=True, eq=False)
class Sweep:
    """Some pieces in a row: where all coefficients are on the first of them, and what changes from there on."""

    status: NDArray[np.int8]
    record: Record
    changes: NDArray[np.intp]

    @cached_property
    def starts(self) -> Indices:
        """Where the free samples of each piece begin, and those of the last end."""
        return np.concatenate([[0], np.cumsum(self.record.counts)])

    def __len__(self) -> int:
        """Return the number of pieces."""
        return self.record.counts.size

    def signed(self, sign: float) -> Sweep:
        """Return the same pieces, of the parameter ``sign`` times theirs."""
        ends = self.record.ends * np.array([sign, 1.0, sign, 1.0])
        return replace(self, record=self.record._replace(ends=ends))

    def status_on(self, piece: int) -> NDArray[np.int8]:
        """Return where each coefficient is on that piece; what is said of free ones means nothing."""
        status, before = self.status.copy(), int(np.searchsorted(self.changes[:, 2], piece, side="right"))
        status[self.changes[:before, 0]] = self.changes[:before, 1]
        return status


@dataclass(frozen=True, eq=False)
class Pieces:
    """A path of a ParametricQP in linear pieces.

    Parameters
    ----------
    path
        The problems.
    sweeps
        The pieces in the order of the path.
    ties
        How often ties were broken by random numbers in the 11th digit.

    Notes
    -----
    Arguments of the methods:

    p
        The parameter, within the path.
    piece
        The number of the piece, where it is known; None: it is found.
    """

    path: ParametricQP
    sweeps: Sequence[Sweep]
    ties: int

    @cached_property
    def ends(self) -> Matrix:
        """P and b where each piece begins and ends, shape (n, 4)."""
        return np.concatenate([sweep.record.ends for sweep in self.sweeps])

    @cached_property
    def counts(self) -> Indices:
        """Number of free samples on each piece."""
        return np.concatenate([sweep.record.counts for sweep in self.sweeps])

    @cached_property
    def _first(self) -> Indices:
        """Number of the first piece of each sweep, and of all."""
        return np.concatenate([[0], np.cumsum([len(sweep) for sweep in self.sweeps])])

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.ends)

    def find(self, p: float) -> int:
        """Return the number of a piece that p is on."""
        sign = 1.0 if self.path.last > self.path.first else -1.0
        k = int(np.searchsorted(sign * self.ends[:, 0], sign * p, side="right")) - 1
        return min(max(k, 0), len(self) - 1)

    def at(self, p: float, piece: int | None = None) -> tuple[Vector, float]:
        """Return beta and b at p, which is on that piece."""
        k = self.find(p) if piece is None else piece
        number = int(np.searchsorted(self._first, k, side="right")) - 1
        sweep, local = self.sweeps[number], k - int(self._first[number])
        return self._point(sweep, local, sweep.status_on(local), p)

    def breakpoints(self) -> Iterator[tuple[float, Vector, float]]:
        """Yield p, beta and b where each piece begins, and where the last one ends."""
        for sweep in self.sweeps:
            status, done = sweep.status.copy(), 0
            for k in range(len(sweep)):
                while done < len(sweep.changes) and sweep.changes[done, 2] <= k:
                    status[sweep.changes[done, 0]] = sweep.changes[done, 1]
                    done += 1
                p = float(sweep.record.ends[k, 0])
                yield (p, *self._point(sweep, k, status, p))
        p = float(self.ends[-1, 2])
        yield (p, *self.at(p, len(self) - 1))

    def _point(self, sweep: Sweep, k: int, status: NDArray[np.int8], p: float) -> tuple[Vector, float]:
        start, b_start, end, b_end = sweep.record.ends[k].tolist()
        part = min(max((p - start) / (end - start), 0.0), 1.0) if end != start else 0.0
        beta = np.zeros(len(self.path))
        for at, name in ((LOWER, "lower"), (UPPER, "upper")):
            base, rate = self.path.vectors[name]
            own = status == at
            beta[own] = base[own] + p * rate[own]
        free = slice(sweep.starts[k], sweep.starts[k + 1])
        first, last = sweep.record.first[free], sweep.record.last[free]
        beta[sweep.record.samples[free]] = (1.0 - part) * first + part * last
        return beta, (1.0 - part) * b_start + part * b_end
