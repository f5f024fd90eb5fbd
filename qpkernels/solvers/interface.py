# SPDX-License-Identifier: BSD-3-Clause
"""What a solver is, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Vector, check_count, check_flag, check_positive, float_array, is_integer, shown
from qpkernels.errors import (
    NonFiniteError,
    QPKernelsError,
    ShapeError,
    SolverFailedError,
    SolverNotInstalledError,
    UnsupportedOptionError,
    UnsupportedProgramError,
)
from qpkernels.programs import Cone, ConeProgram, KernelQP, LeastSquares, LinearSystem, Program

__all__ = ["Answer", "Claim", "Outcome", "Request", "Solver"]


class Claim(StrEnum):
    """What a solver says of its answer. It is a claim: the certificate decides."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class Request:
    """The options that mean the same for every solver.

    Attributes
    ----------
    tol
        Accuracy wanted of the answer, as the certificate will measure it. What a back-end is told is up to its adapter.
    max_iter, time_limit
        Limits in the back-end's iterations and in seconds; None: the back-end's default.
    warm_start
        A point to start from, shape (n,).
    verbose
        Let the back-end print its progress.
    """

    tol: float
    max_iter: int | None
    time_limit: float | None
    warm_start: Vector | None
    verbose: bool


@dataclass(frozen=True, eq=False)
class Answer:
    """What a back-end returned, in the terms of the program; what it did not find is nan, of the same shape.

    Attributes
    ----------
    point
        x of a ConeProgram, beta of a KernelQP. For the claim ``unbounded``, the direction.
    multipliers
        z of a ConeProgram in the sign that makes Px + q + A'z = 0; (b,) of a KernelQP, empty where it has no b. For
        the claim ``infeasible``, the proof.
    claim, message
        What the solver says, in our word and in its own.
    iterations
        Of the back-end's kind; None where it does not tell.
    values
        K beta of a KernelQP, where the back-end has it in float64 at the beta it returns: what support, intercept and
        slacks are read from. A certificate computes its own.
    """

    point: Vector
    multipliers: Vector
    claim: Claim
    message: str
    iterations: int | None = None
    values: Vector | None = None


@dataclass(frozen=True, eq=False)
class Outcome(Answer):
    """An :class:`Answer` with the name of the solver and the seconds it took, without loading the back-end."""

    solver: str = ""
    seconds: float = 0.0


