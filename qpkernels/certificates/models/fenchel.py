# SPDX-License-Identifier: BSD-3-Clause
"""The duality gap of any candidate (beta, b) for any convex loss of the decision values, by Fenchel's duality.

With losses L_i and their conjugates, every (f, b) and every beta with 1'beta = 0 (any beta without a b) satisfy

    P(f, b) = 1/2 ||f||^2 + sum L_i(f(x_i) + b)  >=  D(beta) = -1/2 beta'K beta - sum L_i*(-beta_i)

so P - D bounds the error of both. With a regulariser Omega of ||f|| in place of 1/2 ||f||^2, that of ||f|| in D is its
conjugate, of sqrt(beta'K beta). The losses of a :class:`~qpkernels.programs.KernelQP` are a case of their own, where
everything is a quadratic: :mod:`qpkernels.certificates.kernel_qp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy

from qpkernels.arrays import Vector
from qpkernels.certificates.certificate import Certificate, certify_values, relative, undefined
from qpkernels.certificates.enclosures import Enclosure, enclose_fenchel
from qpkernels.certificates.kernel_qp import FunctionAtSamples, Move
from qpkernels.certificates.models.expanded import expanded
from qpkernels.certificates.models.regularisers import HalfSquaredNorm, Regulariser
from qpkernels.certificates.rounding import EPS, sum_error, together
from qpkernels.certificates.support import Support
from qpkernels.gram import Expansion, Gram
from qpkernels.programs.feasible import nearest_feasible
from qpkernels.programs.smooth_risk import SampleLosses, SmoothRisk

__all__ = ["FenchelBounds"]

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
        The value of 1'beta, 0; None: no intercept.
    regulariser
        Omega, a function of ||f||; left out, 1/2 ||f||^2.

    Notes
    -----
    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.certificates.bounds.Bounds`.
    squared_norm
        beta'K beta, where it is known; None: it is computed.
    """

    gram: Gram
    losses: SampleLosses
    total: float | None
    regulariser: Regulariser = field(default_factory=HalfSquaredNorm)

    @property
    def program(self) -> SmoothRisk | None:
        """The problem as a program, where f is penalised by half its square and every loss has a curvature."""
        if not self.regulariser.is_half_square or self.losses.slope is None or self.losses.curvature is None:
            return None
        return SmoothRisk(self.gram, self.losses, self.total)

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Certify the candidate (beta, b), and with it the function f, from the data alone.

        beta is first moved into the domain of the conjugates and to the sum ``total``; what that moved is the dual
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
        """Enclose the optimum; see :func:`~qpkernels.certificates.enclosures.enclose_fenchel`."""
        return enclose_fenchel(self, beta, intercept, function)

    def lower_bound(self, beta: Vector) -> float:
        """Return the dual value of the feasible point near ``beta``."""
        feasible = self.feasible(beta)
        conjugates = float(self.losses.conjugate(feasible).sum())
        return -self.regulariser.conjugate(float(feasible @ self.gram.product(feasible))) - conjugates

    def best_multiple(self, beta: Vector, squared_norm: float | None = None) -> Vector:
        """Return the t beta, t >= 0, of the largest dual value: for a ball, coefficients of f do not tell t.

        ``squared_norm`` stands for beta'K beta in it; left out, that is computed.
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
        """Return the samples with a coefficient, bounded where it is at an end of the domain of the conjugate."""
        del decision
        size, reach = np.abs(beta), np.where(beta > 0, self.losses.upper, -self.losses.lower)
        bounded = np.isfinite(reach) & (size >= (1.0 - _NEAR) * reach) & (reach > 0)
        carrying = size > _NEAR * float(size.max(initial=0.0))
        return Support(np.flatnonzero(~bounded & carrying), np.flatnonzero(bounded))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the ends between which the losses of f + b have the slope 0 in sum; b twice where it is unique."""
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
