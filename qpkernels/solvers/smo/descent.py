# SPDX-License-Identifier: BSD-3-Clause
"""Block descent: choose a block of coefficients, minimise over it, bring the values up to date; until it is proved.

Few samples are one block. With more, the block is the **working set**: it decides how many rows of K are ever made. The
samples that violate optimality most are new to it, half of them because they should go up, half because they should go
down. A block of them alone would drive them too far, since the others that would hold them back are outside: then those
are the most violating, and so on to and fro. So a sample stays for a second block, against those that the first one
made violating.

**Shrinking** leaves out samples for a while. One at a bound or a kink whose slopes are on their side of -b, beyond
every violation, stays where it is in most cases. Rows over the others are shorter. Meanwhile such a sample adds nothing
to the duality gap, if it stays on its side; so the gap of the others estimates that of all. Once the estimate is small
enough, the values of those left out are brought up to date, by the rows of all that changed, and the gap is computed
for all. To have it done once, steps over few samples go on before for as long as it takes.

**Cycles.** In float32 the rows of K are made fastest, and what they do to the values is added up in float64. The values
are then those of a matrix a little beside K, and the gap falls to what this leaves of it. There the values are computed
from K itself, and the descent goes on from them with rows in float32 again: these now err by a part of what is still to
change alone. So each cycle brings the point nearer to the optimum of K, as iterative refinement does for linear
equations. A matrix that float32 cannot tell from a much worse one ends this; rows in float64 are left then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector, is_sparse
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.gram import Gram
from qpkernels.gram.changing import stored
from qpkernels.gram.panels.products import EXPONENT_ERROR, mostly_zero
from qpkernels.gram.panels.sums import DoubleSums
from qpkernels.kernels import RBF, Linear
from qpkernels.problems import KernelQP, LevelQP
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.problems.level_qp.bounds import level_bounds
from qpkernels.solvers.active_set.free import inverse_of, is_worth_it, to_minimum_over_free
from qpkernels.solvers.active_set.loops import Arrays
from qpkernels.solvers.smo.iterate import (
    Beginning,
    GapError,
    Iterate,
    RoundingWatch,
    Stepped,
    measure,
    measure_exactly,
    nearly_vanishes,
    slopes,
    vanishing_iterate,
)
from qpkernels.solvers.smo.plain import few, filled
from qpkernels.solvers.smo.rows import (
    ONE_BLOCK,
    FeatureRows,
    KernelRows,
    MatrixRows,
    Memory,
    MixtureRows,
    ProductRows,
    RowCache,
    SampleRows,
    VariableRows,
)
from qpkernels.solvers.smo.steps import BETTER, Block, group_steps, pair_steps, single_steps, working_set

__all__ = [
    "DescentLimits",
    "LevelDescent",
    "PairDescent",
    "block_iterates",
    "compile_all",
    "compile_for",
    "descend",
    "forms_matrix",
    "holds_matrix",
    "minimise",
    "streamed_rows",
]

SMALL = 1000
"""Samples up to which the whole kernel matrix is formed in float64, whatever the kernel."""

_INNER, _INNER_OF_MANY = 0.1, 0.3
"""A block is left when its violation is this part of that of all: beyond, it would fit what the next one changes.

