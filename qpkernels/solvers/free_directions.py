# SPDX-License-Identifier: BSD-3-Clause
r"""The coefficients of several free directions by Newton's method, and those of the samples with them.

One of the directions is an intercept where a combination of them is, and R are the others. At coefficients u of these a
KernelQP is left, whose least value

    p(u) = max  (target - R u)'beta - 1/2 beta'(K + diag(ridge)) beta - epsilon'|beta| + r'u

over the bounds and the sum of beta is convex, with the gradient r - R'beta, and while the free coefficients F stay the
same ones, with the second derivatives R_F'S R_F of :mod:`~qpkernels.solvers.few_parameters`. A step goes to the minimum
of this quadratic, and the free coefficients go with it, so that R'beta = r where none of them leaves its bounds: that
is a candidate for the optimum, and steps of smo over working sets go on from there. Where p rises on the way, the step
is shortened to where its slopes at both ends would have it least.

p is known up to the gap of its KernelQP, and its gradient far less where K is nearly singular: where it does not tell
the direction of Newton's step, the KernelQP is solved more closely first.

Source: L. Qi and J. Sun, Mathematical Programming 58 (1993), "A nonsmooth version of Newton's method".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.problems import KernelQP, SemiparametricQP
from qpkernels.problems.certificate import relative
from qpkernels.problems.kernel_qp.gap import duality_gap
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers.few_parameters import (
    FEW_FIRST,
    FreeFace,
    compiled_rows,
    load_descent,
    some_samples,
    steps_to_the_end,
)
from qpkernels.solvers.interface import Answer, Request, Solver
from qpkernels.solvers.smo.plain import level
from qpkernels.solvers.smo.plain import minimise as minimise_plainly
from qpkernels.solvers.smo.solver import CACHE_SIZE, step_limit

__all__ = ["FreeDirections"]

_FIRST, _LEAST = 1e-2, 1e-10
"""The relative gap to which the first KernelQP is solved, and the least."""

_PART, _CLOSER = 0.1, 0.03
"""Part of what a step is expected to gain to which p is known after it; what the gap is multiplied by where that does
not tell where to go."""

_TOLD = 0.1
"""Part of the slope along Newton's step, as its quadratic has it, that the gradient of p must have."""

_ENDS = 0.1, 0.6
"""The least and the largest part of a step that is left where p rises."""

_SHORTEST, _LONGER = 30, 4.0
"""Times that a step is shortened, and factor of its length where p is flat."""

_FLAT = 1e-10
"""Curvature, as a part of the most, up to which it is none."""

_SINGLE = 1e-5
"""Relative gap from which on values are made in float64 whenever coefficients have changed."""

_ONES = 1e-12
"""Distance from ones within which a combination of directions is an intercept."""

_OF_FEW = Request(tol=1e-2, max_iter=20)
"""The numbers that the problem has for each of some samples."""

_TINY = np.finfo(float).tiny


