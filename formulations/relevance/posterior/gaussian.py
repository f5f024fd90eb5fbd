# SPDX-License-Identifier: BSD-3-Clause
"""The exact posterior for Gaussian noise, and its evidence N(t; 0, noise I + Phi A^-1 Phi')."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve

from formulations.relevance.posterior.design import Design
from formulations.relevance.posterior.evidence import Posterior
from formulations.relevance.posterior.factor import factor
from qpkernels.arrays import Matrix, Vector

__all__ = ["GaussianPosterior", "GaussianTargets"]


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

    def posterior(self, alpha: Vector, noise: float | None, near: Posterior | None) -> Posterior:
        """Return the posterior, which is known in closed form."""
        del near
        assert noise is not None
        return GaussianPosterior.at(self, alpha, noise)


@dataclass(frozen=True, eq=False)
class GaussianPosterior(Posterior):
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
