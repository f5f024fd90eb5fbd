# SPDX-License-Identifier: BSD-3-Clause
"""An answer repaired before it is judged, so that a loose one need not be refused and the judge need not be lenient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate
from qpkernels.certificates.cone_program.bounds import VariableBounds
from qpkernels.certificates.cone_program.linearisation import Linearised
from qpkernels.certificates.cone_program.optimality import Judge
from qpkernels.certificates.cone_program.polishing import Work, polished
from qpkernels.certificates.cone_program.residuals import Terms, into_dual_cone, kinds
from qpkernels.errors import NonconvexError
from qpkernels.programs.cone_program import ConeProgram

__all__ = ["Repaired", "repair", "without_rounding"]

_PATIENCE = 100
"""Repairs in a row that make no better proof, after which no more are tried."""

_LINEARISATIONS = 5

_ROUNDING = 1e-12
"""Share of the largest entry below which an entry may be nothing but rounding; whether it is, the proof says."""


@dataclass(frozen=True, eq=False)
class Repaired:
    """A point with multipliers, and what is proved of them.

    Attributes
    ----------
    point
        x, shape (variables,).
    multipliers
        z, shape (rows of A,), in the sign of Px + q + A'z = 0.
    certificate
        What is proved of both together.
    """

    point: Vector
    multipliers: Vector
    certificate: Certificate

    @property
    def error(self) -> float:
        """The least tolerance at which the certificate holds, infinite if it never does."""
        return self.certificate.error

    def is_better_than(self, other: Repaired) -> bool:
        """Return whether more is proved of it: at a smaller tolerance, or with less in the way where at none.

        Parameters
        ----------
        other
            Another answer to the same program.
        """
        mine, others = (_in_the_way(each.certificate) for each in (self, other))
        return self.error < other.error or (self.error == other.error and mine < others)


def repair(program: ConeProgram, x: Vector, z: Vector, tol: float, work: Work | None = None) -> Repaired:
    """Return the answer (x, z) itself if its certificate holds at ``tol``, else the best of its repairs.

    It is clipped to its bounds, its multipliers are cleared of rounding and completed by those of bounds, and it is
    polished: with other cones, by way of the quadratic programs that these make near it. Each repair is judged by
    :func:`certify_cone_program` as any answer is, so it need not be trusted: one that makes no better proof is dropped.
    ``work`` counts what polishing takes, where that is part of something larger.

    Parameters
    ----------
    program, x, z
        As in :func:`qpkernels.certificates.certify_cone_program`.
    tol
        The tolerance at which the answer is good enough as it is.
    work
        The count of what polishing takes so far, which has a limit; None: a count of its own.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.certificates import repair
    >>> from qpkernels.solvers import find_solver
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-3)
    >>> repaired = repair(program, answer.point, answer.multipliers, tol=1e-9)
    >>> print(repaired.certificate.holds(1e-9), f"{repaired.certificate.primal_value:.3f}")
    True 0.500
    """
    judge = Judge.of(program)
    best = _judged(judge, x, z)
    if best.error <= tol or not (np.isfinite(x).all() and np.isfinite(z).all()):
        return best
    left = _PATIENCE
    for point, multipliers in _repairs(judge, x, z, work or Work()):
        repaired = _judged(judge, point, multipliers)
        better = repaired.is_better_than(best)
        left = _PATIENCE if better else left - 1
        best = repaired if better else best
        if best.error <= tol or left == 0:
            break
    return best


def _in_the_way(certificate: Certificate) -> float:
    return np.inf if np.isnan(certificate.largest) else max(certificate.largest, certificate.uncounted)


def _judged(judge: Judge, x: Vector, z: Vector) -> Repaired:
    return Repaired(x, z, judge.certify(x, z))


def _repairs(judge: Judge, x: Vector, z: Vector, work: Work) -> Iterator[tuple[Vector, Vector]]:
    program, terms = judge.program, judge.terms
    bounds = judge.bounds.forced(program)
    yield x, _without_slack_rows(terms, x, z)
    yield x, without_rounding(z)
    yield _completed(terms, bounds, x, z)
    yield _completed(terms, bounds, x, _without_slack_rows(terms, x, z))
    polish = polished if program.is_quadratic else _linearised
    for point, multipliers in polish(program, x, z, work):
        yield _completed(terms, bounds, point, multipliers)
        yield _completed(terms, bounds, without_rounding(point), without_rounding(multipliers))


def _linearised(program: ConeProgram, x: Vector, z: Vector, work: Work) -> Iterator[tuple[Vector, Vector]]:
    """Yield the optima of the quadratic programs that a program with other cones is near them."""
    for _ in range(_LINEARISATIONS):
        near = Linearised.at(program, x, z)
        try:
            answer = repair(near.program, x, near.multipliers, _ROUNDING, work)
        except NonconvexError:  # rounding made the curvature of a convex surface negative: no fault of the program
            return
        x, z = answer.point, near.back(answer.point, answer.multipliers)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return
        yield x, z


def without_rounding(values: Vector) -> Vector:
    """Return the values with 0 in place of those that may be rounding, beside which homogeneous rows never hold.

    Parameters
    ----------
    values
        A point or multipliers: entries that are tiny beside the largest one become 0.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.certificates import without_rounding
    >>> print(without_rounding(np.array([1.0, -2.0, 1e-17])))
    [ 1. -2.  0.]
    """
    return np.where(np.abs(values) > _ROUNDING * np.abs(values).max(initial=0.0), values, 0.0)


def _completed(terms: Terms, bounds: VariableBounds, x: Vector, z: Vector) -> tuple[Vector, Vector]:
    """Clip x to its bounds, and let their multipliers take over what is left of the slope."""
    program = terms.program
    x, z = bounds.clip(x), into_dual_cone(program, z)
    r = program.P @ x + program.q + program.A.T @ z
    rounding = terms.unit * terms.columns(x, z)
    z, _ = bounds.take_over(z, np.where((terms.curvature == 0) & (np.abs(r) > rounding), r, 0.0))
    return x, z


def _without_slack_rows(terms: Terms, x: Vector, z: Vector) -> Vector:
    """Return the multipliers with 0 where an inequality is slack by far more, in its terms, than its multiplier weighs.

    Interior-point methods leave rounding there, and without an objective all multipliers are such.
    """
    program = terms.program
    if not program.P.nnz and not program.q.any():
        return np.zeros_like(z)
    scale = abs(float(0.5 * x @ (program.P @ x) + program.q @ x))
    slack, (_, one_sided) = program.b - program.A @ x, kinds(program)
    rounding = one_sided & (np.abs(z) * terms.rows(x) ** 2 < 1e-7 * scale * slack)
    return np.where(rounding, 0.0, z)
