# SPDX-License-Identifier: BSD-3-Clause
"""The interface of solvers: the base class, the request, and the answer."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import (
    Vector,
    check_count,
    check_flag,
    check_positive,
    check_tolerance,
    finite_vector,
    is_integer,
    real_number,
    shown,
)
from qpkernels.errors import (
    ParameterError,
    QPKernelsError,
    SolverFailedError,
    SolverNotInstalledError,
    UnsupportedOptionError,
    UnsupportedProgramError,
)
from qpkernels.problems import Cone, ConeProgram, Program
from qpkernels.solvers.isolation import Ended, ProcessLimits, Raised, Worker

__all__ = [
    "COMMON",
    "Answer",
    "Claim",
    "ConePoint",
    "Method",
    "Outcome",
    "Request",
    "Solver",
    "attributes",
    "check_answer",
    "check_options",
]


class Claim(StrEnum):
    """The claim of a solver about its own answer; the certificate decides.

    Examples
    --------
    >>> from qpkernels.solvers import Claim
    >>> print([claim.value for claim in Claim])
    ['optimal', 'infeasible', 'unbounded', 'stopped', 'interrupted', 'failed']
    """

    OPTIMAL = "optimal"
    """The point, with the multipliers, is optimal to the tolerance."""

    INFEASIBLE = "infeasible"
    """No point satisfies the constraints; the multipliers are the proof."""

    UNBOUNDED = "unbounded"
    """The objective is unbounded below; the point is the direction along which it falls."""

    STOPPED = "stopped"
    """A limit was reached, or no step improves the point, which is the best so far."""

    INTERRUPTED = "interrupted"
    """The user interrupted the solver; the point is the best so far."""

    FAILED = "failed"
    """The solver gave up, and its message says why."""


@dataclass(frozen=True, eq=False)
class ConePoint:
    """The x and z of a ConeProgram.

    Attributes
    ----------
    point
        x, shape (variables,).
    multipliers
        z, shape (rows of A,), in the sign of Px + q + A'z = 0.
    """

    point: Vector
    multipliers: Vector


_LEAST = 1e-3
"""Seconds that a solver is given when its time is over: it answers with where it stands."""


def time_left(limit: float, spent: float) -> float:
    """Return the seconds that are left of a time limit."""
    return max(_LEAST, limit - spent)


@dataclass(frozen=True, eq=False)
class Request:
    """The options that mean the same for every solver, checked on entry.

    Attributes
    ----------
    tol
        The required accuracy of the answer, as the certificate will measure it, above 0 and below 1. The adapter
        translates it into the tolerances of a back-end.
    max_iter, time_limit
        Limits in iterations of the back-end, at least 1, and in seconds, above 0; None for the back-end's default.
    warm_start
        A point to start from, shape (n,).
    verbose
        Whether the solver reports progress; those of this project log it (:mod:`qpkernels.arrays.log`), others print
        it.
    warm_multipliers
        For a ConeProgram, the multipliers to start from together with that point, shape (rows,), if they are known.

    Raises
    ------
    ParameterError
        If ``tol``, ``max_iter``, ``time_limit`` or ``verbose`` has an invalid value.

    Examples
    --------
    >>> from qpkernels.solvers import Request
    >>> print(Request(tol=1e-8, time_limit=10.0).time_limit)
    10.0
    """

    tol: float = 1e-6
    max_iter: int | None = None
    time_limit: float | None = None
    warm_start: Vector | None = None
    verbose: bool = False
    warm_multipliers: Vector | None = None

    def __post_init__(self) -> None:
        vars(self).update(tol=check_tolerance(self.tol), verbose=check_flag(self.verbose, "verbose"))
        if self.max_iter is not None:
            vars(self).update(max_iter=check_count(self.max_iter, "max_iter"))
        if self.time_limit is not None:
            vars(self).update(time_limit=check_positive(self.time_limit, "time_limit"))

    def having(self, **changes: Any) -> Self:
        """Return the request with other limits or another start; these come from the library and are not checked.

        Parameters
        ----------
        **changes
            The changed attributes, by name.
        """
        made = copy(self)
        vars(made).update(changes)
        return made


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer of a back-end, in the terms of the program; a part that it did not find is nan in the same shape.

    Attributes
    ----------
    point
        x of a ConeProgram, or beta of an ExpansionProgram. For the claim ``unbounded`` it is the direction.
    multipliers
        z of a ConeProgram in the sign that makes Px + q + A'z = 0; (b,) for other programs, empty if there is no b. For
        the claim ``infeasible`` they are the proof.
    claim, message
        The statement of the solver, as one of our claims and in its own words.
    iterations
        The number of iterations as the back-end counts them; None if it does not say.
    values
        K beta, if the back-end has it in float64 at the beta it returns. Support, intercept and slacks are read from
        it; a certificate computes its own.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.solvers import Answer, Claim
    >>> answer = Answer(np.array([-1.0, 1.0]), np.array([0.5]), Claim.OPTIMAL, "solved", iterations=3)
    >>> print(answer.claim, answer.iterations)
    optimal 3
    """

    point: Vector
    multipliers: Vector
    claim: Claim
    message: str
    iterations: int | None = None
    values: Vector | None = None


