# SPDX-License-Identifier: BSD-3-Clause
"""The choice of solvers: the named one, or one after the other until an answer is proved, and its judgement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from formulations.modelling.candidate import Candidate, expand
from formulations.modelling.kernel_machine import KernelMachine
from formulations.modelling.solution import Run, Seconds, Solution
from formulations.modelling.solving import Held, SolveRequest, hold, is_finite, quote, status_of
from formulations.modelling.statement import Statement
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import InfeasibleError, SolverFailedError, UnsupportedOptionError, UnsupportedProgramError
from qpkernels.kernels import Linear
from qpkernels.problems import (
    Bounds,
    Certificate,
    KernelQP,
    KernelQPBounds,
    LevelQP,
    LinearSystem,
    Program,
    ResidualNorm,
    Status,
)
from qpkernels.problems.level_qp.bounds import MarginLevelBounds
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.problems.program import ExpansionProgram
from qpkernels.problems.rounding import EPS
from qpkernels.solvers import Answer, Claim, Outcome, find_solver
from qpkernels.solvers.automatic import THEN, Budget, automatic_for
from qpkernels.solvers.interface import Method
from qpkernels.solvers.smo import CACHE_SIZE

if TYPE_CHECKING:
    from qpkernels.families.batch import Fitted
    from qpkernels.families.batch.arrays import KernelQPs

__all__ = [
    "FEW",
    "array_of",
    "judged",
    "memory_of",
    "read_structure",
    "solution_of",
    "solve_by_request",
    "solve_structure",
]


Answered = TypeVar("Answered", bound=Solution)

_OTHERS = ("highs", "piqp", "osqp", "scs")
"""Solvers of cone programs that are asked where clarabel leaves all forms unproved, as far as they are installed."""

_PATIENCE, _LEAST = 5.0, 1.0
"""Each of them has so many times the seconds that all before took together, and at least so many."""

_ROOM = 20.0
"""Matrices of m^2 numbers that a form in CVXPY may hold in memory."""

FEW, _FEW_OF_MARGIN = 2000, 5000
"""Samples up to which a single model is solved as an array, and up to which one with a free margin is: descents over
blocks of its samples take several times the steps."""

_VALUES, _OF_CURVED = 2**18, 2**22
"""Values of few or sparse features up to which more samples are; where all losses are curved, few steps are taken."""

_EXACT = 4.0 * EPS
"""Dual residual that is rounding of a sum."""


def solve_by_request(
    model: KernelMachine[Any],
    request: SolveRequest,
    bounds: Bounds,
    structures: tuple[Program, ...],
    forms: Callable[[], Iterable[Statement]],
    form: Statement | None = None,
    first: Solution | None = None,
) -> Any:
    """Solve and certify by the named solver, or without a name by one after the other until the answer is proved.

    A KernelQP of few samples is a batch of one. An answer that this leaves unproved is continued, first by the model's
    own programs, then by its forms and the usual solver of cone programs, then by others. A limit that the user set
    applies to all together.

    Parameters
    ----------
    structures
        The programs of the model, or of ``form``.
    forms
        A callable that returns the statements for cone solvers, beginning with the usual one. With more explicit
        features than samples, those with fewer variables come before it.
    form
        The form that was asked, if one was.
    first
        An answer that other solvers found, and left unproved.

    Returns
    -------
    Solution
        The first proved answer, or else the best. ``solver`` names all that were asked, ``message`` is that of its
        solver, ``attempts`` says what each did, and ``seconds`` and ``iterations`` are those of all.

    Raises
    ------
    QPKernelsError
        If no solver gave a point; the error is that of the first.
    """
    if first is None and request.suits_arrays:
        first = _as_array(model, request, bounds, structures, form)
        if first is not None and first.status is Status.OPTIMAL:
            return first
    usual = model.entry.cone_solver if form is None else form.cone_solver
    if not request.names_nobody:
        backend, program = request.choose(structures, usual)
        if program is None:
            return next(iter(forms())).solve_by(backend, request, bounds)
        return solve_structure(model, program, backend, request, bounds, form)
    relay = _RelayOfForms(model, request)
    if first is not None:
        relay.take(first)
    for attempt in _attempts(model, bounds, structures, forms, form, usual):
        if not relay.ask(attempt) or relay.budget.is_spent:
            break
    return relay.answer()


def _as_array(
    model: KernelMachine[Any],
    request: SolveRequest,
    bounds: Bounds,
    structures: tuple[Program, ...],
    form: Statement | None,
) -> Solution | None:
    """Return the answer of few samples, proved or not; None: arrays do not take the model."""
    if (stated := array_of(model, structures, bounds)) is None:
        return None
    from qpkernels.families.batch.arrays import solve_kernel_qps

    tol, unread = request.of_any.tol, isinstance(bounds, KernelQPBounds)
    memory, most = memory_of(request.options), request.of_any.max_iter
    solved = solve_kernel_qps(stated, tol=tol, memory=memory, jobs=1, max_iter=most)
    return None if solved is None else solution_of(model, bounds, solved.fitted(0, tol), tol, form, unread=unread)


def array_of(model: KernelMachine[Any], structures: tuple[Program, ...], bounds: Bounds) -> KernelQPs | None:
    """Return a model as arrays: a KernelQP of few samples or features, without hard rows, or a free margin."""
    program: Any = structures[0] if structures else None
    of_margin = isinstance(program, LevelQP) and isinstance(bounds, MarginLevelBounds) and bounds.total == 0.0
    of_box = isinstance(program, KernelQP) and isinstance(bounds, KernelQPBounds) and not program.is_hard
    takes_many = of_box and isinstance(model.gram.kernel, Linear)
    is_large = len(model) > (_FEW_OF_MARGIN if of_margin else FEW)
    if not (of_margin or of_box) or model.entry.hard or (is_large and not takes_many) or not model.gram.trusted:
        return None
    # Its compiled loops need numba, which takes its time to import.
    from qpkernels.families.batch.arrays import KernelQPs, features_for, rows_for

    stated = KernelQPs.of(program) if of_box else KernelQPs.of_margin(program)
    if not is_large:
        return stated
    found: Any = rows_for(stated)
    if found is None:
        found = features_for(stated)
    return stated if found is not None and found.size <= (_OF_CURVED if stated.terms[2].all() else _VALUES) else None


def memory_of(options: Mapping[str, Any]) -> int:
    """Return the bytes for kernel values."""
    return int(2**20 * options.get("cache_size", CACHE_SIZE))


def _attempts(
    model: KernelMachine[Any],
    bounds: Bounds,
    structures: tuple[Program, ...],
    forms: Callable[[], Iterable[Statement]],
    form: Statement | None,
    usual: str,
) -> Iterator[_Attempt]:
    for program in _in_order(structures):
        solve = partial(solve_structure, model, program, automatic_for(program), bounds=bounds, form=form)
        asks_smo = isinstance(program, KernelQP | LevelQP)
        yield _Attempt(solve, takes_start=isinstance(program, ExpansionProgram), asks_smo=asks_smo)
        if isinstance(program, KernelQP) and isinstance(bounds, KernelQPBounds):
            # Where a claim of the other method could not be shown.
            alone = partial(solve_structure, model, program, find_solver("smo"), bounds=bounds, form=form)
            yield _Attempt(alone, takes_start=True, asks_smo=True, after_failure=True)
    if structures and _ROOM * 8.0 * len(model) ** 2 > model.gram.memory_limit:
        return
    listed = list(forms())
    if form is None and model.data.explicit and model.data.coordinates.shape[1] > len(model):
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
class _RelayOfForms:
    """What was asked for, and what came of it so far."""

    model: KernelMachine[Any]
    request: SolveRequest
    answers: list[Solution] = field(default_factory=list)
    failures: list[SolverFailedError | UnsupportedProgramError | UnsupportedOptionError] = field(default_factory=list)
    best: Solution | None = None
    held: Held | None = None

    def __post_init__(self) -> None:
        self.budget = Budget(self.request.of_any.max_iter, self.request.of_any.time_limit)

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
        self.take(answer)
        if answer.status is Status.OPTIMAL or answer.claim is Claim.INTERRUPTED:
            return False
        return not answer.certificate.is_lost_in_rounding(self.request.of_any.tol)

    def take(self, answer: Solution) -> None:
        """Count an answer, and keep it if it is the best."""
        self.answers.append(answer)
        self.budget.spend(answer.iterations)
        if self.best is None or answer.certificate.error < self.best.certificate.error:
            self.best, self.held = answer, self.model._latest.answer

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
            of_any=request.of_any.having(max_iter=self.budget.iterations_left, time_limit=left),
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
        self.model._latest.answer = self.held
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


def judged(model: KernelMachine[Any], answer: Candidate, bounds: Bounds, tol: float) -> tuple[Candidate, Certificate]:
    """Return the feasible points near an answer with their certificate, or repaired ones where only theirs holds."""
    certificate = model.judge(answer, bounds)
    certified = model._certified(answer, bounds)
    if certificate.holds(tol) or not answer.is_squarable:
        return certified, certificate
    for repaired in _repaired(model, answer, certified, bounds):
        if (proof := model.judge(repaired, bounds)).holds(tol):
            return model._certified(repaired, bounds), proof
    return certified, certificate


def _repaired(
    model: KernelMachine[Any], answer: Candidate, certified: Candidate, bounds: Bounds
) -> Iterator[Candidate]:
    """Yield the feasible points near an answer, the f of that of the dual, and those that prove an optimum of 0."""
    if certified is not answer:
        yield certified
    if isinstance(bounds, KernelQPBounds) and answer.is_expansion:
        yield expand(model.gram, bounds.feasible(answer.beta), answer.intercept, model.classes)
    vanishing = model._vanishing(answer, bounds)
    if vanishing is not None:
        yield vanishing


def solve_structure(
    model: KernelMachine[Answered],
    program: Program,
    backend: Method,
    request: SolveRequest,
    bounds: Bounds,
    form: Statement | None = None,
) -> Answered:
    """Solve a program that the model is, or that ``form`` is, and certify the answer."""
    # Held once, and not anew for each product.
    with blas_threads_for(len(model.gram)):
        return _solved(model, program, backend, request, bounds, form)


def read_structure(
    model: KernelMachine[Any], program: Program, outcome: Answer, bounds: Bounds, form: Statement | None = None
) -> Candidate:
    """Return a solver's answer to a program that the model is, or that ``form`` is, in the terms of the model."""
    b = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
    if program.is_expansion:
        return expand(model.gram, outcome.point, b, model.classes, outcome.values, bounds)
    if isinstance(program, ResidualNorm):
        return model._from_fit(outcome.point, outcome.multipliers)
    return (model if form is None else form)._from_system(outcome.point, b)


