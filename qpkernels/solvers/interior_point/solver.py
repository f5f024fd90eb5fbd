# SPDX-License-Identifier: BSD-3-Clause
"""A second-order method for a KernelQP: few iterations whatever the bounds, each with a matrix to factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Indices, Vector, finite_vector
from qpkernels.arrays.log import report
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.problems import KernelQP, LevelQP, SemiparametricQP
from qpkernels.problems.kernel_qp.program import diverges
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.interior_point.vertex import ScaledProgram, VertexCandidate
from qpkernels.solvers.newton_systems import DenseSystem, newton_system, prepare_system

__all__ = ["InteriorPoint"]

_SHORT, _PATIENCE = 1e-6, 3
"""A step that gains nothing, and how many of them end the method."""

_END = 1e-15
"""Relative gap of the path below which only rounding is left."""

_FAR, _FARTHER = 1e4, 100.0
"""Coefficients, in the units of the problem, from which it is asked whether they grow without end, and then again."""

_EARLY, _AGAIN = 1e-2, 0.01
"""Relative gap from which the optimum is guessed, and the part of it from which it is guessed again."""

_VECTORS = ("target", "lower", "upper", "epsilon", "ridge")

_LOST = "no step improves in float64; "


class InteriorPoint(Solver):
    """Mehrotra's predictor-corrector method; stops when the certificate holds at ``tol``.

    The work of an iteration is that of m n^2 multiplications with n explicit features, or the numerical rank n of the
    kernel matrix, else m^3/3. It suits few features, low rank, and few samples; and bounds so large, or infinite, that
    descent by pairs makes little way.

    max_iter counts iterations (default: 100); time_limit is checked after each. A warm_start is any beta: it is tried
    first whether what it has at bounds is right, and if not, the path begins as without it.
    """

    name = "interior-point"
    foreign = False
    programs: ClassVar = (KernelQP, LevelQP, SemiparametricQP)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scipy"
    install = "pip install scipy"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def prepare(self, program: KernelQP | LevelQP | SemiparametricQP) -> None:
        """Settle that the matrix is positive semidefinite, and compute it where there are no features."""
        prepare_system(program.gram)

    def run(self, program: KernelQP | LevelQP | SemiparametricQP, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it stopped."""
        del options
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        max_iter = request.max_iter or _ITERATIONS
        # What cannot move is left out.
        (movable,) = np.nonzero(program.lower < program.upper)
        if movable.size == 0:
            zero = np.zeros(program.size)
            return Answer(zero, np.zeros(program.sizes[1]), Claim.OPTIMAL, "nothing can move", 0, zero)
        part = program if movable.size == program.size else _part(program, movable)
        with blas_threads_for(movable.size):
            final = _minimise(
                part if isinstance(part, SemiparametricQP) else part.around(part.middle),
                tol=request.tol,
                max_iter=max_iter,
                deadline=np.inf if request.time_limit is None else perf_counter() + request.time_limit,
                start=None if start is None else start[movable],
                verbose=request.verbose,
            )
        beta, values = final.point.beta, final.point.values
        if part is not program:
            beta = np.zeros(program.size)
            beta[movable] = final.point.beta
            values = program.gram.product(beta)
        multipliers = np.zeros(0)
        if isinstance(part, SemiparametricQP):
            multipliers = np.asarray(final.point.intercept)
        elif program.total is not None:
            multipliers = np.array([final.point.intercept + part.middle])
        return Answer(beta, multipliers, final.claim, final.message, final.iterations, values)


def _part(program: KernelQP | LevelQP | SemiparametricQP, rows: Indices) -> KernelQP | LevelQP | SemiparametricQP:
    """Return the problem of some of the samples, the others having the coefficient 0."""
    if isinstance(program, SemiparametricQP):
        return program.part(rows)
    names = ("target", "lower", "upper") if isinstance(program, LevelQP) else _VECTORS
    vectors = {name: getattr(program, name)[rows] for name in names}
    return replace(program, gram=program.gram.part(rows), **vectors)


@dataclass(frozen=True, eq=False)
class _Final:
    """The best point, and why it is the last one."""

    point: VertexCandidate
    claim: Claim
    iterations: int
    message: str