@dataclass(frozen=True, eq=False)
class Outcome(Answer):
    """An :class:`Answer` with the name of the solver and its running time, without the time for loading the back-end.

    Attributes
    ----------
    solver
        Its name.
    seconds
        Wall-clock time of its run.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.solvers import find_solver
    >>> outcome = find_solver("smo").solve(SoftMargin([[0.0], [1.0]], [-1, 1]).qp(), tol=1e-6)
    >>> print(outcome.solver, outcome.claim, outcome.point)
    smo optimal [-1.  1.]
    """

    solver: str = ""
    seconds: float = 0.0


def check_answer(solver: str, program: Program, answer: Any) -> None:
    """Refuse an invalid answer to ``program``, since others write adapters too.

    Raises
    ------
    SolverFailedError
        If it is invalid; the message names ``solver`` and what it returned.
    """
    if not isinstance(answer, Answer) or not isinstance(answer.claim, Claim):
        what = f"the claim {shown(answer.claim)}" if isinstance(answer, Answer) else type(answer).__name__
        raise SolverFailedError(f"solver {solver!r} must return an Answer with a Claim, but returned {what}.")
    expected = program.sizes
    parts = (answer.point, answer.multipliers)
    if not _are_vectors(parts, expected):
        came = [f"{p.shape} of {p.dtype}" if isinstance(p, np.ndarray) else type(p).__name__ for p in parts]
        raise SolverFailedError(
            f"solver {solver!r} must return a point and multipliers of float64, of shapes ({expected[0]},) and "
            f"({expected[1]},), and of nan where it has none, but returned {came[0]} and {came[1]} "
            f"({answer.message}); report it to its authors."
        )
    if answer.values is not None and not _are_vectors((answer.values,), expected[:1]):
        raise SolverFailedError(f"solver {solver!r} must return values of float64 and shape ({expected[0]},).")


def _are_vectors(parts: tuple[Any, ...], sizes: tuple[int, ...]) -> bool:
    return all(
        type(part) is np.ndarray and part.dtype == np.float64 and part.shape == (size,)
        for part, size in zip(parts, sizes, strict=True)
    )


COMMON = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
"""Options that mean the same for every solver that has them."""

_PARTS = tuple(field.name for field in fields(Answer))

_LOADING = 300.0
"""Seconds for importing a back-end in a process of its own, and for compiling what it compiles."""

_GRACE, _MORE = 1.0, 1.25
"""A solver with a time limit of its own is ended at _GRACE + _MORE times the limit."""


