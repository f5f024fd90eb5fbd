# SPDX-License-Identifier: BSD-3-Clause
"""The way of a form through a solver of cone programs: lowered, solved, written back, read, and certified."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

import formulations.cvx as cp
from formulations.modelling.candidate import Candidate
from formulations.modelling.deciding import left_out
from formulations.modelling.failures import infeasible, no_answer, unbounded
from formulations.modelling.lowering import ConeAnswer, Lowered
from formulations.modelling.reasons import Contradiction, declared_groups, proof_of
from formulations.modelling.routes import judged, solve_by_request
from formulations.modelling.solution import Run, Seconds, Solution
from formulations.modelling.solving import (
    SolveRequest,
    first_taken,
    foreign,
    hold,
    is_finite,
    quote,
    status_of,
)
from formulations.modelling.statement import Statement
from qpkernels.arrays import Indices
from qpkernels.diagnosis import Ray
from qpkernels.errors import InfeasibleError, ParameterError, UnsupportedProgramError
from qpkernels.problems import Bounds, Certificate, ConeProgram, Enclosure, Program, Status, enclose_cone_program
from qpkernels.solvers import Answer, Claim, ConePoint, Outcome, Solver
from qpkernels.solvers.repair import repair

__all__ = [
    "enclose_extended",
    "judged_point",
    "read_point",
    "refusal_of",
    "solve_form",
    "solve_lowered",
]

_LOOSE = 1e-2
"""Tolerance at which an answer must hold to be polished: beyond it the claim was wrong, not the answer loose."""

_POLISH = 1e-3
"""Share of the tolerance to which a loose answer is polished: what is left of it may weigh more in the model."""


def solve_form(form: Statement, request: SolveRequest) -> Any:
    """Solve the model of a form where a solver takes it as it is, or else the form in matrices.

    An extended form, which is another problem than its model, is solved in matrices always.
    """
    model, extended = form.model, form.is_extended
    bounds = model.bounds()

    def ways() -> list[Statement]:
        return [form] if extended else [form, *(each for each in model._sound_forms() if each is not form)]

    answer = solve_by_request(model, request, bounds, _structures(form, bounds), ways, form)
    if extended and request.names_nobody and answer.status is not Status.OPTIMAL:
        # The last answer need not be the best.
        form._lowered().write_back(answer._in_matrices.point, answer._in_matrices.multipliers, solved=False)
    if extended and (names := left_out(form)):
        answer._withhold(names)
    return answer


def refusal_of(form: Statement, solver: Solver) -> str | None:
    """Return why ``solver`` does not take the form, or None if it does."""
    program = first_taken(_structures(form, form.model.bounds()), solver)
    if program is None and ConeProgram in solver.programs:
        program = form.lower().program
    return foreign(solver, form.name, form.is_extended) if program is None else solver.refusal(program)


def _structures(form: Statement, bounds: Bounds) -> tuple[Program, ...]:
    """Return the programs that the form is, beside the one of its matrices."""
    if form.is_extended:
        return ()
    stated = (form.linear_system() or form.model.linear_system(bounds), bounds.program)
    return tuple(program for program in stated if program is not None)


def solve_lowered(form: Statement, backend: Solver, request: SolveRequest, bounds: Bounds) -> Any:
    """Solve the lowered problem, write the answer back to it, read it in the model's terms, and certify it."""
    model, extended = form.model, form.is_extended
    if ConeProgram not in backend.programs:
        raise UnsupportedProgramError(
            f"{foreign(backend, form.name, extended)}; choose a cone solver such as clarabel."
        )
    marks = [perf_counter()]
    form.prepare()
    marks.append(perf_counter())
    lowered = form._lowered()
    if extended:
        lowered.program.require_convex()
    marks.append(perf_counter())
    outcome = request.solve_with(backend, lowered.program, form.name)
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED):
        raise _no_solution(form, outcome, lowered, backend)
    if not is_finite(outcome):
        message = f"solver {outcome.solver!r} returned no point with multipliers ({outcome.message})"
        raise no_answer(form.name, message) if extended else model._explain_failure(message)
    begin = perf_counter()
    judge = _judged_in_matrices if extended else judged_point
    answer, certificate, shown = judge(form, lowered, outcome, bounds, request.of_any.tol)
    if not (extended or certificate.is_counted or request.ended(outcome)):
        # It left a hard constraint violated: perhaps nothing satisfies them all.
        error = model._explain_failure(quote(outcome))
        if isinstance(error, InfeasibleError):
            raise error
    status = status_of(certificate, outcome.claim, request.of_any.tol)
    if outcome.claim is not Claim.OPTIMAL or status is not Status.OPTIMAL:
        lowered.write_back(shown.point, shown.multipliers, solved=False)
    if not extended:
        hold(model, answer, certificate, status, bounds)
        form.solved()
    seconds = Seconds(marks[1] - marks[0], marks[2] - marks[1], outcome.seconds, perf_counter() - begin)
    run = Run.of(outcome, form, _objective(form, certificate), status, request.of_any.tol, seconds)
    run = replace(run, in_matrices=shown)
    return model.solution(answer, certificate, bounds, run)


