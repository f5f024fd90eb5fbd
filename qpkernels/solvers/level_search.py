# SPDX-License-Identifier: BSD-3-Clause
r"""Search for the level of a LevelQP: the root of a falling function, each value of which is a KernelQP.

s(l) = 1'|beta| at the optimum of level l has to be the budget. Once it is above the budget at one level and below at
another, the mixture of both answers that meets the budget is feasible, and its gap is that of the KernelQP at the
mixture of both levels:

    P(l) + l budget - D  =  P_l(f, b) - D_l(beta) + l (budget - 1'|beta|),

which is 0 where beta is linear in the level between them. So the search ends when both are on one piece, or so near
each other that the gap is small. Each KernelQP starts from the mixture, and is solved as exactly as that gap demands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Vector, finite_vector
from qpkernels.problems import LevelQP, duality_gap, relative
from qpkernels.solvers.automatic import OF_SMO, Automatic, Budget
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.smo import SMO

__all__ = ["LevelSearch"]

_LEVELS = 200
"""Problems after which the search is given up."""

_FIRST_TOL, _SHARE, _LEAST_SHARE = 1e-2, 0.1, 0.2
"""Tolerance of the first problems; of a later one, the part of the gap that it may leave, and of the tolerance."""

_LEAST_TOL = 1e-15
"""Tolerance that no problem is asked for less than."""

_STALE = 3.0
"""An end that has stayed, near the other, is solved anew if it was solved for so many times the tolerance of now."""

_PROGRESS = 0.5
"""Part of the least gap that a mixture has to reach, or else it makes no way."""

_NEAR = 1e-2
"""Part of the level within which ends are near each other."""

_STEP, _LONGEST, _SHORTEST = 1.2, 3.0, 0.05
"""Until there are two ends: steps in the logarithm of the level, a little beyond where the last two point."""

_ROUNDING = 1e-12
"""Part of the budget by which rounding may leave unspent what can be spent no further."""

_VANISHING = 1e-12
"""Part of the first level below which it is taken for 0."""


@dataclass(frozen=True, eq=False)
class _Point:
    """The answer at a level, K beta and b there, 1'|beta|, and the tolerance it was asked for."""

    level: float
    beta: Vector
    values: Vector
    spent: float
    tol: float


@dataclass(frozen=True, eq=False)
class _JudgedLevel:
    """A point with its b, and its gap relative to the values of the problem itself and to those of its level."""

    point: _Point
    intercept: float
    gap: float
    scale: float


