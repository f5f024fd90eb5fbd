# SPDX-License-Identifier: BSD-3-Clause
"""What a solver is asked for, and what it answers."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from qpkernels.arrays import Vector, check_count, check_flag, check_positive, check_tolerance

__all__ = ["Answer", "Claim", "ConePoint", "Outcome", "Request"]


class Claim(StrEnum):
    """What a solver says of its answer (the certificate decides): interrupted is by the user, stopped by all else."""

    OPTIMAL = "optimal"
    """Its point, with its multipliers, is an optimum to the tolerance."""

    INFEASIBLE = "infeasible"
    """No point satisfies the constraints; the multipliers are the proof."""

    UNBOUNDED = "unbounded"
    """The objective is unbounded below; the point is the direction along which it falls."""

    STOPPED = "stopped"
    """A limit came first, or no step improves; the point is the best so far."""

    INTERRUPTED = "interrupted"
    """The user ended it; the point is the best so far."""

    FAILED = "failed"
    """It gave up, and says why in its message."""


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


@dataclass(frozen=True, eq=False)
class Request:
    """The options that mean the same for every solver, checked where they come in.

    Attributes
    ----------
    tol
        Accuracy wanted of the answer, as the certificate will measure it, above 0 and below 1. What a back-end is told
        is up to its adapter.
    max_iter, time_limit
        Limits in the back-end's iterations, at least 1, and in seconds, above 0; None: the back-end's default.
    warm_start
        A point to start from, shape (n,).
    verbose
        Let the back-end print its progress.
    warm_multipliers
        Of a ConeProgram, the multipliers to start from with that point, shape (rows,), where they are known.

    Raises
    ------
    ParameterError
        If ``tol``, ``max_iter``, ``time_limit`` or ``verbose`` is none.
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
        """Return the request with other limits or another start, which nobody passed and nothing has to check.

        Parameters
        ----------
        **changes
            Attributes by name.
        """
        made = copy(self)
        vars(made).update(changes)
        return made


@dataclass(frozen=True, eq=False)
class Answer:
    """What a back-end returned, in the terms of the program; what it did not find is nan, of the same shape.

    Attributes
    ----------
    point
        x of a ConeProgram, beta of an ExpansionProgram. For the claim ``unbounded``, the direction.
    multipliers
        z of a ConeProgram in the sign that makes Px + q + A'z = 0; (b,) of the others, empty where there is no b. For
        the claim ``infeasible``, the proof.
    claim, message
        What the solver says, in our word and in its own.
    iterations
        Of the back-end's kind; None where it does not tell.
    values
        K beta of these, where the back-end has it in float64 at the beta it returns: what support, intercept and
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
    """An :class:`Answer` with the name of the solver and the seconds it took, without loading the back-end.

    Attributes
    ----------
    solver
        Its name.
    seconds
        Wall-clock time of its run.
    """

    solver: str = ""
    seconds: float = 0.0
