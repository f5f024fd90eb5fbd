# SPDX-License-Identifier: BSD-3-Clause
"""Along the central path until a certificate holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.programs import KernelQP
from qpkernels.programs.kernel_qp import diverges
from qpkernels.solvers.answer import Claim
from qpkernels.solvers.interior_point.candidates import Candidate, Scaled
from qpkernels.solvers.newton_systems import DenseSystem, newton_system

__all__ = ["Final", "minimise"]

_SHORT, _PATIENCE = 1e-6, 3
"""A step that gains nothing, and how many of them end the method."""

_END = 1e-15
"""Relative gap of the path below which only rounding is left."""

_FAR, _FARTHER = 1e4, 100.0
"""Coefficients, in the units of the problem, from which it is asked whether they grow without end, and then again."""

_EARLY, _AGAIN = 1e-2, 0.01
"""Relative gap from which the optimum is guessed, and the part of it from which it is guessed again."""

_LOST = "no step improves in float64; "


@dataclass(frozen=True, eq=False)
class Final:
    """The best point, and why it is the last one."""

    point: Candidate
    claim: Claim
    iterations: int
    message: str


class _Descent:
    """A program on its path."""

    def __init__(self, program: KernelQP, scaled: Scaled) -> None:
        self.program, self._scaled, self.path = program, scaled, scaled.path()
        self._points = list[Candidate]()
        self._short, self._far, self._guess = 0, _FAR, _EARLY

    def best(self) -> Candidate:
        """Return the best point so far, that on the path among them."""
        self._points.append(self._scaled.at(self.path))
        return min(self._points, key=lambda point: point.error)

    def ended(self, length: float, count: int, tol: float) -> Final | None:
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
            return Final(self._scaled.at(self.path), Claim.UNBOUNDED, count, "unbounded below: beta grows without end")
        return None if best is None or not lost else _stopped(best, count, _LOST)

    def _last_attempt(self, best: Candidate) -> Candidate:
        """Return what is better than the best point so far by means that cost more, or that point."""
        point = None
        if not self._scaled.system.exact:
            # What a factor of K leaves out may matter: the matrix itself, from where the path has led.
            system = DenseSystem(self.program.gram.dense, self._scaled.system.bordered)
            point = Scaled(self.program, system).near(best.beta)
        elif self.program.total:
            point = self._scaled.vanishing()
        return best if point is None or point.error > best.error else point

    def _diverges(self, lost: bool) -> bool:
        """Return whether the coefficients grow along a direction that proves the objective unbounded."""
        size = float(np.abs(self.path.x).max())
        if size <= self._far and not (lost and size > _FAR):
            return False
        self._far = _FARTHER * size
        return diverges(self.program, self._scaled.boxes.coefficient * self.path.beta)


# Slacks and multipliers fall to 0 where nothing but rounding is left; a step that is not finite is then not made.
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def minimise(
    program: KernelQP, tol: float, max_iter: int, deadline: float, start: Vector | None = None, verbose: bool = False
) -> Final:
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
    scaled = Scaled(program, newton_system(program.gram, program.total is not None))
    if start is not None and (point := scaled.near(start)).error <= tol:
        return _proved(point, 0)
    descent, count = _Descent(program, scaled), 0
    try:
        while count < max_iter:
            count += 1
            length = descent.path.advance()
            if verbose:
                print(f"interior-point: {count:3d}, step {length:.1e}, relative gap {descent.path.gap:.2e}", flush=True)
            if (final := descent.ended(length, count, tol)) is not None:
                return final
            if perf_counter() >= deadline:
                return _stopped(descent.best(), count, "limit of time; ")
    except KeyboardInterrupt:
        return replace(_stopped(descent.best(), count, "interrupted; "), claim=Claim.INTERRUPTED)
    return _stopped(descent.best(), max_iter, "limit of iterations; ")


def _proved(point: Candidate, count: int) -> Final:
    return Final(point, Claim.OPTIMAL, count, f"relative gap {point.certificate.relative_gap:.1e}")


def _stopped(point: Candidate, count: int, why: str) -> Final:
    return Final(point, Claim.STOPPED, count, f"{why}relative gap {point.certificate.relative_gap:.1e}")
