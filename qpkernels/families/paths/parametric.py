# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP whose target, bounds and epsilon are linear in a parameter, and the pieces of its optimum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.errors import ParameterError
from qpkernels.families.paths.loops import LOWER, UPPER, Record
from qpkernels.problems import KernelQP

__all__ = ["LINEAR", "ParametricQP", "Pieces", "RunOfPieces"]

LINEAR = ("target", "lower", "upper", "epsilon")
"""The vectors of a KernelQP in which its optimal beta and b are piecewise linear."""

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class ParametricQP:
    """The KernelQP problems on the line through two of them.

    At the parameter p, target, lower, upper and epsilon are ``start + (p - first) / (last - first) (end - start)``;
    the kernel matrix, the ridge and 1'beta = total are the same for both. As p moves, the optimal beta and b are
    piecewise linear.

    Parameters
    ----------
    start, end
        The problems at p = first and p = last; their bounds must be finite, and their total 0 or None.
    first, last
        Two numbers, in either order.

    Raises
    ------
    ParameterError
        If the two problems differ in anything else, or are not of this kind.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.families.paths import ParametricQP
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=0.1)
    >>> start = model.qp()
    >>> path = ParametricQP(start, model.set_params(C=1.0).qp(), first=0.1, last=1.0)
    >>> print(path.at(0.5).upper)
    [0.  0.5 0.  0.5]
    """

    start: KernelQP
    end: KernelQP
    first: float
    last: float

    def __post_init__(self) -> None:
        one, other = self.start, self.end
        if one.gram is not other.gram or one.total != other.total or not np.array_equal(one.ridge, other.ridge):
            raise ParameterError(
                "the KernelQPs at both ends must share their kernel matrix, ridge and total; a path goes along a "
                "parameter of target, bounds and epsilon."
            )
        if not (one.is_bounded and other.is_bounded) or one.total:
            raise ParameterError("a path needs finite bounds of beta, and a sum of 0 where one is given.")
        if self.first == self.last:
            raise ParameterError(f"a path needs two ends that differ, but both are {self.first:g}.")

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.start)

    @cached_property
    def vectors(self) -> dict[str, tuple[Vector, Vector]]:
        """Base and rate of each of the vectors by name: base + p rate."""
        return {name: self._line(getattr(self.start, name), getattr(self.end, name)) for name in LINEAR}

    def _line(self, one: Vector, other: Vector) -> tuple[Vector, Vector]:
        rate = (other - one) / (self.last - self.first)
        base = one - self.first * rate
        # What is proportional to p is so exactly, and what does not move stays.
        far, p = (other, self.last) if abs(self.last) > abs(self.first) else (one, self.first)
        proportional = np.abs(base) <= 8 * _EPS * np.maximum(np.abs(one), np.abs(other))
        base, rate = np.where(proportional, 0.0, base), np.where(proportional, far / p, rate)
        return np.where(one == other, one, base), np.where(one == other, 0.0, rate)

    def at(self, p: float) -> KernelQP:
        """Return the problem at p; at the two ends these are the given problems.

        Parameters
        ----------
        p
            The parameter, between its values at the two ends.
        """
        one = self.start
        if p in (self.first, self.last):
            return one if p == self.first else self.end
        parts = {name: base + p * rate for name, (base, rate) in self.vectors.items()}
        # Rounding may leave an epsilon that falls to 0 a little less than 0.
        parts["epsilon"] = np.maximum(parts["epsilon"], 0.0)
        return KernelQP(one.gram, **parts, total=one.total, ridge=one.ridge, name=one.name)


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
        The number of the piece, if it is known; None if it must be found.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.families.paths import ParametricQP, trace
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=0.1)
    >>> start, solution = model.qp(), model.solve(tol=1e-6)
    >>> pieces = trace(ParametricQP(start, model.set_params(C=1.0).qp(), 0.1, 1.0), solution.beta)
    >>> print([f"{C:.3f}" for C, _, _ in pieces.breakpoints()])
    ['0.100', '0.333', '1.000']
    """

    path: ParametricQP
    sweeps: Sequence[RunOfPieces]
    ties: int

    @cached_property
    def ends(self) -> Matrix:
        """The p and b where each piece begins and ends, shape (n, 4)."""
        return np.concatenate([sweep.record.ends for sweep in self.sweeps])

    @cached_property
    def counts(self) -> Indices:
        """The number of free samples on each piece."""
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

    def _point(self, sweep: RunOfPieces, k: int, status: NDArray[np.int8], p: float) -> tuple[Vector, float]:
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


@dataclass(frozen=True, eq=False)
class RunOfPieces:
    """Some consecutive pieces: the state of all coefficients on the first one, and the changes from there on."""

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

    def signed(self, sign: float) -> RunOfPieces:
        """Return the same pieces, of the parameter ``sign`` times theirs."""
        ends = self.record.ends * np.array([sign, 1.0, sign, 1.0])
        return replace(self, record=self.record._replace(ends=ends))

    def status_on(self, piece: int) -> NDArray[np.int8]:
        """Return where each coefficient is on that piece; what is said of free ones means nothing."""
        status, before = self.status.copy(), int(np.searchsorted(self.changes[:, 2], piece, side="right"))
        status[self.changes[:before, 0]] = self.changes[:before, 1]
        return status
