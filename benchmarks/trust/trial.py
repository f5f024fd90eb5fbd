# SPDX-License-Identifier: BSD-3-Clause
"""One solver on one problem, and its judge, in a process of their own that ends in time whatever they do."""

from __future__ import annotations

import multiprocessing
import resource
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.trust.maros_meszaros import Published
from benchmarks.trust.records import Proof, Trial
from qpkernels.certificates import Repaired, certify_cone_program, repair
from qpkernels.errors import QPKernelsError
from qpkernels.programs import ConeProgram
from qpkernels.solvers import find_solver

__all__ = ["attempt"]

_TIGHTEST = 1e-9
"""Tolerance from which a proof is not made any better."""

_GRACE = 5.0
"""Seconds beyond its own time limit that a solver has before its process is ended."""


def attempt(problem: Published, solver: str, tol: float, seconds: float, memory: int) -> Trial:
    """Return what the solver claims of the problem and what is proved of its answer.

    Parameters
    ----------
    problem, solver, tol
        What is asked of whom.
    seconds
        Wall-clock limit of the solver, and again of its judge.
    memory
        Bytes of address space of the process.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_attempt, args=(sender, problem.program, solver, tol, seconds, memory))
    process.start()
    sender.close()
    trial = Trial(problem.name, problem.size, problem.value, solver)
    begin = perf_counter()
    try:
        # The imports of the child are no part of the solver's time.
        _receive(receiver, 60.0)
        trial = trial.with_answer(*_receive(receiver, seconds + _GRACE))
        trial = trial.with_proof(_receive(receiver, seconds + _GRACE))
        trial = trial.with_repair(*_receive(receiver, seconds + _GRACE))
    except TimeoutError:
        trial = trial.ended(f"ended after {perf_counter() - begin:.0f} s")
    except EOFError:
        trial = (
            trial if trial.claim == "failed" and trial.message else trial.ended("no finite answer, or no process left")
        )
    finally:
        process.kill()
        process.join()
        receiver.close()
    return trial


def _receive(receiver: Connection, seconds: float) -> Any:
    if not receiver.poll(seconds):
        raise TimeoutError
    return receiver.recv()


def _attempt(sender: Connection, program: ConeProgram, name: str, tol: float, seconds: float, memory: int) -> None:
    """Send a sign of life, the answer, and its proofs; in the child."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    solver = find_solver(name)
    solver.load()
    sender.send(())
    limits: dict[str, Any] = {"time_limit": seconds} if "time_limit" in solver.options else {}
    begin = perf_counter()
    try:
        outcome = solver.solve(program, tol=tol, **limits)
    except (QPKernelsError, MemoryError) as error:
        sender.send(("failed", f"{type(error).__name__}: {error}", perf_counter() - begin, None))
        return
    found = np.isfinite(outcome.point).all()
    sender.send(
        (str(outcome.claim), outcome.message, outcome.seconds, program.objective(outcome.point) if found else None)
    )
    if found and np.isfinite(outcome.multipliers).all():
        came = certify_cone_program(program, outcome.point, outcome.multipliers)
        sender.send(_proof(Repaired(outcome.point, outcome.multipliers, came)))
        begin = perf_counter()
        repaired = repair(program, outcome.point, outcome.multipliers, _TIGHTEST)
        sender.send((_proof(repaired), perf_counter() - begin))


def _proof(answer: Repaired) -> Proof:
    proof = answer.certificate
    return Proof(answer.error, proof.primal_value, proof.dual_value, proof.worst)