def _solved(
    model: KernelMachine[Answered],
    program: Program,
    backend: Method,
    request: SolveRequest,
    bounds: Bounds,
    form: Statement | None,
) -> Answered:
    begin = perf_counter()
    backend.prepare(program)
    formed = perf_counter() - begin
    try:
        outcome = request.solve_with(backend, program, model.name)
    except SolverFailedError as failure:
        raise model._contradiction(str(failure)) or failure from None
    if outcome.claim is Claim.UNBOUNDED and is_finite(outcome):
        raise model._explain_divergence(outcome.point, quote(outcome))
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not is_finite(outcome):
        raise model._explain_failure(quote(outcome))
    begin = perf_counter()
    answer = read_structure(model, program, outcome, bounds, form)
    answer, certificate = judged(model, answer, bounds, request.of_any.tol)
    seconds = Seconds(gram=formed, solve=outcome.seconds, certify=perf_counter() - begin)
    if not (certificate.is_counted or request.ended(outcome)):
        # It left a hard constraint violated: perhaps nothing satisfies them all.
        error = model._explain_failure(quote(outcome))
        if isinstance(error, InfeasibleError):
            raise error
    run = _ended(model, form, answer, certificate, outcome, request.of_any.tol, seconds)
    return model.solution(answer, certificate, bounds, run)


