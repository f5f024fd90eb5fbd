# SPDX-License-Identifier: BSD-3-Clause
"""Along the central path until the certificate holds."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate
from qpkernels.certificates.kernel_qp import certify_kernel_qp
from qpkernels.programs import KernelQP
from qpkernels.solvers.interface import Claim
from qpkernels.solvers.interior_point.active_set import ActiveSet
from qpkernels.solvers.interior_point.boxes import boxes_of
from qpkernels.solvers.interior_point.path import CentralPath
from qpkernels.solvers.interior_point.systems import newton_system

__all__ = ["Final", "minimise"]

_SHORT, _PATIENCE = 1e-6, 3
"""A step that gains nothing, and how many of them end the method."""

_END = 1e-15
"""Relative gap of the path below which only rounding is left."""

_FAR, _FARTHER = 1e4, 100.0
"""Coefficients, in the units of the problem, from which it is asked whether they grow without end, and then again."""


@dataclass(frozen=True, eq=False)
class Final:
    """What came of it.

    Attributes
    ----------
    beta, intercept, values
        The point, its b, and K beta.
    """

    beta: Vector
    intercept: float
    values: Vector
    claim: Claim
    message: str
    iterations: int


@dataclass(frozen=True, eq=False)
class Candidate:
    """A feasible beta with its b, K beta, and what is proved of it."""

    beta: Vector
    intercept: float
    values: Vector
    certificate: Certificate

    @property
    def error(self) -> float:
        """The least tolerance at which the certificate holds."""
        c = self.certificate
        return max(c.relative_gap, c.primal_residual, c.dual_residual, c.complementarity)


class _Descent:
    """A program on its path."""

    def __init__(self, program: KernelQP) -> None:
        self.program = program
        self.system = newton_system(program.gram, program.total is not None)
        self.boxes, start = boxes_of(program, self.system)
        self.path = CentralPath(self.boxes, self.system, start)
        self.active_set = ActiveSet(self.boxes, self.system)
        self._best: Candidate | None = None
        self._short, self._far = 0, _FAR

    def judge(self, beta: Vector, b: float) -> Candidate:
        """Return the candidate (beta, b), given in the units of the path."""
        boxes, feasible = self.boxes, self.program.project(self.boxes.coefficient * beta)
        values, intercept = self.program.gram.product(feasible), 0.0
        if self.program.total is not None:
            own = self.system.at_samples(self.system.expand(feasible / boxes.coefficient)) + b
            intercept = float(np.mean(boxes.value * own + boxes.shift - values))
        return Candidate(feasible, intercept, values, certify_kernel_qp(self.program, feasible, intercept))

    def best(self, tol: float) -> Candidate:
        """Return the best candidate so far: what the path means, with coefficients at bounds, or where it is."""
        candidates = [] if self._best is None else [self._best]
        for point in (self.active_set.near, _itself):
            candidates.append(self.judge(*point(self.path)))
            if candidates[-1].error <= tol:
                break
        self._best = min(candidates, key=lambda candidate: np.nan_to_num(candidate.error, nan=np.inf))
        return self._best

    def proved_from(self, start: Vector, tol: float) -> Final | None:
        """Return the point that ``start`` means, or None: it is not optimal."""
        candidate = self.judge(*self.active_set.of(self.program.project(start) / self.boxes.coefficient))
        return _final(candidate, Claim.OPTIMAL, 0) if candidate.error <= tol else None

    def ended(self, length: float, count: int, tol: float) -> Final | None:
        """Return what came of it if a step of this length was the last one needed, or is the last one possible."""
        path = self.path
        self._short = self._short + 1 if length < _SHORT else 0
        gap = path.gap
        lost = length == 0.0 or self._short >= _PATIENCE or gap <= _END
        if lost or gap <= tol:
            candidate = self.best(tol)
            if candidate.error <= tol:
                return _final(candidate, Claim.OPTIMAL, count)
            if lost:
                return _final(candidate, Claim.STOPPED, count, "no step improves in float64; ")
        if (size := float(np.abs(path.x).max())) > self._far:
            self._far = _FARTHER * size
            if self._diverges():
                return _final(self.judge(path.beta, path.b), Claim.UNBOUNDED, count)
        return None

    def _diverges(self) -> bool:
        """Return whether the coefficients grow along a direction that proves the objective unbounded."""
        # Its module loads a compiler, which few problems need.
        from qpkernels.solvers.smo.iterate import diverges

        return diverges(self.program, self.boxes.coefficient * self.path.beta)


# Slacks and multipliers fall to 0 where nothing but rounding is left; a step that is not finite is then not made.
@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def minimise(
    program: KernelQP, tol: float, max_iter: int, deadline: float, start: Vector | None = None, verbose: bool = False
) -> Final:
    """Return the first candidate whose certificate holds at ``tol``, or the best one before a limit.

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
    descent = _Descent(program)
    if start is not None and (final := descent.proved_from(start, tol)) is not None:
        return final
    count = 0
    while count < max_iter:
        length, count = descent.path.advance(), count + 1
        if verbose:
            print(f"interior-point: {count:3d}, step {length:.1e}, mu {descent.path.mu:.2e}", flush=True)
        if (final := descent.ended(length, count, tol)) is not None:
            return final
        if perf_counter() >= deadline:
            return _final(descent.best(tol), Claim.STOPPED, count, "limit of time; ")
    return _final(descent.best(tol), Claim.STOPPED, count, "limit of iterations; ")


def _itself(path: CentralPath) -> tuple[Vector, float]:
    return path.beta, path.b


def _final(best: Candidate, claim: Claim, count: int, why: str = "") -> Final:
    message = f"{why}relative gap {best.certificate.relative_gap:.1e}"
    if claim is Claim.UNBOUNDED:
        message = "unbounded below: beta grows along a direction of no cost"
    return Final(best.beta, best.intercept, best.values, claim, message, count)
