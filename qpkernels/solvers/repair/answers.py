# SPDX-License-Identifier: BSD-3-Clause
"""An answer repaired before it is judged, so that a loose one need not be refused and the judge need not be lenient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import lsqr

from qpkernels.arrays import Vector
from qpkernels.errors import NonconvexError
from qpkernels.problems import Certificate, ConeProgram, Nonnegative, PSDTriangle, Zero
from qpkernels.problems.cone_program.certificates import Judge
from qpkernels.problems.cone_program.residuals import Terms, VariableBounds, into_dual_cone, kinds
from qpkernels.solvers.repair.linearisation import Linearised
from qpkernels.solvers.repair.polishing import PolishingWork, polished

__all__ = ["Repaired", "repair", "without_rounding"]

_PATIENCE = 100
"""Repairs in a row that make no better proof, after which no more are tried."""

_LINEARISATIONS = 5

_LIGHT = (1e-9, 1e-7, 1e-5)
"""Shares of the value that multipliers may weigh which a repair drops; whether that is cheap, the proof says."""

_STEPS = 3
"""Steps towards the cones with one margin: the point near s that a cone names moves with s."""

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


def repair(program: ConeProgram, x: Vector, z: Vector, tol: float) -> Repaired:
    """Return the answer (x, z) itself if its certificate holds at ``tol``, else the best of its repairs.

    It is clipped to its bounds, its multipliers are cleared of rounding and completed by those of bounds, and it is
    polished. With other cones, it is moved into them by shortest steps in its variables, multipliers of cones that are
    slack are dropped, and it is polished by way of the quadratic programs that the cones make near it. Each
    repair is judged by :func:`certify_cone_program` as any answer is, so it need not be trusted: one that makes no
    better proof is dropped.

    Parameters
    ----------
    program, x, z
        As in :func:`qpkernels.problems.certify_cone_program`.
    tol
        The tolerance at which the answer is good enough as it is.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.solvers.repair import repair
    >>> from qpkernels.solvers import find_solver
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-3)
    >>> repaired = repair(program, answer.point, answer.multipliers, tol=1e-9)
    >>> print(repaired.certificate.holds(1e-9), f"{repaired.certificate.primal_value:.3f}")
    True 0.500
    """
    return _repaired(program, x, z, tol, PolishingWork())


def _repaired(program: ConeProgram, x: Vector, z: Vector, tol: float, work: PolishingWork) -> Repaired:
    """Repair; ``work`` counts what the polishing of all programs has taken that come of one answer."""
    judge = Judge.of(program)
    best = _judged(judge, x, z)
    if best.error <= tol or not (np.isfinite(x).all() and np.isfinite(z).all()):
        return best
    left = _PATIENCE
    for point, multipliers in _repairs(judge, x, z, work):
        repaired = _judged(judge, point, multipliers)
        better = _rank(repaired) < _rank(best)
        left = _PATIENCE if better else left - 1
        best = repaired if better else best
        if best.error <= tol or left == 0:
            break
    return best


def _rank(answer: Repaired) -> tuple[float, float]:
    """Return the least tolerance at which something is proved, then what is in the way where that is none."""
    proof = answer.certificate
    return answer.error, np.inf if np.isnan(proof.largest) else max(proof.largest, proof.uncounted)


def _judged(judge: Judge, x: Vector, z: Vector) -> Repaired:
    return Repaired(x, z, judge.certify(x, z))


def _repairs(judge: Judge, x: Vector, z: Vector, work: PolishingWork) -> Iterator[tuple[Vector, Vector]]:
    program, terms = judge.program, judge.terms
    bounds = judge.bounds.forced(program)
    yield x, _without_slack_rows(terms, x, z)
    yield x, without_rounding(z)
    yield _completed(terms, bounds, x, z)
    yield _completed(terms, bounds, x, _without_slack_rows(terms, x, z))
    starts, polish = [z], polished
    if not program.is_quadratic:
        lights = [z, *(_without_light_cones(terms, x, z, share) for share in _LIGHT)]
        for point in (x, *_moved_inside(terms, x)):
            yield from (_completed(terms, bounds, point, light) for light in lights)
        starts, polish = [z, lights[-1]], _linearised
    for start in starts:
        for point, multipliers in polish(program, x, start, work):
            yield _completed(terms, bounds, point, multipliers)
            yield _completed(terms, bounds, without_rounding(point), without_rounding(multipliers))


def _moved_inside(terms: Terms, x: Vector) -> Iterator[Vector]:
    """Yield x after the shortest steps that put the rows of violated cones inside and leave those of others.

    What the steps cost is in the value of the point. Rows without a variable stay where they are: then it is outside.
    """
    program, A = terms.program, csr_array(terms.program.A)
    for margin in (1e-12, 1e-9, 1e-8, 1e-7, 1e-6):
        for _ in range(_STEPS):
            s, sizes = program.b - A @ x, terms.rows(x)
            targets, moved = s.copy(), np.zeros(s.size, dtype=np.bool_)
            for cone, rows in program.parts():
                if isinstance(cone, Nonnegative):
                    targets[rows] = np.maximum(s[rows], 0.0)
                    moved[rows] = s[rows] <= 1e-6 * sizes[rows]
                elif isinstance(cone, Zero) or cone.share_outside(s[rows], sizes[rows]) > 0:
                    targets[rows], moved[rows] = cone.into(s[rows]), True
                    if isinstance(cone, PSDTriangle):
                        diagonal = cone.matrix(np.arange(cone.size, dtype=np.float64)).diagonal().astype(np.intp)
                        targets[rows][diagonal] += margin * sizes[rows][diagonal]
            if not moved.any():
                break
            weights = 1.0 / np.where(sizes[moved] > 0, sizes[moved], 1.0)
            way = (s - targets)[moved] * weights
            with np.errstate(over="ignore", invalid="ignore"):
                x = x + lsqr(diags_array(weights) @ A[moved], way, atol=1e-15, btol=1e-15, conlim=0.0)[0]
            if not np.isfinite(x).all():
                return
        yield x


def _without_light_cones(terms: Terms, x: Vector, z: Vector, share: float) -> Vector:
    """Return z with 0 for each equation and coupled cone whose multipliers weigh less than a share of the value.

    Of a cone that is slack they are what a solver stopped at, and leave a slope as large as themselves.
    """
    program = terms.program
    weights, kept = np.abs(z) * terms.rows(x), np.ones(z.size, dtype=np.bool_)
    scale = share * abs(float(0.5 * x @ (program.P @ x) + program.q @ x))
    for cone, rows in program.parts():
        if isinstance(cone, Zero):
            kept[rows] = weights[rows] > scale
        elif not isinstance(cone, Nonnegative):
            kept[rows] = weights[rows].max(initial=0.0) > scale
    return np.where(kept, z, 0.0)


def _linearised(program: ConeProgram, x: Vector, z: Vector, work: PolishingWork) -> Iterator[tuple[Vector, Vector]]:
    """Yield the optima of the quadratic programs that a program with other cones is near them."""
    for _ in range(_LINEARISATIONS):
        near = Linearised.at(program, x, z)
        try:
            answer = _repaired(near.program, x, near.multipliers, _ROUNDING, work)
        except NonconvexError:  # rounding made the curvature of a convex surface negative: no fault of the program
            return
        x, z = answer.point, near.back(answer.point, answer.multipliers)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return
        yield x, z


def without_rounding(values: Vector) -> Vector:
    """Return the values with 0 in place of those that may be rounding, beside which homogeneous rows never hold."""
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
