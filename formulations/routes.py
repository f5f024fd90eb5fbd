# SPDX-License-Identifier: BSD-3-Clause
"""The two ways from a formulation to a certified solution: by its structure, or lowered to a cone program."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.lowering import Lowered
from formulations.solution import Candidate, Seconds, Solution
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, Status, certify_infeasibility, certify_unboundedness
from qpkernels.errors import InfeasibleError
from qpkernels.programs import KernelQP, Program
from qpkernels.solvers import Claim, Outcome, Solver

if TYPE_CHECKING:
    from formulations.base import Formulation

__all__ = ["solve_cone_program", "solve_structured", "starting_point"]

_PROOF_TOLERANCE = 1e-5
"""Residual within which multipliers count as a proof of infeasibility; solvers stop at about 1e-8 of theirs."""


def starting_point(program: KernelQP, start: Solution | ArrayLike | None) -> ArrayLike | None:
    """Return beta to start from: of a solution, rescaled so that what was at its bound is at that of ``program``."""
    if not isinstance(start, Solution):
        return start
    bounded = start.support.bounded
    if start.beta.size != len(program) or bounded.size == 0 or program.total:
        return start.beta
    room = np.where(start.beta > 0, program.upper, -program.lower)[bounded]
    scaling = float(np.median(room / np.abs(start.beta[bounded])))
    return scaling * start.beta if 0.0 < scaling < np.inf else start.beta


def solve_structured(
    model: Formulation[Solution], program: Program, backend: Solver, arguments: dict[str, Any]
) -> Solution:
    """Solve a KernelQP or linear system that ``model`` is, write the answer to its variables, and certify it."""
    begin = perf_counter()
    model.prepare_structure(program)
    gram = perf_counter() - begin
    outcome = backend.solve(program, **arguments)
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not _is_finite(outcome):
        raise model.explain_failure(_quote(outcome))
    intercept = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
    if isinstance(program, KernelQP):
        candidate = model.candidate((outcome.point, intercept))
    else:
        candidate = model.from_system(outcome.point, intercept)
    begin = perf_counter()
    certificate = model.certify_candidate(candidate)
    seconds = Seconds(gram=gram, solve=outcome.seconds, certify=perf_counter() - begin)
    limited = arguments["max_iter"] is not None or arguments["time_limit"] is not None
    if outcome.claim is Claim.STOPPED and not limited and certificate.primal_residual > arguments["tol"]:
        # It gave up on a hard constraint: perhaps nothing satisfies them all.
        error = model.explain_failure(_quote(outcome))
        if isinstance(error, InfeasibleError):
            raise error
    objective = model.objective_of(certificate)
    model.write(candidate, objective, certificate.holds(arguments["tol"]))
    return _solution(model, candidate, certificate, outcome, objective, seconds, arguments["tol"])


def solve_cone_program(model: Formulation[Solution], backend: Solver, arguments: dict[str, Any]) -> Solution:
    """Solve the lowered problem of ``model``, write the answer back to it, read it in model terms, and certify it."""
    marks = [perf_counter()]
    model.prepare()
    marks.append(perf_counter())
    lowered = model.lower()
    marks.append(perf_counter())
    outcome = backend.solve(lowered.program, **arguments)
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED):
        raise _no_solution(model, outcome, lowered)
    if not _is_finite(outcome):
        raise model.explain_failure(f"solver {outcome.solver!r} returned no point with multipliers ({outcome.message})")
    lowered.write_back(outcome.point, outcome.multipliers, solved=outcome.claim is Claim.OPTIMAL)
    begin = perf_counter()
    candidate = model.recover(lowered, outcome.multipliers)
    certificate = model.certify_answer(lowered, outcome.point, outcome.multipliers, candidate)
    if outcome.claim is Claim.OPTIMAL and not certificate.holds(arguments["tol"]):
        lowered.write_back(outcome.point, outcome.multipliers, solved=False)
    seconds = Seconds(marks[1] - marks[0], marks[2] - marks[1], outcome.seconds, perf_counter() - begin)
    objective = _value(model, lowered, outcome.point)
    return _solution(model, candidate, certificate, outcome, objective, seconds, arguments["tol"])


def _value(model: Formulation[Solution], lowered: Lowered, point: Vector) -> float:
    value = float(model.problem.objective.value)
    if np.isfinite(value):
        return value
    # A rounding error outside its domain, an entropy is infinite where the epigraph of its cone is not.
    sign = -1.0 if isinstance(model.problem.objective, cp.Maximize) else 1.0
    return sign * lowered.program.objective(point)


def _solution(
    model: Formulation[Solution],
    candidate: Candidate,
    certificate: Certificate,
    outcome: Outcome,
    objective: float,
    seconds: Seconds,
    tol: float,
) -> Solution:
    return model.interpret(
        candidate,
        certificate,
        formulation=model.name,
        objective=objective,
        status=_status(certificate, outcome.claim, tol),
        tol=tol,
        seconds=seconds,
        solver=outcome.solver,
        message=outcome.message,
        iterations=outcome.iterations,
    )


def _status(certificate: Certificate, claim: Claim, tol: float) -> Status:
    if certificate.holds(tol):
        return Status.OPTIMAL
    match claim:
        case Claim.OPTIMAL:
            return Status.UNCERTIFIED
        case Claim.STOPPED:
            return Status.STOPPED
        case _:
            return Status.FAILED


def _no_solution(model: Formulation[Solution], outcome: Outcome, lowered: Lowered) -> Exception:
    """Return the error for the claim that there is no solution: with its proof, or saying that the proof fails."""
    if outcome.claim is Claim.INFEASIBLE:
        certificate = certify_infeasibility(lowered.program, outcome.multipliers)
        if certificate.holds(_PROOF_TOLERANCE):
            return model.explain_infeasible(certificate, outcome.multipliers, _quote(outcome))
    else:
        certificate = certify_unboundedness(lowered.program, outcome.point)
        if certificate.holds(_PROOF_TOLERANCE):
            return model.explain_unbounded(certificate, _quote(outcome))
    return model.explain_failure(f"{_quote(outcome)}, but what it returned does not prove it")


def _is_finite(outcome: Outcome) -> bool:
    return bool(np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all())


def _quote(outcome: Outcome) -> str:
    return f"solver {outcome.solver!r} says {outcome.message!r}"
