# SPDX-License-Identifier: BSD-3-Clause
"""A solver that lies: what it returns is what Clarabel found, spoilt, under whatever word it likes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from attack.checks import TOLERANCE, Answer, Failure, interval_of
from attack.generator import Attack
from attack.sabotage import passed
from formulations.modelling import Model
from qpkernels import solvers
from qpkernels.errors import InfeasibleError, QPKernelsError, UnboundedError
from qpkernels.solvers import Claim, Request, Solver, find_solver

__all__ = ["LIES", "check_liars"]

Lie = Callable[[solvers.Answer, Generator], solvers.Answer]

LIES: dict[str, Lie] = {
    "the word infeasible": lambda answer, _: replace(answer, claim=Claim.INFEASIBLE),
    "the word unbounded": lambda answer, _: replace(answer, claim=Claim.UNBOUNDED),
    "the word failed": lambda answer, _: replace(answer, claim=Claim.FAILED),
    "the point of another problem": lambda answer, rng: replace(answer, point=rng.normal(size=answer.point.size)),
    "a permuted point": lambda answer, rng: replace(answer, point=rng.permutation(answer.point)),
    "a scaled point": lambda answer, rng: replace(answer, point=rng.uniform(1.001, 2.0) * answer.point),
    "multipliers of wrong sign": lambda answer, _: replace(answer, multipliers=-answer.multipliers),
    "no multipliers": lambda answer, _: replace(answer, multipliers=0.0 * answer.multipliers),
    "NaN": lambda answer, _: replace(answer, point=np.nan * answer.point),
    "float32": lambda answer, _: replace(answer, point=answer.point.astype(np.float32)),
    "huge numbers": lambda answer, _: replace(answer, point=1e200 * answer.point),
    "an early stop": lambda answer, _: replace(answer, claim=Claim.OPTIMAL),
}
"""What is done to an answer; the early stop is one of its own: the answer of three iterations."""


class Liar(Solver):
    """Clarabel, spoilt by one of the lies."""

    name, module, install = "liar", "clarabel", "pip install clarabel"
    options = frozenset({"tol"})
    lie: ClassVar[str] = ""
    seed: ClassVar[int] = 0

    def run(self, program: Any, request: Request, **options: Any) -> solvers.Answer:
        """Solve, and lie."""
        if self.lie == "an early stop":
            request = replace(request, max_iter=3)
        answer = find_solver("clarabel").run(program, request, **options)
        return LIES[self.lie](answer, np.random.default_rng([0x11E, self.seed]))


def check_liars(attack: Attack, model: Model[Any], answers: list[Answer]) -> tuple[int, list[Failure]]:
    """Let the liar solve a form in every way, beside an answer that is proved; return how often, and what passed."""
    answer = next((each for each in answers if each.is_optimal), None)
    if answer is None or answer.solution is None or attack.seed % 4:
        # They take more time than the rest of an attack.
        return 0, []
    interval = interval_of(answer.solution.certificate)
    form = list(model.forms.values())[attack.seed % len(model.forms)]
    failures: list[Failure] = []
    for lie in LIES:
        with _registered(lie, attack.seed):
            try:
                solution = form.solve("liar", tol=TOLERANCE)
            except (InfeasibleError, UnboundedError) as error:
                failures.append(Failure("forgery", f"{lie}, {form.name}: {type(error).__name__}: {error}"))
                continue
            except QPKernelsError:
                continue
            except Exception as error:
                failures.append(Failure("untyped", f"{lie}, {form.name}: {type(error).__name__}: {error}"))
                continue
        ways = passed(solution.certificate, interval) if solution.status == "optimal" else ()
        failures += (Failure("forgery", f"{lie}, {form.name}: {each}") for each in ways)
    return len(LIES), failures


@contextmanager
def _registered(lie: str, seed: int) -> Iterator[None]:
    """Register the liar for a while."""
    own = solvers.registry._families
    kind = type("Liar", (Liar,), {"lie": lie, "seed": seed, "cones": find_solver("clarabel").cones})
    solvers.registry._families = lambda: (*own(), kind)
    try:
        yield
    finally:
        solvers.registry._families = own
