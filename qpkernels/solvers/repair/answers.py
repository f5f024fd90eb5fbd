# SPDX-License-Identifier: BSD-3-Clause
"""The repair of an answer before it is judged, so that a loose answer need not be refused nor the judge be lenient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csc_array, csr_array, diags_array, eye_array, vstack
from scipy.sparse.linalg import splu

from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import NonconvexError
from qpkernels.problems import Certificate, Cone, ConeProgram, Nonnegative, PSDTriangle, SecondOrder, Zero
from qpkernels.problems.cone_program.certificates import Judge
from qpkernels.problems.cone_program.residuals import Terms, VariableBounds, into_dual_cone, kinds
from qpkernels.solvers.repair.linearisation import Linearised
from qpkernels.solvers.repair.polishing import PolishingWork, polished

__all__ = ["Repaired", "repair", "without_rounding"]

_PATIENCE = 100
"""Repairs in a row that make no better proof, after which no more are tried."""

_LINEARISATIONS = 5

_APPROACHES = 6
"""Steps onto the rows and into the cones, whose surfaces curve, of which each leaves a share."""

_NEAR, _LEFT = 1e-6, 1e-10
"""Share of a row's terms from which a step takes an inequality for active, and what it leaves of its way."""

_FARTHEST, _HALVINGS = 1e6, 40
"""How far one entry is moved towards a cone at the most, and how often the way is halved."""

_ROUNDING = 1e-12
"""Share of the largest entry below which an entry may be nothing but rounding; whether it is, the proof says."""


@dataclass(frozen=True, eq=False)
class Repaired:
    """A point with multipliers, and the certificate of both.

    Attributes
    ----------
    point
        x, shape (variables,).
    multipliers
        z, shape (rows of A,), in the sign of Px + q + A'z = 0.
    certificate
        The certificate of both together.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.solvers import find_solver
    >>> from qpkernels.solvers.repair import repair
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).primal.lower().program
    >>> answer = find_solver("clarabel").solve(program, tol=1e-3)
    >>> print(repair(program, answer.point, answer.multipliers, tol=1e-9).certificate.holds(1e-9))
    True
    """

    point: Vector
    multipliers: Vector
    certificate: Certificate

    @property
    def error(self) -> float:
        """The smallest tolerance at which the certificate holds, infinite if it never does."""
        return self.certificate.error


