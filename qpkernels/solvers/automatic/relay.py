# SPDX-License-Identifier: BSD-3-Clause
"""Who chooses a method for a program, and hands over to others, each going on from the best point that there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from qpkernels.arrays.machine_code import at_hand
from qpkernels.errors import NonFiniteError, SolverFailedError
from qpkernels.problems import (
    Certificate,
    KernelQP,
    LevelQP,
    LinearSystem,
    Program,
    SemiparametricQP,
    certify_kernel_qp,
)
from qpkernels.problems.certificate import undefined
from qpkernels.problems.kernel_qp.gap import mending_factor
from qpkernels.problems.level_qp.bounds import level_bounds
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.problems.rounding import EPS
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers.automatic.work import (
    expected_steps,
    first_order,
    has_few_features,
    patience_with_sparse,
    second_order_work,
    step_work,
)
from qpkernels.solvers.conjugate_gradient import ConjugateGradient, Progress
from qpkernels.solvers.interface import COMMON, Claim, Method, Outcome, Request, Solver
from qpkernels.solvers.linear import LinearAlgebra
from qpkernels.solvers.registry import find_solver
from qpkernels.solvers.smo import SMO, step_limit
from qpkernels.solvers.smo.plain import expected_seconds
from qpkernels.solvers.trend import Watch

__all__ = [
    "OF_SMO",
    "THEN",
    "Automatic",
    "AutomaticSystem",
    "Budget",
    "automatic_for",
]

_INSTANT = 1e-3
"""Seconds that the last one has at least: 0 would be no limit of some."""


@dataclass
class Budget:
    """Limits of all together, either of them None where there is none, and what is spent of them since it was made.

    Attributes
    ----------
    max_iter
        Iterations of all together; None: no limit.
    time_limit
        Seconds of all together; None: no limit.
    iterations
        Those spent.
    begun
        When it was made, by the clock of :func:`time.perf_counter`.
    """

    max_iter: int | None
    time_limit: float | None
    iterations: int = 0
    begun: float = field(default_factory=perf_counter)

    def spend(self, iterations: int | None) -> None:
        """Count the iterations of a solver, if it tells them.

        Parameters
        ----------
        iterations
            What a solver says that it took; None: it does not say.
        """
        self.iterations += iterations or 0

    @property
    def seconds(self) -> float:
        """Seconds that are spent."""
        return perf_counter() - self.begun

    @property
    def is_spent(self) -> bool:
        """Whether a limit is reached."""
        late = self.time_limit is not None and self.seconds >= self.time_limit
        return late or (self.max_iter is not None and self.iterations >= self.max_iter)

    @property
    def iterations_left(self) -> int | None:
        """Iterations of the next one, at least 1."""
        return None if self.max_iter is None else max(1, self.max_iter - self.iterations)

    @property
    def seconds_left(self) -> float | None:
        """Seconds of the next one, at least a moment, and no more than those of all."""
        if self.time_limit is None:
            return None
        return max(min(_INSTANT, self.time_limit), self.time_limit - self.seconds)


OF_SMO = ("cache_size", "memory_budget", "shrinking", "report")
"""Options of smo that change nothing but its way: who asks no solver by name may give them all the same."""

_FEW, _SHARE = 100, 3.0
"""Samples of a free level that the interior-point method is given at once, and the share of the work of first order up
to which it is given more."""

_STEPS = 40
"""Steps with several free directions, of which 2 to 25 were seen, before the interior-point method follows."""

_SPEED = 2e10
"""Multiplications a second."""

_FAR = 1e7
"""Bound, in the unit 1/R^2 that multipliers of the samples in a ball of radius R have, that few of them reach."""

THEN = "; then "
"""The separator between the messages of one solver and those of the next."""


class Automatic(Method):
    """The method that a KernelQP deserves, and another one where that makes little way.

    Semismooth Newton steps come first where explicit features are few against the samples, the interior-point method
    where it is little work. Many samples in sparse features are for ``coordinate-descent``, which hands over to Newton
    steps. Elsewhere ``smo`` comes first, and hands over its point once the second-order method is predicted to need
    less than what is still missing, or where no step of its own improves; see
    :class:`~qpkernels.solvers.trend.Watch`. An answer that the second-order method leaves unproved goes back to smo.
    Among several points the one with the least error is returned.

    Where the level is free, ``smo`` may take as long as the interior-point method is expected to, and this
    follows, or it comes first where that is little work.

    Where several directions are free, ``free-directions`` takes the place of smo. The interior-point method is asked at
    once where it is less work than smo would be for an intercept and for each of the directions, where features are
    few, where most bounds are infinite, or where a coefficient without a bound has no curvature.

    Until loops are compiled, smo takes steps without them where these take less time than the compiler.

    Bounds so far that float64 cannot weigh what they cost are left out at first: an optimum within them is that of the
    program with them, too.

    Notes
    -----
    Arguments of the methods:

    program
        A KernelQP, a LevelQP or a SemiparametricQP.
    request
        What is asked; its limits are those of all together.
    options
        Further ones of smo.
    """

    name = "automatic"
    options = COMMON

    def prepare(self, program: Any) -> None:
        """Compute what the first method will need of the kernel matrix; without features that is what smo needs."""
        if program.gram.explicit is None and not isinstance(program, SemiparametricQP):
            # Who is first is predicted once, by the solve.
            first: Solver = SMO(compiled=at_hand("descent"))
        else:
            first, _ = next(_stages(_RelayOfSolvers(program, Request())))
        first.prepare(program)

    def ask(self, program: Any, request: Request, **options: Any) -> Outcome:
        """Solve ``program`` by one method after the other. The options :data:`OF_SMO` are for smo alone.

        Returns
        -------
        Outcome
            ``solver`` names all that were asked, in order; ``message`` says what each of them says, ``iterations`` is
            the number of iterations of all of them, and ``seconds`` their time.
        """
        relay = _RelayOfSolvers(program, request)
        if isinstance(program, KernelQP) and (unbounded := without_far_bounds(program, request.tol)) is not None:
            relay.try_without_bounds(unbounded, options)
            if relay.proof is not None and (relay.proof.holds(request.tol) or relay.budget.is_spent):
                return relay.outcome()
        of_others = {name: value for name, value in options.items() if name not in OF_SMO}
        for solver, own in _stages(relay):
            theirs = options if solver.name == "smo" else of_others
            if not relay.hand_to(solver, theirs, **own) or relay.budget.is_spent:
                break
        return relay.outcome()


def _stages(relay: _RelayOfSolvers) -> Iterator[tuple[Solver, dict[str, Any]]]:
    """Yield who is asked, one after the other, with options of its own."""
    program, tol = relay.program, relay.request.tol
    if isinstance(program, LevelQP):
        yield from _stages_of_level(program)
        return
    if isinstance(program, SemiparametricQP):
        yield from _stages_with_directions(program)
        return
    explicit = program.gram.explicit
    if explicit is not None and not explicit.in_memory:
        # The others would bring the features here.
        yield find_solver("semismooth-newton"), {}
        return
    without = expected_seconds(program.size, expected_steps(program))
    if not (program.is_hard or at_hand("descent", without)):
        yield SMO(compiled=False), {}
    if has_few_features(program):
        yield find_solver("semismooth-newton"), {}
    method, work = first_order(program), second_order_work(program)
    first, patience = find_solver(method.solver), patience_with_sparse(program)
    if patience is not None:
        yield first, {"watch": Watch(patience, tol)}
        yield find_solver("semismooth-newton"), {}
    if np.isinf(work):
        yield first, {}
        return
    if patience is None and work > method.work:
        yield first, {"watch": Watch(work / method.unit, tol)}
    yield find_solver("interior-point"), {}
    if relay.proof is None or not relay.proof.is_lost_in_rounding(tol):
        # Nobody is left to hand over to, but what would take far more steps than its limit is not begun in earnest.
        yield find_solver("smo"), {"watch": Watch(step_limit(program), tol)}


def _stages_of_level(program: LevelQP) -> Iterator[tuple[Solver, dict[str, Any]]]:
    at = program.at_level(program.highest)
    work = second_order_work(at)
    if np.isinf(work):
        yield find_solver("smo"), {}
        return
    pairs = program.size > _FEW and work > _SHARE * first_order(at).work
    if pairs and at_hand("descent", work / _SPEED):
        yield find_solver("smo"), {"max_iter": int(work / step_work(at))}
    yield find_solver("interior-point"), {}


def _stages_with_directions(program: SemiparametricQP) -> Iterator[tuple[Solver, dict[str, Any]]]:
    left = program.given(np.zeros(program.totals.size))
    work, first = second_order_work(left), find_solver("free-directions")
    unbounded = (np.isinf(left.lower) | np.isinf(left.upper)) & (left.ridge == 0)
    # Where such a coefficient has no curvature, what the directions leave has a finite value at few of their points.
    lost = bool((left.gram.diagonal[unbounded] == 0).any())
    if np.isinf(work) and not lost:
        yield first, {}
        return
    # Few features, and hard constraints, leave the directions to few samples, between which there is no curvature.
    stiff = lost or left.gram.explicit is not None or 2 * np.count_nonzero(unbounded) > len(program)
    if not stiff and work > (1 + program.totals.size) * first_order(left).work:
        yield first, {"max_iter": _STEPS}
    yield find_solver("interior-point"), {}


def _mended(program: KernelQP, outcome: Outcome) -> Outcome:
    """Return a hard margin's answer times the factor by which its margins are at least 1."""
    product = program.gram.product(outcome.point) + (outcome.multipliers[0] if outcome.multipliers.size else 0.0)
    factor = mending_factor(program, product)
    return replace(outcome, point=factor * outcome.point, multipliers=factor * outcome.multipliers, values=None)


