# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate (beta, b) for any convex loss of the decision values, by Fenchel duality.

With losses L_i and their conjugates, every (f, b) and every beta with 1'beta = 0 (or any beta if there is no b) satisfy

    P(f, b) = 1/2 ||f||^2 + sum L_i(f(x_i) + b)  >=  D(beta) = -1/2 beta'K beta - sum L_i*(-beta_i)

so P - D bounds the error of both. With a regulariser Omega(||f||) in place of 1/2 ||f||^2, D has its conjugate at
sqrt(beta'K beta). The losses of a :class:`~qpkernels.problems.KernelQP`, where everything is quadratic, are treated
separately in :mod:`qpkernels.problems.kernel_qp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
import scipy

from qpkernels.arrays import Vector
from qpkernels.arrays.intervals import UNIT, Interval, sum_bounds, up
from qpkernels.errors import NoEnclosureError
from qpkernels.gram import Gram
from qpkernels.gram.exact import enclose_on_samples
from qpkernels.gram.functions import Expansion
from qpkernels.problems.bounds import Move, Support
from qpkernels.problems.certificate import Certificate, certify_values, relative, undefined
from qpkernels.problems.enclosing import (
    Enclosure,
    Judged,
    exactly_feasible,
    farthest_square,
    judged,
    least_shift,
    payment,
    quiet,
)
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.problems.program import ExpansionProgram
from qpkernels.problems.rounding import EPS, FunctionAtSamples, expanded, sum_error, together

__all__ = [
    "Ball",
    "FenchelBounds",
    "HalfSquaredNorm",
    "Regulariser",
    "SampleLosses",
    "SmoothRisk",
    "enclose_fenchel",
]


class Regulariser(Protocol):
    """A convex function Omega of ||f|| whose methods take the square of the argument.

    Value and conjugate are exact to a relative error of 8 units of rounding; enclosures rely on this.

    Attributes
    ----------
    is_half_square
        Whether it is 1/2 ||f||^2.

    Notes
    -----
    squared_norm
        The square of the argument: ||f||^2, or s^2 for the conjugate; at least 0 up to rounding.
    """

    is_half_square: ClassVar[bool]

    def shrinkage(self, squared_norm: float) -> float:
        """Return the largest factor of at most 1 that brings f into the domain."""

    def value(self, squared_norm: float) -> float:
        """Return Omega(||f||) within its domain."""

    def conjugate(self, squared_norm: float) -> float:
        """Return Omega*, the largest t s - Omega(t), at the s of this square."""


@dataclass(frozen=True)
class HalfSquaredNorm:
    """1/2 ||f||^2, which is its own conjugate.

    Notes
    -----
    squared_norm
        As in :class:`Regulariser`.
    """

    is_half_square: ClassVar[bool] = True

    def shrinkage(self, squared_norm: float) -> float:
        """Return 1, since every f is in the domain."""
        del squared_norm
        return 1.0

    def value(self, squared_norm: float) -> float:
        """Return 1/2 ||f||^2."""
        return 0.5 * squared_norm

    def conjugate(self, squared_norm: float) -> float:
        """Return 1/2 s^2."""
        return 0.5 * squared_norm


@dataclass(frozen=True)
class Ball:
    """0 if ||f||^2 <= R, and infinity otherwise; its conjugate is sqrt(R) s.

    Attributes
    ----------
    squared_radius
        R, above 0.

    Notes
    -----
    squared_norm
        As in :class:`Regulariser`.
    """

    squared_radius: float
    is_half_square: ClassVar[bool] = False

    def shrinkage(self, squared_norm: float) -> float:
        """Return the factor that brings f to the surface, or 1 inside."""
        return float(np.sqrt(self.squared_radius / squared_norm)) if squared_norm > self.squared_radius else 1.0

    def value(self, squared_norm: float) -> float:
        """Return 0."""
        del squared_norm
        return 0.0

    def conjugate(self, squared_norm: float) -> float:
        """Return sqrt(R) s."""
        return float(np.sqrt(self.squared_radius * max(squared_norm, 0.0)))


@dataclass(frozen=True, eq=False)
class SampleLosses:
    """The losses L_i of all samples.

    Attributes
    ----------
    value
        Maps decision values v, shape (m,), to L_i(v_i).
    conjugate
        Maps beta, shape (m,), to L_i*(-beta_i).
    lower, upper
        The ends between which the conjugate is finite, shape (m,).
    level
        The value around which the decision values v are taken, so that an offset of the targets costs no digits.
    slope
        Maps v to a subgradient of each L_i at v_i; None if no loss has an affine piece, so that b is unique.
    curvature
        Maps v to the second derivative of each L_i at v_i; None if some loss has none somewhere.
    largest_value
        Maps decision values in an interval to upper bounds of L_i there, in exact arithmetic; None if none are known.
    largest_conjugate
        Maps beta to such bounds of L_i*(-beta_i).
    """

    value: Callable[[Vector], Vector]
    conjugate: Callable[[Vector], Vector]
    lower: Vector
    upper: Vector
    level: float = 0.0
    slope: Callable[[Vector], Vector] | None = None
    curvature: Callable[[Vector], Vector] | None = None
    largest_value: Callable[[Interval], Vector] | None = None
    largest_conjugate: Callable[[Vector], Vector] | None = None


@dataclass(frozen=True, eq=False)
class SmoothRisk(ExpansionProgram):
    """min 1/2 ||f||^2 + sum L_i(f(x_i) + b), with losses that have a slope and a curvature everywhere.

    At the optimum f = sum_j beta_j k(x_j, .) with beta_i = -L_i'(f(x_i) + b), and 1'beta = total.

    Attributes
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    losses
        L_i of the decision values, with their conjugates, slopes and curvatures.
    total
        The value of 1'beta, 0; None if the model has no intercept b.
    name
        What the program states.

    Examples
    --------
    >>> from formulations import Logistic
    >>> model = Logistic([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> (program,) = model.programs(model.bounds())
    >>> print(type(program).__name__, program.losses.value([0.0, 0.0, 0.0, 0.0]).round(3))
    SmoothRisk [0.693 0.693 0.693 0.693]
    """

    usual_solver = "newton"

    gram: Gram
    losses: SampleLosses
    total: float | None
    name: str = "penalised risk with smooth losses"

    @property
    def lower(self) -> Vector:  # type: ignore[override]
        """The smallest coefficients, which the slopes of the losses approach."""
        return self.losses.lower

    @property
    def upper(self) -> Vector:  # type: ignore[override]
        """The largest coefficients."""
        return self.losses.upper


_NEAR = 1e-6
"""Share of its range within which a coefficient is at an end of it, or of the largest one within which it is 0."""

_FLAT = 1e-10
"""Share of their sizes within which slopes of losses add up to 0."""

_WIDTHS = 4.0 ** np.arange(20)
"""How far from b, in the unit of the decision values, the ends of the interval of intercepts are searched for."""

_CONSISTENT = 1e-9
"""Share of the sizes of a loss, its conjugate and their product by which rounding may break Fenchel's inequality."""

_BISECTIONS = 60
"""Steps of that search; it then ends at the rounding of float64."""


@dataclass(frozen=True, eq=False)
class FenchelBounds:
    """The bounds of min Omega(||f||) + sum L_i(f(x_i) + b).

    Attributes
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    losses
        L_i of the decision values, with their conjugates.
    total
        The value of 1'beta, 0; None if there is no intercept.
    regulariser
        Omega, a function of ||f||; the default is 1/2 ||f||^2.

    Notes
    -----
    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    squared_norm
        beta'K beta, if it is known; None if it is to be computed.

    Examples
    --------
    >>> from formulations import Logistic
    >>> model = Logistic([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1])
    >>> print(type(model.bounds()).__name__, model.bounds().total)
    FenchelBounds 0.0
    """

    gram: Gram
    losses: SampleLosses
    total: float | None
    regulariser: Regulariser = field(default_factory=HalfSquaredNorm)

    @property
    def program(self) -> SmoothRisk | None:
        """The problem as a program, if 1/2 ||f||^2 is the penalty and every loss has a curvature."""
        if not self.regulariser.is_half_square or self.losses.slope is None or self.losses.curvature is None:
            return None
        return SmoothRisk(self.gram, self.losses, self.total)

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Certify the candidate (beta, b), and with it the function f, from the data alone.

        beta is first moved into the domain of the conjugates and to the sum ``total``; that distance is the dual
        residual.
        """
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity")
        feasible = self.feasible(beta)
        own, function, error = expanded(self.gram, beta, feasible, function, balanced=self.total == 0.0)
        shrinkage = self.regulariser.shrinkage(function.squared_norm)
        decision = shrinkage * function.values + (intercept - self.losses.level)
        charged, charged_error = self._charged(decision, function.values, error.values)
        conjugates = self.losses.conjugate(feasible)
        # L(v) + L*(-s) + s v >= 0 by Fenchel and Young, with equality where s is the slope.
        parts = charged + conjugates + feasible * decision
        worst = int(np.argmax(parts))
        squared, penalty = own.squared_norm, self.regulariser.value(shrinkage**2 * function.squared_norm)
        vanishing = penalty == 0.0 and not conjugates.any() and not feasible.any()
        breach = _breach(charged, conjugates, decision, feasible)
        return certify_values(
            primal=penalty + float(charged.sum()),
            dual=0.0 - self.regulariser.conjugate(squared) - float(conjugates.sum()),
            rounding=(
                together(charged_error)
                + sum_error(charged)
                + sum_error(conjugates)
                + sum_error(feasible * decision)
                + _change(self.regulariser.value, function.squared_norm, 2.0 * error.half_norm)
                + _change(
                    self.regulariser.conjugate, squared, 2.0 * (own.half_norm + self.gram.indefiniteness(feasible))
                )
            ),
            vanishing=vanishing and not breach and bool((charged <= charged_error).all()),
            unit=float(self.losses.value(np.zeros(len(self.gram))).sum()),
            # The norm is known to its rounding, and no move that this explains is one.
            primal_residual=1.0 / self.regulariser.shrinkage(max(0.0, function.squared_norm - 2.0 * error.half_norm))
            - 1.0,
            dual_residual=max(
                relative(
                    float(np.abs(beta - feasible).max()), max(float(np.abs(feasible).max()), float(np.abs(beta).max()))
                ),
                0.0
                if self.total is None
                else relative(abs(float(beta.sum()) - self.total), max(_size(feasible), _size(beta))),
            ),
            largest=np.inf if breach else float(parts[worst]),
            worst=breach or f"sample {worst} (beta {beta[worst]:.6g}) adds {parts[worst]:.1e} to the gap",
        )

    def vanishing(self) -> tuple[Vector, float]:
        """Return no coefficients, and the level of the losses."""
        return np.zeros(len(self.gram)), 0.0 if self.total is None else self.losses.level

    def _charged(self, decision: Vector, values: Vector, error: Vector) -> tuple[Vector, Vector]:
        """Return L_i, and how far they may be off where f(x_i) is known up to ``error``."""
        error = error + EPS * (np.abs(decision) + np.abs(values))
        charged = self.losses.value(decision)
        ends = [np.abs(self.losses.value(decision + end) - charged) for end in (-error, error)]
        return charged, np.maximum(*ends)

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Enclose the optimum; see :func:`~qpkernels.problems.smooth_risk.enclose_fenchel`."""
        return enclose_fenchel(self, beta, intercept, function)

    def lower_bound(self, beta: Vector) -> float:
        """Return the dual value of the feasible point near ``beta``."""
        feasible = self.feasible(beta)
        conjugates = float(self.losses.conjugate(feasible).sum())
        return -self.regulariser.conjugate(float(feasible @ self.gram.product(feasible))) - conjugates

    def best_multiple(self, beta: Vector, squared_norm: float | None = None) -> Vector:
        """Return the t beta, t >= 0, with the largest dual value: for a ball, the coefficients of f do not determine t.

        ``squared_norm`` stands for beta'K beta in it, which is computed by default.
        """
        squared = float(beta @ self.gram.product(beta)) if squared_norm is None else squared_norm
        largest = float(np.abs(beta).max(initial=0.0))
        if largest == 0.0:
            return beta
        ends = np.where(beta > 0, self.losses.upper, self.losses.lower)
        room = np.divide(ends, beta, out=np.full_like(beta, np.inf), where=beta != 0)

        def cost(t: float) -> float:
            return self.regulariser.conjugate(t**2 * squared) + float(self.losses.conjugate(t * beta).sum())

        reach = float(room.min())
        if not np.isfinite(reach):
            reach = 1.0 / largest
            while cost(2.0 * reach) < cost(reach):
                reach *= 2.0
            reach *= 2.0
        found = scipy.optimize.minimize_scalar(
            lambda share: cost(share * reach), bounds=(0.0, 1.0), options={"xatol": 1e-13}
        )
        return np.asarray(min((found.x * reach, reach, 0.0), key=cost) * beta)

    def feasible(self, beta: Vector) -> Vector:
        """Return a point near beta in the domain of the conjugates, with the sum ``total``."""
        return nearest_feasible(beta, self.losses.lower, self.losses.upper, self.total)

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return the multiple of f that the regulariser allows."""
        if is_expansion:
            balanced = self.total == 0.0
            function = FunctionAtSamples.expansion(self.gram, beta, function.values, balanced=balanced)
        shrinkage = self.regulariser.shrinkage(function.squared_norm)
        if shrinkage == 1.0:
            return None
        move = Move(shrinkage, intercept)
        return move, move.of_function(self.gram, function)

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples with a coefficient; it is bounded if it is at an end of the domain of the conjugate."""
        del decision
        size, reach = np.abs(beta), np.where(beta > 0, self.losses.upper, -self.losses.lower)
        bounded = np.isfinite(reach) & (size >= (1.0 - _NEAR) * reach) & (reach > 0)
        carrying = size > _NEAR * float(size.max(initial=0.0))
        return Support(np.flatnonzero(~bounded & carrying), np.flatnonzero(bounded))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends between which the slopes of the losses of f + b sum to 0; b twice if it is unique."""
        del beta, support
        slope = self.losses.slope
        if self.total is None or slope is None:
            return intercept, intercept

        def rise(b: float) -> float:
            slopes = slope(values + (b - self.losses.level))
            return float(slopes.sum()) / _size(slopes)

        unit = float(np.ptp(values)) + abs(intercept) + 1.0
        wide = next((w for w in _WIDTHS * unit if rise(intercept - w) < -_FLAT and rise(intercept + w) > _FLAT), np.inf)
        if not np.isfinite(wide):
            return intercept, intercept
        low = _first(lambda b: rise(b) >= -_FLAT, intercept - wide, intercept + wide)
        high = _first(lambda b: rise(b) > _FLAT, intercept - wide, intercept + wide)
        return (min(low, intercept), max(high, intercept)) if high - low > _NEAR * unit else (intercept, intercept)


def _breach(value: Vector, conjugate: Vector, v: Vector, beta: Vector) -> str | None:
    """Return in words where L(v) + L*(-beta) + beta v is below 0: then L* is not the conjugate of L."""
    terms = np.array([value, conjugate, beta * v])
    excess = terms.sum(axis=0) + _CONSISTENT * np.abs(terms).sum(axis=0)
    sample = int(np.argmin(excess))
    if not excess[sample] < 0:
        return None
    return (
        f"the conjugate is inconsistent with the loss: that of sample {sample} is {value[sample]:.6g} at v = "
        f"{v[sample]:.6g}, and its conjugate {conjugate[sample]:.6g} at the slope {-beta[sample]:.6g}, but by Fenchel "
        f"and Young they add up to {-beta[sample] * v[sample]:.6g} at least"
    )


def _first(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return, by bisection, the least number between ``low`` and ``high`` from which on a condition holds."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _change(function: Callable[[float], float], at: float, by: float) -> float:
    return abs(function(at + by) - function(at))


def _size(beta: Vector) -> float:
    return float(np.abs(beta).sum()) or 1.0


_INSIDE = 1.0 - 8.0 * UNIT
"""Share of the domain of a conjugate that is used."""

_REGULARISER = 1.0 + 16.0 * UNIT
"""The rounding error of a regulariser or of its conjugate, both of which are a few operations."""


@quiet
def enclose_fenchel(
    bounds: FenchelBounds, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Enclose the optimal value, given coefficients, b, and f if it is not the expansion in beta.

    Raises
    ------
    NoEnclosureError
        If the kernel or a loss does not state bounds on its rounding errors.
    """
    if not (np.isfinite(beta).all() and np.isfinite(intercept)):
        return Enclosure(-np.inf, np.inf)
    losses, gram = bounds.losses, bounds.gram
    lower, upper = losses.lower * _INSIDE, losses.upper * _INSIDE
    near = bounds.feasible(beta)
    point = exactly_feasible(near, lower, upper, bounds.total)
    coefficients = near if point is None else point
    at_point = enclose_on_samples(gram, coefficients)
    tau = least_shift(gram)
    candidates = [Judged(at_point.values, at_point.squared_norm, intercept, coefficients)]
    if function is not None and tau == 0.0:
        candidates.append(judged(function, gram, intercept))
    paid = 0.0
    if tau > 0.0:
        halved = bounds.regulariser.is_half_square
        paid = payment(tau, farthest_square(coefficients, losses.lower, losses.upper)) if halved else np.inf
    dual = -np.inf
    if point is not None:
        conjugates = np.append(
            _known(losses.largest_conjugate)(point), _conjugate_above(bounds.regulariser, at_point.squared_norm)
        )
        dual = -sum_bounds(conjugates)[1]
    return Enclosure(dual, min(_primal_value(bounds, each, paid) for each in candidates))


def _known(largest: Callable[[Any], Vector] | None) -> Callable[[Any], Vector]:
    if largest is None:
        raise NoEnclosureError(
            "these losses come without bounds of their rounding errors, so nothing is proved in exact arithmetic; "
            "give largest_value and largest_conjugate to SampleLosses."
        )
    return largest


def _conjugate_above(regulariser: Regulariser, squared_norm: Interval) -> float:
    return float(up(regulariser.conjugate(float(squared_norm.upper)) * _REGULARISER))


def _primal_value(bounds: FenchelBounds, candidate: Judged, paid: float) -> float:
    regulariser, square = bounds.regulariser, float(candidate.squared_norm.upper)
    shrinkage = regulariser.shrinkage(square)
    if shrinkage < 1.0:
        # Into the domain for certain, where the norm is the upper end and the factor is rounded.
        b = candidate.intercept
        candidate = candidate.times(shrinkage * _INSIDE).moved_to(b)
        square = min(square, float(candidate.squared_norm.upper))
        if regulariser.shrinkage(square) < 1.0:
            return float("inf")
    v = candidate.decision
    if not (np.isfinite(v.lower).all() and np.isfinite(v.upper).all()):
        return float("inf")
    value = float(up(regulariser.value(square) * _REGULARISER))
    return sum_bounds(np.concatenate([[value, paid], _known(bounds.losses.largest_value)(v)]))[1]
