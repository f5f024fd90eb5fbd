# SPDX-License-Identifier: BSD-3-Clause
"""From a point near the optimum of a KernelQP to the optimum, free sample by free sample; see active_set.py."""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.gram.changing.growing import Stored
from qpkernels.incremental.inverse import Inverse
from qpkernels.problems import KernelQP
from qpkernels.solvers.smo.descent.passes import Arrays
from qpkernels.solvers.smo.descent.working_set import slopes
from qpkernels.solvers.smo.rows.rows import MatrixRows

__all__ = ["Search"]

_LARGEST = 6000
"""Free samples up to which their inverse is kept: a third of a gigabyte, made in some seconds."""

_PASSES = 40
"""Passes over all samples; where so many do not suffice, the change was not small."""

_STEPS = 400
"""Samples that become free, or are free no more, likewise."""

_AT_ONCE = 16
"""Samples that become free in one pass, at most."""

_ENTERING = 0.3
"""Part of the largest violation from which on a sample becomes free."""

_ANEW = 0.25
"""Part of the free samples that are new from which on it takes less to invert their matrix anew."""

_SAME = 1e-12
"""Part of a bound within which a coefficient is at it."""

_DRIFT = 1e-8
"""Part of values and targets by which free samples may miss their equations before the inverse is made anew."""

_ROUNDING = 1e-13
"""Part of values and targets within which a slope violates nothing."""

_SHARE = 0.3
"""Part of the tolerance within which the gap must be, as the slopes tell it: the certificate adds its rounding."""