def repair(program: ConeProgram, x: Vector, z: Vector, tol: float) -> Repaired:
    """Return the answer (x, z) itself if its certificate holds at ``tol``, else the best of its repairs.

    The point is clipped to its bounds, its multipliers are cleared of rounding and completed by those of bounds, and
    both are moved by the smallest steps onto the equations and into the cones, in units of their own sizes. An answer
    that is still loose is polished; for other cones, this uses quadratic programs that approximate the program near it.
    Each repair is judged by :func:`certify_cone_program` like any answer, and dropped if it does not improve the proof.

    Parameters
    ----------
    program, x, z
        As in :func:`qpkernels.problems.certify_cone_program`.
    tol
        The tolerance at which the answer is good enough without repair.

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
    if not program.is_quadratic:
        reached = _reached(terms, bounds, x)
        yield reached, _balanced(terms, z)
        # At the tip of a cone the point needs a step, and rounding in the multipliers of slack rows must go with it.
        yield reached, _balanced(terms, _without_slack_rows(terms, reached, z))
    yield x, _without_slack_rows(terms, x, z)
    yield x, without_rounding(z)
    yield _completed(terms, bounds, x, z)
    yield _completed(terms, bounds, x, _without_slack_rows(terms, x, z))
    if program.is_quadratic:
        yield _reached(terms, bounds, x), _balanced(terms, z)
    for point, multipliers in (polished if program.is_quadratic else _linearised)(program, x, z, work):
        yield _completed(terms, bounds, point, multipliers)
        yield _completed(terms, bounds, *_cleared(program, point, multipliers))
        if not program.is_quadratic:
            yield _reached(terms, bounds, point), _balanced(terms, multipliers)


def _reached(terms: Terms, bounds: VariableBounds, x: Vector) -> Vector:
    """Return x after steps onto equations and inequalities and into cones.

    A variable that is in one row alone, such as the bound of a convex term in an objective, rises until it is one,
    whatever the others are. Variables with bounds are moved in units of their sizes, so that what is almost 0 stays
    there.
    """
    program, A = terms.program, csr_array(terms.program.A)
    equal, one_sided = kinds(program)
    by_column = csc_array(A)
    (single,) = np.nonzero((np.diff(by_column.indptr) == 1) & (terms.curvature == 0))
    first = by_column.indptr[single]
    own = dict(zip(by_column.indices[first].tolist(), zip(single, by_column.data[first], strict=True), strict=True))
    coupled = [(cone, part) for cone, part in program.parts() if not isinstance(cone, Zero | Nonnegative)]
    rising = [[row for row in range(part.start, part.stop) if row in own] for _, part in coupled]
    x = bounds.clip(x)
    bounded = np.isfinite(bounds.lower) | np.isfinite(bounds.upper)
    for _ in range(_APPROACHES):
        s, sizes = program.b - A @ x, terms.rows(x)
        rows = equal | (one_sided & (s <= _NEAR * sizes))
        parts, ways = [csr_array(A[rows])], [np.where(one_sided, np.minimum(s, 0.0), s)[rows]]
        for (cone, part), risen in zip(coupled, rising, strict=True):
            if not risen and cone.violation(s[part]) > 0:
                directions, way = _approach(cone, s[part], cone.into)
                parts.append(csr_array(directions @ A[part]))
                ways.append(-way)
        step = _shortest_step(
            vstack(parts), np.concatenate(ways), np.where(bounded, np.abs(x), np.abs(x).max(initial=0.0))
        )
        x = bounds.clip(x + step)
    s = program.b - A @ x
    for (cone, part), risen in zip(coupled, rising, strict=True):
        for row in risen:
            if rise := _way_inside(cone.violation, s[part], row - part.start):
                column, factor = own[row]
                x[column] -= rise / factor
                break
    return x


def _balanced(terms: Terms, z: Vector) -> Vector:
    """Return z after steps that leave no slope of variables without a curvature, and into dual cones.

    The multiplier of a row without variables, such as a constant in a cone, is in no slope. Others are moved in units
    of their sizes, so that they keep their signs; those of equations need not.
    """
    program, A = terms.program, csr_array(terms.program.A)
    flat, sizes, empty = terms.curvature == 0, np.abs(z), np.diff(A.indptr) == 0
    coupled = [(cone, part) for cone, part in program.parts() if not isinstance(cone, Zero | Nonnegative)]
    for cone, part in program.parts():
        if isinstance(cone, Zero):
            sizes[part] = np.abs(z).max(initial=0.0)
        elif isinstance(cone, SecondOrder | PSDTriangle):
            sizes[part] = sizes[part].max(initial=0.0)
    columns, units = csr_array(csr_array(A.T)[flat]), csr_array(eye_array(z.size))
    for _ in range(_APPROACHES):
        parts, ways = [columns], [-(columns @ z + program.q[flat])]
        for cone, part in coupled:
            if not empty[part].any() and cone.dual_violation(z[part]) > 0:
                directions, way = _approach(cone, z[part], cone.into_dual)
                parts.append(csr_array(directions @ units[part]))
                ways.append(way)
        z = z + _shortest_step(vstack(parts), np.concatenate(ways), sizes)
    for cone, part in coupled:
        for place in np.flatnonzero(empty[part]).tolist():
            if step := _way_inside(cone.dual_violation, z[part], place):
                z[part.start + place] += step
                break
    return z


def _approach(cone: Cone, s: Vector, into: Callable[[Vector], Vector]) -> tuple[Matrix, Vector]:
    """Return directions, and how far s is to be moved along each of them into a cone that it is outside of."""
    if isinstance(cone, SecondOrder) and (norm := float(np.linalg.norm(s[1:]))) > 0:
        # Its first entry may rise, or the others shrink.
        return np.concatenate([[1.0], -s[1:] / norm])[None], np.array([norm - s[0]])
    if isinstance(cone, PSDTriangle):
        values, vectors = np.linalg.eigh(cone.matrix(s))
        low = values <= _NEAR * np.abs(values).max()
        columns, rows = np.tril_indices(cone.order)
        of_each = np.where(rows == columns, 1.0, np.sqrt(2.0))[:, None] * vectors[rows] * vectors[columns]
        # Beyond 0 by what a step leaves, since the least eigenvalue is below what it is along a vector.
        return of_each[:, low].T, np.maximum(-values[low], 0.0) + _LEFT * np.abs(values).max()
    return np.eye(s.size), into(s) - s


def _shortest_step(A: csr_array, way: Vector, sizes: Vector) -> Vector:
    """Return the x with Ax equal to the way that is least in units of sizes, up to what a further step makes less."""
    scaled = csr_array(A @ diags_array(sizes))
    units = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)))
    rows = units > 0
    if not rows.any():
        return np.zeros(sizes.size)
    scaled = csr_array(diags_array(1.0 / units[rows]) @ scaled[rows])
    left = _LEFT * eye_array(scaled.shape[0])
    saddle = block_array([[eye_array(sizes.size), scaled.T], [scaled, -left]], format="csc")
    found = splu(saddle).solve(np.concatenate([np.zeros(sizes.size), way[rows] / units[rows]]))
    return np.asarray(sizes * found[: sizes.size])


def _way_inside(violation: Callable[[Vector], float], s: Vector, place: int) -> float:
    """Return the least change of one entry that puts s inside a cone; 0 where it is, or where none does."""
    if violation(s) == 0:
        return 0.0
    unit = np.zeros(s.size)
    unit[place] = 1.0
    found = []
    for sign in (1.0, -1.0):
        size = sign * np.spacing(np.abs(s).max(initial=1.0))
        while violation(s + size * unit) > 0 and abs(size) < _FARTHEST:
            size *= 2.0
        if violation(s + size * unit) == 0:
            low, high = 0.5 * size, size
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if violation(s + middle * unit) > 0 else (low, middle)
            found.append(high)
    return min(found, key=abs, default=0.0)


def _linearised(program: ConeProgram, x: Vector, z: Vector, work: PolishingWork) -> Iterator[tuple[Vector, Vector]]:
    """Yield the optima of the quadratic programs that a program with other cones is near them."""
    for _ in range(_LINEARISATIONS):
        near = Linearised.at(program, x, z)
        try:
            answer = _repaired(near.program, x, near.multipliers, _ROUNDING, work)
        except NonconvexError:  # rounding made the curvature of a convex surface negative: no fault of the program
            return
        x, z = without_rounding(answer.point), near.back(answer.point, answer.multipliers)
        if not (np.isfinite(x).all() and np.isfinite(z).all()):
            return
        yield x, z


def without_rounding(values: Vector) -> Vector:
    """Return the values with 0 in place of those that may be rounding, beside which homogeneous rows never hold."""
    return np.where(np.abs(values) > _ROUNDING * np.abs(values).max(initial=0.0), values, 0.0)


def _cleared(program: ConeProgram, x: Vector, z: Vector) -> tuple[Vector, Vector]:
    """Clear both of rounding, which all multipliers are where the objective has no slope that a row could hold."""
    x = without_rounding(x)
    return x, without_rounding(z) if (program.P @ x + program.q).any() else np.zeros_like(z)


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