def _judged_in_matrices(
    form: Statement, lowered: Lowered, outcome: Outcome, bounds: Bounds, tol: float
) -> tuple[Candidate, Certificate, ConePoint]:
    """Return the answer to an extended problem, repaired, with its conic certificate."""
    repaired = repair(lowered.program, outcome.point, outcome.multipliers, tol)
    shown = ConePoint(repaired.point, repaired.multipliers)
    return read_point(form, lowered, shown, bounds), repaired.certificate, shown


def judged_point(
    form: Statement, lowered: Lowered, outcome: Answer, bounds: Bounds, tol: float
) -> tuple[Candidate, Certificate, ConePoint]:
    """Return the answer to a textbook problem with its certificate; a loose one polished, where that is proved."""
    came = ConePoint(outcome.point, outcome.multipliers)
    answer, certificate = judged(form.model, read_point(form, lowered, came, bounds), bounds, tol)
    if outcome.claim is not Claim.OPTIMAL or certificate.holds(tol) or not certificate.holds(_LOOSE):
        return answer, certificate, came
    repaired = repair(lowered.program, came.point, came.multipliers, _POLISH * tol)
    polished = ConePoint(repaired.point, repaired.multipliers)
    other, proof = judged(form.model, read_point(form, lowered, polished, bounds), bounds, tol)
    return (other, proof, polished) if proof.holds(tol) else (answer, certificate, came)


def read_point(form: Statement, lowered: Lowered, point: ConePoint, bounds: Bounds) -> Candidate:
    """Write a point of the matrices to the variables of the form, and read it in the terms of the model."""
    lowered.write_back(point.point, point.multipliers, solved=True)
    return form.read(ConeAnswer(lowered, point.multipliers), bounds)


def _objective(form: Statement, certificate: Certificate) -> float:
    """Return the value of the form at the points that were certified, not at the solver's own."""
    if not form.is_extended:
        return form.objective_of(certificate)
    return (-1.0 if isinstance(form.problem.objective, cp.Maximize) else 1.0) * certificate.primal_value


def _no_solution(form: Statement, outcome: Outcome, lowered: Lowered, backend: Solver) -> Exception:
    """Return the error for the claim that there is no solution: with its proof, or saying that the proof fails."""
    model, message, proof = form.model, quote(outcome), proof_of(outcome, lowered, backend)
    match proof:
        case Contradiction() if form.is_extended:
            textbook = _textbook_rows(form, lowered)
            # What the user added has no part in it: the model decides in exact arithmetic, as without.
            if model.entry.hard and proof.among(textbook):
                return model._explain_infeasible(proof.certificate, proof.multipliers[textbook], message)
            return infeasible(form.name, proof.certificate, proof.multipliers, message, proof.names)
        case Contradiction():
            return model._explain_infeasible(proof.certificate, proof.multipliers, message)
        case Ray() if form.is_extended:
            return unbounded(form.name, proof.certificate, message, proof)
        case Ray():
            return model._explain_unbounded(proof.certificate, message)
    unproved = f"{message}, but what it returned does not prove it"
    return no_answer(form.name, unproved) if form.is_extended else model._explain_failure(unproved)


def _textbook_rows(form: Statement, lowered: Lowered) -> Indices:
    """Return the rows of the constraints that the user did not add."""
    count = len(lowered.problem.constraints) - len(form.extension.constraints)
    return np.concatenate([np.arange(0), *(group.rows for group in declared_groups(lowered)[:count])])


def enclose_extended(lowered: Lowered, answer: Any) -> Enclosure:
    """Return an interval that holds the optimum of an extended form, given its Solution.

    Raises
    ------
    ParameterError
        If that is none, or of another form.
    """
    at, program = answer._in_matrices if isinstance(answer, Solution) else None, lowered.program
    if at is None or (at.point.size, at.multipliers.size) != (program.q.size, program.b.size):
        raise ParameterError(
            f"an extended form is enclosed at its own Solution, but {type(answer).__name__} came"
            f"{' of another form' if isinstance(answer, Solution) else ''}; pass what its solve returned."
        )
    return enclose_cone_program(program, at.point, at.multipliers)