def solution_of(
    model: KernelMachine[Answered],
    bounds: Bounds,
    fitted: Fitted,
    tol: float,
    form: Statement | None = None,
    *,
    unread: bool = False,
) -> Answered:
    """Return the answer of a batch in the terms of a model; with ``unread``, one of few samples is read on request."""
    outcome, kept = fitted.outcome, model
    if unread and isinstance(bounds, KernelQPBounds):
        # Neither a kernel matrix nor values of hyper-parameters that are set later are of this answer.
        kept = model._as_it_is(model.gram.unformed())
        bounds = KernelQPBounds(bounds.program.upon(kept.gram))
    answer = expand(kept.gram, outcome.point, fitted.intercept, model.classes, outcome.values)
    if not unread or fitted.certificate.dual_residual > _EXACT:
        answer = kept._certified(answer, bounds)
    seconds = Seconds(solve=outcome.seconds)
    run = _ended(model, form, answer, fitted.certificate, outcome, tol, seconds)
    stated = kept._solution_unread if unread else kept.solution
    return stated(answer, fitted.certificate, bounds, run)


def _ended(
    model: KernelMachine[Any],
    form: Statement | None,
    answer: Candidate,
    certificate: Certificate,
    outcome: Outcome,
    tol: float,
    seconds: Seconds,
) -> Run:
    """Return how it ended, and keep the answer for the forms of the model."""
    status = status_of(certificate, outcome.claim, tol)
    hold(model, answer, certificate, status)
    objective = certificate.primal_value if form is None else form.objective_of(certificate)
    stated: Any = model if form is None else form
    return Run.of(outcome, stated, objective, status, tol, seconds)