class Solver(ABC):
    """A back-end. A subclass states its capabilities as class data and gives :meth:`run`.

    Adding a solver means adding a file to this package, or an entry point in the group ``qpkernels.solvers`` that
    names a subclass.
    """

    name: str
    """What users call it."""
    programs: ClassVar[tuple[type[Program], ...]] = (ConeProgram,)
    """Kinds of program it takes."""
    cones: ClassVar[tuple[type[Cone], ...]] = ()
    """Kinds of cone it takes in a ConeProgram."""
    options: frozenset[str] = frozenset()
    """Which of tol, max_iter, time_limit and warm_start it has; without tol it runs at its own accuracy."""
    module: str
    """What it imports."""
    install: str
    """The command that installs it."""

    @classmethod
    def instances(cls) -> Iterable[Solver]:
        """Return the solvers this class stands for; one, unless it wraps a family."""
        return (cls(),)

    @classmethod
    def named(cls, name: str) -> Solver | None:
        """Return the solver that ``name`` calls, or None if this class has none of that name."""
        return next((solver for solver in cls.instances() if solver.name == name), None)

    @abstractmethod
    def run(self, program: Any, request: Request, **options: Any) -> Answer:
        """Solve ``program``, of a kind in :attr:`programs`; ``options`` go to the back-end as they are."""

    def load(self) -> None:
        """Import the back-end, so that the first solve is timed like the second."""
        import_module(self.module)

    def prepare(self, program: Any) -> None:
        """Compute what it will need of a kernel matrix, so that the time for that is told apart."""
        del program

    @property
    def installed(self) -> bool:
        """Whether the module it imports can be found."""
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:
            # A part of a package that is not there itself.
            return False

    def refusal(self, program: Program) -> str | None:
        """Return why it does not take ``program``, or None if it does."""
        if not isinstance(program, self.programs):
            kinds = " or ".join(kind.__name__ for kind in self.programs)
            return f"solver {self.name!r} takes a {kinds}, but {program.name} is a {type(program).__name__}"
        if isinstance(program, ConeProgram):
            foreign = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, self.cones)})
            if foreign:
                return f"solver {self.name!r} has no cones of kind {', '.join(foreign)}, which {program.name} needs"
        return None

    def solve(
        self,
        program: Program,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: Vector | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Outcome:
        """Solve ``program``; parameters as in :class:`Request`, ``options`` go to the back-end as they are.

        Raises
        ------
        SolverNotInstalledError
            If the back-end is not there.
        UnsupportedProgramError
            If it does not take this program.
        UnsupportedOptionError
            If it has no such option.
        SolverFailedError
            If the back-end raises.
        """
        if not self.installed:
            raise SolverNotInstalledError(
                f"solver {self.name!r} needs the module {self.module!r}, which is not installed; run: {self.install}"
            )
        if reason := self.refusal(program):
            raise UnsupportedProgramError(f"{reason}; choose another solver.")
        wanted = {"max_iter": max_iter, "time_limit": time_limit, "warm_start": warm_start}
        for option, value in wanted.items():
            if value is not None and option not in self.options:
                has = ", ".join(sorted(self.options)) or "none of these options"
                raise UnsupportedOptionError(f"solver {self.name!r} has no {option}; it has {has}.")
        request = Request(
            tol=check_positive(tol, "tol"),
            max_iter=None if max_iter is None else check_count(max_iter, "max_iter"),
            time_limit=None if time_limit is None else check_positive(time_limit, "time_limit"),
            warm_start=warm_start,
            verbose=check_flag(verbose, "verbose"),
        )
        try:
            self.load()
            begin = perf_counter()
            answer = self.run(program, request, **options)
        except QPKernelsError:
            raise
        except Exception as error:
            raise SolverFailedError(f"solver {self.name!r} raised {type(error).__name__}: {error}") from error
        seconds = perf_counter() - begin
        return Outcome(**vars(self._checked(program, answer)), solver=self.name, seconds=seconds)

    def _checked(self, program: Program, answer: object) -> Answer:
        """Return the answer with its numbers in float64, or refuse what is none."""
        if not isinstance(answer, Answer) or not isinstance(answer.claim, Claim):
            came = f"claim {shown(answer.claim)}" if isinstance(answer, Answer) else shown(answer)
            raise SolverFailedError(
                f"solver {self.name!r} must return an Answer with a Claim, but {came} came; report it to its authors."
            )
        try:
            point, multipliers = float_array(answer.point, "point"), float_array(answer.multipliers, "multipliers")
            values = None if answer.values is None else float_array(answer.values, "values")
        except (NonFiniteError, ShapeError) as error:
            raise SolverFailedError(f"solver {self.name!r} returned no numbers: {error}") from error
        if values is not None and (values.shape != point.shape or not np.isfinite(values).all()):
            raise SolverFailedError(
                f"solver {self.name!r} must return one finite value for each coefficient, or None, but of "
                f"{point.size} coefficients {shown(answer.values)} came; report it to its authors."
            )
        iterations = int(answer.iterations) if is_integer(answer.iterations) else None
        checked = replace(
            answer,
            point=point,
            multipliers=multipliers,
            values=values,
            message=str(answer.message),
            iterations=iterations,
        )
        self._check_shape(program, checked)
        return checked

    def _check_shape(self, program: Program, answer: Answer) -> None:
        match program:
            case ConeProgram():
                expected = (program.q.size, program.b.size)
            case LinearSystem():
                expected = (program.rhs.size, int(program.bordered))
            case LeastSquares():
                expected = (program.features.shape[1], int(program.intercept))
            case KernelQP():
                expected = (len(program), 0 if program.total is None else 1)
        # None, where a back-end found nothing, has the shape ().
        came = np.shape(answer.point), np.shape(answer.multipliers)
        if came != tuple((size,) for size in expected):
            raise SolverFailedError(
                f"solver {self.name!r} must return a point and multipliers of shapes ({expected[0]},) and "
                f"({expected[1]},), of nan where it has none, but returned {came[0]} and {came[1]} "
                f"({answer.message}); report it to its authors."
            )
