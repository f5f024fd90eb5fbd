# SPDX-License-Identifier: BSD-3-Clause
"""What is proved of the optimal value of a program of the set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qpkernels.errors import SolverFailedError
from qpkernels.problems import PROVED, ConeProgram, Status, enclose_cone_program
from qpkernels.solvers import Claim, Outcome, installed_solvers
from qpkernels.solvers.repair import repair, repair_direction, repair_multipliers

__all__ = ["Optimum", "optimum_of"]

_SOLVERS = ("clarabel", "daqp", "piqp")
"""Asked where they are installed, until the interval is narrow."""

_NARROW = 1e-6
_TOLERANCES = (1e-10, 1e-8)
_PROOF_TOLERANCE = 1e-6
_SECONDS = 60.0


@dataclass(frozen=True)
class Optimum:
    """The status of a program, and an interval that holds its optimal value.

    Attributes
    ----------
    status
        OPTIMAL where lower and upper are finite and hold, INFEASIBLE or UNBOUNDED where multipliers or a ray prove it,
        FAILED where nothing is proved.
    lower, upper
        The ends; +inf of an infeasible program, -inf of one that is unbounded.
    exact
        Whether the interval holds in exact arithmetic. Otherwise its ends are the two values of a certificate, computed
        in float64.
    """

    status: Status
    lower: float
    upper: float
    exact: bool

    @property
    def relative_width(self) -> float:
        """Upper - lower, relative to the larger of both; infinite where there is no interval."""
        if self.status is not Status.OPTIMAL:
            return float("inf")
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size else 0.0


def optimum_of(program: ConeProgram) -> Optimum:
    """Return what is proved of the optimal value of a quadratic program, for its numbers as they are in float64.

    Parameters
    ----------
    program
        min 1/2 x'Px + q'x subject to Ax + s = b, its cones equations and inequalities.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from formulations.testset import optimum_of
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).qp().to_cone_program()
    >>> optimum = optimum_of(program)
    >>> print(optimum.status, f"{optimum.lower:.3f}, {optimum.upper:.3f}", optimum.exact)
    optimal -0.500, -0.500 True
    """
    best = Optimum(Status.FAILED, -np.inf, np.inf, exact=False)
    for outcome in _outcomes(program):
        found = _proved(program, outcome)
        if found.status in (Status.INFEASIBLE, Status.UNBOUNDED):
            return found
        if (found.exact, -found.relative_width) > (best.exact, -best.relative_width):
            best = found
        if best.exact and best.relative_width <= _NARROW:
            break
    return best


def _outcomes(program: ConeProgram) -> Iterator[Outcome]:
    for solver in (each for each in installed_solvers() if each.name in _SOLVERS):
        seconds = _SECONDS if "time_limit" in solver.options else None
        for tol in _TOLERANCES:
            try:
                outcome = solver.solve(program, tol=tol, time_limit=seconds)
            except SolverFailedError:
                continue
            if np.isfinite(outcome.point).all() or np.isfinite(outcome.multipliers).all():
                yield outcome


def _proved(program: ConeProgram, outcome: Outcome) -> Optimum:
    nothing = Optimum(Status.FAILED, -np.inf, np.inf, exact=False)
    # A proof needs no claim: a solver that gave up on a ray has found it all the same.
    if outcome.claim is not Claim.OPTIMAL and (impossible := _without_optimum(program, outcome)) is not None:
        return impossible
    finite = np.isfinite(outcome.point).all() and np.isfinite(outcome.multipliers).all()
    if outcome.claim in (Claim.INFEASIBLE, Claim.UNBOUNDED) or not finite:
        return nothing
    enclosure = enclose_cone_program(program, outcome.point, outcome.multipliers)
    if np.isfinite(enclosure.width):
        return Optimum(Status.OPTIMAL, enclosure.lower, enclosure.upper, exact=True)
    certificate = repair(program, outcome.point, outcome.multipliers, _PROOF_TOLERANCE).certificate
    if outcome.claim is not Claim.OPTIMAL or not certificate.holds(_PROOF_TOLERANCE):
        return nothing
    ends = sorted((certificate.dual_value, certificate.primal_value))
    return Optimum(Status.OPTIMAL, ends[0], ends[1], exact=False)


def _without_optimum(program: ConeProgram, outcome: Outcome) -> Optimum | None:
    if np.isfinite(outcome.multipliers).all() and repair_multipliers(program, outcome.multipliers)[1].holds(PROVED):
        return Optimum(Status.INFEASIBLE, np.inf, np.inf, exact=False)
    if np.isfinite(outcome.point).all() and repair_direction(program, outcome.point)[1].holds(PROVED):
        return Optimum(Status.UNBOUNDED, -np.inf, -np.inf, exact=False)
    return None
