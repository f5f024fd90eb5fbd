# SPDX-License-Identifier: BSD-3-Clause
"""One solver on one problem, and its judge, each in a process of its own that ends in time whatever they do."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.trust.maros_meszaros import Published
from benchmarks.trust.records import Proof, Trial
from qpkernels.certificates import Certificate, Repaired, certify_cone_program, repair
from qpkernels.errors import QPKernelsError
from qpkernels.solvers import find_solver
from qpkernels.solvers.isolation import Ended, Limits, Raised, Worker

__all__ = ["attempt"]

_TIGHTEST = 1e-9
"""Tolerance from which a proof is not made any better."""


def attempt(problem: Published, solver: str, tol: float, seconds: float, memory: int) -> Trial:
    """Return what the solver claims of the problem and what is proved of its answer.

    Parameters
    ----------
    problem, solver, tol
        What is asked of whom.
    seconds
        Wall-clock limit of the solver, and again of its judge.
    memory
        Bytes that each of their processes may hold.
    """
    program = problem.program
    trial = Trial(problem.name, problem.size, problem.value, solver, constant=program.offset)
    begin = perf_counter()
    try:
        outcome = find_solver(solver).solve(program, tol=tol, isolate=True, time_limit=seconds, memory_limit=memory)
    except QPKernelsError as error:
        return trial.with_answer("failed", f"{type(error).__name__}: {error}", perf_counter() - begin, None)
    found = bool(np.isfinite(outcome.point).all())
    value = program.objective(outcome.point) if found else None
    trial = trial.with_answer(str(outcome.claim), outcome.message, outcome.seconds, value)
    if not (found and np.isfinite(outcome.multipliers).all()):
        return trial
    answer = program, outcome.point, outcome.multipliers
    begin = perf_counter()
    came = _judged(seconds, memory, certify_cone_program, *answer)
    if not isinstance(came, Certificate):
        return trial.ended(came)
    trial = trial.with_proof(_proof(Repaired(*answer[1:], came)))
    repaired = _judged(seconds, memory, repair, *answer, _TIGHTEST)
    if not isinstance(repaired, Repaired):
        return trial.ended(repaired)
    return trial.with_repair(_proof(repaired), perf_counter() - begin)


def _judged(seconds: float, memory: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a judge in a process of its own says, or in words why it says nothing."""
    with Worker.of(__name__) as worker:
        result = worker.call(Limits(seconds, memory), function, *arguments)
    return f"judge: {result.message}" if isinstance(result, Ended | Raised) else result


def _proof(answer: Repaired) -> Proof:
    proof = answer.certificate
    return Proof(answer.error, proof.primal_value, proof.dual_value, proof.worst)