class FreeDirections(Solver):
    """Newton's method for the coefficients of free directions; stops when the certificate holds at ``tol``.

    It suits few directions, matrices of no low rank, and bounds of which most are finite. max_iter counts steps
    (default: 200); time_limit is checked after each; warm_start is any beta.
    """

    name = "free-directions"
    foreign = False
    programs: ClassVar = (SemiparametricQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def load(self, program: SemiparametricQP | None = None) -> None:
        """Compile the loops of the descent, or load their machine code, where they are what it is to use."""
        load_descent(None if program is None else [_SplitDirections.of(program).given(None)])

    def run(self, program: SemiparametricQP, request: Request, **options: Any) -> Answer:
        """Minimise over the coefficients of the directions, which are the multipliers; the point is beta."""
        del options
        program.gram.require_psd()
        with without_blas_threads():
            deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
            descent = _DescentOfDirections(program, request.tol, deadline, request.warm_start)
            claim, why = steps_to_the_end(descent, request, deadline)
        best = descent.best
        return Answer(best.beta, best.z, claim, f"{why}relative gap {best.gap:.1e}", descent.count)


@dataclass(frozen=True, eq=False)
class _SplitDirections:
    """The directions in coordinates z = basis @ (b, u), or basis @ u where no combination of them is an intercept.

    Attributes
    ----------
    program
        The problem.
    basis
        Shape (k, k).
    total
        The sum of beta; None: there is no intercept.
    directions, totals
        R, whose columns have the mean square 1, and r.
    """

    program: SemiparametricQP
    basis: Matrix
    total: float | None
    directions: Matrix
    totals: Vector

    @classmethod
    def of(cls, program: SemiparametricQP) -> _SplitDirections:
        """Return the coordinates of a program."""
        B, basis = program.directions, np.eye(program.totals.size)
        ones = np.linalg.lstsq(B, np.ones(len(B)))[0]
        first = int(np.abs(B @ ones - 1.0).max() <= _ONES)
        if first:
            others = basis - np.outer(ones, B.mean(axis=0))
            basis = np.column_stack([ones, np.delete(others, np.abs(ones).argmax(), axis=1)])
        basis[:, first:] /= np.sqrt(np.square(B @ basis[:, first:]).mean(axis=0))
        R, r = B @ basis, program.totals @ basis
        return cls(program, basis, float(r[0]) if first else None, R[:, first:], r[first:])

    def given(self, u: Vector | None) -> KernelQP:
        """Return what is left at u; None: at 0."""
        program = self.program
        target = program.target if u is None else program.target - self.directions @ u
        others = self.total, program.epsilon, program.ridge, program.name
        return KernelQP(program.gram, target, program.lower, program.upper, *others)

    def coefficients(self, u: Vector, b: float) -> Vector:
        """Return z."""
        return np.asarray(self.basis @ (u if self.total is None else np.append(b, u)))

    def slope(self, beta: Vector) -> Vector:
        """Return r - R'beta."""
        return np.asarray(self.totals - beta @ self.directions)


@dataclass(frozen=True, eq=False)
class _Waypoint:
    """Where a KernelQP is solved next: u, a beta, and K beta."""

    u: Vector
    beta: Vector
    values: Vector


@dataclass(frozen=True, eq=False)
class _LeastPoint(_Waypoint):
    """beta that is nearly the optimum at u: p(u), and by how much it may be more."""

    value: float
    error: float

    def part(self, gain: float) -> float:
        """Return a gain over p."""
        return gain / max(abs(self.value), _TINY)


@dataclass(frozen=True, eq=False)
class _FoundDirections:
    """An answer with its relative gap, as far as steps keep values up to date."""

    beta: Vector
    z: Vector
    gap: float


class _DescentOfDirections:
    """Coefficients of the directions on their way.

    Attributes
    ----------
    best
        The candidate of the least gap so far.
    split, at
        The coordinates, and the point in them where p was least so far.
    count
        Steps so far.
    is_done
        Whether a candidate is proved.
    """

    best: _FoundDirections
    at: _LeastPoint
    _ahead: _Waypoint
    _expected: float

    def __init__(self, program: SemiparametricQP, tol: float, deadline: float, start: Vector | None) -> None:
        self._program, self._tol, self._deadline = program, tol, deadline
        self.split = _SplitDirections.of(program)
        left = self.split.given(None)
        self._rows = compiled_rows(left, [left])
        self.count, self._shorter, self._alone, self._accuracy = 0, 0, 0, max(_FIRST, tol)
        self.is_done, self._told = False, True
        u: Vector = np.zeros(self.split.totals.size)
        beta = left.project(np.zeros(program.size))
        if start is not None:
            beta = left.project(program.project(start))
        elif program.size >= FEW_FIRST:
            u = self._of_few(u)
        self.at = self._solved(_Waypoint(u, beta, program.gram.product(beta)))
        self._look_ahead()

    def _of_few(self, u: Vector) -> Vector:
        """Return the u that suits some samples, or the one that came where these do not tell the directions apart."""
        program = self._program
        rows = some_samples(program.size)
        if np.linalg.matrix_rank(program.directions[rows]) < program.totals.size:
            return u
        part = replace(program.part(rows), totals=program.totals * (rows.size / program.size))
        descent = _DescentOfDirections(part, _OF_FEW.tol, self._deadline, None)
        steps_to_the_end(descent, _OF_FEW, self._deadline)
        z = descent.split.coefficients(descent.at.u, 0.0)
        return np.asarray(np.linalg.solve(self.split.basis, z)[z.size - u.size :], dtype=np.float64)

    def step(self) -> bool:
        """Go on to other coefficients, or solve at those so far more closely; return whether that was possible."""
        self.count += 1
        at = self.at
        if not self._told:
            self._accuracy = max(_LEAST, _CLOSER * min(self._accuracy, at.part(at.error)))
            self.at = self._solved(at)
            self._look_ahead()
            return True
        stuck = self._accuracy <= _LEAST and self._expected <= at.error
        self._accuracy = max(_LEAST, min(self._accuracy, _PART * at.part(self._expected)))
        tried = self._solved(self._ahead)
        if tried.value > at.value + max(at.error, tried.error):
            self._shorter += 1
            before, after = (float(self.split.slope(each.beta) @ (tried.u - at.u)) for each in (at, tried))
            share = float(np.clip(before / (before - after), *_ENDS)) if after > before else max(_ENDS)
            pairs = zip((at.u, at.beta, at.values), (tried.u, tried.beta, tried.values), strict=True)
            self._ahead = _Waypoint(*((1 - share) * one + share * other for one, other in pairs))
            return self._shorter < _SHORTEST
        self.at, self._shorter = tried, 0
        self._look_ahead()
        return not stuck

    def _solved(self, start: _Waypoint) -> _LeastPoint:
        """Return the optimum at u, from beta on."""
        program, rows, left = self._program, self._rows, self.split.given(start.u)
        if rows is None:
            limits: dict[str, Any] = {"limit": step_limit(left), "deadline": self._deadline}
            answer = minimise_plainly(left, start.beta, tol=self._accuracy, memory=2**20 * CACHE_SIZE, **limits)
            return self._point(left, start.u, answer.point, program.gram.product(answer.point))
        products = start.values[None].copy()
        rows.mix(np.ones(1), products)
        found = rows.descended(left, start.beta, self._accuracy, self._deadline)
        point = self._point(left, start.u, found, products[0])
        if point.part(point.error) > _SINGLE:
            return point
        # Steps have added up what rounding leaves of each, or are in float32.
        return self._point(left, start.u, found, program.gram.product(found))

    def _point(self, left: KernelQP, u: Vector, beta: Vector, values: Vector) -> _LeastPoint:
        gap = duality_gap(left, beta, values, _intercept(left, beta, values))
        error = max(gap.primal_value - gap.dual_value, 0.0) + gap.rounding
        return _LeastPoint(u, beta, values, gap.dual_value + float(self.split.totals @ u), error)

    def _look_ahead(self) -> None:
        """Find Newton's step, whether it is known well enough to be made, and what its end is worth."""
        at, split, rows = self.at, self.split, self._rows
        left, slope = split.given(at.u), split.slope(at.beta)
        if rows is not None:
            rows.mix(np.ones(1), at.values[None].copy())
        face = FreeFace.of(left, at.beta, at.values, split.directions, rows)
        settled = slope if face is None else slope - face.settled @ face.columns
        change = self._newton(None if face is None else face.curvatures, settled)
        self._expected = -0.5 * float(settled @ change)
        self._told = (
            self._accuracy <= _LEAST
            or at.part(self._expected) <= _PART * self._tol
            or float(slope @ change) <= _TOLD * float(settled @ change)
        )
        if face is None:
            self._ahead = _Waypoint(at.u + change, at.beta, at.values)
            self._judge(at)
            return
        beta = face.moved(left, at.beta, change)
        change = change - np.linalg.lstsq(face.curvatures, split.slope(beta), _FLAT)[0]
        beta = face.moved(left, at.beta, change)
        if rows is None:
            values = self._program.gram.product(beta)
        else:
            rows.follow(at.beta, beta)
            values = rows.products[0].copy()
        self._ahead = _Waypoint(at.u + change, beta, values)
        self._judge(self._ahead)

    def _newton(self, curvatures: Matrix | None, slope: Vector) -> Vector:
        """Return the way to the minimum of a quadratic; where it is flat, a step that grows from one to the next."""
        split, gram = self.split, self._program.gram
        # What it would be if all coefficients were free, and no two samples alike.
        most = float(np.square(split.directions).sum()) / float((gram.diagonal + self._program.ridge).max())
        bends, axes = np.linalg.eigh(np.zeros((slope.size,) * 2) if curvatures is None else curvatures)
        along, flat = slope @ axes, bends <= _FLAT * max(most, bends.max(initial=0.0))
        bends[flat] = most / _LONGER**self._alone
        self._alone = self._alone + 1 if np.abs(along[flat]).sum() > _TOLD * np.abs(along).sum() else 0
        return np.asarray(-axes @ (along / bends))

    def _judge(self, point: _Waypoint) -> None:
        """Keep a point if it is the best so far, and prove it where it may be an answer."""
        split, left = self.split, self.split.given(point.u)
        b = _intercept(left, point.beta, point.values)
        gap = duality_gap(left, point.beta, point.values, b)
        lack = float(np.abs(split.slope(point.beta)) @ np.abs(point.u))
        primal = gap.primal_value + float(split.totals @ point.u)
        found = _FoundDirections(
            point.beta,
            split.coefficients(point.u, b),
            relative(max(gap.primal_value - gap.dual_value, 0.0) + lack, abs(primal)),
        )
        if found.gap <= self._tol:
            proof = SemiparametricBounds(self._program).certify(found.beta, found.z)
            self.is_done = proof.holds(self._tol)
            found = replace(found, gap=proof.relative_gap if self.is_done else found.gap)
        if self.is_done or self.count == 0 or found.gap < self.best.gap:
            self.best = found


def _intercept(left: KernelQP, beta: Vector, values: Vector) -> float:
    return 0.0 if left.total is None else -level(left.as_rows(), beta, values)
