# SPDX-License-Identifier: BSD-3-Clause
"""The common part of every route to a solution: the request, the choice of a solver, and the messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.modelling.candidate import Candidate
from formulations.modelling.solution import Solution
from qpkernels.arrays import check_positive, shown
from qpkernels.errors import UnsupportedOptionError
from qpkernels.problems import Certificate, ConeProgram, LinearSystem, MultipleKernelQP, Program, Status
from qpkernels.problems.program import ExpansionProgram
from qpkernels.solvers import Claim, ConePoint, Outcome, Request, Solver, SolverLike, find_solver
from qpkernels.solvers.automatic import OF_SMO, Budget
from qpkernels.solvers.interface import Method

__all__ = [
    "Held",
    "Latest",
    "SolveRequest",
    "first_taken",
    "foreign",
    "hold",
    "is_finite",
    "quote",
    "status_of",
]


@dataclass(frozen=True, eq=False)
class SolveRequest:
    """A user's request to ``solve``; see :meth:`formulations.modelling.model.Model.solve`.

    Attributes
    ----------
    solver, warm_start, options
        As there.
    of_any
        What means the same for every solver: tol, limits and verbose.
    begun
        When it was asked, by the clock of :func:`time.perf_counter`: the limit of time counts from there.
    """

    solver: SolverLike | None
    of_any: Request
    warm_start: Solution | ArrayLike | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    begun: float = field(default_factory=perf_counter)

    def __post_init__(self) -> None:
        if "cache_size" in self.options:
            check_positive(self.options["cache_size"], "cache_size")

    def without_those_of_smo(self) -> SolveRequest:
        """Return the request for those who do not ask smo."""
        return replace(self, options={name: value for name, value in self.options.items() if name not in OF_SMO})

    def ended(self, outcome: Outcome) -> bool:
        """Return whether a limit that the user set may be what ended the solver."""
        limits, seconds = self.of_any, max(outcome.seconds, perf_counter() - self.begun)
        return limits.max_iter is not None or (limits.time_limit is not None and seconds >= limits.time_limit)

    @property
    def names_nobody(self) -> bool:
        """Whether neither a solver is named, nor options that belong to one; those of smo may be given all the same."""
        return self.solver is None and self.options.keys() <= {"isolate", "memory_limit", *OF_SMO}

    @property
    def suits_arrays(self) -> bool:
        """Whether nobody is named, nothing is limited but memory and steps, and there is nothing to begin with."""
        asked = self.of_any
        return (
            self.solver is None
            and self.warm_start is None
            and asked.time_limit is None
            and not asked.verbose
            and self.options.keys() <= {"cache_size"}
        )

    @property
    def limits_nothing(self) -> bool:
        """Whether that is so, and steps are not limited either."""
        return self.suits_arrays and self.of_any.max_iter is None

    def backend(self, structures: tuple[Program, ...], cone_solver: str) -> Solver:
        """Return the solver asked for, or the one that a model of this structure deserves, or its forms."""
        if self.solver is not None:
            return find_solver(self.solver)
        # Options of a back-end came, which are taken for those of the usual one.
        if not structures:
            return find_solver(cone_solver)
        return find_solver(structures[0].usual_solver)

    def choose(self, structures: tuple[Program, ...], cone_solver: str) -> tuple[Solver, Program | None]:
        """Return that solver, and the first of the programs that it takes; None: it is given a lowered form."""
        backend = self.backend(structures, cone_solver)
        return backend, first_taken(structures, backend)

    def solve_with(self, backend: Method, program: Program, name: str) -> Outcome:
        """Let ``backend`` solve ``program``, which states a model of that name.

        Raises
        ------
        UnsupportedOptionError
            If it is to start warm, and is no solver that does so from what came.
        """
        asked = self.of_any
        if asked.time_limit is not None:
            # What it took to state the matrices is spent.
            asked = asked.having(time_limit=Budget(None, asked.time_limit, begun=self.begun).seconds_left)
        if self.warm_start is None:
            pass
        elif isinstance(program, ExpansionProgram | MultipleKernelQP) or (
            isinstance(program, LinearSystem) and program.is_expansion and "warm_start" in backend.options
        ):
            asked = asked.having(warm_start=starting_point(program, self.warm_start))
        else:
            start = start_in_matrices(program, self.warm_start, backend, name)
            asked = asked.having(warm_start=start.point, warm_multipliers=start.multipliers)
        return backend.ask(program, asked, **self.options)


@dataclass(frozen=True, eq=False)
class Held:
    """An answer to a textbook problem, with its certificate, at hyper-parameters of these values.

    It knows nothing of the model that holds it: in a circle, kernel matrices would stay until a collection of garbage.
    """

    answer: Candidate
    certificate: Certificate
    proved: bool
    parameters: tuple[bytes, ...]


@dataclass(eq=False)
class Latest:
    """The last answer; None before the first, and in a copy from a file: it holds functions, which no file does."""

    answer: Held | None = None

    def __reduce__(self) -> tuple[type[Latest], tuple[()]]:
        """Return what a file holds: nothing."""
        return Latest, ()


def hold(model: Any, answer: Candidate, certificate: Certificate, status: Status) -> None:
    """Keep the answer for the forms of the model to show, at the points that were certified."""
    model._latest.answer = Held(answer, certificate, status is Status.OPTIMAL, model._parameter_values())


def first_taken(structures: tuple[Program, ...], solver: Solver) -> Program | None:
    """Return the first of the programs that ``solver`` takes; None: it is given a lowered form."""
    return next((program for program in structures if isinstance(program, solver.programs)), None)


def foreign(solver: Solver, name: str, extended: bool) -> str:
    """Return why a form of that name is no program that ``solver`` takes."""
    kinds = " or a ".join(kind.__name__ for kind in solver.programs)
    why = "it was extended" if extended else "its textbook problem is of another kind"
    return f"solver {solver.name!r} takes a {kinds}, and this {name} is not one, since {why}"


def starting_point(
    program: ExpansionProgram | LinearSystem | MultipleKernelQP, start: Solution | ArrayLike
) -> ArrayLike:
    """Return beta to start from: of a solution, rescaled so that what was at its bound is at that of ``program``."""
    if not isinstance(start, Solution):
        return start
    bounded = start.support.bounded
    if (
        not isinstance(program, ExpansionProgram)
        or start.beta.size != program.size
        or bounded.size == 0
        or program.total
    ):
        return start.beta
    room = np.where(start.beta > 0, program.upper, -program.lower)[bounded]
    factor = float(np.median(room / np.abs(start.beta[bounded])))
    return factor * start.beta if 0.0 < factor < np.inf else start.beta


def start_in_matrices(program: Program, start: Solution | ArrayLike, backend: Method, name: str) -> ConePoint:
    """Return the point and multipliers of a form in matrices to start from, which its own solution has.

    Raises
    ------
    UnsupportedOptionError
        If the solver does not start warm, or the start is none of this form.
    """
    if not ("warm_start" in backend.options and isinstance(program, ConeProgram)):
        raise UnsupportedOptionError(
            f"a {name} by {backend.name!r} does not start warm; choose a solver that does: osqp, proxqp and scs go on "
            "from a solution of the same form, smo and interior-point from any beta ('qpkernels solvers' lists all)."
        )
    if isinstance(start, Solution) and start.formulation == name and start._in_matrices is not None:
        point = start._in_matrices
        if point.point.size == program.q.size and point.multipliers.size == program.b.size:
            return point
    came = f"one of a {start.formulation} by {start.solver}" if isinstance(start, Solution) else shown(start)
    raise UnsupportedOptionError(
        f"a {name} by {backend.name!r} starts warm from a solution of that form, with as many variables, by a solver "
        f"that is given matrices, but {came} came; solvers such as smo and interior-point start from any beta."
    )


def status_of(certificate: Certificate, claim: Claim, tol: float) -> Status:
    """Return the status of an answer: ``optimal`` by its certificate only, else what the solver claims of it."""
    if certificate.holds(tol):
        return Status.OPTIMAL
    match claim:
        case Claim.OPTIMAL:
            return Status.UNCERTIFIED
        case Claim.STOPPED | Claim.INTERRUPTED:
            return Status.STOPPED
        case _:
            return Status.FAILED


def is_finite(outcome: Outcome) -> bool:
    """Return whether a solver returned numbers."""
    return bool(np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all())


def quote(outcome: Outcome) -> str:
    """Return in words who says what."""
    return f"solver {outcome.solver!r} says {outcome.message!r}"
