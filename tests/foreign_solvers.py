# SPDX-License-Identifier: BSD-3-Clause
"""Solvers as other packages would write them; a process of their own imports this file and little else."""

import ctypes
import os
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from qpkernels.problems import ConeProgram, KernelQP, Program
from qpkernels.solvers import Answer, Claim, Request, Solver
from qpkernels.solvers.backends.clarabel import Clarabel


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
