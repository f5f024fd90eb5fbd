# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of a KernelQP from any candidate (beta, b): its duality gap, its support and the interval of b.

The function f that is judged need not be the expansion in beta, since a primal form returns its own f and takes beta
from its multipliers. Both are judged together, since P(f, b) bounds the optimum from above for every f, and D(beta)
bounds it from below for every feasible beta.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.gram import Gram
from qpkernels.gram.functions import Expansion
from qpkernels.gram.gram import BoundedProduct
from qpkernels.problems.bounds import Move, Support
from qpkernels.problems.certificate import Certificate, certify_values, relative, share_moved, undefined
from qpkernels.problems.enclosing import Enclosure
from qpkernels.problems.kernel_qp.enclosure import enclose_kernel_qp
from qpkernels.problems.kernel_qp.gap import HardRows, duality_gap, feasible_move, gap_product
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expand_at_samples

__all__ = [
    "KernelQPBounds",
    "certify_kernel_qp",
    "intercept_interval",
    "null_combination",
    "split_support",
    "vanishing_point",
    "worst_sample",
]

_SPREAD = 10_000
"""Terms from which BLAS spreads a sum over its threads."""


@dataclass(frozen=True, eq=False)
class KernelQPBounds:
    """The bounds of a KernelQP, which are its duality gap; see :func:`certify_kernel_qp`.

    Attributes
    ----------
    program
        The problem, whose losses and conjugates are read off its bounds, targets, epsilon and ridge.

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    product
        K beta with bounds on its error, if it is known from :meth:`product`; None if it is to be computed.
    squared_norm
        ||f||^2 in the space of the kernel, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> bounds = SoftMargin([[0.0], [1.0]], [-1, 1], C=10.0).bounds()
    >>> print(type(bounds).__name__, bounds.certify(np.array([-2.0, 2.0]), -1.0).holds(1e-6))
    KernelQPBounds True
    """

    program: KernelQP

    def certify(
        self,
        beta: Vector,
        intercept: float,
        function: FunctionAtSamples | None = None,
        product: BoundedProduct | None = None,
    ) -> Certificate:
        """Bound the error by the duality gap."""
        return certify_kernel_qp(self.program, beta, intercept, function, product)

    def product(self, beta: Vector, intercept: float) -> BoundedProduct:
        """Return K beta, as exact as the certificate of (beta, b) needs it."""
        return gap_product(self.program, beta, intercept)

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.problems.kernel_qp.enclosure.enclose_kernel_qp`."""
        return enclose_kernel_qp(self.program, beta, intercept, function)

    def feasible(self, beta: Vector) -> Vector:
        """Project beta to the bounds and the sum."""
        return self.program.project(beta)

    def best_multiple(self, beta: Vector, squared_norm: float | None = None) -> Vector:
        """Return the t beta, t >= 0, with the largest dual value within the bounds, or beta itself if its sum is not 0.

        Parameters
        ----------
        beta
            A feasible point.
        squared_norm
            The number that stands for beta'K beta, which is computed by default.
        """
        program = self.program
        if program.total:
            return beta
        squared = float(beta @ program.gram.product(beta)) if squared_norm is None else squared_norm
        rise = float(program.target @ beta - program.epsilon @ np.abs(beta))
        curvature = squared + float(program.ridge @ beta**2)
        ends = np.where(beta > 0, program.upper, program.lower)
        room = float(np.divide(ends, beta, out=np.full_like(beta, np.inf), where=beta != 0).min())
        best = min(max(rise, 0.0) / curvature, room) if curvature > 0 else 1.0
        return best * beta

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return the move of f and b by which P bounds the optimum, and f after it; None if they stay or none is found.

        See :mod:`qpkernels.problems.kernel_qp.gap`.
        """
        f = _with_rounding(self.program, beta, function) if is_expansion else function
        move = feasible_move(self.program, f, intercept)
        return None if move is None else (move, move.of_function(self.program.gram, f))

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Read the support vectors off strict complementarity."""
        return split_support(self.program, beta, decision)

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends of the interval of optimal intercepts, or b twice in a model without a free b."""
        if self.program.total is None:
            return intercept, intercept
        return intercept_interval(self.program, beta, values, intercept, support)

    def vanishing(self) -> tuple[Vector, float] | None:
        """Return no coefficients and the b within every epsilon, or coefficients with the required sum and f = 0."""
        return vanishing_point(self.program)


def certify_kernel_qp(
    program: KernelQP,
    beta: Vector,
    intercept: float,
    function: FunctionAtSamples | None = None,
    product: BoundedProduct | None = None,
) -> Certificate:
    """Certify the candidate (beta, b), and with it the function f, from the data alone.

    beta is first projected to the bounds and the sum; the distance moved is the dual residual. The primal residual is
    the largest violation of a hard constraint (an infinite bound of beta) by the given (f, b), beyond rounding, each as
    a share of its own terms |target_i - b| + |f(x_i)| + epsilon_i. In a soft model the slacks are completed, so it is
    0. If it is not 0, (f, b) is moved to where every hard constraint holds, and P is its value there; see
    :class:`Move`. If no such point is found, P bounds nothing, ``uncounted`` is infinite, and the certificate never
    holds.

    Parameters
    ----------
    program
        The problem.
    beta
        Coefficients, shape (m,), of any sign and size.
    intercept
        b.
    function
        f at the samples. The default is the expansion of the given beta, before the projection.
    product
        K times the projected beta, if the Gram matrix already computed it for this certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SoftMargin
    >>> from qpkernels.problems import certify_kernel_qp
    >>> program = SoftMargin([[0.0], [1.0], [3.0], [4.0]], [-1, -1, 1, 1], C=1.0).qp()
    >>> certificate = certify_kernel_qp(program, np.array([0.0, -0.5, 0.5, 0.0]), intercept=-2.0)
    >>> print(f"{certificate.primal_value:.3f}, {certificate.dual_value:.3f}", certificate.holds(1e-9))
    0.500, 0.500 True
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return undefined("the answer holds NaN or infinity")
    feasible = program.project(beta)
    if feasible is not beta and (feasible == beta).all():
        feasible = beta
    if product is None or not (product.coefficients is feasible or np.array_equal(product.coefficients, feasible)):
        product = gap_product(program, feasible, intercept)
    program.gram.require_psd()
    with _sums_in_one_thread(beta.size):
        program.gram.require_nonnegative(feasible, product.values)
        f = expand_at_samples(program.gram, beta, feasible, product.values) if function is None else function
        f = _with_rounding(program, beta, f) if function is None else f
        inexact = product.error if product.error.any() else 0.0
        came = duality_gap(program, feasible, product.values, intercept, f, inexact)
        # Where no constraint is missed, and no larger f is better, they stay.
        move = None if came.violation == 0.0 else feasible_move(program, f, intercept)
        gap, level = came, intercept
        if move is not None:
            f, level = move.of_function(program.gram, f), move.intercept
            gap = duality_gap(program, feasible, product.values, level, f, inexact)
    largest = gap.worst
    holds = not program.is_hard or HardRows.of(program).hold(f, level)
    return certify_values(
        gap.primal_value,
        gap.dual_value,
        primal_residual=came.violation,
        dual_residual=_dual_residual(program, beta, feasible),
        uncounted=0.0 if holds else np.inf,
        rounding=gap.rounding + (gap.hidden if holds else 0.0),
        vanishing=gap.vanishing,
        largest=float(gap.parts[largest]),
        worst=worst_sample(largest, program.target[largest], beta[largest], gap.parts[largest]),
    )


def worst_sample(number: int, target: float, beta: float, part: float) -> str:
    """Return in words which sample adds most to a gap."""
    return f"sample {number} (target {target:g}, beta {beta + 0.0:.6g}) adds {part:.1e} to the gap"


def _with_rounding(program: KernelQP, beta: Vector, expansion: FunctionAtSamples) -> FunctionAtSamples:
    """Return the expansion in beta with its rounding, which hard constraints are judged by."""
    if not program.is_hard:
        return expansion
    return FunctionAtSamples.expansion(program.gram, beta, expansion.values, balanced=program.total == 0.0)


def _sums_in_one_thread(samples: int) -> AbstractContextManager[None]:
    """Keep BLAS from spreading sums of so many terms: to wake its threads takes longer, where others use them."""
    return without_blas_threads() if samples >= _SPREAD else nullcontext()


def _dual_residual(program: KernelQP, beta: Vector, feasible: Vector) -> float:
    """Return how far beta is from the feasible point near it, or its sum from the one asked for, as shares of them."""
    imbalance = 0.0 if program.total is None else abs(float(beta.sum()) - program.total)
    sizes = np.abs(beta)
    if feasible is beta:
        return relative(imbalance, float(sizes.sum()))
    own = float(np.abs(feasible).sum())
    return max(share_moved(beta, feasible), relative(imbalance, max(own, float(sizes.sum()))))


_LARGEST = 2000
"""Samples up to which such a combination is looked for."""

_MET = 1e-10
"""Part of their terms to which least squares meets equations that can be met; refinement does the rest."""


def vanishing_point(program: KernelQP) -> tuple[Vector, float] | None:
    """Return the (beta, b) that, with f = 0, may prove that the optimum of ``program`` is 0."""
    if program.total:
        if program.target.any() or program.epsilon.any() or program.ridge.any() or program.lower.any():
            return None
        everyone = np.ones((1, program.size))
        found = null_combination(program.gram, everyone[0], program.upper, everyone, np.array([program.total]))
        return None if found is None else (found, 0.0)
    none = np.zeros(program.size)
    if program.total is None:
        return none, 0.0
    above = (program.target - program.epsilon)[program.upper > 0]
    below = (program.target + program.epsilon)[program.lower < 0]
    ends = [float(end) for end in (above.max(initial=-np.inf), below.min(initial=np.inf)) if np.isfinite(end)]
    return none, (0.5 * ends[0] + 0.5 * ends[-1] if ends else 0.0)


def null_combination(
    gram: Gram, signs: Vector, upper: Vector, groups: Matrix, sums: Vector, *, balanced: bool = False
) -> Vector | None:
    """Return alpha within [0, ``upper``] with sum_i s_i alpha_i phi(x_i) = 0 and ``groups`` alpha = ``sums``, if any.

    ``balanced`` says that s'alpha = 0 as well, so that phi may be taken around the mean of the samples.
    """
    if len(gram) > _LARGEST:
        return None
    if not (upper > 0).all():
        some = np.flatnonzero(upper > 0)
        found = null_combination(gram.part(some), signs[some], upper[some], groups[:, some], sums, balanced=balanced)
        return None if found is None else _spread(found, some, len(gram))
    explicit = gram.dense_features
    features = gram.factor if explicit is None else explicit.matrix
    if balanced:
        features = features - features.mean(axis=0)
    sizes = np.abs(features).max(axis=0)
    if explicit is None:
        # What a coordinate of a factor lacks against the largest is rounding of K, not another unit.
        sizes = np.full_like(sizes, sizes.max(initial=0.0))
    rows = np.vstack([(signs[:, None] * features)[:, sizes > 0].T / sizes[sizes > 0, None], groups])
    sides = np.concatenate([np.zeros(len(rows) - len(groups)), sums])
    unit = float(np.abs(sums).max())
    share = scipy.optimize.lsq_linear(rows, sides / unit, (0.0, upper / unit), method="bvls", tol=1e-15).x
    alpha = np.clip(unit * share, 0.0, upper)
    for _ in range(2):
        inside = (alpha > 0) & (alpha < upper)
        alpha[inside] += np.linalg.lstsq(rows[:, inside], sides - rows @ alpha)[0]
    outside = _outside(alpha, upper)
    return None if outside.any() or np.abs(rows @ alpha - sides).max() > _MET * unit else alpha


def _spread(found: Vector, some: Indices, m: int) -> Vector:
    alpha = np.zeros(m)
    alpha[some] = found
    return alpha


def _outside(alpha: Vector, upper: Vector) -> NDArray[np.bool_]:
    return (alpha < 0) | (alpha > upper)


_ROUNDING = 1e-9
"""Share of its range within which a coefficient is at its end whatever the slopes say."""


def split_support(program: KernelQP, beta: Vector, decision: Vector) -> Support:
    """Return the support of an answer that may be inexact.

    An interior-point answer leaves no coefficient exactly at 0 or at a bound. The end that it means is read off strict
    complementarity: beta_i is at an end when its distance from there, as a share of its range, is smaller than the
    slope of the objective away from the end, as a share of the targets, or of the decision values where these are 0.

    Parameters
    ----------
    program
        The problem, which provides the bounds and targets.
    beta
        Coefficients, shape (m,).
    decision
        f(x_i) + b, shape (m,).
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
    the slopes of the objective: no coefficient that can go up may have a slope below -b, and none that can go down may
    have a slope above -b.

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
    >>> from qpkernels.problems.kernel_qp.bounds import intercept_interval, split_support
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
