# SPDX-License-Identifier: BSD-3-Clause
"""Who solves what: the solver that was named, or one after the other until an answer is proved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from functools import partial
from time import perf_counter
from typing import Any

from formulations.modelling.kernel_machine import KernelMachine
from formulations.modelling.solution import Seconds, Solution
from formulations.modelling.solving import Held, SolveRequest
from formulations.modelling.statement import Statement
from formulations.modelling.structures import solve_structure
from qpkernels.errors import SolverFailedError, UnsupportedOptionError, UnsupportedProgramError
from qpkernels.problems import (
    Bounds,
    ExpansionProgram,
    KernelQP,
    KernelQPBounds,
    LevelQP,
    LinearSystem,
    Program,
    RidgedGram,
    Status,
)
from qpkernels.solvers import THEN, Budget, Claim, automatic_for, find_solver

__all__ = ["solve_by_request"]

_OTHERS = ("highs", "piqp", "osqp", "scs")
"""Solvers of cone programs that are asked where clarabel leaves all forms unproved, as far as they are installed."""

_PATIENCE, _LEAST = 5.0, 1.0
"""Each of them has so many times the seconds that all before took together, and at least so many."""

_ROOM = 20.0
"""Matrices of m^2 numbers that a form in CVXPY may hold in memory."""


def solve_by_request(
    model: KernelMachine[Any],
    request: SolveRequest,
    bounds: Bounds,
    structures: tuple[Program, ...],
    forms: Callable[[], Iterable[Statement]],
    form: Statement | None = None,
) -> Any:
    """Solve and certify by the solver that was named; without a name, by one after the other until it is proved.

    Of these the programs that the model is come first, then its forms by the usual solver of cone programs, then by
    others. A limit that the user set is one of all together.

    Parameters
    ----------
    structures
        The programs that the model, or ``form``, is.
    forms
        Returns what cone solvers may be given, the usual one first. With more explicit features than samples, those
        with fewer variables come before it.
    form
        The form that was asked, if one was.

    Returns
    -------
    Solution
        The first that is proved, else the best; ``solver`` names all that were asked, ``message`` is what that one
        said, ``attempts`` what each did, and ``seconds`` and ``iterations`` are those of all.

    Raises
    ------
    QPKernelsError
        Where nobody gave a point, what the first of them said.
    """
    usual = (model if form is None else form).cone_solver
    if not request.names_nobody:
        backend, program = request.choose(structures, usual)
        if program is None:
            return next(iter(forms())).solve_by(backend, request, bounds)
        return solve_structure(model, program, backend, request, bounds, form)
    relay = _Relay(model, request)
    for attempt in _attempts(model, bounds, structures, forms, form, usual):
        if not relay.ask(attempt) or relay.budget.is_spent:
            break
    return relay.answer()


def _attempts(
    model: KernelMachine[Any],
    bounds: Bounds,
    structures: tuple[Program, ...],
    forms: Callable[[], Iterable[Statement]],
    form: Statement | None,
    usual: str,
) -> Iterator[_Attempt]:
    for program in _in_order(structures):
        solve = partial(_by_structure, model, program, automatic_for(program), bounds, form)
        asks_smo = isinstance(program, KernelQP | LevelQP)
        yield _Attempt(solve, takes_start=isinstance(program, ExpansionProgram), asks_smo=asks_smo)
        if isinstance(program, KernelQP) and isinstance(bounds, KernelQPBounds):
            # Where a claim of the other method could not be shown.
            alone = partial(_by_structure, model, program, find_solver("smo"), bounds, form)
            yield _Attempt(alone, takes_start=True, asks_smo=True, after_failure=True)
    if structures and _ROOM * 8.0 * len(model) ** 2 > model.gram.memory_limit:
        return
    listed = list(forms())
    if form is None and model.data.explicit and model.gram.X.shape[1] > len(model):
        listed.sort(key=lambda each: not each.by_samples)
    for name in dict.fromkeys((usual, "clarabel")):
        yield from (_Attempt(partial(_by_form, each, name, bounds)) for each in listed)
    for name in _OTHERS:
        if name != usual and find_solver(name).installed:
            yield from (_Attempt(partial(_by_form, each, name, bounds), last_resort=True) for each in listed)


def _in_order(structures: tuple[Program, ...]) -> tuple[Program, ...]:
    """Return the most special program first, unless its features lie with workers: these answer a KernelQP alone."""
    matrix = structures[0].matrix if structures and isinstance(structures[0], LinearSystem) else None
    explicit = matrix.gram.explicit if isinstance(matrix, RidgedGram) else None
    return structures if explicit is None or explicit.in_memory else structures[::-1]


def _by_structure(
    model: KernelMachine[Any],
    program: Program,
    backend: Any,
    bounds: Bounds,
    form: Statement | None,
    request: SolveRequest,
) -> Solution:
    answer: Solution = solve_structure(model, program, backend, request, bounds, form)
    return answer


def _by_form(form: Statement, solver: str, bounds: Bounds, request: SolveRequest) -> Solution:
    return form.solve_by(find_solver(solver), request, bounds)


@dataclass(frozen=True, eq=False)
class _Attempt:
    """A way to an answer.

    Attributes
    ----------
    takes_start
        Whether it can start from a beta.
    asks_smo
        Whether options of smo are for it.
    last_resort
        Whether it is given a time, since it may take without end.
    after_failure
        Whether it is made only where nobody gave a point.
    """

    solve: Callable[[SolveRequest], Solution]
    takes_start: bool = False
    asks_smo: bool = False
    last_resort: bool = False
    after_failure: bool = False


@dataclass
class _Relay:
    """What was asked for, and what came of it so far."""

    model: KernelMachine[Any]
    request: SolveRequest
    answers: list[Solution] = field(default_factory=list)
    failures: list[SolverFailedError | UnsupportedProgramError | UnsupportedOptionError] = field(default_factory=list)
    best: Solution | None = None
    held: Held | None = None

    def __post_init__(self) -> None:
        self.budget = Budget(self.request.max_iter, self.request.time_limit)

    def ask(self, attempt: _Attempt) -> bool:
        """Make an attempt, and return whether there is reason for another."""
        if attempt.after_failure and self.answers:
            return True
        try:
            answer = attempt.solve(self._request_for(attempt))
        except (SolverFailedError, UnsupportedProgramError, UnsupportedOptionError) as failure:
            if isinstance(failure, UnsupportedOptionError) and not (self.answers or self.failures):
                raise
            self.failures.append(failure)
            return True
        except KeyboardInterrupt:
            if self.best is None:
                raise
            return False
        self.answers.append(answer)
        self.budget.spend(answer.iterations)
        if self.best is None or answer.certificate.error < self.best.certificate.error:
            self.best, self.held = answer, self.model.latest.answer
        proved = answer.status is Status.OPTIMAL
        lost = answer.certificate.is_lost_in_rounding(self.request.tol)
        return not (proved or lost or answer.claim is Claim.INTERRUPTED)

    def _request_for(self, attempt: _Attempt) -> SolveRequest:
        """Return what is asked of an attempt: what is left of the limits, and where to start."""
        request = self.request if attempt.asks_smo else self.request.without_those_of_smo()
        if not (self.answers or self.failures):
            return request
        left = self.budget.seconds_left
        if attempt.last_resort:
            patience = max(_LEAST, _PATIENCE * self.budget.seconds)
            left = patience if left is None else min(left, patience)
        return replace(
            request,
            max_iter=self.budget.iterations_left,
            time_limit=left,
            begun=perf_counter(),
            warm_start=(self.best or self.request.warm_start) if attempt.takes_start else None,
        )

    def answer(self) -> Solution:
        """Return the best answer in the name of all, as the forms show it from now on."""
        if self.best is None:
            first, *others = self.failures
            for other in others:
                first.add_note(f"Asked after that: {other}")
            raise first
        if len(self.answers) == 1 and not self.failures:
            return self.best
        self.model.latest.answer = self.held
        attempts = (*map(_said, self.answers), *map(str, self.failures))
        return replace(
            self.best,
            solver=", ".join(dict.fromkeys(answer.solver for answer in self.answers)),
            message=f"{_said(self.best)}; the best of {len(attempts)} attempts, which attempts of the solution lists",
            attempts=attempts,
            iterations=None if all(answer.iterations is None for answer in self.answers) else self.budget.iterations,
            seconds=_sum(answer.seconds for answer in self.answers),
        )


def _said(answer: Solution) -> str:
    """Return what a solver says, with its name; several have told theirs."""
    return answer.message if THEN in answer.message else f"{answer.solver}: {answer.message}"


def _sum(seconds: Iterable[Seconds]) -> Seconds:
    listed = list(seconds)
    return Seconds(*(sum(getattr(each, part.name) for each in listed) for part in fields(Seconds)))
