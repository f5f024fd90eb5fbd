# SPDX-License-Identifier: BSD-3-Clause
"""The exact posterior for Gaussian noise, and its evidence N(t; 0, noise I + Phi A^-1 Phi')."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from formulations.relevance.evidence import Posterior, kept_columns, weighted_cholesky
from qpkernels.arrays import Matrix, Vector

__all__ = ["GaussianPosterior"]


class GaussianPosterior(Posterior):
    """The posterior for t = Phi w + noise, and with it the evidence N(t; 0, noise I + Phi A^-1 Phi')."""

    @classmethod
    def at(cls, columns: Matrix, t: Vector, alpha: Vector, noise: float, floor: float | None) -> GaussianPosterior:
        """Return the posterior at these hyper-parameters."""
        scaled = kept_columns(columns, alpha)
        curvature = np.full(t.size, 1.0 / noise)
        lower = weighted_cholesky(scaled, curvature)
        half = solve_triangular(lower, scaled.T @ t / noise, lower=True, check_finite=False)
        u = np.asarray(solve_triangular(lower, half, trans="T", lower=True, check_finite=False))
        slope = (t - scaled @ u) / noise
        fit = -0.5 * (t.size * float(np.log(2.0 * np.pi * noise)) + noise * float(slope @ slope))
        return cls(columns, alpha, noise, floor, lower, u, curvature, slope, fit)

    @property
    def bend(self) -> Vector:
        """0, since W = I / noise does not follow the mode."""
        return np.zeros(self.u.size)

    @property
    def pull(self) -> Vector:
        """0, since W = I / noise does not follow the mode."""
        return np.zeros(self.slope.size)

    @property
    def hessian(self) -> Matrix:
        """Second derivatives of the log evidence in ln alpha_i of the kept weights, and last in a learned ln noise."""
        weights, u = self.gaussian_hessian, self.u
        if self.floor is None:
            return weights
        moved, squares = self.correlation @ u, (self.correlation**2).sum(axis=0)
        mixed = u * moved - 0.5 * (self.uncertainty - squares)
        noise = 0.5 * (squares.sum() - self.uncertainty.sum() - self.misfit) + u @ moved
        return np.block([[weights, mixed[:, None]], [mixed[None, :], np.full((1, 1), noise)]])
