# SPDX-License-Identifier: BSD-3-Clause
"""The support vectors of an answer, and the interval of its intercept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector
from qpkernels.problems.bounds import Support
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.rounding import EPS

__all__ = [
    "intercept_interval",
    "split_support",
]

_ROUNDING = 1e-9
"""Share of its range within which a coefficient is at its end whatever the slopes say."""


def split_support(program: KernelQP, beta: Vector, decision: Vector) -> Support:
    """Return the support of an answer that may be inexact.

    An interior-point answer leaves no coefficient exactly at 0 or at a bound. Which end it means is read off strict
    complementarity: beta_i is at an end when its distance from there, as a share of its range, is smaller than the
    slope of the objective away from the end, as a share of the targets, or of the decision values where these are 0.

    Parameters
    ----------
    program
        The problem, for its bounds and targets.
    beta
        Coefficients, shape (m,).
    decision
        f(x_i) + b, shape (m,).

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems import split_support
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> solution = model.solve(tol=1e-6)
    >>> support = split_support(model.qp(), solution.beta, solution.decision)
    >>> print(support.free, support.bounded)
    [0 3] [1 2]
    """
    largest = float(np.abs(beta).max(initial=0.0)) or 1.0
    unit = _unit(program) or _unit_without_targets(program, beta, decision)
    slope, width = (decision - program.target) / unit, program.epsilon / unit if program.has_epsilon else 0.0
    size = np.abs(beta)
    end = np.where(beta >= 0, program.upper, -program.lower)
    reach = np.where(end > 0, np.minimum(end, largest), largest)
    cost_up = np.where(program.upper > 0, slope + width, np.inf)
    cost_down = np.where(program.lower < 0, width - slope, np.inf)
    zero = _at_end(size / reach, np.minimum(cost_up, cost_down))
    if not program.is_bounded:
        zero |= _lost(program, size, decision)
    outward = np.where(beta >= 0, -slope, slope) - (width + program.ridge * size / unit if program.has_ridge else width)
    bounded = ~zero & _at_end((end - size) / reach, outward)
    if not program.is_bounded:
        bounded &= np.isfinite(end)
    return Support(free=np.flatnonzero(~zero & ~bounded), bounded=np.flatnonzero(bounded))


def intercept_interval(
    program: KernelQP, beta: Vector, values: Vector, intercept: float, support: Support
) -> tuple[float, float]:
    """Return the ends of the interval of every b that is optimal with this f.

    A free support vector, which lies on the margin or the edge of the tube, determines b. Without one, b is bounded by
    the slopes of the objective: no coefficient that can go up may have a slope below -b, and none that can go down
    one above -b.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,).
    values
        f(x_i) without b, shape (m,).
    intercept
        The b of the answer; the interval holds it.
    support
        The support of beta, which says which coefficients are at an end.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems import intercept_interval, split_support
    >>> program = SoftMargin([[0.0], [4.0]], [-1, 1], C=0.01).qp()
    >>> beta = np.array([-0.01, 0.01])
    >>> f = program.gram.product(beta)
    >>> low, high = intercept_interval(program, beta, f, 0.0, split_support(program, beta, f))
    >>> print(f"every b from {low:.2f} to {high:.2f} is optimal")
    every b from -1.00 to 0.84 is optimal
    """
    if support.free.size:
        return intercept, intercept
    sign = np.zeros(program.size)
    sign[support.bounded] = np.sign(beta[support.bounded])
    gradient = values + program.ridge * beta - program.target
    # A bounded coefficient cannot move on outward, one at 0 only to a side that has room.
    slope_up = np.where(sign < 0, gradient - program.epsilon, gradient + program.epsilon)
    slope_up[(sign > 0) | (program.upper == 0) & (sign == 0)] = np.inf
    slope_down = np.where(sign > 0, gradient + program.epsilon, gradient - program.epsilon)
    slope_down[(sign < 0) | (program.lower == 0) & (sign == 0)] = -np.inf
    return min(-float(slope_up.min()), intercept), max(-float(slope_down.max()), intercept)


def _unit(program: KernelQP) -> float:
    """Return half the spread of the targets, which b does not change, or their size where there is no b."""
    target = program.target
    return 0.5 * float(target.max() - target.min()) if program.total == 0.0 else float(np.abs(target).max())


def _unit_without_targets(program: KernelQP, beta: Vector, decision: Vector) -> float:
    # Where all samples lie on the margin, their decision values are rounding; a term of f is not.
    term = np.abs(beta) * program.gram.diagonal
    return max(float(np.abs(decision - program.target).max()), float(term.max())) or 1.0


def _lost(program: KernelQP, size: Vector, decision: Vector) -> NDArray[np.bool_]:
    """Return which coefficients without a bound move f at no sample beyond its rounding."""
    unbounded = np.isinf(program.upper) | np.isinf(program.lower)
    values = float(np.max(np.abs(program.target) + np.abs(decision)))
    return unbounded & (size * (float(program.gram.diagonal.max()) + program.ridge) <= 4 * EPS * values)


def _at_end(distance: Vector, slope: Vector) -> NDArray[np.bool_]:
    return distance <= np.maximum(slope, _ROUNDING)
