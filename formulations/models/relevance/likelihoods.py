# SPDX-License-Identifier: BSD-3-Clause
"""The posterior under either likelihood: exact for Gaussian noise, and by Laplace's approximation for labels.

For Gaussian noise the evidence is N(t; 0, noise I + Phi A^-1 Phi'). Labels y_i = +1 or -1 have P(y_i | a_i) =
1 / (1 + exp(-y_i a_i)). At the mode of their posterior, W = p (1 - p). W follows the mode and the mode follows alpha,
which adds u_i v_i to the slopes of the evidence, with h_n = phi_n'Sigma phi_n, z = h dW/da and v = A^1/2 Sigma Phi'z::

    d ln evidence / d ln alpha_i = (gamma_i - u_i^2 + u_i v_i) / 2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from scipy.linalg import cho_solve, solve_triangular

from formulations.models.relevance.evidence import Design, WeightPosterior, factor
from qpkernels.arrays import Matrix, Vector

__all__ = ["GaussianPosterior", "GaussianTargets", "LaplacePosterior", "LogisticLabels"]


@dataclass(frozen=True, eq=False)
class GaussianTargets:
    """The likelihood N(t; Phi w, noise I).

    Attributes
    ----------
    design, t
        Phi and the targets.
    products
        Phi'Phi, of which every posterior takes a part.
    least_noise
        The least value of a learned noise; None says that the noise is known.
    """

    design: Design
    t: Vector
    products: Matrix
    least_noise: float | None

    @classmethod
    def of(cls, design: Design, t: Vector, least_noise: float | None) -> GaussianTargets:
        """Compute the products of the columns."""
        return cls(design, t, design.columns.T @ design.columns, least_noise)

    def posterior(self, alpha: Vector, noise: float | None, near: WeightPosterior | None) -> WeightPosterior:
        """Return the posterior, which is known in closed form."""
        del near
        assert noise is not None
        return GaussianPosterior.at(self, alpha, noise)


@dataclass(frozen=True, eq=False)
class GaussianPosterior(WeightPosterior):
    """The posterior for t = Phi w + noise, and with it the evidence N(t; 0, noise I + Phi A^-1 Phi').

    Attributes
    ----------
    products
        Phi'Phi.
    """

    products: Matrix

    @classmethod
    def at(cls, targets: GaussianTargets, alpha: Vector, noise: float) -> GaussianPosterior:
        """Return the posterior at these hyper-parameters."""
        design, t, products = targets.design, targets.t, targets.products
        kept = np.flatnonzero(np.isfinite(alpha))
        deviations = 1.0 / np.sqrt(alpha[kept])
        scaled = design.columns[:, kept] * deviations
        signal = deviations[:, None] * products[np.ix_(kept, kept)] * (deviations / noise)
        lower = factor(scaled / np.sqrt(noise), signal)
        u, slope = np.zeros(kept.size), t / noise
        # The second time corrects the rounding of the first.
        for _ in range(2):
            u = u + cho_solve((lower, True), scaled.T @ slope - u, check_finite=False)
            slope = (t - scaled @ u) / noise
        fit = -0.5 * (t.size * float(np.log(2.0 * np.pi * noise)) + noise * float(slope @ slope))
        curvature = np.full(t.size, 1.0 / noise)
        return cls(design, alpha, noise, targets.least_noise, lower, u, curvature, slope, fit, products)

    @property
    def cross_products(self) -> Matrix:
        """Phi_kept'W Phi, W = I / noise."""
        return np.asarray(self.curvature[0] * self.products[self.kept])

    @property
    def signal(self) -> Vector:
        """phi_i'W phi_i, shape (M,)."""
        return np.asarray(self.curvature[0] * np.diag(self.products))

    @property
    def mode_correction(self) -> Vector:
        """0, since W = I / noise does not follow the mode."""
        return np.zeros(self.u.size)

    @property
    def log_det_slope(self) -> Vector:
        """0, since W = I / noise does not follow the mode."""
        return np.zeros(self.slope.size)

    @property
    def hessian(self) -> Matrix:
        """Second derivatives of the log evidence in ln alpha_i of the kept weights, and last in a learned ln noise."""
        weights, u = self.gaussian_hessian, self.u
        if self.least_noise is None:
            return weights
        moved, squares = self.correlation @ u, (self.correlation**2).sum(axis=0)
        mixed = u * moved - 0.5 * (self.uncertainty - squares)
        noise = 0.5 * (squares.sum() - self.uncertainty.sum() - self.misfit) + u @ moved
        return np.block([[weights, mixed[:, None]], [mixed[None, :], np.full((1, 1), noise)]])


_NEWTON_STEPS = 100

_LAST_STEP = 1e-7
"""Newton decrement at which one more step finds the mode to rounding, since its error is squared."""


@dataclass(frozen=True, eq=False)
class LogisticLabels:
    """The likelihood of labels ``y`` = +1 or -1 at the values Phi w."""

    design: Design
    y: Vector

    def posterior(self, alpha: Vector, noise: float | None, near: WeightPosterior | None) -> WeightPosterior:
        """Return Laplace's approximation at the mode."""
        del noise
        return LaplacePosterior.at(self.design, self.y, alpha, near)


class LaplacePosterior(WeightPosterior):
    """The Gaussian at the mode, with its curvature; the evidence is that of the Gaussian."""

    @classmethod
    def at(cls, design: Design, y: Vector, alpha: Vector, near: WeightPosterior | None) -> LaplacePosterior:
        """Return the approximation at these alphas; Newton's method (IRLS) starts from the mode of ``near``."""
        scaled, kept = design.scaled(alpha), np.isfinite(alpha)
        u = np.zeros(scaled.shape[1]) if near is None else near.mean[kept] * np.sqrt(alpha[kept])
        found = False
        for _ in range(_NEWTON_STEPS):
            margins = y * (scaled @ u)
            slope = y * scipy.special.expit(-margins)
            curvature = scipy.special.expit(margins) * scipy.special.expit(-margins)
            rows = np.sqrt(curvature)[:, None] * scaled
            lower = factor(rows, rows.T @ rows)
            if found:
                break
            half = solve_triangular(lower, scaled.T @ slope - u, lower=True, check_finite=False)
            found = float(half @ half) <= _LAST_STEP**2
            step = np.asarray(solve_triangular(lower, half, trans="T", lower=True, check_finite=False))
            u = _climbed(scaled, y, u, step)
        return cls(design, alpha, None, None, lower, u, curvature, slope, _fit(margins))

    @cached_property
    def log_det_slope(self) -> Vector:
        """The vector z = h dW/da: the variance of each value times the slope of its W."""
        return self._variances * self._curvature_slope

    @cached_property
    def mode_correction(self) -> Vector:
        """u_i v_i of the kept weights: W follows the mode."""
        return self.u * self._v

    @property
    def hessian(self) -> Matrix:
        """Second derivatives of the log evidence in ln alpha_i of the kept weights; costs m^2 for each of them."""
        u, v, w = self.u, self._v, self._curvature_slope
        spread = self._scaled @ self.correlation
        covariance = self._spread @ self._spread.T
        # In column j: how W, and the variances h, change with ln alpha_j.
        moved = -w[:, None] * spread * u
        variances = -(spread**2) - covariance**2 @ moved
        through_z = w[:, None] * variances - (self._variances * self._second_curvature_slope)[:, None] * spread * u
        through_v = spread.T @ (through_z - (self._scaled @ v)[:, None] * moved)
        through_v -= self.correlation * v
        added = (spread**2).T @ moved - np.outer(v, u) * self.correlation + u[:, None] * through_v
        added[np.diag_indices(u.size)] += u * v
        return np.asarray(self.gaussian_hessian + 0.5 * added)

    @cached_property
    def _scaled(self) -> Matrix:
        return self.design.scaled(self.alpha)

    @cached_property
    def _spread(self) -> Matrix:
        """A matrix S of shape (m, kept) with S S' = Phi Sigma Phi'."""
        return np.asarray(self._scaled @ self.inverse_lower.T)

    @cached_property
    def _variances(self) -> Vector:
        return np.asarray(np.einsum("ij,ij->i", self._spread, self._spread))

    @cached_property
    def _v(self) -> Vector:
        """The vector v = A^1/2 Sigma Phi'z."""
        return np.asarray(self.correlation @ (self._scaled.T @ self.log_det_slope))

    @cached_property
    def _curvature_slope(self) -> Vector:
        """dW/da = W (1 - 2p), and 1 - 2p = y (1 - 2 P(y))."""
        wrong = np.abs(self.slope)
        return self.curvature * np.sign(self.slope) * (2.0 * wrong - 1.0)

    @property
    def _second_curvature_slope(self) -> Vector:
        """d2W/da2."""
        return self.curvature * (1.0 - 6.0 * self.curvature)


def _fit(margins: Vector) -> float:
    """Return the sum of ln P(y_i | a_i) at the margins y_i a_i."""
    return -float(np.logaddexp(0.0, -margins).sum())


def _climbed(scaled: Matrix, y: Vector, u: Vector, step: Vector) -> Vector:
    """Return u + step, or with the step halved until ln p(y | u) - u'u / 2 does not fall."""
    here = _fit(y * (scaled @ u)) - 0.5 * float(u @ u)
    for _ in range(50):
        there = u + step
        if _fit(y * (scaled @ there)) - 0.5 * float(there @ there) >= here - 1e-14 * abs(here):
            return there
        step = 0.5 * step
    return u