The second is for more coefficients inside their bounds than two blocks hold: those outside change it sooner.
In float64, where the last digits are wanted, none is left early.
"""

_STEPS = 32
"""Steps for each coefficient of a block, at most: more would follow the rounding of its values, or a bad condition."""

_AT_ONCE = 500
"""Least number of steps over one block before its gap is measured, and a limit of time looked at."""

_BEYOND = 0.25
"""Violations by which a slope is on the right side of optimality where its sample is not expected to change."""

_WORTH = 0.8
"""Part of the samples down to which it is not worth leaving out the others."""

_OUTER_ITERATIONS, _CLOSE = 4, 100.0
"""Outer iterations between two measurements of the gap, unless it is within such a multiple of what is wanted."""

_IDLE, _IDLE_ONE_BLOCK = 10, 100
"""Measurements without a better value or gap after which only rounding changes; the second for one block."""

_FURTHER = 0.5
"""Part of the tolerance that steps over one block go on to before samples left out are looked at: rounding, and what
these add to the gap, are to find room in the rest."""

_MOST = 0.1
"""Gap, relative to the value of the samples not left out alone, from which on steps over them go on in any case."""

_GOAL, _CLOSER = 0.8, 0.5
"""Part of the tolerance that steps over one block go for, and what it is multiplied by where that does not suffice."""

_FINE = 1e-9
"""Tolerance below which steps over one block go as far as a descent allows: they give digits that no gap shows."""

_GAIN = 0.3
"""Part of the gap that a cycle must get it down to; else another would gain little."""

_SINGLE_ERROR = 1e-2
"""Error of an exponent beyond which float32 tells too little of the kernel matrix to be worth a descent."""

_UNIT, _SINGLE_UNIT = float(np.finfo(float).eps), float(np.finfo(np.float32).eps)

_FEW, _KEPT = 64, 2**20
"""Samples on which loops are used to have them compiled, and bytes for rows meanwhile."""

_MEMORY = Memory(2**31)


@dataclass
class DescentLimits:
    """When to stop, and the steps taken so far; and whether samples may be left out on the way."""

    tol: float
    max_iter: int
    deadline: float = np.inf
    steps: int = 0
    shrinking: bool = True

    def over(self, steps: int) -> bool:
        """Return whether the time, or ``steps`` more, use up what is allowed."""
        return self.steps + steps >= self.max_iter or perf_counter() >= self.deadline


def minimise(
    program: KernelQP | LevelQP,
    tol: float,
    max_iter: int,
    deadline: float = np.inf,
    start: Vector | None = None,
    report: Callable[[Iterate], None] | None = None,
    memory: Memory = _MEMORY,
    values: Vector | None = None,
    watch: Callable[[Iterate], bool] | None = None,
    shrinking: bool = True,
    saved: Beginning | None = None,
) -> Iterate:
    """Return the first iterate whose relative duality gap is within ``tol``, or the last one before a limit.

    An interruption from the keyboard counts as a limit.

    Parameters
    ----------
    program
        The problem. Its kernel matrix need not fit in memory.
    tol
        Bound on the relative duality gap, and on the violation of hard constraints.
    max_iter
        Number of steps.
    deadline
        ``time.perf_counter()`` after which no further steps are begun.
    start
        Any beta; it is projected to the feasible set. Zero (or a feasible point near it) when left out.
    report
        Called with each iterate whose gap is computed.
    memory
        What may be held.
    values
        K start, where it is known in float64.
    watch
        Asked after each iterate whose gap is computed, and which proves nothing, whether to give up there.
    shrinking
        Leave out samples that are not likely to change, until the end.
    saved
        Where an earlier descent stood, whose steps count; in place of ``start`` and ``values``.
    """
    beginning = saved or _beginning(program, start, values)
    limits = DescentLimits(tol, max_iter, deadline, beginning.steps, shrinking)
    iterates = block_iterates(program, limits, beginning, memory)
    iterate, tried = None, False
    try:
        while True:
            iterate = next(iterates)
            if report is not None:
                report(iterate)
            if iterate.proves(tol) or iterate.diverging:
                return iterate
            given_up = watch is not None and watch(iterate)
            if iterate.stalled:
                return iterate
            if not tried and nearly_vanishes(program, iterate):
                tried = True
                if (vanishing := vanishing_iterate(program, iterate.iterations)) is not None:
                    return vanishing
            if given_up:
                return replace(iterate, given_up=True)
            if iterate.iterations >= max_iter or perf_counter() >= deadline:
                return iterate
    except KeyboardInterrupt:
        iterate = iterate or measure_exactly(program, beginning.beta, 0)
        return replace(iterate, interrupted=True)


def _beginning(program: KernelQP | LevelQP, start: Vector | None, values: Vector | None) -> Beginning:
    """Return the feasible point near ``start``, and K times it where K start is known."""
    if start is None and not program.total and not (isinstance(program, LevelQP) and program.least):
        return Beginning(np.zeros(program.size))
    if isinstance(program, LevelQP):
        beta = spent(program, start)
    else:
        beta = few(program) if start is None else program.project(start)
    if start is None or values is None:
        return Beginning(beta)
    return Beginning(beta, values + program.gram.product(beta - start))


def spent(program: LevelQP, start: Vector | None) -> Vector:
    """Return a feasible point near ``start``, which spends the budget where that is a lower bound."""
    bounds = level_bounds(program)
    if not program.least:
        return bounds.feasible(start if start is not None else np.zeros(program.size))
    signs, costs = np.where(program.upper > 0, 1.0, -1.0), np.maximum(program.upper, -program.lower)
    if program.total is None:
        if start is None:
            return signs * filled(costs, program.budget)
        return signs * nearest_feasible(signs * start, np.zeros(costs.size), costs, program.budget)
    beta = np.zeros(program.size)
    for sign in (1.0, -1.0):
        (own,) = np.nonzero(signs == sign)
        half = 0.5 * program.budget
        if start is None:
            beta[own] = sign * filled(costs[own], half)
        else:
            beta[own] = sign * nearest_feasible(sign * start[own], np.zeros(own.size), costs[own], half)
    return beta


def forms_matrix(program: KernelQP | LevelQP) -> bool:
    """Return whether the engine reads the whole kernel matrix, rather than rows as they are needed."""
    gram, m = program.gram, program.size
    fits = m <= ONE_BLOCK and 8 * m**2 <= gram.memory_limit
    if (m <= SMALL and fits) or gram.correction is not None:
        return True
    # Without a product form rows are slow to make, and most of them are wanted more than once.
    return fits and gram.features is None and gram.product_form is None


def holds_matrix(program: KernelQP | LevelQP) -> bool:
    """Return whether the engine reads a matrix: all of K, or what is stored of a larger one."""
    return forms_matrix(program) or stored(program.gram) is not None


def block_iterates(
    program: KernelQP | LevelQP, limits: DescentLimits, beginning: Beginning, memory: Memory
) -> Iterator[Iterate]:
    """Yield an iterate now and then; the last one proves the tolerance, or is as good as float64 makes it."""
    with without_blas_threads():
        if isinstance(program, LevelQP) and (vanishing := vanishing_iterate(program, limits.steps)) is not None:
            yield vanishing
        reached = None
        if beginning.values is not None:
            reached = measure(program, beginning.beta, beginning.values, limits.steps, computed=True)
            yield reached
        for rows in _stages(program, memory):
            reached = yield from _in_cycles(program, rows, limits, beginning, reached)
            # Else they would be held beside the next ones.
            del rows
        assert reached is not None
        yield replace(reached, stalled=True)


def _stages(program: KernelQP | LevelQP, memory: Memory) -> Iterator[SampleRows]:
    """Yield the rows to descend with: in float32 first, where that is faster and tells enough, and in float64."""
    if forms_matrix(program):
        yield MatrixRows(program.gram.dense)
    elif (known := stored(program.gram)) is not None:
        yield MatrixRows(*known)
    else:
        yield from streamed_rows(program, memory)


def streamed_rows(program: KernelQP | LevelQP, memory: Memory) -> Iterator[SampleRows]:
    """Yield the rows to descend with where there is no matrix."""
    gram, pairs = program.gram, program.total is not None
    if gram.features is not None:
        yield FeatureRows(gram.features, pairs)
        return
    if gram.mixture is not None:
        yield MixtureRows(*gram.mixture)
        return
    form, X = gram.panels(compressed=memory.compresses(gram.X))
    exact = False
    if form is not None:
        singles = memory.product(form, X, np.float32)
        exact = singles.largest * _UNIT <= EXPONENT_ERROR
        # Without a bound, a curvature that rounding makes of 0 is followed for ever.
        if singles.largest * float(np.finfo(np.float32).eps) <= _SINGLE_ERROR and not _is_hard(program):
            yield ProductRows.with_cache(singles, memory.for_rows(singles), memory.left)
        del singles
    if form is not None and exact:
        doubles = memory.product(form, X, np.float64)
        yield ProductRows.with_cache(doubles, memory.for_rows(doubles))
    else:
        yield KernelRows(gram, RowCache(len(gram), int(min(memory.cache, memory.remaining)), np.float64))


def _in_cycles(
    program: KernelQP | LevelQP, rows: SampleRows, limits: DescentLimits, beginning: Beginning, reached: Iterate | None
) -> Generator[Iterate, None, Iterate]:
    """Yield iterates of descents, each ended by K beta in float64; return the one that gained little.

    The first begins where the rows before ``reached``, or at the ``beginning``, by the values that they make of it.
    """
    violation = np.inf
    while True:
        if reached is None or reached.values is None:
            beta, values = beginning.beta, _values_by(rows, beginning)
        else:
            beta, values = reached.beta, reached.values
        search = PairDescent.on(program, rows, beta, values)
        if search.in_one_block and search.exact:
            yield from _in_one_block(search, limits)
        else:
            yield from descend(search, limits, np.inf if reached is None else reached.gap.shortfall)
        limits.steps += search.steps
        if reached is None or search.steps:
            reached = measure_exactly(program, search.at_samples()[0], limits.steps)
        yield reached
        if not reached.gap.shortfall < _GAIN * violation:
            return reached
        violation = reached.gap.shortfall


def _values_by(rows: SampleRows, beginning: Beginning) -> Vector:
    """Return K beta of a beginning, by the rows of what is not known of it."""
    beta, known = beginning.beta, beginning.stepped
    values = np.zeros(beta.size) if known is None else known.values.copy()
    missing = beta if known is None else beta - known.point
    changed = np.flatnonzero(missing)
    if changed.size:
        rows.add_to(slice(None), changed, missing[changed], values)
    return values


def _in_one_block(search: PairDescent, limits: DescentLimits) -> Iterator[Iterate]:
    """Yield iterates of a descent in float64 over all samples at once, until K beta is to be computed afresh.

    That is where no step, or rounding alone, is left, or an answer almost is: what rounding leaves no doubt of is one.
    A start that is an answer stays one: a step lowers the objective, but may raise the gap.
    """
    goal = _goal(search, limits.tol)
    # With a goal steps look before the first of them.
    if not goal and search.measure(limits.steps).proves(limits.tol):
        return
    progress = RoundingWatch(_IDLE_ONE_BLOCK)
    while True:
        taken = search.outer_iteration(limits.max_iter - limits.steps - search.steps, 4 * _UNIT * search.size, goal)
        if search.settled or not (taken or goal):
            return
        iterate = search.measure(limits.steps)
        if progress.ended(iterate.gap) or (
            iterate.proves(limits.tol) and not _surely(iterate, search.steps, limits.tol)
        ):
            return
        yield iterate
        goal *= _CLOSER if search.reached else 1.0


def _goal(search: PairDescent, tol: float) -> float:
    """Return the gap that steps over one block go for; 0: as far as they come.

    A hard constraint that is violated adds nothing to it.
    """
    return 0.0 if tol < _FINE or _is_hard(search.program) else _GOAL * tol


def _is_hard(program: KernelQP | LevelQP) -> bool:
    return isinstance(program, KernelQP) and program.is_hard


def _surely(iterate: Iterate, steps: int, tol: float) -> bool:
    """Return whether a gap is within ``tol`` even where each step rounded its values as much as K beta may round."""
    return tol >= _FINE and iterate.gap.shortfall + float(np.sqrt(steps)) * iterate.rounding <= tol


def descend(  # noqa: C901, PLR0912, PLR0915  one loop, whose conditions are about each other
    search: PairDescent, limits: DescentLimits, gap: float = np.inf, *, trusted: bool = False
) -> Iterator[Iterate]:
    """Yield iterates until none of the steps improves, or the values are not exact enough to tell.

    ``gap`` is the violation at the start, where it is known: close to what is wanted, every outer iteration may end it.
    Values made in float32 are ``trusted`` by who looks at K beta in any case.
    """
    outer, best, error = 0, np.inf, GapError(search.program, limits.tol, search.exact or trusted)
    progress = RoundingWatch(_IDLE_ONE_BLOCK if search.in_one_block else _IDLE)
    goal = _goal(search, limits.tol)
    if limits.shrinking:
        search.shrink()
    while True:
        left, floor = limits.max_iter - limits.steps - search.steps, 4 * _UNIT * search.size
        # Working sets of few samples are measured on the way.
        few = limits.tol if goal and search.in_one_block else 0.0
        taken = search.outer_iteration(left, floor, goal if search.unshrunk else few)
        outer += 1
        over = limits.over(search.steps)
        restores = not search.unshrunk and (over or search.reached or not taken)
        near = search.in_one_block or gap <= _CLOSE * limits.tol
        if taken and outer % _OUTER_ITERATIONS and not (near or over or restores):
            continue
        if not restores:
            goal *= _CLOSER if search.reached else 1.0
            iterate = search.measure(limits.steps)
            ended = progress.ended(iterate.gap) or (taken == 0 and not search.reached)
            if _calls_for_values(search, iterate, ended, limits.tol):
                return
            if error.is_due(iterate):
                error.update(iterate, search.at_samples()[1], search.original)
                if error.too_large:
                    return
            restores = not search.unshrunk and (ended or iterate.gap.shortfall <= limits.tol - error.value)
        if restores:
            if few and not over:
                search.go_on(left - taken, floor, _FURTHER * few)
            search.restore()
            iterate, progress = search.measure(limits.steps), RoundingWatch(_IDLE)
            error.update(iterate, search.at_samples()[1], search.original)
            if _calls_for_values(search, iterate, False, limits.tol):
                return
        gap = iterate.gap.shortfall
        yield replace(iterate, gap_error=error.value)
        if not search.unshrunk:
            if limits.shrinking:
                search.shrink()
        elif gap < best:
            # A gap of all that is no better than the last one says that too much was left out.
            best = gap
            if limits.shrinking:
                search.shrink()


def _calls_for_values(search: PairDescent, iterate: Iterate, ended: bool, tol: float) -> bool:
    """Return whether K beta is to be computed afresh: at the end, and to prove an answer where that costs little.

    That is for one block, and where the descent is in float64, so that nothing else could tell the rounding.
    """
    return search.unshrunk and (ended or (iterate.proves(tol) and (search.in_one_block or search.exact)))


class PairDescent:
    """A point of a KernelQP, and how to lower its objective over the samples that may still change.

    Parameters
    ----------
    program
        The problem.
    rows
        Its K.
    beta, values
        A feasible point, and K beta there.

    Attributes
    ----------
    program
        That.
    samples
        Those that are not left out.
    steps
        Taken so far.
    settled
        Whether no step over the one block that all samples are is left.
    reached
        Whether the gap that the last steps went for is there.
    idle
        How often a working set was chosen since the gap fell to a part of what it was, or the value grew.
    """

    _take_steps: Callable[..., tuple[int, bool]]

    def __init__(self, program: KernelQP, rows: SampleRows, beta: Vector, values: Vector) -> None:
        self._take_steps = single_steps if program.total is None else pair_steps
        self._state(program, rows, program.as_rows(), beta, values)

    @staticmethod
    def on(program: KernelQP | LevelQP, rows: SampleRows, beta: Vector, values: Vector) -> PairDescent:
        """Return a descent on either kind of program."""
        if isinstance(program, LevelQP):
            return LevelDescent(program, rows, beta, values)
        return PairDescent(program, rows, beta, values)

    def _state(self, program: KernelQP | LevelQP, rows: SampleRows, box: Matrix, beta: Vector, values: Vector) -> None:
        self.program, self._all_rows, self._whole_box = program, rows, box
        self._target_size = float(np.abs(program.target).max())
        self._paired = program.total is not None
        self._groups = int(self._paired)
        self.steps = 0
        self._begin(beta, values)

    def _begin(self, beta: Vector, values: Vector) -> None:
        self.samples: Indices = np.arange(beta.size)
        self._rows, self._block = self._all_rows, self._all_rows.one_block()
        self._box: Matrix = self._whole_box.copy()
        self._beta, self._values = beta.copy(), values.copy()
        self._recent: Indices = np.empty(0, np.intp)
        self._visits = np.zeros(beta.size, np.int64)
        # A problem that takes no more steps than it has samples needs nothing else.
        self._work = -(float(beta.size) ** 2)
        self.settled = self.reached = False
        self.idle, self._best, self._most = 0, np.inf, -np.inf
        # What those left out add to the value, as it was then.
        self._outside = 0.0
        # All samples: as the descent left them with each shrinking, and as they were before the first.
        self._all: tuple[Vector, Vector] | None = None
        self._before = Stepped(beta, values)

    @property
    def exact(self) -> bool:
        """Whether the rows are made in float64."""
        return self._all_rows.exact

    @property
    def in_one_block(self) -> bool:
        """Whether the samples are few enough to minimise over all of them at once."""
        return self._block is not None

    @property
    def unshrunk(self) -> bool:
        """Whether no sample is left out."""
        return self._all is None

    @property
    def size(self) -> float:
        """The largest of the values and targets, whose rounding limits what can be told apart."""
        return max(float(np.abs(self._values).max()), self._target_size)

    def point(self) -> tuple[Vector, Vector]:
        """Return beta and K beta; K beta is older than beta at the samples left out."""
        if self._all is None:
            return self._beta, self._values
        self._write_back()
        return self._all

    def at_samples(self) -> tuple[Vector, Vector]:
        """Return beta and K beta with an entry for each sample."""
        return self.point()

    @property
    def original(self) -> Indices:
        """The samples that are not left out, as the program numbers them."""
        return self.samples

    def measure(self, steps: int) -> Iterate:
        """Return where the method stands after ``steps`` earlier ones, which is an estimate if samples are left out."""
        stepped = None if self.unshrunk else self._before
        return measure(self.program, *self.at_samples(), steps + self.steps, stepped=stepped)

    def outer_iteration(self, limit: int, tolerance: float, goal: float = 0.0) -> int:
        """Minimise over one block, in at most ``limit`` steps; return how many.

        0 means that the slopes are separated to within ``tolerance``, or the relative duality gap is within a ``goal``
        above 0.
        """
        if self._block is not None:
            # In float32 the values are soon worth being made anew.
            at_once = max(2 * self.samples.size, self.steps // (2 if self.exact else 8))
            limit = min(limit, max(at_once, _AT_ONCE))
            taken = self._over_block(self._block, limit, tolerance, goal)
            self.reached = goal > 0.0 and taken < limit and not self.settled
            self._work += float(taken) * self.samples.size
            if taken == limit:
                self._to_minimum_over_free(self._block)
        else:
            taken = self._over_working_set(limit, tolerance, goal)
        self.steps += taken
        return taken

    def go_on(self, limit: int, tolerance: float, goal: float) -> None:
        """Take more steps over one block, as many as take no longer than the rows of all that changed, which are due.

        The arguments are those of an outer iteration.
        """
        assert self._block is not None
        beta, _ = self.point()
        most = int(np.count_nonzero(beta != self._before.point) * beta.size / self.samples.size)
        self.steps += self._over_block(self._block, min(limit, most), tolerance, goal)

    def _over_block(self, block: Block, limit: int, tolerance: float, goal: float) -> int:
        """Take up to ``limit`` steps; return how many."""
        if not self.unshrunk and goal:
            # Steps take it relative to the value of these samples alone.
            own = float(self._terms().sum())
            goal = min(goal * abs(own + self._outside) / abs(own), _MOST) if own else goal
        taken, self.settled = self._take_steps(*block, self._box, self._beta, self._values, limit, tolerance, goal)
        return taken

    def _terms(self) -> Vector:
        """Return what each coefficient adds to the value."""
        (target, epsilon, ridge, _, _), beta = self._box, self._beta
        return np.asarray((target - 0.5 * (self._values + ridge * beta)) * beta - epsilon * np.abs(beta))

    def _to_minimum_over_free(self, block: Block) -> None:
        """Move the free coefficients at once, where that takes no longer than the steps since it was done last."""
        free = np.flatnonzero(self._inside())
        if not is_worth_it(free.size, self._work):
            return
        self._work, rows = 0.0, block.rows(free)
        p = Arrays(*self._box)
        inverse = inverse_of(rows[:, free], p.ridge[free])
        delta = to_minimum_over_free(inverse, p, self._groups, free, self._beta, self._values)
        self._values += delta @ rows

    def _over_working_set(self, limit: int, tolerance: float, goal: float) -> int:
        size = self._rows.block_size
        chosen, self._recent, inside, violation, gap, dual = self._choose(size)
        scale, unit = max(abs(dual), abs(dual + gap)), _UNIT if self.exact else _SINGLE_UNIT
        better = gap < BETTER * self._best or dual > self._most + unit * scale
        self.idle = 0 if better else self.idle + 1
        if better:
            self._best, self._most = min(gap, self._best), max(dual, self._most)
        self.reached = goal > 0.0 and gap <= goal * scale
        if self.reached or violation <= tolerance:
            return 0
        many = not self.exact and inside > 2 * size
        block, box = self._rows.block(chosen), self._box.take(chosen, axis=1)
        before, beta, values = self._beta[chosen], self._beta[chosen], self._values[chosen]
        inner = max((_INNER_OF_MANY if many else _INNER) * violation, tolerance)
        taken, _ = self._take_steps(*block, box, beta, values, min(limit, _STEPS * chosen.size), inner, 0.0)
        delta = beta - before
        moved = np.flatnonzero(delta)
        changed = chosen[moved]
        self._beta[changed] = beta[moved]
        self._visits[changed] += 1
        self._rows.add(changed, delta[moved], self._visits[changed], self._values)
        return taken

    def _choose(self, size: int) -> tuple[Indices, Indices, int, float, float, float]:
        """Return what :func:`working_set` does."""
        return working_set(self._box, self._beta, self._values, self._recent, size, self._paired)

    def _slopes(self) -> tuple[Vector, Vector, Vector | float, Vector | float]:
        """Return the slopes, the least that goes up and the greatest that goes down; without b it is 0 at least."""
        target, epsilon, ridge, lower, upper = self._box
        up, down = slopes(target, epsilon, ridge, lower, upper, self._beta, self._values)
        lowest, highest = float(up.min()), float(down.max())
        if not self._paired:
            lowest, highest = min(lowest, 0.0), max(highest, 0.0)
        return up, down, lowest, highest

    def _inside(self) -> NDArray[np.bool_]:
        """Return which coefficients are inside their bounds and off their kinks."""
        _, epsilon, _, lower, upper = self._box
        beta = self._beta
        return np.asarray((beta > lower) & (beta < upper) & ((beta != 0) | (epsilon == 0)))

    def shrink(self) -> None:
        """Leave out what may not change, if that is enough to be worth it.

        That is neither inside its bounds and off its kink, nor violates optimality, nor almost does.
        """
        if self.in_one_block or self._rows.lasting:
            return
        up, down, lowest, highest = self._slopes()
        beyond = _BEYOND * np.maximum(highest - lowest, 0.0)
        active = np.flatnonzero(self._inside() | (up <= highest + beyond) | (down >= lowest - beyond))
        if active.size > _WORTH * self.samples.size:
            return
        if self._all is None:
            self._before = Stepped(self._beta, self._values)
            self._all = self._before.point.copy(), self._before.values.copy()
        self._write_back()
        terms = self._terms()
        self._outside += float(terms.sum() - terms[active].sum())
        self.samples = self.samples[active]
        self._rows = self._rows.part(active)
        self._block, self._box = self._rows.one_block(), np.ascontiguousarray(self._box[:, active])
        self._work = -(float(active.size) ** 2)
        self._beta, self._values, self._visits = self._beta[active], self._values[active], self._visits[active]
        kept = np.isin(self._recent, active)
        self._recent = np.searchsorted(active, self._recent[kept])[: self._rows.block_size // 2]

    def restore(self) -> None:
        """Take in again what was left out, with its values as they are now."""
        if self._all is None:
            return
        before, (beta, values) = self._before, self.point()
        out = np.ones(beta.size, bool)
        out[self.samples] = False
        left, changed = np.flatnonzero(out), np.flatnonzero(beta != before.point)
        # Those left out later hold values of then: all of them start from the same point. Steps over one block round.
        renewed = slice(None) if self.in_one_block else left
        values[renewed] = before.values[renewed]
        self._all_rows.add_to(renewed, changed, (beta - before.point)[changed], values)
        self._begin(beta, values)

    def _write_back(self) -> None:
        if self._all is not None:
            beta, values = self._all
            beta[self.samples], values[self.samples] = self._beta, self._values


class LevelDescent(PairDescent):
    """A point of a LevelQP, and how to lower its objective: pair steps within the coefficients of one sign.

    An optimum spends the budget, or can spend what is left of it on both signs of a sample at once. So with a variable
    for each sign that a sample may have, beta = x + x', the coefficients of each sign have a sum of their own,

        1'x = budget / 2,   1'x' = -budget / 2,

    whose multipliers are b + l and b - l, and no kink is left. Without b, 1'x - 1'x' = budget is one equation, and pair
    steps are those of x and -x', whose matrix has the signs of both.
    """

    def __init__(self, program: LevelQP, rows: SampleRows, beta: Vector, values: Vector) -> None:
        upper, lower = np.flatnonzero(program.upper > 0), np.flatnonzero(program.lower < 0)
        self._sample: Indices = np.concatenate((upper, lower))
        self._sign = np.repeat((1.0, 1.0 if program.total is not None else -1.0), (upper.size, lower.size))
        bounds = np.concatenate((program.upper[upper], program.lower[lower]))
        box = np.zeros((5, bounds.size))
        box[0] = self._sign * program.target[self._sample]
        box[3], box[4] = np.minimum(self._sign * bounds, 0.0), np.maximum(self._sign * bounds, 0.0)
        self._take_steps = pair_steps if program.total is None else group_steps
        self._size = program.size
        x = self._sign * np.concatenate((np.maximum(beta[upper], 0.0), np.minimum(beta[lower], 0.0)))
        if not program.least:
            # What is left of the budget.
            left = 0.5 * (program.budget - float(np.abs(beta).sum()))
            both = filled(program.upper - np.abs(beta), left)[upper]
            x += np.concatenate((both, -self._sign[-1] * both))
        variables = VariableRows(rows, self._sample, self._sign, program.size)
        self._state(program, variables, box, x, self._sign * values[self._sample])
        self._paired, self._groups = True, 1 if program.total is None else 2

    def at_samples(self) -> tuple[Vector, Vector]:
        """Return beta and K beta with an entry for each sample."""
        x, at_variables = self.point()
        values = np.zeros(self._size)
        values[self._sample] = self._sign * at_variables
        return np.bincount(self._sample, self._sign * x, self._size).astype(float), values

    @property
    def original(self) -> Indices:
        """The samples that are not left out, as the program numbers them."""
        return np.unique(self._sample[self.samples])

    def _parts(self) -> list[slice]:
        """Return the variables of each equation."""
        n = self._beta.size
        split = n if self.program.total is None else int((self._box[3] >= 0).sum())
        return [part for part in (slice(0, split), slice(split, n)) if part.stop > part.start]

    def _choose(self, size: int) -> tuple[Indices, Indices, int, float, float, float]:
        parts = self._parts()
        chosen, recent, inside, violation, gap, dual = [], [], 0, 0.0, 0.0, 0.0
        for part in parts:
            first, own = part.start, self._recent[(self._recent >= part.start) & (self._recent < part.stop)]
            box = np.ascontiguousarray(self._box[:, part])
            found = working_set(
                box, self._beta[part], self._values[part], own - first, max(2, size // len(parts)), True
            )
            chosen.append(found[0] + first)
            recent.append(found[1] + first)
            inside, violation = inside + found[2], max(violation, found[3])
            gap, dual = gap + found[4], dual + found[5]
        return np.concatenate(chosen), np.concatenate(recent), inside, violation, gap, dual

    def _slopes(self) -> tuple[Vector, Vector, Vector | float, Vector | float]:
        target, epsilon, ridge, lower, upper = self._box
        up, down = slopes(target, epsilon, ridge, lower, upper, self._beta, self._values)
        lowest, highest = np.empty(up.size), np.empty(up.size)
        for part in self._parts():
            lowest[part], highest[part] = up[part].min(), down[part].max()
        return up, down, lowest, highest


_compiled: set[tuple[Any, ...]] = set()
"""The kinds of problem whose loops this process has compiled, or loaded."""


def compile_for(program: KernelQP | LevelQP) -> None:
    """Use what a descent on ``program`` begins with on a few samples: it is compiled then, or read from the cache.

    The code that makes rows in float64, which few problems come to after those in float32, is compiled where a problem
    does, and so is the code that adds kept rows, which only rows with many visits are.
    """
    gram, pairs, hard = program.gram, program.total is not None, _is_hard(program)
    if holds_matrix(program):
        _use("matrix", pairs, False, None)
    elif gram.features is not None:
        _use("features", pairs, hard, None)
    else:
        _use((type(gram.kernel), is_sparse(gram.X), mostly_zero(gram.X)), pairs, hard, gram)


def _use(kind: Any, pairs: bool, hard: bool, like: Gram | None) -> None:
    """Descend a problem with targets +1 and -1 in turn, by rows that are made, and kept if they are so at once."""
    if (kind, pairs, hard) in _compiled:
        return
    if like is None:
        # With as few samples as features, these would not be used.
        gram = Gram(RBF(1.0), np.eye(3)) if kind == "matrix" else Gram(Linear(), np.eye(3, 1))
    else:
        few = np.linspace(0, len(like) - 1, min(len(like), _FEW)).astype(np.intp)
        gram = like.part(few)
    m, bound = len(gram), np.inf if hard else 1.0
    program = KernelQP(gram, 1.0 - 2.0 * (np.arange(m) % 2), -bound, bound, 0.0 if pairs else None)
    everything, one = np.arange(m), np.ones(m)
    rows: SampleRows = MatrixRows(gram.dense) if kind == "matrix" else next(streamed_rows(program, Memory(_KEPT)))
    if kind != "matrix":
        rows.add_to(everything, everything, one, np.zeros(m))
        for _ in range(2):
            rows.add(everything, one, np.ones(m, np.int64), np.zeros(m))
            rows.block(everything)
    form, X = (None, None) if like is None else gram.panels()
    if form is not None:
        # What a product with K in float64 is made of.
        sums = DoubleSums(form, X, one)
        sums(X, sums.buffer())
    search = PairDescent(program, rows, np.zeros(m), np.zeros(m))
    search.outer_iteration(10, 1e-6)
    search.measure(0)
    _compiled.add((kind, pairs, hard))


@cache
def compile_all() -> None:
    """Use what problems of dense and of sparse samples begin with, with and without b."""
    X = np.random.default_rng(0).normal(size=(_FEW, 3))
    # So many that their matrix is made in compiled code.
    Gram(RBF(1.0), np.eye(2 * _FEW)).dense  # noqa: B018  formed when first asked for
    for pairs in (True, False):
        _use("matrix", pairs, False, None)
        many: tuple[Any, ...] = X, csr_array(X)
        for samples in many:
            _use((RBF, is_sparse(samples), False), pairs, False, Gram(RBF(1.0), samples))