class LevelSearch(Solver):
    """The KernelQP of one level after the other, until one spends the budget; stops when the gap is at most ``tol``.

    max_iter counts the steps for all of them, and time_limit is one for all; warm_start is any beta; cache_size,
    memory_budget, shrinking and report are those of smo, and what is reported is about one level after the other.
    """

    name = "level-search"
    foreign = False
    programs: ClassVar = (LevelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def settings(self) -> Mapping[str, Any]:
        """Return those of smo that it hands on."""
        return {name: value for name, value in SMO().settings().items() if name in OF_SMO}

    def prepare(self, program: LevelQP) -> None:
        """Settle that the matrix is positive semidefinite, and compute it where it is wanted whole."""
        Automatic().prepare(program.at_level(program.highest))

    def run(self, program: LevelQP, request: Request, **options: Any) -> Answer:
        """Search, and say in words why it ended."""
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        search = _LevelSearch(program, request, start, options)
        claim = None
        try:
            while claim is None:
                claim = search.solve_next()
                if request.verbose:
                    print(f"level-search: {search.words()}", flush=True)
        except KeyboardInterrupt:
            if search.is_empty:
                raise
            claim = Claim.INTERRUPTED
        return search.answer(claim)


def _first_level(program: LevelQP) -> float:
    """Return a level of the right size: for a tube a part of its widest, for a margin that between the class means."""
    if not program.least:
        return 0.3 * program.highest
    beta = np.where(program.upper > 0, program.upper, program.lower)
    for own in (beta > 0, beta < 0):
        beta[own] *= 0.5 * program.budget / max(float(np.abs(beta[own]).sum()), 1e-300)
    return -float(beta @ program.gram.product(beta)) / program.budget


class _LevelSearch:
    """Two ends of the interval that the level is in, as far as they are known, and what is to be solved next."""

    def __init__(self, program: LevelQP, request: Request, start: Vector | None, options: Mapping[str, Any]) -> None:
        self._program, self._tol, self._options = program, request.tol, options
        self._budget = Budget(request.max_iter, request.time_limit)
        self._low: _Point | None = None
        self._high: _Point | None = None
        self._solved: _Point | None = None
        self._last: _Point | None = None
        # How often one end has moved in a row: above 0 the lower one, below 0 the higher one.
        self._moved = 0
        self._level = self._unit = _first_level(program)
        self._start = start
        self._inner_tol = max(_FIRST_TOL, self._tol)
        self._best: _JudgedLevel | None = None
        self._count = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is no point yet."""
        return self._low is None and self._high is None

    def _options_of_level(self) -> dict[str, Any]:
        """Return the options of smo, lines of progress naming the level."""
        tell = self._options.get("report")
        if tell is None:
            return dict(self._options)
        level = self._count
        return {**self._options, "report": lambda line: tell(f"level {level}: {line}")}

    def solve_next(self) -> Claim | None:
        """Solve the problem of the next level; return why there is no other to solve, if there is none."""
        self._count += 1
        if abs(self._level) <= _VANISHING * abs(self._unit):
            if self._program.least:
                return Claim.STOPPED
            self._level = 0.0
        if self._solved is not None and self._solved.level == self._level and self._solved.tol <= self._inner_tol:
            return Claim.STOPPED
        outcome = Automatic().solve(
            self._program.at_level(self._level),
            tol=self._inner_tol,
            max_iter=self._budget.iterations_left,
            time_limit=self._budget.seconds_left,
            warm_start=self._start,
            **self._options_of_level(),
        )
        self._budget.spend(outcome.iterations)
        beta = outcome.point
        values = self._program.gram.product(beta) if outcome.values is None else outcome.values
        point = _Point(self._level, beta, values, float(np.abs(beta).sum()), self._inner_tol)
        self._solved = point
        self._place(point)
        self._judge(point)
        if self._best is not None and self._best.gap <= self._tol:
            return Claim.OPTIMAL
        if outcome.claim is Claim.INTERRUPTED:
            return Claim.INTERRUPTED
        if self._budget.is_spent or self._count == _LEVELS:
            return Claim.STOPPED
        self._choose(point)
        return None

    def _place(self, point: _Point) -> None:
        """Let the point be the end that it is; where an end was solved anew, the old one goes."""
        self._low = None if self._low is not None and self._low.level == point.level else self._low
        self._high = None if self._high is not None and self._high.level == point.level else self._high
        if point.spent >= (1.0 - _ROUNDING) * self._program.budget:
            self._low, self._moved = point, max(self._moved, 0) + 1
        else:
            self._high, self._moved = point, min(self._moved, 0) - 1

    def _judge(self, point: _Point) -> None:
        """Judge the mixture of both ends; at level 0, which a tube need not spend its budget for, the point itself."""
        if self._low is not None and self._high is not None:
            judged = self._judged(_mixture(self._low, self._high, self._program.budget))
        elif point.level == 0.0 and self._low is None:
            judged = self._judged(point)
        else:
            return
        idle = self._best is not None and judged.gap > _PROGRESS * self._best.gap
        if self._best is None or judged.gap < self._best.gap:
            self._best = judged
        wanted = judged.scale * max(min(_SHARE * self._best.gap, _FIRST_TOL), _LEAST_SHARE * self._tol)
        if idle and self._ends_are_near:
            # What is left may be what the problems at both ends left.
            wanted = min(wanted, _SHARE * self._inner_tol)
        self._inner_tol = max(wanted, _LEAST_TOL)
        self._start = judged.point.beta

    @property
    def _ends_are_near(self) -> bool:
        low, high = self._low, self._high
        return low is not None and high is not None and abs(high.level - low.level) <= _NEAR * abs(high.level)

    def _judged(self, point: _Point) -> _JudgedLevel:
        # It loads the compiler, which not everyone needs.
        from qpkernels.solvers.smo.iterate import intercept_of

        program = self._program.at_level(point.level)
        b = intercept_of(program, point.beta, point.values)
        gap = duality_gap(program, point.beta, point.values, b)
        primal = gap.primal_value + point.level * self._program.budget
        dual = gap.dual_value + point.level * point.spent
        size = max(abs(primal), abs(dual))
        own = relative(abs(primal - dual) + gap.rounding, size)
        return _JudgedLevel(point, b, own, min(1.0, relative(size, max(gap.scale, size))))

    def _choose(self, point: _Point) -> None:
        """Choose the next level."""
        low, high = self._low, self._high
        if low is None or high is None:
            self._level = self._beyond(point)
            self._start = point.beta if self._best is None else self._start
            self._last = point
            return
        stayed = high if self._moved > 0 else low
        repeated = abs(self._moved) - 1
        if repeated and self._ends_are_near and stayed.tol > _STALE * self._inner_tol:
            self._level, self._start = stayed.level, stayed.beta
            return
        # The Illinois method: an end that has stayed counts half as much each time, so that it moves as well.
        above, below = low.spent - self._program.budget, self._program.budget - high.spent
        halved = 0.5**repeated
        above, below = (above, halved * below) if self._moved > 0 else (halved * above, below)
        self._level = low.level + (high.level - low.level) * above / (above + below)

    def _beyond(self, point: _Point) -> float:
        """Return a level where the other end may be."""
        last, budget = self._last, self._program.budget
        # s falls as the level rises: a tube becomes wider then, and a margin smaller.
        sign = (1.0 if point.spent >= budget else -1.0) * (-1.0 if self._program.least else 1.0)
        if point.level == 0.0:
            return 0.0
        step = 1.0
        if last is not None and last.level != 0.0 and last.spent != point.spent:
            slope = (np.log(abs(point.level)) - np.log(abs(last.level))) / (point.spent - last.spent)
            step = abs(_STEP * float(slope) * (budget - point.spent))
        return point.level * float(np.exp(sign * min(max(step, _SHORTEST), _LONGEST)))

    def words(self) -> str:
        """Say how far it is."""
        gap = "no end yet" if self._best is None else f"relative gap {self._best.gap:.1e}"
        return f"{gap} after {self._count} level{'s' * (self._count > 1)}"

    def answer(self, claim: Claim) -> Answer:
        """Return the best mixture, or where there is none, the last point with its b."""
        best = self._best
        if best is None:
            point = self._low or self._high
            assert point is not None
            best = self._judged(point)
        multipliers = np.array([] if self._program.total is None else [best.intercept])
        return Answer(best.point.beta, multipliers, claim, self.words(), self._budget.iterations, best.point.values)


def _mixture(low: _Point, high: _Point, budget: float) -> _Point:
    """Return the mixture of two points that spends the budget."""
    part = min(1.0, (budget - high.spent) / (low.spent - high.spent))
    beta = part * low.beta + (1.0 - part) * high.beta
    values = part * low.values + (1.0 - part) * high.values
    level = part * low.level + (1.0 - part) * high.level
    return _Point(level, beta, values, float(np.abs(beta).sum()), max(low.tol, high.tol))
