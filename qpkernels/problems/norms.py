# SPDX-License-Identifier: BSD-3-Clause
"""The norms by which residuals are fitted, each with its dual norm: squares, absolute values and the largest one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.intervals import Interval, sum_bounds, up
from qpkernels.problems.bounds import Move, Support
from qpkernels.problems.norm_fit import NormFitBounds
from qpkernels.problems.rounding import EPS, FunctionAtSamples

__all__ = [
    "AbsoluteFitBounds",
    "BalancedAbsoluteFitBounds",
    "LargestResidualBounds",
    "SquaredFitBounds",
]

_MET = 1e-6
"""Share of the largest centred target within which a sample lies on the fit, and of v's range within which v_i is at an
end."""

_LARGEST = 1e-6
"""Share of the largest residual within which another counts as largest too."""

_NO_RESIDUAL = 1e-9
"""Share of the largest centred target within which no residual is larger than another."""


@dataclass(frozen=True, eq=False)
class SquaredFitBounds(NormFitBounds):
    """The sum of squares, with v = 2r."""

    def unit(self, residuals: Vector) -> float:
        """Return twice the largest residual."""
        return 2.0 * float(np.abs(residuals).max())

    def loss(self, residuals: Vector) -> float:
        """Return sum r_i^2."""
        return float(residuals @ residuals)

    def dual_norm(self, v: Vector) -> float:
        """Return 0, since any v is allowed."""
        del v
        return 0.0

    def lower_bound(self, v: Vector, residuals: Vector) -> float:
        """Return r'v - ||v||^2 / 4."""
        return float(residuals @ v - 0.25 * v @ v)

    def loss_above(self, residuals: Interval) -> float:
        """Return an upper bound on sum r_i^2."""
        return float(residuals.square().sum().upper)

    def bound_below(self, v: Interval, product: Interval) -> float:
        """Return a lower bound on r'v - ||v||^2 / 4."""
        return float((product - 0.25 * v.square().sum()).lower)

    def multipliers(self, residuals: Vector) -> Vector:
        """Return 2r."""
        return 2.0 * residuals