class _CentralPath:
    """A program on its path."""

    def __init__(self, program: KernelQP | LevelQP | SemiparametricQP, scaled: ScaledProgram) -> None:
        self.program, self._scaled, self.path = program, scaled, scaled.path()
        self._points = list[VertexCandidate]()
        self._short, self._far, self._guess = 0, _FAR, _EARLY

    def best(self) -> VertexCandidate:
        """Return the best point so far, that on the path among them."""
        self._points.append(self._scaled.at(self.path))
        return min(self._points, key=lambda point: point.error)

    def ended(self, length: float, count: int, tol: float) -> _Final | None:
        """Return what came of it if a step of this length was the last one needed, or is the last one possible."""
        gap = self.path.gap
        self._short = self._short + 1 if length < _SHORT else 0
        lost = length == 0.0 or self._short >= _PATIENCE or gap <= _END
        near = lost or gap <= tol
        if near or gap <= self._guess:
            self._guess = _AGAIN * gap
            guess = self._scaled.meant_by(self.path, certain=not near)
            if guess is not None and guess.error <= tol:
                return _proved(guess, count)
            self._points += [] if guess is None else [guess]
        best = self.best() if near else None
        if best is not None and lost and best.error > tol:
            best = self._last_attempt(best)
        if best is not None and best.error <= tol:
            return _proved(best, count)
        if self._diverges(lost):
            return _Final(self._scaled.at(self.path), Claim.UNBOUNDED, count, "unbounded below: beta grows without end")
        return None if best is None or not lost else _stopped(best, count, _LOST)

    def _last_attempt(self, best: VertexCandidate) -> VertexCandidate:
        """Return what is better than the best point so far by means that cost more, or that point."""
        point = None
        if not self._scaled.system.exact:
            # What a factor of K leaves out may matter: the matrix itself, from where the path has led.
            system = DenseSystem(self.program.gram.dense, self._scaled.system.bordered)
            point = ScaledProgram(self.program, system).near(best.beta)
        elif self.program.total or isinstance(self.program, LevelQP):
            point = self._scaled.vanishing()
        return best if point is None or point.error > best.error else point

    def _diverges(self, lost: bool) -> bool:
        """Return whether the coefficients grow along a direction that proves the objective unbounded."""
        size = float(np.abs(self.path.x).max())
        if not isinstance(self.program, KernelQP) or (size <= self._far and not (lost and size > _FAR)):
            return False
        self._far = _FARTHER * size
        return diverges(self.program, self._scaled.boxes.coefficient * self.path.beta)


# Slacks and multipliers fall to 0 where nothing but rounding is left; a step that is not finite is then not made.
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _minimise(
    program: KernelQP | LevelQP | SemiparametricQP,
    tol: float,
    max_iter: int,
    deadline: float,
    start: Vector | None = None,
    verbose: bool = False,
) -> _Final:
    """Return the first point whose certificate holds at ``tol``, or the best one before a limit.

    An interruption from the keyboard counts as a limit.

    Parameters
    ----------
    program
        The problem; every coefficient has room to move.
    tol
        Bound on all that the certificate measures.
    max_iter
        Number of iterations.
    deadline
        ``time.perf_counter()`` after which no further iteration is begun.
    start
        Any beta: whether what it has at bounds is right is tried first.
    verbose
        Print a line for each iteration.
    """
    scaled = ScaledProgram(program, newton_system(program.gram, program.total is not None))
    if start is not None and (point := scaled.near(start)).error <= tol:
        return _proved(point, 0)
    descent, count = _CentralPath(program, scaled), 0
    try:
        while count < max_iter:
            count += 1
            length = descent.path.advance()
            if verbose:
                report(f"interior-point: {count:3d}, step {length:.1e}, relative gap {descent.path.gap:.2e}")
            if (final := descent.ended(length, count, tol)) is not None:
                return final
            if perf_counter() >= deadline:
                return _stopped(descent.best(), count, "limit of time; ")
    except KeyboardInterrupt:
        return replace(_stopped(descent.best(), count, "interrupted; "), claim=Claim.INTERRUPTED)
    return _stopped(descent.best(), max_iter, "limit of iterations; ")


def _proved(point: VertexCandidate, count: int) -> _Final:
    return _Final(point, Claim.OPTIMAL, count, f"relative gap {point.certificate.relative_gap:.1e}")


def _stopped(point: VertexCandidate, count: int, why: str) -> _Final:
    return _Final(point, Claim.STOPPED, count, f"{why}relative gap {point.certificate.relative_gap:.1e}")


_ITERATIONS = 100