class Search:
    """A point of a KernelQP, and the samples that are free there.

    Parameters
    ----------
    program
        The problem.
    known
        Where its kernel matrix is in memory.
    inverse
        That of the free samples before the change, by their rows in memory.
    beta, values
        A point near the optimum, feasible or not, and K beta.

    Attributes
    ----------
    beta, values
        The point that is reached, within its bounds, and K beta.
    intercept
        b there.
    steps
        Samples that became free, or were free no more.
    gap
        The relative duality gap there, as the slopes tell it.
    """

    def __init__(self, program: KernelQP, known: Stored, inverse: Inverse, beta: Vector, values: Vector) -> None:
        self._program, self._known, self._inverse = program, known, inverse
        self._rows = MatrixRows(*known)
        parts = (program.target, program.epsilon, program.ridge, program.lower, program.upper)
        # Copies, since compiled code is another for arrays that are read-only.
        self._data = Arrays(np.empty((0, 0)), *(part.copy() for part in parts))
        self._at, self.values = beta, values.copy()
        self.beta = _within(beta, program)
        self._sign = np.sign(self.beta)
        self._free: Indices = np.empty(0, np.intp)
        self.steps, self.intercept, self.gap = 0, 0.0, np.inf

    def run(self, tol: float) -> bool:
        """Go to the optimum; return whether its gap is within ``tol``, as it is not where this method does not suffice.

        The gap is that of the slopes: what a sample could still gain, if they stayed as they are, up to its bound.
        """
        if not self._align():
            return False
        self._bring_up_to_date()
        rises, falls = self._violations()
        if self._is_balanced and self._holds(rises, falls, tol):
            return True
        for _ in range(_PASSES):
            if not (self._to_stationary() and self._mend()):
                return False
            rises, falls = self._violations()
            if self._holds(rises, falls, tol):
                return True
            if not self._enter(rises, falls):
                return False
        return False

    def _mend(self) -> bool:
        """Bring the values up to date; where they tell that the inverse has drifted, make it and the step anew."""
        self._bring_up_to_date()
        if self._drift() <= _DRIFT:
            return True
        if not (self._invert(self._free) and self._to_stationary()):
            return False
        self._bring_up_to_date()
        return self._drift() <= _DRIFT

    @property
    def _is_balanced(self) -> bool:
        total = self._program.total
        return total is None or abs(total - float(self.beta.sum())) <= 1e-14 * float(np.abs(self.beta).sum())

    @property
    def _size(self) -> float:
        """The largest of the values and targets, by which rounding is measured."""
        return max(float(np.abs(self.values).max()), float(np.abs(self._program.target).max()))

    def _violations(self) -> tuple[Vector, Vector]:
        """Return by how much going up, and going down, would gain at first; at most 0 where neither would."""
        up, down = np.empty(self.beta.size), np.empty(self.beta.size)
        lowest, highest = slopes(self._data, self.beta, self.values, up, down)
        ends = [end for end in (highest, lowest) if np.isfinite(end)]
        self.intercept = -float(np.mean(ends)) if self._program.total is not None and ends else 0.0
        return -up - self.intercept, down + self.intercept

    def _holds(self, rises: Vector, falls: Vector, tol: float) -> bool:
        """Return whether what all samples could still gain is within the tolerance."""
        p, size, gain, missed = self._program, self._size, 0.0, 0.0
        for gains, room in ((rises, p.upper - self.beta), (falls, self.beta - p.lower)):
            at = np.flatnonzero(gains > _ROUNDING * size)
            with np.errstate(divide="ignore"):
                reach = np.minimum(room[at], gains[at] / p.ridge[at])
            bounded = np.isfinite(reach)
            gain += float(gains[at][bounded] @ reach[bounded])
            # A hard constraint is missed: to meet it, the function is made larger by that part, and its square twice.
            missed = max(missed, float(gains[at][~bounded].max(initial=0.0)))
        objective = abs(p.objective(self.beta, self.values))
        self.gap = gain / objective + 2.0 * missed / size if objective else np.inf
        return self.gap <= _SHARE * tol

    def _align(self) -> bool:
        """Let the inverse be that of the samples that are free at the point."""
        p, beta, inverse = self._program, self.beta, self._inverse
        inside = (beta > p.lower) & (beta < p.upper) & ((beta != 0) | (p.epsilon == 0))
        where = np.full(len(self._known.matrix), -1)
        where[self._known.slots] = np.arange(beta.size)
        numbers = where[inverse.members]
        stays = (numbers >= 0) & inside[numbers]
        new = inside.copy()
        new[numbers[stays]] = False
        count = int(inside.sum())
        if count > _LARGEST:
            return False
        if int(new.sum()) + int((~stays).sum()) > max(8, _ANEW * count):
            return self._invert(np.flatnonzero(inside))
        for k in np.flatnonzero(~stays)[::-1]:
            inverse.drop(int(k))
        self._free = where[inverse.members]
        return all(self._add(int(sample)) for sample in np.flatnonzero(new))

    def _invert(self, free: Indices) -> bool:
        at = self._known.slots[free]
        A: Matrix = self._rows.block(free)
        A[np.diag_indices(free.size)] += self._program.ridge[free]
        try:
            self._inverse.rebuild(at, A)
        except LinAlgError:
            return False
        self._free = free
        return True

    def _add(self, sample: int) -> bool:
        """Make a sample free; return False where it depends on those that are."""
        row, slots = self._known.matrix[self._known.slots[sample]], self._known.slots
        corner = float(row[slots[sample]] + self._program.ridge[sample])
        if not self._inverse.add(int(slots[sample]), row[slots[self._free]], corner):
            return False
        self._free = np.append(self._free, sample)
        self.steps += 1
        return True

    def _drop(self, k: int) -> None:
        """Let the k-th free sample be free no more."""
        self._inverse.drop(k)
        self._free[k] = self._free[-1]
        self._free = self._free[:-1]
        self.steps += 1

    def _to_stationary(self) -> bool:
        """Solve the equations of the free samples; leave out those that come to a bound or a kink on the way.

        With u = M g for the slopes g and w = M 1, the step is d = -u - b w; without sample k, M loses M_k M_k' / M_kk,
        and u and w lose their entries k times M_k / M_kk. After a part t of the step g is (1 - t) g - t b.
        """
        p, inverse = self._program, self._inverse
        defect = 0.0 if p.total is None else p.total - float(self.beta.sum())
        M = inverse.matrix
        u, w = M @ self._slopes_of_free(), M.sum(axis=1)
        while (free := self._free).size and self.steps <= _STEPS:
            level = 0.0 if p.total is None else -(defect + float(u.sum())) / float(w.sum())
            d = -u - level * w
            low, high = self._pieces(free)
            end = np.where(d > 0, high, low)
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(d != 0, (end - self.beta[free]) / d, np.inf)
            k = int(room.argmin())
            part = min(1.0, max(0.0, float(room[k])))
            self.beta[free] = np.clip(self.beta[free] + part * d, low, high)
            if part == 1.0:
                self.intercept = level
                return True
            self.beta[free[k]], self._sign[free[k]] = end[k], np.sign(end[k])
            column = inverse.matrix[k] / inverse.matrix[k, k]
            u, w = u - u[k] * column, w - w[k] * column
            u, defect = (1.0 - part) * u - part * level * w, (1.0 - part) * defect
            u[k], w[k] = u[-1], w[-1]
            u, w = u[:-1], w[:-1]
            self._drop(k)
        return self._is_balanced and self.steps <= _STEPS

    def _slopes_of_free(self) -> Vector:
        p, free = self._program, self._free
        smooth = self.values[free] + p.ridge[free] * self.beta[free] - p.target[free]
        return np.asarray(smooth + p.epsilon[free] * self._sign[free])

    def _pieces(self, samples: Indices) -> tuple[Vector, Vector]:
        """Return the ends of the interval, between bounds and kinks, in which each coefficient is."""
        p, sign = self._program, self._sign[samples]
        kinked = p.epsilon[samples] > 0
        low = np.where(kinked & (sign > 0), 0.0, p.lower[samples])
        return low, np.where(kinked & (sign < 0), 0.0, p.upper[samples])

    def _bring_up_to_date(self) -> None:
        """Make the values those of the point."""
        delta = self.beta - self._at
        changed = np.flatnonzero(delta)
        self._rows.add_to(slice(None), changed, delta[changed], self.values)
        self._at = self.beta.copy()

    def _drift(self) -> float:
        """Return how far the free samples are from their equations."""
        off = float(np.abs(self._slopes_of_free() + self.intercept).max()) if self._free.size else 0.0
        return off / self._size

    def _enter(self, rises: Vector, falls: Vector) -> bool:
        """Make those free that violate optimality most; return whether any is."""
        violation = np.maximum(rises, falls)
        violation[self._free] = 0.0
        few = min(_AT_ONCE, violation.size)
        chosen = np.argpartition(violation, -few)[-few:]
        chosen = chosen[violation[chosen] > _ENTERING * violation.max()]
        before = self.steps
        for sample in chosen:
            if self._add(int(sample)) and self.beta[sample] == 0.0:
                self._sign[sample] = 1.0 if rises[sample] > falls[sample] else -1.0
        return before < self.steps <= _STEPS


def _within(beta: Vector, program: KernelQP) -> Vector:
    """Return beta within its bounds; what is almost at one is at it."""
    low, high = program.lower, program.upper
    beta = np.clip(beta, low, high)
    with np.errstate(invalid="ignore"):
        beta = np.where(np.isfinite(high) & (beta >= high - _SAME * np.abs(high)), high, beta)
        return np.where(np.isfinite(low) & (beta <= low + _SAME * np.abs(low)), low, beta)