@dataclass(frozen=True, eq=False)
class AbsoluteFitBounds(NormFitBounds):
    """The sum of absolute values, with |v_i| <= 1."""

    norm = "sum"

    def unit(self, residuals: Vector) -> float:
        """Return 1."""
        del residuals
        return 1.0

    def loss(self, residuals: Vector) -> float:
        """Return sum |r_i|."""
        return float(np.abs(residuals).sum())

    def dual_norm(self, v: Vector) -> float:
        """Return max |v_i|."""
        return float(np.abs(v).max())

    def loss_above(self, residuals: Interval) -> float:
        """Return an upper bound on sum |r_i|."""
        return sum_bounds(residuals.magnitude)[1]

    def bound_below(self, v: Interval, product: Interval) -> float:
        """Return a lower bound on r'v over max |v_i|."""
        return _share(product, float(v.magnitude.max()))

    def multipliers(self, residuals: Vector) -> Vector:
        """Return the signs off the fit, and on it the values that bring v closest to F'v = 0 and 1'v = 0."""
        return self._signs(residuals, self.spanning)

    def _signs(self, residuals: Vector, columns: Matrix) -> Vector:
        """Return the signs of the residuals; where one is 0, a number within [-1, 1] that helps against ``columns``."""
        v = np.sign(residuals)
        met = np.abs(residuals) <= _MET * float(np.abs(self._centred_target).max())
        if met.any():
            v[met] = scipy.optimize.lsq_linear(columns[met].T, -columns[~met].T @ v[~met], (-1.0, 1.0), method="bvls").x
        return v

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples on the fit (free) and those off it, whose multipliers are at an end (bounded)."""
        del decision
        off = np.abs(self._centred(beta)) > 1 - _MET
        return Support(free=np.flatnonzero(~off), bounded=np.flatnonzero(off))

    def _centred(self, v: Vector) -> Vector:
        return v

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return the medians of y - f."""
        del beta, support
        if not self.has_intercept:
            return intercept, intercept
        ordered = np.sort(self.target - values)
        low, high = float(ordered[(ordered.size - 1) // 2]), float(ordered[ordered.size // 2])
        return min(low, intercept), max(high, intercept)


@dataclass(frozen=True, eq=False)
class BalancedAbsoluteFitBounds(AbsoluteFitBounds):
    """The sum of absolute values of residuals that sum to 0, with |v_i - mu| <= 1 for some mu."""

    @property
    def _program_basis(self) -> Matrix:
        """The columns of F less their means: residuals in such coordinates add up to 0, and b is that of the means."""
        return self._span.basis

    def shifted(self, v: Vector) -> Vector:
        """Return v - mean v; mu absorbs the mean, and 1'v = 0."""
        return np.asarray(v - v.mean())

    def mended(self, residuals: Vector) -> Vector:
        """Return the residuals minus their mean, which b absorbs."""
        return np.asarray(residuals - residuals.mean())

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return the b at which the residuals sum to 0."""
        del beta, is_expansion
        shift = float((self.target - function.values - intercept).mean())
        size = max(abs(intercept), float(np.abs(self.target).max()), float(np.abs(function.values).max()))
        # The digits of b and of the residuals end there.
        return (Move(1.0, intercept + shift), function) if abs(shift) > 4.0 * EPS * size else None

    def dual_norm(self, v: Vector) -> float:
        """Return max |v_i - mu| with the best mu."""
        return 0.5 * float(np.ptp(v))

    def enclosed_feasible(self, residuals: Interval) -> Interval:
        """Return the residuals minus their mean."""
        return residuals - residuals.sum().divided_by(np.asarray(float(len(residuals))))

    def bound_below(self, v: Interval, product: Interval) -> float:
        """Return a lower bound on r'v over half the range of the entries."""
        return _share(product, 0.5 * float(up(v.upper.max() - v.lower.min())))

    def multipliers(self, residuals: Vector) -> Vector:
        """Return mu + the signs of the feasible residuals, with the mu of 1'v = 0."""
        signs = self._signs(self.mended(residuals), self.columns)
        return np.asarray(signs - signs.mean())

    def _centred(self, v: Vector) -> Vector:
        return np.asarray(v - 0.5 * (v.max() + v.min()))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return b twice, since the sum of the residuals leaves no choice."""
        del beta, values, support
        return intercept, intercept


@dataclass(frozen=True, eq=False)
class LargestResidualBounds(NormFitBounds):
    """The largest absolute value, with sum |v_i| <= 1."""

    norm = "largest"

    def unit(self, residuals: Vector) -> float:
        """Return the share of one sample."""
        return 1.0 / residuals.size

    def loss(self, residuals: Vector) -> float:
        """Return max |r_i|."""
        return float(np.abs(residuals).max())

    def dual_norm(self, v: Vector) -> float:
        """Return sum |v_i|."""
        return float(np.abs(v).sum())

    def loss_above(self, residuals: Interval) -> float:
        """Return an upper bound on max |r_i|."""
        return float(residuals.magnitude.max())

    def bound_below(self, v: Interval, product: Interval) -> float:
        """Return a lower bound on r'v over sum |v_i|."""
        return _share(product, sum_bounds(v.magnitude)[1])

    def multipliers(self, residuals: Vector) -> Vector:
        """Return the signs of the largest residuals, weighted such that v is closest to F'v = 0 and 1'v = 0."""
        size, v = float(np.abs(residuals).max()), np.zeros(residuals.size)
        if size <= _NO_RESIDUAL * float(np.abs(self._centred_target).max()):
            return v
        largest = np.abs(residuals) >= (1 - _LARGEST) * size
        signed = np.sign(residuals[largest])[:, None] * self.spanning[largest]
        weight = float(np.abs(signed).max(initial=0.0)) or 1.0
        columns = np.column_stack([signed, np.full(len(signed), weight)])
        shares = scipy.optimize.lsq_linear(
            columns.T, np.append(np.zeros(signed.shape[1]), weight), (0.0, np.inf), method="bvls"
        ).x
        v[largest] = np.sign(residuals[largest]) * shares / shares.sum()
        return v


def _share(product: Interval, norm: float) -> float:
    """Return a lower bound of the product over the norm, where that is above 1."""
    return float(product.divided_by(np.asarray(max(1.0, norm))).lower)
