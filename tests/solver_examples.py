# SPDX-License-Identifier: BSD-3-Clause
"""All solvers, a program for each, and solvers as other packages would write them."""

import ctypes
import os
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from builders import manufacture
from formulations import Logistic
from qpkernels.problems import (
    ConeProgram,
    KernelQP,
    LeastSquares,
    LevelQP,
    LinearSystem,
    Program,
    ResidualNorm,
    RidgedGram,
    SigmoidFit,
    SmoothRisk,
)
from qpkernels.solvers import Answer, Claim, Request, Solver, installed_solvers, registered_solvers
from qpkernels.solvers.backends.clarabel import Clarabel

CVXPY = ["cvxpy:CLARABEL", "cvxpy:SCS", "cvxpy:OSQP"]

CVXPY_ALL = [f"cvxpy:{name}" for name in ("CLARABEL", "DAQP", "HIGHS", "OSQP", "PIQP", "PROXQP", "SCS")]
"""All that the extra installs, also where their accuracy is too low for other tests."""

REGISTERED = registered_solvers()
EXPECTED = {solver.name for solver in REGISTERED if type(solver).__module__.startswith("qpkernels.")}
"""What the package and its extra ``solvers`` install; a missing one fails the tests rather than shortening them."""

CONE_SOLVERS = [solver.name for solver in installed_solvers() if ConeProgram in solver.programs] + CVXPY
SOFT = manufacture("hinge").program
LOGISTIC = Logistic(np.asarray(SOFT.gram.X), np.where(np.arange(len(SOFT)) % 2, 1.0, -1.0)).bounds().program

EXAMPLES: dict[type[Program], Program] = {
    KernelQP: SOFT,
    ConeProgram: SOFT.to_cone_program(),
    LinearSystem: LinearSystem(RidgedGram(SOFT.gram, np.full(len(SOFT), 0.5)), SOFT.target, name="ridge"),
    LevelQP: LevelQP(
        SOFT.gram, SOFT.target, -np.ones(len(SOFT)), np.ones(len(SOFT)), 0.0, 1.0, least=False, name="a tube"
    ),
    SmoothRisk: LOGISTIC,
    ResidualNorm: ResidualNorm(np.linalg.qr(np.asarray(SOFT.gram.X))[0], SOFT.target, "sum"),
    SigmoidFit: SigmoidFit(np.array([-2.0, -1.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), name="a sigmoid"),
    LeastSquares: LeastSquares(np.asarray(SOFT.gram.X), SOFT.target, name="a fit"),
}
"""A program of each kind."""


def example_for(solver: Solver) -> Program:
    """Return a program that the solver takes."""
    return EXAMPLES[solver.programs[0]]


class Foreign(Solver):
    """A solver as another package would write it."""

    name = "foreign"
    programs: ClassVar = (KernelQP,)
    module = "json"
    install = "pip install foreign"

    def run(self, program: Any, request: Request, **options: Any) -> Answer:
        if "fail" in options:
            raise options["fail"]
        return Answer(np.zeros(len(program)), np.zeros(1), Claim.STOPPED, f"tol {request.tol}")


def _hang() -> None:
    while True:
        pass


def _leak() -> None:
    held = []
    while True:
        held.append(np.ones(2**22))


def _print() -> None:
    print("a loud solver")
    os.system("echo a loud library")


class UnreadableError(Exception):
    """An exception that pickle writes, and cannot read."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def _raise() -> None:
    raise UnreadableError(1, 2)


def _interrupt() -> None:
    raise KeyboardInterrupt


DEEDS: dict[str, Callable[[], object]] = {
    "abort": os.abort,
    "exit": lambda: os._exit(3),
    "hang": _hang,
    "interrupt": _interrupt,
    "leak": _leak,
    "print": _print,
    "raise": _raise,
    "segfault": lambda: ctypes.string_at(0),
}


class Hostile(Foreign):
    """Does a deed to its process, and else answers with the number of it."""

    name = "hostile"

    def run(self, program: Any, request: Request, **options: Any) -> Answer:
        if "deed" in options:
            DEEDS[options.pop("deed")]()
        return replace(super().run(program, request, **options), message=str(os.getpid()))


class Deaf(Hostile):
    """Has a limit of time, and does not keep it."""

    name = "deaf"
    options = frozenset({"time_limit"})


class Frail(Hostile):
    """Says that it may abort."""

    name = "frail"

    def may_abort(self, program: Program) -> bool:  # noqa: ARG002
        return True


class Missing(Foreign):
    """A solver whose package is not here."""

    name = "missing"
    module = "a_module_that_nobody_has"
    install = "pip install missing-solver"


class MissingInside(Missing):
    """A solver whose module lies inside a package that is not here."""

    name = "missing-inside"
    module = "a_package_that_nobody_has.inside"


class Fake(Solver):
    """Answers all programs in the same way."""

    cones: ClassVar = Clarabel.cones
    module = "numpy"
    install = "nothing to install"

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        del request, options
        return self.answer(program.q.size, program.b.size)

    @abstractmethod
    def answer(self, variables: int, rows: int) -> Answer: ...


class Broken(Fake):
    """Raises, with a message that HTML must escape."""

    name = "broken"

    def answer(self, variables: int, rows: int) -> Answer:
        del variables, rows
        raise ZeroDivisionError("<b>no pivot</b> & no luck")


class Lying(Fake):
    """Claims that the origin is optimal."""

    name = "lying"

    def answer(self, variables: int, rows: int) -> Answer:
        return Answer(np.zeros(variables), np.zeros(rows), Claim.OPTIMAL, "trust me", 1)


class Crying(Fake):
    """Claims that there is no point, without a proof."""

    name = "crying"

    def answer(self, variables: int, rows: int) -> Answer:
        return Answer(np.zeros(variables), np.zeros(rows), Claim.INFEASIBLE, "no way", 1)


class Empty(Fake):
    """Returns no numbers."""

    name = "empty"

    def answer(self, variables: int, rows: int) -> Answer:
        return Answer(np.full(variables, np.nan), np.full(rows, np.nan), Claim.FAILED, "lost", None)