class Method(ABC):
    """A method that answers programs: a solver, or one that chooses between solvers.

    Notes
    -----
    Arguments of the methods:

    program
        The problem, of a kind that it takes.
    request
        The options that mean the same for every solver.
    options
        Further options of the back-ends themselves, as :meth:`solve` takes them.
    tol, max_iter, time_limit, verbose
        As in :class:`Request`.
    """

    name: str
    """The name by which users call it."""
    options: frozenset[str] = frozenset()
    """Which of tol, max_iter, time_limit and warm_start it has; without tol it runs at its own accuracy."""

    @abstractmethod
    def prepare(self, program: Any) -> None:
        """Compute the part of a kernel matrix that the solver will need, so that this can be timed separately."""

    @abstractmethod
    def ask(self, program: Any, request: Request, **options: Any) -> Outcome:
        """Solve ``program`` as :meth:`solve` does, for a request that has been checked."""

    def solve(
        self,
        program: Any,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: ArrayLike | ConePoint | Answer | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Outcome:
        """Solve ``program``; parameters are as in :class:`Request`, and ``options`` go to the back-end unchanged.

        Parameters
        ----------
        warm_start
            A point or an earlier answer; for a ConeProgram, the multipliers start from those of the answer.
        isolate
            Whether to run the back-end in a process of its own, which is kept for its next call. If it hangs, aborts or
            exhausts its memory there, the outcome has no numbers, and the claim is ``stopped`` after ``time_limit`` and
            ``failed`` otherwise. A back-end without its own time limit is isolated if one is requested, and one that
            does not keep its limit is ended. A back-end that is known to abort on such programs is isolated as well.
            Its output, if ``verbose``, goes where the process prints.
        memory_limit
            The bytes that this process may hold, on Linux; None stands for three quarters of the machine's memory.

        Raises
        ------
        SolverNotInstalledError
            If the back-end is not installed.
        UnsupportedProgramError
            If the back-end does not take this program.
        UnsupportedOptionError, ParameterError
            If the back-end has no such option or does not take the value.
        ShapeError, NonFiniteError
            If ``warm_start`` is not a point of the program.
        SolverFailedError
            If the back-end raises or returns an invalid answer.
        """
        start: Any = warm_start
        multipliers = None
        if isinstance(warm_start, ConePoint | Answer):
            start, multipliers = warm_start.point, warm_start.multipliers
        if isinstance(program, ConeProgram) and start is not None:
            start = finite_vector(start, "warm_start", program.q.size)
            if multipliers is not None:
                multipliers = finite_vector(multipliers, "the multipliers of warm_start", program.b.size)
        return self.ask(program, Request(tol, max_iter, time_limit, start, verbose, multipliers), **options)


class Solver(Method):
    """A back-end. A subclass states its capabilities as class data and implements :meth:`run`.

    To add a solver, add a file to ``backends``, or an entry point in the group ``qpkernels.solvers`` that names a
    subclass.

    Notes
    -----
    Arguments of the methods:

    program
        The problem, of one of the kinds in :attr:`programs`; for :meth:`load` also None, which stands for all kinds.
    request
        The options that mean the same for every solver.
    options
        Options of the back-end itself, by their names there; :meth:`settings` lists them if they are known.
    option
        One of ``tol``, ``max_iter``, ``time_limit`` and ``warm_start``.
    name
        The name by which a user calls the solver.
    """

    programs: ClassVar[tuple[type[Program], ...]] = (ConeProgram,)
    """The kinds of program that it takes."""
    cones: ClassVar[tuple[type[Cone], ...]] = ()
    """The kinds of cone that it takes in a ConeProgram."""
    foreign: ClassVar[bool] = True
    """Whether it runs foreign code, which may hang or abort; comparisons give such a solver its own process."""
    module: str | None = None
    """The module that it imports; None if nothing can be missing."""
    install: str = "nothing to install"
    """The command that installs this module."""

    def __repr__(self) -> str:
        return f"<solver {getattr(self, 'name', '')!r}>"

    @classmethod
    def instances(cls) -> Iterable[Solver]:
        """Return the solvers that this class stands for; it is one unless the class wraps a family."""
        return (cls(),)

    @classmethod
    def named(cls, name: str) -> Solver | None:
        """Return the solver called ``name``, or None if this class has none."""
        return next((solver for solver in cls.instances() if solver.name == name), None)

    @abstractmethod
    def run(self, program: Any, request: Request, **options: Any) -> Answer:
        """Solve ``program``, of a kind in :attr:`programs`; ``options`` go to the back-end unchanged."""

    def load(self, program: Any = None) -> None:
        """Import the back-end and compile what ``program`` needs, or everything, so the first solve is not slow."""
        del program
        if self.module is not None:
            import_module(self.module)

    def prepare(self, program: Any) -> None:
        """Compute the part of a kernel matrix that the solver will need, so that this can be timed separately."""
        del program

    @property
    def installed(self) -> bool:
        """Whether the module that it imports can be found."""
        if self.module is None:
            return True
        try:
            return find_spec(self.module) is not None
        except ModuleNotFoundError:
            # A part of a package that is not there itself.
            return False

    def settings(self) -> Mapping[str, Any] | None:
        """Return the options of the back-end with their defaults; None if they are unknown and not checked.

        It is only called if a user passes options. A default of None, or of the back-end's own type, allows any value.
        """
        return None

    def refusal(self, program: Program) -> str | None:
        """Return why the solver does not take ``program``, or None if it does."""
        if not isinstance(program, self.programs):
            kinds = " or ".join(kind.__name__ for kind in self.programs)
            return f"solver {self.name!r} takes a {kinds}, but {program.name} is a {type(program).__name__}"
        if isinstance(program, ConeProgram):
            foreign = sorted({type(cone).__name__ for cone in program.cones if not isinstance(cone, self.cones)})
            if foreign:
                return f"solver {self.name!r} has no cones of kind {', '.join(foreign)}, which {program.name} needs"
        return None

    def may_abort(self, program: Program) -> bool:  # noqa: ARG002
        """Return whether the back-end is known to abort its process on such a program, so that it is isolated."""
        return False

    def ask(
        self,
        program: Program,
        request: Request,
        *,
        isolate: bool = False,
        memory_limit: int | None = None,
        **options: Any,
    ) -> Outcome:
        """Solve ``program`` for a request that has been checked; see :meth:`solve`.

        Parameters
        ----------
        isolate, memory_limit
            As there.
        """
        if not self.installed:
            raise SolverNotInstalledError(
                f"solver {self.name!r} needs the module {self.module!r}, which is not installed; run: {self.install}"
            )
        if reason := self.refusal(program):
            raise UnsupportedProgramError(f"{reason}; choose another solver.")
        for option in ("max_iter", "warm_start"):
            if getattr(request, option) is not None and option not in self.options:
                raise UnsupportedOptionError(self.lacks(option))
        known = self.settings() if options else None
        if known is not None:
            check_options(self.name, options, known, self.options)
        isolate = check_flag(isolate, "isolate") or self.may_abort(program)
        own_limit = request.time_limit is None or "time_limit" in self.options
        if memory_limit is not None:
            check_count(memory_limit, "memory_limit")
            if (own_limit and not isolate) or sys.platform != "linux":
                raise UnsupportedOptionError(
                    "memory_limit is that of a process of its own, on Linux: ask for isolate=True, or leave it out."
                )
        if own_limit and not isolate:
            return self.answer_to(program, request, **options)
        return self._outcome(program, *self._run_apart(memory_limit, program, request, options))

    def answer_to(self, program: Program, request: Request, **options: Any) -> Outcome:
        """Solve ``program``, of a kind that it takes, in this process and without further checks.

        Parameters
        ----------
        options
            The options of the back-end itself, either checked or our own.

        Raises
        ------
        SolverFailedError
            As :meth:`solve` does.
        """
        try:
            answer, seconds = _timed(self, program, request, options)
        except QPKernelsError:
            raise
        except (Exception, SystemExit) as error:
            raise SolverFailedError(f"solver {self.name!r} raised {type(error).__name__}: {error}") from error
        return self._outcome(program, answer, seconds)

    def _outcome(self, program: Program, answer: Answer, seconds: float) -> Outcome:
        check_answer(self.name, program, answer)
        return Outcome(**{part: getattr(answer, part) for part in _PARTS}, solver=self.name, seconds=seconds)

    def lacks(self, option: str) -> str:
        """Return in words that the solver lacks one of the options that mean the same for every solver."""
        has = ", ".join(sorted(self.options)) or "none of these options"
        return f"solver {self.name!r} has no {option}; it has {has}."

    def _run_apart(
        self, memory_limit: int | None, program: Program, request: Request, options: dict[str, Any]
    ) -> tuple[Answer, float]:
        seconds = request.time_limit
        if "time_limit" not in self.options:
            request = request.having(time_limit=None)
        elif seconds is not None:
            # It is given the time to come back with its best point.
            seconds = _GRACE + _MORE * seconds
        limits = ProcessLimits(seconds, memory_limit, quiet=not request.verbose)
        with Worker.of(self.name) as worker:
            result = worker.call(ProcessLimits(_LOADING), self.load, program)
            if result is None:
                result = worker.call(limits, _timed, self, program, request, options)
        match result:
            case Ended():
                claim = Claim.STOPPED if result.late else Claim.FAILED
                nothing = [np.full(size, np.nan) for size in program.sizes]
                return Answer(nothing[0], nothing[1], claim, result.message), result.seconds
            case Raised():
                if isinstance(result.error, QPKernelsError):
                    raise result.error
                raise SolverFailedError(f"solver {self.name!r} {result.message}") from result.error
        answer, seconds = result
        return answer, seconds


def _timed(solver: Solver, program: Program, request: Request, options: dict[str, Any]) -> tuple[Answer, float]:
    """Return the answer, and the seconds that it took without loading."""
    solver.load(program)
    begin = perf_counter()
    answer = solver.run(program, request, **options)
    return answer, perf_counter() - begin


def check_options(name: str, options: Mapping[str, Any], settings: Mapping[str, Any], common: Collection[str]) -> None:
    """Refuse options that a solver does not have, or whose values have the wrong type.

    Parameters
    ----------
    name
        The solver.
    options
        The options that a user passes.
    settings
        The options of the back-end with their defaults. A value must have the type of its default; if that is None or a
        type of the back-end's own, the back-end checks the value.
    common
        The options of the solver among those that mean the same for every solver.

    Raises
    ------
    UnsupportedOptionError
        If there is no such option; the message lists the existing ones, the nearest first.
    ParameterError
        If a value has another type.
    """
    for option, value in options.items():
        if option not in settings:
            known = sorted({*settings, *common, "verbose"})
            near = get_close_matches(option, known, n=2, cutoff=0.7)
            hint = f"did you mean {' or '.join(map(repr, near))}? It" if near else "it"
            raise UnsupportedOptionError(f"solver {name!r} has no option {option!r}; {hint} has {', '.join(known)}.")
        wanted = _wanted(settings[option], value)
        if wanted is not None:
            raise ParameterError(f"{option} must be {wanted} as an option of solver {name!r}, but {shown(value)} came.")


def attributes(settings: object) -> dict[str, Any]:
    """Return the options of a back-end that keeps them as attributes of an object, with their values."""
    names = (name for name in dir(settings) if not name.startswith("_"))
    return {name: value for name in names if not callable(value := getattr(settings, name))}


def _wanted(default: object, value: object) -> str | None:
    """Return what a value should have been in place of what it is, or None if it is that."""
    match default:
        case bool():
            return None if isinstance(value, bool | np.bool_) else "True or False"
        case int():
            return None if is_integer(value) or isinstance(value, bool) else "an integer"
        case float():
            return None if _is_number(value) else "a number"
        case str():
            return None if isinstance(value, str) else "text"
    return None


def _is_number(value: object) -> bool:
    try:
        real_number(value, "it")
    except ParameterError:
        return False
    return True
