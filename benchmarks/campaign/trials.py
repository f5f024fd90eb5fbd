# SPDX-License-Identifier: BSD-3-Clause
"""One problem by the default and by every other route, each in a process that ends in time whatever happens there."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.campaign.problems import Case, draw
from benchmarks.campaign.records import DEFAULT, Examined, Trial
from formulations.judging.comparison import Row
from formulations.modelling import Form, Stated
from qpkernels.arrays.threads import threads
from qpkernels.errors import QPKernelsError, UnsupportedProgramError
from qpkernels.problems import ConeProgram
from qpkernels.solvers import find_solver, installed_solvers

__all__ = ["again", "examine", "turns"]

_SHORT, _TURNS = 1.0, 5
"""Seconds of all turns together below which a solve is repeated, up to so many times: the fastest counts."""

_FAR, _ENOUGH = 4.0, 2
"""Times the fastest proof beyond which a route is far slower, and the turns that are enough to say so."""

_STARTING, _LOADING = 0.5, 600.0
"""Seconds that a turn has beside its own, and that the first one has to import, and to compile what is not yet."""

_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload(["benchmarks.campaign.loaded"])


def examine(number: int, tolerances: tuple[float, ...], seconds: float) -> Examined:
    """Return what becomes of the problem of that number, by every route, at every tolerance, the loosest first.

    Another route than the default is ended where it takes longer than the fastest proof so far: it would not count. One
    that was far slower at a tolerance is asked for a tighter one only if no faster one proves that, and one that had no
    answer within the limit is not asked again.
    """
    case = draw(number)
    routes = list(_routes(case))
    trials: list[Trial] = []
    slow: set[str] = set()
    late: dict[str, Trial] = {}
    for tol in sorted(tolerances, reverse=True):
        best, found = seconds, False
        for route in sorted(routes, key=lambda route: (route != DEFAULT, route in slow)):
            if found and route in slow:
                continue
            if route in late:
                trials.append(replace(late[route], tol=tol))
                continue
            # Below the time of a lowering nobody learns anything.
            limit = best if route == DEFAULT else min(seconds, 1.2 * best + 0.3)
            trial = _apart(number, route, tol, limit, best if found else math.inf)
            if trial is None:
                routes.remove(route)
                continue
            trials.append(trial)
            if trial.status == "ended" and limit >= seconds:
                late[route] = trial
            if trial.proved:
                best, found = min(best, trial.seconds), True
        times = {trial.route: trial.seconds for trial in trials if trial.tol == tol and trial.proved}
        slow = {route for route in routes if route != DEFAULT and times.get(route, math.inf) > _FAR * best}
    return Examined(number, case.family.__name__, str(case), trials, seconds, threads())


def again(examined: Examined) -> Examined:
    """Return the same with the default tried anew, beside the proofs of others that are known."""
    trials: list[Trial] = []
    for trial in examined.trials:
        anew = (
            _apart(examined.number, DEFAULT, trial.tol, examined.limit, math.inf) if trial.route == DEFAULT else trial
        )
        assert anew is not None
        trials.append(anew)
    return replace(examined, trials=trials, processors=threads())


def _routes(case: Case) -> Iterator[str]:
    """Yield the default, then the solvers that take the model as it is, then every form by every cone solver."""
    yield DEFAULT
    solvers = installed_solvers()
    yield from (f"model by {solver.name}" for solver in solvers if ConeProgram not in solver.programs)
    forms = [name for name, form in Stated.of(case.family) if issubclass(form, Form)]
    yield from (f"{form} by {each.name}" for form in forms for each in solvers if ConeProgram in each.programs)


def _apart(number: int, route: str, tol: float, seconds: float, best_so_far: float) -> Trial | None:
    """Return the trial of a route, made by a process of its own; None: the solver does not take it."""
    receiver, sender = _PROCESSES.Pipe(duplex=False)
    process = _PROCESSES.Process(target=_send, args=(sender, number, route, tol, seconds, best_so_far), daemon=True)
    process.start()
    sender.close()
    limit = seconds + _STARTING
    begun, best = False, None
    try:
        # The first time of all, what is imported and compiled takes its time.
        begun = receiver.poll(_LOADING) and receiver.recv()
        while receiver.poll(limit):
            trial: Trial | None = receiver.recv()
            if trial is None:
                return None
            best = _faster(best, trial)
        return best or Trial(route, tol, "ended", message=f"no answer within {limit:g} s")
    except EOFError:
        process.join()
        if not begun:
            raise RuntimeError("processes for trials cannot be started") from None
        return best or Trial(route, tol, "ended", message=f"its process ended with status {process.exitcode}")
    finally:
        process.kill()
        process.join()
        receiver.close()


def _send(sender: Connection, number: int, route: str, tol: float, seconds: float, best_so_far: float) -> None:
    """Send that the process has begun, then the trial of each turn; what solvers print is dropped."""
    sender.send(True)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for turn, trial in enumerate(turns(number, route, tol, seconds), start=1):
        sender.send(trial)
        if turn == _ENOUGH and trial is not None and trial.seconds > _FAR * best_so_far:
            break
    sender.close()


def _faster(best: Trial | None, trial: Trial) -> Trial:
    return trial if best is None or trial.seconds < best.seconds else best


def turns(number: int, route: str, tol: float, seconds: float) -> Iterator[Trial | None]:
    """Yield the trial of each turn; None where the solver does not take the problem."""
    case, taken = draw(number), 0.0
    for _ in range(_TURNS):
        begin, cpu = perf_counter(), process_time()
        try:
            trial = _solved(case, route, tol, seconds)
        except UnsupportedProgramError:
            yield None
            return
        trial = trial.timed(perf_counter() - begin, process_time() - cpu)
        yield trial
        taken += trial.seconds
        if taken > _SHORT or trial.seconds > seconds:
            return


def _solved(case: Case, route: str, tol: float, seconds: float) -> Trial:
    """State the model from its arrays, solve it, and certify the answer."""
    name, _, solver = route.partition(" by ")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = case.state()
            if route == DEFAULT:
                row = Row.of_solution("", model.name, model.solve(tol=tol))
            else:
                stated: Any = model if name == "model" else model.forms[name]
                limit: dict[str, Any] = {"time_limit": seconds} if "time_limit" in find_solver(solver).options else {}
                row = Row.of_solution("", stated.name, stated.solve(solver, tol=tol, **limit))
        except UnsupportedProgramError:
            raise
        except QPKernelsError as error:
            row = Row.of_error("", case.family.__name__, solver, error)
    return Trial(route, tol, str(row.status), row.solver, row.accuracy, message=row.reason[:200])