def without_far_bounds(program: KernelQP, tol: float) -> KernelQP | None:
    """Return a program of margins without its bounds, where these are far or what rounding costs is beyond ``tol``.

    ||f||^2 is at least 1/R^2 where two margins of 1 lie within a ball of radius R, which the optimum is measured by.
    """
    cost = float(max(program.upper.max(), -program.lower.min()))
    if program.has_epsilon or program.has_ridge or program.total or not np.isfinite(cost):
        return None
    lengths = program.gram.lengths
    if cost * float(lengths.max()) ** 2 <= min(_FAR, tol / EPS):
        return None
    lower, upper = (np.where(bound == 0.0, 0.0, np.copysign(np.inf, bound)) for bound in (program.lower, program.upper))
    return KernelQP(program.gram, program.target, lower, upper, program.total, name=program.name)


@dataclass
class _RelayOfSolvers:
    """The request, and the results so far."""

    program: KernelQP | LevelQP | SemiparametricQP
    request: Request
    best: Outcome | None = None
    proof: Certificate | None = None
    outcomes: list[Outcome] = field(default_factory=list)
    failures: list[SolverFailedError | NonFiniteError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = Budget(self.request.max_iter, self.request.time_limit)

    def left(self) -> Request:
        """Return what is asked of the next one: what is left of the limits, from the best point on."""
        start = self.request.warm_start if self.best is None else self.best.point
        limits = {"max_iter": self.budget.iterations_left, "time_limit": self.budget.seconds_left}
        return self.request.having(warm_start=start, **limits)

    def hand_to(self, solver: Solver, options: Mapping[str, Any], *, max_iter: int | None = None, **own: Any) -> bool:
        """Let a solver go on from the best point, and return whether another is to be asked after it.

        Parameters
        ----------
        options
            Those that the user passes, which the solver checks.
        max_iter
            Iterations of this one, within those of all.
        own
            Options of ours.
        """
        request = self.left()
        if max_iter is not None:
            request = request.having(max_iter=min(max_iter, request.max_iter or max_iter))
        answer = solver.ask if options else solver.answer_to
        try:
            outcome = answer(self.program, request, **options, **own)
        except KeyboardInterrupt:
            if self.best is None:
                raise
            self.best = replace(self.best, claim=Claim.INTERRUPTED)
            return False
        except (SolverFailedError, NonFiniteError) as failure:
            self.failures.append(failure)
            return True
        self.outcomes.append(outcome)
        self.budget.spend(outcome.iterations)
        if outcome.claim in (Claim.OPTIMAL, Claim.INFEASIBLE, Claim.UNBOUNDED):
            self.best = outcome
            return False
        proof = self._proof_of(outcome)
        if self.best is None or self.proof is None or proof.error < self.proof.error:
            self.best, self.proof = outcome, proof
        return outcome.claim is not Claim.INTERRUPTED

    def try_without_bounds(self, unbounded: KernelQP, options: Mapping[str, Any]) -> None:
        """Keep the optimum of the program without its bounds, rescaled to margins of 1, if it lies within them."""
        try:
            outcome = Automatic().ask(unbounded, self.left(), **options)
        except (SolverFailedError, NonFiniteError):
            return
        self.budget.spend(outcome.iterations)
        if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not np.isfinite(outcome.point).all():
            return
        outcome = _mended(unbounded, outcome)
        proof = self._proof_of(outcome)
        if np.isfinite(proof.error):
            self.best, self.proof = outcome, proof
            self.outcomes.append(outcome)

    def _proof_of(self, outcome: Outcome) -> Certificate:
        if not (np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()):
            return undefined("the point holds NaN or infinity")
        if isinstance(self.program, SemiparametricQP):
            return SemiparametricBounds(self.program).certify(outcome.point, outcome.multipliers)
        b = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
        if isinstance(self.program, LevelQP):
            return level_bounds(self.program).certify(outcome.point, b)
        return certify_kernel_qp(self.program, outcome.point, b)

    def outcome(self) -> Outcome:
        """Return the best of what came, in the name of all."""
        if self.best is None:
            raise self.failures[0]
        if len(self.outcomes) == 1 and not self.failures:
            return self.best
        said = [f"{outcome.solver}: {outcome.message}" for outcome in self.outcomes]
        return replace(
            self.best,
            solver=", ".join(dict.fromkeys(outcome.solver for outcome in self.outcomes)),
            message=THEN.join([*said, *map(str, self.failures)]),
            iterations=self.budget.iterations,
            seconds=sum(outcome.seconds for outcome in self.outcomes),
        )


_SMALL, _OF_FEATURES = 2000, 400
"""Samples up to which a factorisation takes a moment; and where there are few explicit features, so that it spares
nothing but what m^2 entries take."""

_FACTORISATION = 40
"""A factorisation of m unknowns takes as long as m / 40 products of the matrix, or more where m is larger."""

_MATRICES = 3
"""Matrices of m^2 numbers that it holds in memory."""


class AutomaticSystem(Method):
    """Conjugate gradients where they are expected to be less work than a Cholesky factorisation, else that.

    The expectation before the first iteration, and later the progress, is compared with the work of a factorisation,
    unless that does not fit in memory.

    Parameters
    ----------
    together
        Systems with one kernel matrix, which share what they can: kernel values, or the factor of equal matrices.

    Notes
    -----
    Arguments of the methods:

    program
        A LinearSystem.
    request
        What is asked; its limits are those of all together.
    options
        Further ones of the solver chosen.
    """

    name = "automatic"
    options = COMMON

    def __init__(self, together: Sequence[LinearSystem] = ()) -> None:
        self._count = max(1, len(together))
        self._iterating = ConjugateGradient(together=together)
        self._factoring = LinearAlgebra(keeps_factor=len(together) > 1)

    def prepare(self, program: Any) -> None:
        """Compute the kernel matrix where it fits in memory and there are no explicit features."""
        (self._iterating if _deserves_iterations(program) else self._factoring).prepare(program)

    def ask(self, program: Any, request: Request, **options: Any) -> Outcome:
        """Solve ``program``; a factorisation has no iterations to limit."""
        if not _deserves_iterations(program):
            # It has no start, and refuses one.
            return self._factoring.ask(program, request.having(max_iter=None), **options)
        budget = Budget(request.max_iter, request.time_limit)
        watch = _watch(len(program.rhs) / (_FACTORISATION * self._count), request.tol) if _fits(program) else None
        iterated = self._iterating.ask(program, request, watch=watch, **options)
        budget.spend(iterated.iterations)
        if iterated.claim is not Claim.STOPPED or not _fits(program) or budget.is_spent:
            return iterated
        left = request.having(max_iter=None, time_limit=budget.seconds_left, warm_start=None)
        factored = self._factoring.ask(program, left, **options)
        return replace(
            factored,
            solver=f"{iterated.solver}, {factored.solver}" if iterated.iterations else factored.solver,
            message=f"{iterated.solver}: {iterated.message}{THEN}{factored.solver}: {factored.message}",
            iterations=iterated.iterations or None,
            seconds=iterated.seconds + factored.seconds,
        )


def _watch(allowed: float, tol: float) -> Callable[[Progress], bool]:
    """Return who gives up where more iterations than ``allowed`` are expected, and later by the progress."""
    later = Watch(allowed, tol)

    def gives_up(point: Progress) -> bool:
        return later(point) if point.iterations else point.expected > allowed

    return gives_up


def _deserves_iterations(program: LinearSystem) -> bool:
    """Return whether conjugate gradients are to be tried."""
    if not isinstance(program.matrix, RidgedGram):
        return False
    gram, m = program.matrix.gram, program.rhs.size
    if not _fits(program):
        return True
    if not program.matrix.ridge.all():
        return False
    few = gram.explicit is not None and 2 * gram.explicit.shape[1] < m
    return m > (_OF_FEATURES if few else _SMALL)


def _fits(program: LinearSystem) -> bool:
    """Return whether a factorisation fits in the memory that the matrix may take."""
    if not isinstance(program.matrix, RidgedGram):
        return True
    return _MATRICES * 8 * program.rhs.size**2 <= program.matrix.gram.memory_limit


def automatic_for(program: Program) -> Method:
    """Return who chooses a method for a program, or the solver that is usual where there is no choice.

    Parameters
    ----------
    program
        What is to be solved.
    """
    if isinstance(program, KernelQP | LevelQP | SemiparametricQP):
        return Automatic()
    return AutomaticSystem() if isinstance(program, LinearSystem) else find_solver(program.usual_solver)
