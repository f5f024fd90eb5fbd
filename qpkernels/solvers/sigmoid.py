# SPDX-License-Identifier: BSD-3-Clause
r"""Newton's method for a sigmoid over scores, to the last digit that float64 has.

Around the mean of the scores in the weights p_i (1 - p_i) the Hessian is diagonal, and a step is two divisions. A step
that changes the z_i by at most d makes the second derivative along it no more than e^d times what it was (Bach, 2010),
since that of log(1 + exp(z)) has a logarithm whose slope is at most 1. Hence

- a step of the part log(1 + d) / d never overshoots the least value along its line, and
- where d is at most 1/2, the whole step makes the gradient less than half as long, in the norm of the inverse Hessian.

Away from the optimum, the step is the first of 1, 1/2, 1/4, ..., down to that part, at which the objective still falls.
Near it whole steps go on until one makes the gradient no shorter, which is when only rounding is left of it.
"""

from __future__ import annotations

from math import hypot, log1p, sqrt
from time import perf_counter

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.problems.sigmoid_fit import SigmoidFit, SigmoidPoint
from qpkernels.solvers.interface import Answer, Claim, Request

__all__ = ["fit_sigmoid"]

_ITERATIONS = 1000

_NEAR = 0.5
"""Change of the log-odds up to which the whole step is known to shorten the gradient."""

_ROUNDING = 8 * np.finfo(float).eps
"""Part of a log-odds that is rounding: one so large that this is more than _NEAR has neither slope nor curvature."""


def fit_sigmoid(program: SigmoidFit, request: Request, start: Vector | None) -> Answer:
    """Minimise from A, B = ``start``, or from A = 0 where that is better; the point is (A, B)."""
    deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        best, claim, why, count = _minimise(program, _first(program, start), request, deadline)
        A, B = program.original(best)
    if not np.isfinite(A):
        claim, why = Claim.FAILED, "A is beyond the largest number of float64, multiply the scores; "
    return Answer(np.array([A, B]), np.zeros(0), claim, f"{why}Newton decrement {_decrement(best):.1e}", count)


def _first(program: SigmoidFit, start: Vector | None) -> SigmoidPoint:
    """Return the better of the start and of A = 0, from where the objective stays small enough to have curvature."""
    mean = float(program.targets.mean())
    flat = program.around(0.0, float(program.unit.mean()), float(np.log(mean) - np.log1p(-mean)))
    if start is None:
        return flat
    given = program.at(*start.tolist())
    return given if _risk(program, given) < _risk(program, flat) else flat


def _risk(program: SigmoidFit, point: SigmoidPoint) -> float:
    return float((np.logaddexp(0.0, point.z) - program.targets * point.z).sum())


def _minimise(
    program: SigmoidFit, point: SigmoidPoint, request: Request, deadline: float
) -> tuple[SigmoidPoint, Claim, str, int]:
    """Return the last point that shortened the gradient, what became of it, why it ended early, and after how many."""
    count, converging = 0, False
    try:
        while True:
            if count == (request.max_iter or _ITERATIONS):
                return point, Claim.STOPPED, "limit of iterations; ", count
            if perf_counter() >= deadline:
                return point, Claim.STOPPED, "limit of time; ", count
            step = _newton_step(point)
            changes = np.abs(step[0] + step[1] * point.offsets)
            if not changes.max() < np.inf:
                return point, Claim.STOPPED, "no curvature left in float64; ", count
            near = bool((changes <= np.maximum(_NEAR, _ROUNDING * np.abs(point.z))).all())
            part, following = (1.0, _moved(program, point, step, 1.0)) if near else _line_search(program, point, step)
            count += 1
            if request.verbose:
                decrement = _decrement(following)
                print(f"newton: {count:3d}, step {part:.1e}, decrement {decrement:.2e}", flush=True)
            if near and converging and not _decrement(following) < _decrement(point):
                return point, Claim.OPTIMAL, "", count
            point, converging = following, near
    except KeyboardInterrupt:
        return point, Claim.INTERRUPTED, "interrupted; ", count


def _newton_step(point: SigmoidPoint) -> tuple[float, float]:
    """Return the changes of level and slope; equal scores leave the slope as it is."""
    level, slope = (np.float64(-g) / h for g, h in zip(point.gradient, point.curvature, strict=True))
    return float(level), float(slope) if point.offsets.any() else 0.0


def _moved(program: SigmoidFit, point: SigmoidPoint, step: tuple[float, float], part: float) -> SigmoidPoint:
    return program.around(point.slope + part * step[1], point.centre, point.level + part * step[0])


def _line_search(program: SigmoidFit, point: SigmoidPoint, step: tuple[float, float]) -> tuple[float, SigmoidPoint]:
    """Return the first part 1, 1/2, ... of the step at whose end the objective does not rise, and where that is."""
    direction = step[0] + step[1] * point.offsets
    change = float(np.abs(direction).max())
    safe, part = log1p(change) / change, 1.0
    while True:
        following = _moved(program, point, step, part)
        if part <= safe or float((following.residuals * direction).sum()) <= 0.0:
            return part, following
        part = max(0.5 * part, safe)


def _decrement(point: SigmoidPoint) -> float:
    """Return the length of the gradient in the norm of the inverse Hessian; 0 in a direction that changes no z_i."""
    level, slope = (abs(g) / sqrt(h) if h > 0.0 else 0.0 for g, h in zip(point.gradient, point.curvature, strict=True))
    return hypot(level, slope)
