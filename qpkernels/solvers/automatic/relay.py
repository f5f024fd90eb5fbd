# SPDX-License-Identifier: BSD-3-Clause
"""Several methods one after the other, each going on from the best point that there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from qpkernels.errors import NonFiniteError, SolverFailedError
from qpkernels.problems import Certificate, KernelQP, LevelQP, certify_kernel_qp, undefined
from qpkernels.problems.kernel_qp.hard import mending_factor
from qpkernels.problems.level_qp.bounds import level_bounds
from qpkernels.problems.rounding import EPS
from qpkernels.solvers.answer import Claim, Outcome, Request
from qpkernels.solvers.automatic.budget import Budget
from qpkernels.solvers.automatic.watch import Watch
from qpkernels.solvers.automatic.work import (
    first_order,
    has_few_features,
    second_order_comes_first,
    second_order_work,
    step_work,
)
from qpkernels.solvers.interface import COMMON, Method, Solver
from qpkernels.solvers.registry import find_solver
from qpkernels.solvers.smo import step_limit

__all__ = ["OF_SMO", "THEN", "Automatic"]

OF_SMO = ("cache_size", "memory_budget", "shrinking", "report")
"""Options of smo that change nothing but its way: who asks no solver by name may give them all the same."""

_PAIRWISE = ("smo", "level-search")
"""Solvers that take them."""

_FEW, _LEVELS = 100, 3.0
"""Samples of a free level that the interior-point method is given at once, and the share of the work of first order,
for several levels, up to which it is given more."""

_FAR = 1e7
"""Bound, in the unit 1/R^2 that multipliers of the samples in a ball of radius R have, that few of them reach."""

THEN = "; then "
"""What stands between the words of one solver and those of the next."""


class Automatic(Method):
    """The method that a KernelQP deserves, and another one where that makes little way.

    Semismooth Newton steps come first where explicit features are few against the samples, the interior-point method
    where it is little work. Elsewhere ``smo`` does, or ``coordinate-descent`` where many samples have explicit features
    that are sparse, and hands over its point once the second-order method is predicted to need less than what is still
    missing, or where no step of its own improves; see :class:`~qpkernels.solvers.automatic.watch.Watch`. What the
    second-order method leaves unproved goes back to smo. Of several points the one of the least error is returned.

    Where the level is free, ``level-search`` may take as long as the interior-point method is expected to, and this
    follows, or it comes first where that is little work.

    Bounds so far that float64 cannot weigh what they cost are left out at first: an optimum within them is that of the
    program with them, too.

    Notes
    -----
    Arguments of the methods:

    program
        A KernelQP or a LevelQP.
    request
        What is asked; its limits are those of all together.
    options
        Further ones of smo.
    """

    name = "automatic"
    options = COMMON

    def prepare(self, program: Any) -> None:
        """Compute what the first method will need of the kernel matrix; without features that is what smo needs."""
        if program.gram.explicit is None:
            # Who is first is predicted once, by the solve.
            first: Solver = find_solver("smo")
        else:
            first, _ = next(_stages(_RelayOfSolvers(program, Request())))
        first.prepare(program)

    def ask(self, program: Any, request: Request, **options: Any) -> Outcome:
        """Solve ``program`` by one method after the other. Of the options, :data:`OF_SMO` are for smo alone.

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
            theirs = options if solver.name in _PAIRWISE else of_others
            if not relay.hand_to(solver, theirs, **own) or relay.budget.is_spent:
                break
        return relay.outcome()


def _stages(relay: _RelayOfSolvers) -> Iterator[tuple[Solver, dict[str, Any]]]:
    """Yield who is asked, one after the other, with options of its own."""
    program, tol = relay.program, relay.request.tol
    if isinstance(program, LevelQP):
        yield from _stages_of_level(program)
        return
    explicit = program.gram.explicit
    if explicit is not None and not explicit.in_memory:
        # The others would bring the features here.
        yield find_solver("semismooth-newton"), {}
        return
    if has_few_features(program):
        yield find_solver("semismooth-newton"), {}
    method, work = first_order(program), second_order_work(program)
    first = find_solver(method.solver)
    if np.isinf(work):
        yield first, {}
        return
    if not second_order_comes_first(program, work, method):
        yield first, {"watch": Watch(work / method.unit, tol)}
    yield find_solver("interior-point"), {}
    if relay.proof is None or not relay.proof.is_lost_in_rounding(tol):
        # Nobody is left to hand over to, but what would take far more steps than its limit is not begun in earnest.
        yield find_solver("smo"), {"watch": Watch(step_limit(program), tol)}


def _stages_of_level(program: LevelQP) -> Iterator[tuple[Solver, dict[str, Any]]]:
    at = program.at_level(program.highest)
    work = second_order_work(at)
    if np.isinf(work):
        yield find_solver("level-search"), {}
        return
    if program.size > _FEW and work > _LEVELS * first_order(at).work:
        yield find_solver("level-search"), {"max_iter": int(work / step_work(at))}
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
    """What was asked for, and what came of it so far."""

    program: KernelQP | LevelQP
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
