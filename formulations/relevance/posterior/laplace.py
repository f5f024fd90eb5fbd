# SPDX-License-Identifier: BSD-3-Clause
r"""Laplace's approximation of the posterior for labels y_i = +1 or -1 with P(y_i | a_i) = 1 / (1 + exp(-y_i a_i)).

At the mode, W = p (1 - p). W follows the mode and the mode follows alpha, which adds u_i v_i to the slopes of the
evidence, with h_n = phi_n'Sigma phi_n, z = h dW/da and v = A^1/2 Sigma Phi'z::

    d ln evidence / d ln alpha_i = (gamma_i - u_i^2 + u_i v_i) / 2
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from scipy.linalg import solve_triangular

from formulations.relevance.posterior.design import Design
from formulations.relevance.posterior.evidence import Posterior
from formulations.relevance.posterior.factor import factor
from qpkernels.arrays import Matrix, Vector

__all__ = ["LaplacePosterior", "LogisticLabels"]

_NEWTON_STEPS = 100

_LAST_STEP = 1e-7
"""Newton decrement at which one more step finds the mode to rounding, since its error is squared."""


@dataclass(frozen=True, eq=False)
class LogisticLabels:
    """The likelihood of labels ``y`` = +1 or -1 at the values Phi w."""

    design: Design
    y: Vector

    def posterior(self, alpha: Vector, noise: float | None, near: Posterior | None) -> Posterior:
        """Return Laplace's approximation at the mode."""
        del noise
        return LaplacePosterior.at(self.design, self.y, alpha, near)


class LaplacePosterior(Posterior):
    """The Gaussian at the mode, with its curvature; the evidence is that of the Gaussian."""

    @classmethod
    def at(cls, design: Design, y: Vector, alpha: Vector, near: Posterior | None) -> LaplacePosterior:
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
