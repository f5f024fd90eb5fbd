# SPDX-License-Identifier: BSD-3-Clause
"""Models that a solver takes as they are, as a KernelQP, a penalised risk or a linear system: without CVXPY."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter
from typing import Any, TypeVar

from formulations.modelling.candidate import Candidate, expand
from formulations.modelling.kernel_machine import KernelMachine
from formulations.modelling.solution import Run, Seconds, Solution
from formulations.modelling.solving import SolveRequest, is_finite, quote, status_of
from formulations.modelling.statement import Statement
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.errors import InfeasibleError, SolverFailedError
from qpkernels.problems import (
    Bounds,
    Certificate,
    ExpansionProgram,
    KernelQPBounds,
    LinearSystem,
    Program,
    ResidualNorm,
)
from qpkernels.solvers import Answer, Automatic, AutomaticSystem, Claim, Solver

__all__ = [
    "judged",
    "read_structure",
    "solve_structure",
]


def judged(model: KernelMachine[Any], answer: Candidate, bounds: Bounds, tol: float) -> tuple[Candidate, Certificate]:
    """Return the feasible points near an answer with their certificate, or repaired ones where only theirs holds."""
    certificate = model.judge(answer, bounds)
    certified = model.certified(answer, bounds)
    if certificate.holds(tol) or not answer.is_squarable:
        return certified, certificate
    for repaired in _repaired(model, answer, certified, bounds):
        if (proof := model.judge(repaired, bounds)).holds(tol):
            return model.certified(repaired, bounds), proof
    return certified, certificate


def _repaired(
    model: KernelMachine[Any], answer: Candidate, certified: Candidate, bounds: Bounds
) -> Iterator[Candidate]:
    """Yield the feasible points near an answer, the f of that of the dual, and those that prove an optimum of 0."""
    if certified is not answer:
        yield certified
    if isinstance(bounds, KernelQPBounds) and answer.is_expansion:
        yield expand(model.gram, bounds.feasible(answer.beta), answer.intercept, model.classes)
    vanishing = model.vanishing(answer, bounds)
    if vanishing is not None:
        yield vanishing


Answered = TypeVar("Answered", bound=Solution)


def solve_structure(
    model: KernelMachine[Answered],
    program: Program,
    backend: Solver | Automatic | AutomaticSystem,
    request: SolveRequest,
    bounds: Bounds,
    form: Statement | None = None,
) -> Answered:
    """Solve a program that the model is, or that ``form`` is, and certify the answer."""
    # Held once, and not anew for each product.
    with blas_threads_for(len(model)):
        return _solved(model, program, backend, request, bounds, form)


def read_structure(
    model: KernelMachine[Any], program: Program, outcome: Answer, bounds: Bounds, form: Statement | None = None
) -> Candidate:
    """Return a solver's answer to a program that the model is, or that ``form`` is, in the terms of the model."""
    b = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
    if isinstance(program, ExpansionProgram) or (isinstance(program, LinearSystem) and program.is_expansion):
        judge = bounds if isinstance(bounds, KernelQPBounds) else None
        return expand(model.gram, outcome.point, b, model.classes, outcome.values, judge)
    if isinstance(program, ResidualNorm):
        return model.from_fit(outcome.point, outcome.multipliers)
    return (model if form is None else form).from_system(outcome.point, b)


def _solved(
    model: KernelMachine[Answered],
    program: Program,
    backend: Solver | Automatic | AutomaticSystem,
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
        raise model.contradiction(str(failure)) or failure from None
    if outcome.claim is Claim.UNBOUNDED and is_finite(outcome):
        raise model.explain_divergence(outcome.point, quote(outcome))
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not is_finite(outcome):
        raise model.explain_failure(quote(outcome))
    begin = perf_counter()
    answer = read_structure(model, program, outcome, bounds, form)
    answer, certificate = judged(model, answer, bounds, request.tol)
    seconds = Seconds(gram=formed, solve=outcome.seconds, certify=perf_counter() - begin)
    if not (certificate.is_counted or request.ended(outcome)):
        # It left a hard constraint violated: perhaps nothing satisfies them all.
        error = model.explain_failure(quote(outcome))
        if isinstance(error, InfeasibleError):
            raise error
    status = status_of(certificate, outcome.claim, request.tol)
    model.hold(answer, certificate, status, bounds)
    objective = certificate.primal_value if form is None else form.objective_of(certificate)
    stated: Any = model if form is None else form
    run = Run.of(outcome, stated, objective, status, request.tol, seconds)
    return model.solution(answer, certificate, bounds, run)
