# SPDX-License-Identifier: BSD-3-Clause
"""One solver on one problem, and its judge, each in a process of its own that ends in time whatever they do."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.trust.maros_meszaros import Published
from benchmarks.trust.records import Proof, Trial
from qpkernels.errors import QPKernelsError
from qpkernels.problems import Certificate, Enclosure, certify_cone_program, enclose_cone_program
from qpkernels.solvers import find_solver
from qpkernels.solvers.isolation import Ended, ProcessLimits, Raised, Worker
from qpkernels.solvers.repair import Repaired, repair

__all__ = ["attempt"]

_TOLERANCES = (1e-6, 1e-9)
"""Tolerances that a repair is to reach, one after the other, so that a late one takes nothing of an earlier."""

_PATIENCE = 4.0
"""Limit of the judge, in limits of the solver: a repair may take many factorisations."""


def attempt(problem: Published, solver: str, tol: float, seconds: float, memory: int) -> Trial:
    """Return what the solver claims of the problem and what is proved of its answer.

    Parameters
    ----------
    problem, solver, tol
        What is asked of whom.
    seconds
        Wall-clock limit of the solver; its judge has four times that for each of its proofs.
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
    begin = perf_counter()
    came = _judged(seconds, memory, certify_cone_program, program, outcome.point, outcome.multipliers)
    if not isinstance(came, Certificate):
        return trial.ended(came)
    best = Repaired(outcome.point, outcome.multipliers, came)
    trial = trial.with_proof(_proof(best))
    for goal in _TOLERANCES:
        repaired = _judged(seconds, memory, repair, program, best.point, best.multipliers, goal)
        if not isinstance(repaired, Repaired):
            return trial.ended(repaired)
        best, trial = repaired, trial.with_repair(_proof(repaired), perf_counter() - begin)
        if best.error > goal:
            break
    enclosure = _judged(seconds, memory, enclose_cone_program, program, best.point, best.multipliers)
    return trial.with_interval(enclosure.lower, enclosure.upper) if isinstance(enclosure, Enclosure) else trial


def _judged(seconds: float, memory: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a judge in a process of its own says, or in words why it says nothing."""
    with Worker.of(__name__) as worker:
        result = worker.call(ProcessLimits(_PATIENCE * seconds, memory), function, *arguments)
    return f"judge: {result.message}" if isinstance(result, Ended | Raised) else result


def _proof(answer: Repaired) -> Proof:
    proof = answer.certificate
    return Proof(answer.error, proof.primal_value, proof.dual_value, proof.worst)
