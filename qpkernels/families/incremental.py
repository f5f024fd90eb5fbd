# SPDX-License-Identifier: BSD-3-Clause
r"""An active-set method for a KernelQP that was solved before one of its samples changed.

From the last answer, it goes to the minimum over the free samples (:mod:`qpkernels.solvers.active_set`). It then
updates the slopes of all samples, and those that violate optimality become free. The inverse of their matrix is kept
from one change to the next (Cauwenberghs and Poggio, Incremental and decremental support vector machine learning, 2001,
of whose method this is the form for any bounds, kinks and ridge).

Where free samples depend on each other, or there are too many of them, sequential minimal optimisation goes on; a
problem of equations alone is left to linear algebra, which says so by the claim ``failed``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.linalg import LinAlgError

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram.changing import Stored, stored
from qpkernels.problems import KernelQP
from qpkernels.solvers.active_set.inverse import Inverse
from qpkernels.solvers.active_set.loops import Arrays, free_part, free_samples, to_minimum
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.smo import SMO
from qpkernels.solvers.smo.iterate import slopes
from qpkernels.solvers.smo.rows import MatrixRows

__all__ = ["ActiveSet"]

_STEPS = 200
"""Pair steps for each sample, after which a start tells nothing: whoever asked had better choose another method."""

_LARGEST = 6000
"""Free samples up to which their inverse is kept: a third of a gigabyte, made in some seconds."""

_PASSES = 40
"""Passes over all samples; where so many do not suffice, the change was not small."""

_CHANGES = 400
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


class ActiveSet(Solver):
    """A solver of one KernelQP after another, each on samples of a :class:`~qpkernels.gram.changing.ChangingGram`.

    It takes a start from the last problem: warm_start, and the values K beta there.
    """

    name = "active-set"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def __init__(self) -> None:
        self._inverse = Inverse()

    def forget(self) -> None:
        """Start afresh, when the stored data about the samples no longer holds."""
        self._inverse = Inverse()

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Go from the start to the optimum, by sequential minimal optimisation if necessary.

        Parameters
        ----------
        program, request, options
            As in :meth:`qpkernels.solvers.Solver.run`.
        """
        assert request.warm_start is not None
        known, beta = stored(program.gram), request.warm_start
        values: Vector = options.pop("values")
        if known is not None:
            search = _ActiveSetSearch(program.around(program.middle), known, self._inverse, beta, values)
            with blas_threads_for(self._inverse.members.size):
                solved = search.run(request.tol)
            beta, values = search.beta, search.values
            if solved:
                b = np.array([] if program.total is None else [search.intercept + program.middle])
                message = f"relative gap about {search.gap:.1e}"
                # What this moves is rounding, and so is what it changes in the values.
                beta = program.project(beta)
                return Answer(beta, b, Claim.OPTIMAL, message, search.steps, values)
        self.forget()
        if _is_linear(program):
            nothing = np.full(0 if program.total is None else 1, np.nan)
            return Answer(np.full(program.size, np.nan), nothing, Claim.FAILED, "left to linear algebra")
        limit = min(request.max_iter or _STEPS * program.size, _STEPS * program.size)
        rest = replace(request, warm_start=beta, max_iter=limit)
        answer = SMO().run(program, rest, values=values, **options)
        # The next change goes on from the product, which smo may have left to the certificate.
        values = program.gram.product(answer.point) if answer.values is None else answer.values
        return replace(answer, message=f"by smo: {answer.message}", values=values)


def _is_linear(program: KernelQP) -> bool:
    """Return whether equations are all there is, so that linear algebra solves it from nothing."""
    bounded = np.isfinite(program.lower).any() or np.isfinite(program.upper).any()
    return not bounded and not program.epsilon.any()


class _ActiveSetSearch:
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
        # Not those of the program, since compiled code is another for arrays that are read-only.
        self._data = Arrays(*program.as_rows())
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
        up, down = slopes(*self._data, self.beta, self.values)
        lowest, highest = up.min(), down.max()
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
        beta, inverse = self.beta, self._inverse
        free = free_samples(self._data, beta)
        inside = np.zeros(beta.size, np.bool_)
        inside[free] = True
        where = np.full(len(self._known.matrix), -1)
        where[self._known.slots] = np.arange(beta.size)
        numbers = where[inverse.members]
        stays = (numbers >= 0) & inside[numbers]
        new = inside.copy()
        new[numbers[stays]] = False
        if free.size > _LARGEST:
            return False
        if int(new.sum()) + int((~stays).sum()) > max(8, _ANEW * free.size):
            return self._invert(free)
        for k in np.flatnonzero(~stays)[::-1]:
            inverse.drop(int(k))
        self._free = where[inverse.members]
        return all(self._add(int(sample)) for sample in np.flatnonzero(new))

    def _invert(self, free: Indices) -> bool:
        at = self._known.slots[free]
        A: Matrix = self._known.matrix[np.ix_(at, at)]
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

    def _to_stationary(self) -> bool:
        """Go to the minimum over the free samples; those that come to a bound or a kink on the way are free no more."""
        free, inverse, n = self._free, self._inverse, self._free.size
        lack = 0.0 if self._program.total is None else self._program.total - float(self.beta.sum())
        x, slope, low, high = free_part(self._data, free, self._sign, self.beta, self.values)
        M, order, most = inverse.matrix, np.arange(n), _CHANGES + 1 - self.steps
        tied, u, w = self._program.total is not None, M @ slope, M.sum(axis=1)
        left, self.intercept = to_minimum(inverse.memory, order, u, w, slope, low, high, x, tied, lack, most)
        self.beta[free] = x
        gone = free[order[left:]]
        self._sign[gone] = np.sign(self.beta[gone])
        inverse.members, self._free = inverse.members[order[:left]], free[order[:left]]
        self.steps += n - left
        return (left > 0 or self._is_balanced) and self.steps <= _CHANGES

    def _bring_up_to_date(self) -> None:
        """Make the values those of the point."""
        delta = self.beta - self._at
        changed = np.flatnonzero(delta)
        self._rows.add_to(slice(None), changed, delta[changed], self.values)
        self._at = self.beta.copy()

    def _drift(self) -> float:
        """Return how far the free samples are from their equations."""
        _, slope, _, _ = free_part(self._data, self._free, self._sign, self.beta, self.values)
        return float(np.abs(slope + self.intercept).max(initial=0.0)) / self._size

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
        return before < self.steps <= _CHANGES


def _within(beta: Vector, program: KernelQP) -> Vector:
    """Return beta within its bounds; what is almost at one is at it."""
    low, high = program.lower, program.upper
    beta = np.clip(beta, low, high)
    with np.errstate(invalid="ignore"):
        beta = np.where(np.isfinite(high) & (beta >= high - _SAME * np.abs(high)), high, beta)
        return np.where(np.isfinite(low) & (beta <= low + _SAME * np.abs(low)), low, beta)
