# SPDX-License-Identifier: BSD-3-Clause
"""A form as people use it: solved by any solver, enclosed, and explained where it has no solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling.candidate import Candidate
from formulations.modelling.deciding import left_out
from formulations.modelling.failures import infeasible, no_answer, unbounded
from formulations.modelling.lowering import ConeAnswer, Lowered
from formulations.modelling.model import Model
from formulations.modelling.reasons import Contradiction, conflict_of, declared_groups, proof_of, relaxation_of
from formulations.modelling.routes import judged, solve_by_request
from formulations.modelling.solution import Run, Seconds, Solution
from formulations.modelling.solving import SolveRequest, first_taken, foreign, hold, is_finite, quote, status_of
from formulations.modelling.statement import Statement
from qpkernels.arrays import Indices
from qpkernels.diagnosis import Conflict, Ray, Relaxation
from qpkernels.errors import InfeasibleError, ParameterError, UnsupportedProgramError
from qpkernels.problems import Bounds, Certificate, ConeProgram, Enclosure, Program, Status, enclose_cone_program
from qpkernels.solvers import Answer, Claim, ConePoint, Outcome, Request, Solver, SolverLike, find_solver
from qpkernels.solvers.repair import repair

__all__ = [
    "Form",
    "judged_point",
    "read_point",
]

_LOOSE = 1e-2
"""Tolerance at which an answer must hold to be polished: beyond it the claim was wrong, not the answer loose."""

_POLISH = 1e-3
"""Share of the tolerance to which a loose answer is polished: what is left of it may weigh more in the model."""


class Form(Statement):
    """One statement of a model as a convex problem in CVXPY, solved by any solver and certified.

    ``model.dual`` is a form of ``model``; all forms of a model share its data, kernel matrix and hyper-parameters. A
    subclass declares the problem as on the blackboard, and says how an answer is read from its solution; this
    declaration is a :class:`~formulations.modelling.statement.Statement`.

    Notes
    -----
    Arguments of the methods:

    backend, request
        A solver of cone programs, and what is asked of it.
    solver, tol
        As in :func:`qpkernels.diagnosis.find_conflict`.
    bounds
        The model as it was stated for this solve; see :meth:`formulations.modelling.model.Model.bounds`.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> form = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]).dual
    >>> print(form.problem.is_dcp(), form.solve("clarabel").status, f"{form.problem.value:.3f}")
    True optimal -2.889
    """

    model: Model[Any]

    def solve(
        self,
        solver: SolverLike | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: Solution | ArrayLike | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Any:
        """Solve the problem and certify the answer.

        Solvers that take models (smo, linear) solve the model, unless the form is extended. Others solve its matrices.

        Parameters
        ----------
        solver, tol, max_iter, time_limit, warm_start, verbose, **options
            As in :meth:`formulations.modelling.model.Model.solve`.

        Raises
        ------
        UnboundedError
            If the objective is unbounded below, as an extension can make it. Other errors are those of the model.
        """
        request = SolveRequest(solver, Request(tol, max_iter, time_limit, verbose=verbose), warm_start, options)
        self._check()
        model, extended = self.model, self.is_extended
        bounds = model.bounds()

        def ways() -> Iterator[Statement]:
            yield self
            if not extended:
                yield from (each for each in model._sound_forms() if each is not self)

        answer = solve_by_request(model, request, bounds, _structures(self, bounds), ways, self)
        if extended and request.names_nobody and answer.status is not Status.OPTIMAL:
            # The last answer need not be the best.
            self._lowered().write_back(answer._in_matrices.point, answer._in_matrices.multipliers, solved=False)
        if extended and (names := left_out(self)):
            answer._withhold(names)
        return answer

    def refusal(self, solver: SolverLike) -> str | None:
        """Return why ``solver`` does not take this form, or None if it does."""
        backend = find_solver(solver)
        program = first_taken(_structures(self, self.model.bounds()), backend)
        if program is None and ConeProgram in backend.programs:
            program = self.lower().program
        return foreign(backend, self.name, self.is_extended) if program is None else backend.refusal(program)

    def solve_by(self, backend: Solver, request: SolveRequest, bounds: Bounds) -> Any:
        """Solve the lowered problem and certify the answer, which the variables hold afterwards."""
        model, extended = self.model, self.is_extended
        if ConeProgram not in backend.programs:
            raise UnsupportedProgramError(
                f"{foreign(backend, self.name, extended)}; choose a cone solver such as clarabel."
            )
        marks = [perf_counter()]
        self.prepare()
        marks.append(perf_counter())
        lowered = self._lowered()
        if extended:
            lowered.program.require_convex()
        marks.append(perf_counter())
        outcome = request.solve_with(backend, lowered.program, self.name)
        if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED):
            raise _no_solution(self, outcome, lowered, backend)
        if not is_finite(outcome):
            message = f"solver {outcome.solver!r} returned no point with multipliers ({outcome.message})"
            raise no_answer(self.name, message) if extended else model._explain_failure(message)
        begin = perf_counter()
        judge = _judged_in_matrices if extended else judged_point
        answer, certificate, shown = judge(self, lowered, outcome, bounds, request.of_any.tol)
        if not (extended or certificate.is_counted or request.ended(outcome)):
            # It left a hard constraint violated: perhaps nothing satisfies them all.
            error = model._explain_failure(quote(outcome))
            if isinstance(error, InfeasibleError):
                raise error
        status = status_of(certificate, outcome.claim, request.of_any.tol)
        if outcome.claim is not Claim.OPTIMAL or status is not Status.OPTIMAL:
            lowered.write_back(shown.point, shown.multipliers, solved=False)
        if not extended:
            hold(model, answer, certificate, status)
            self.solved()
        seconds = Seconds(marks[1] - marks[0], marks[2] - marks[1], outcome.seconds, perf_counter() - begin)
        run = Run.of(outcome, self, _objective(self, certificate), status, request.of_any.tol, seconds)
        run = replace(run, in_matrices=shown, program=lowered.program if extended else None)
        return model.solution(answer, certificate, bounds, run)

    def enclose(self, answer: Any) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic, between the two values of a certificate.

        For a textbook form it is the interval of the model; see :meth:`formulations.modelling.model.Model.enclose`. For
        an extended form the problem is the one of its matrices in float64, in which kernel values are rounded; see
        :func:`qpkernels.problems.enclose_cone_program`.

        Parameters
        ----------
        answer
            For an extended form, its Solution. Any solution gives a proof, and a better one gives a narrower interval.

        Raises
        ------
        ParameterError, ShapeError
            If the answer does not belong to this form.
        NoEnclosureError, UnsupportedProgramError
            If nothing is known about the rounding errors of this kernel, loss or model, or the extension has cones of
            another kind than equations, inequalities and norms.
        """
        return _enclose_extended(self.lower(), answer) if self.is_extended else self.model.enclose(answer)

    def conflict(self, solver: SolverLike = "clarabel", *, tol: float = 1e-6) -> Conflict | None:
        """Return what :func:`qpkernels.diagnosis.find_conflict` finds: an irreducible infeasible subset, or None."""
        return conflict_of(self.lower(), solver, tol)

    def relaxation(self, *labels: str, solver: SolverLike = "clarabel", tol: float = 1e-6) -> Relaxation:
        """Return the smallest total slack of a point, as :func:`qpkernels.diagnosis.find_relaxation` finds it.

        Parameters
        ----------
        labels
            Names of the constraints that may give way; by default the user's constraints, or all of a textbook form.
        """
        return relaxation_of(self.lower(), labels, len(self.extension.constraints), solver, tol)


def _structures(form: Statement, bounds: Bounds) -> tuple[Program, ...]:
    """Return the programs that the form is, beside the one of its matrices."""
    if form.is_extended:
        return ()
    stated = (form.linear_system() or form.model.linear_system(bounds), bounds.program)
    return tuple(program for program in stated if program is not None)


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
    answer = form.read(ConeAnswer(lowered, point.multipliers), bounds)
    return form.completed(answer) if form.is_extended else answer


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
    unproved = f"{message}, but its answer does not prove it"
    return no_answer(form.name, unproved) if form.is_extended else model._explain_failure(unproved)


def _textbook_rows(form: Statement, lowered: Lowered) -> Indices:
    """Return the rows of the constraints that the user did not add."""
    count = len(lowered.problem.constraints) - len(form.extension.constraints)
    return np.concatenate([np.arange(0), *(group.rows for group in declared_groups(lowered)[:count])])


def _enclose_extended(lowered: Lowered, answer: Any) -> Enclosure:
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
