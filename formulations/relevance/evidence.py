# SPDX-License-Identifier: BSD-3-Clause
r"""The posterior of the weights and the log evidence, of either likelihood, by one Cholesky factor.

Weights w ~ N(0, A^-1) with A = diag(alpha), values a = Phi w, and a likelihood whose logarithm has the slope e and the
curvature -W in the values at the posterior mode. With D = A^-1/2 and u = A^1/2 mean::

    Sigma = (A + Phi'W Phi)^-1 = D B^-1 D,   B = I + D Phi'W Phi D = LL'
    ln evidence = ln p(t | mean) - u'u / 2 - ln |L|

This is exact for Gaussian noise, where e = (t - Phi mean) / noise, W = I / noise and the evidence is
N(t; 0, noise I + Phi A^-1 Phi'); otherwise it is Laplace's approximation. No eigenvalue of B is below 1, however far
apart the alphas are, and alpha_i = inf, a pruned weight, is nothing but a column left out.

Slopes in the logarithms, with gamma_i = 1 - alpha_i Sigma_ii; and in 1/alpha_i at 0, for a pruned weight::

    d ln evidence / d ln alpha_i   = (gamma_i + u_i v_i - u_i^2) / 2
    d ln evidence / d ln noise     = (||t - Phi mean||^2 / noise - N + sum gamma_i) / 2
    d ln evidence / d (1/alpha_i)  = (q_i^2 - s_i - q_i p_i) / 2

    q_i = phi_i'e,   s_i = phi_i'(W^-1 + Phi A^-1 Phi')^-1 phi_i

v and p are 0 for Gaussian noise; else they say how W follows the mode. Source: Tipping (2001); Tipping and Faul (2003).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["Posterior", "Stationarity", "kept_columns", "weighted_cholesky"]


@dataclass(frozen=True)
class Stationarity:
    """How far the hyper-parameters are from a local maximum of the evidence; all three are 0 at one.

    Attributes
    ----------
    weights
        The largest |d ln evidence / d ln alpha_i| of the weights kept.
    noise
        |d ln evidence / d ln noise|; 0 where the noise is not learned, or would fall below its floor.
    pruned
        The largest (q_i^2 - s_i - q_i p_i) / s_i of the weights pruned, or 0 if none is positive: the evidence would
        rise if that weight came back.
    """

    weights: float
    noise: float
    pruned: float

    def holds(self, tol: float) -> bool:
        """Return whether all three are within ``tol``; NaN never is."""
        return all(measure <= tol for measure in (self.weights, self.noise, self.pruned))

    def __str__(self) -> str:
        return (
            f"slopes of the evidence {self.weights:.1e} (weights), {self.noise:.1e} (noise), {self.pruned:.1e} (pruned)"
        )


@dataclass(frozen=True, eq=False)
class Posterior(ABC):
    """The Gaussian w | t at given alpha and noise, exact or approximate.

    Attributes
    ----------
    columns
        Phi, shape (N, M).
    alpha
        Precisions of the weights, shape (M,); inf where pruned.
    noise
        Variance of the noise; None for a likelihood without it.
    floor
        What a learned noise may not fall below; None where the noise is not learned.
    lower
        L, of the order of the kept weights.
    u
        A^1/2 mean of the kept weights.
    curvature, slope
        W and e, shape (N,).
    fit
        ln p(t | mean).
    """

    columns: Matrix
    alpha: Vector
    noise: float | None
    floor: float | None
    lower: Matrix
    u: Vector
    curvature: Vector
    slope: Vector
    fit: float

    @cached_property
    def kept(self) -> Indices:
        """Numbers of the weights that are not pruned."""
        return np.flatnonzero(np.isfinite(self.alpha))

    @property
    def mean(self) -> Vector:
        """Posterior mean of all weights, shape (M,); 0 where pruned."""
        mean = np.zeros(self.alpha.size)
        mean[self.kept] = self.u / np.sqrt(self.alpha[self.kept])
        return mean

    @cached_property
    def root(self) -> Matrix:
        """L^-1 D, whose rows make Sigma = root'root of the kept weights."""
        return self.inverse_lower / np.sqrt(self.alpha[self.kept])

    @cached_property
    def inverse_lower(self) -> Matrix:
        """L^-1; no singular value of L is below 1."""
        return np.asarray(solve_triangular(self.lower, np.eye(self.u.size), lower=True, check_finite=False))

    @property
    def log_evidence(self) -> float:
        """Ln p(t | alpha, noise)."""
        return self.fit - 0.5 * float(self.u @ self.u) - float(np.log(np.diag(self.lower)).sum())

    @property
    def rounding(self) -> float:
        """What the evidence may differ by for no other reason than float64."""
        terms = abs(self.fit) + float(self.u @ self.u) + float(np.log(np.diag(self.lower)).sum()) + self.curvature.size
        return 64 * float(np.finfo(float).eps) * terms

    @cached_property
    def uncertainty(self) -> Vector:
        """alpha_i Sigma_ii of the kept weights: 1 where the data say nothing, 0 where they say all."""
        return np.asarray(np.einsum("ij,ij->j", self.inverse_lower, self.inverse_lower))

    @cached_property
    def determined(self) -> Vector:
        """gamma_i = 1 - alpha_i Sigma_ii of the kept weights; their sum is the number of parameters in use."""
        return 1.0 - self.uncertainty

    @property
    @abstractmethod
    def bend(self) -> Vector:
        """u_i v_i of the kept weights: what of the slope is due to W, which follows the mode."""

    @property
    @abstractmethod
    def pull(self) -> Vector:
        """Twice the slope of ln |L| in each value a_i, shape (N,)."""

    @property
    @abstractmethod
    def hessian(self) -> Matrix:
        """Second derivatives of the log evidence in the coordinates of :attr:`gradient`."""

    @cached_property
    def correlation(self) -> Matrix:
        """B^-1 = A^1/2 Sigma A^1/2 of the kept weights."""
        return np.asarray(self.inverse_lower.T @ self.inverse_lower)

    @property
    def gaussian_hessian(self) -> Matrix:
        """Second derivatives in ln alpha_i of the kept weights, as if W did not follow the mode."""
        u = self.u
        hessian = 0.5 * self.correlation**2 + np.outer(u, u) * self.correlation
        hessian[np.diag_indices(u.size)] -= 0.5 * (self.uncertainty + u**2)
        return np.asarray(hessian)

    @cached_property
    def gradient(self) -> Vector:
        """Slopes of the log evidence in ln alpha_i of the kept weights, and last in ln noise where it is learned."""
        weights = 0.5 * (self.determined + self.bend - self.u**2)
        return weights if self.floor is None else np.append(weights, 0.5 * (self.misfit - self.freedom))

    @property
    def misfit(self) -> float:
        """||t - Phi mean||^2 / noise."""
        return float(self.slope @ self.slope) / float(self.curvature[0])

    @property
    def freedom(self) -> float:
        """N - sum gamma_i."""
        return self.curvature.size - self.u.size + float(self.uncertainty.sum())

    @property
    def fixed_point(self) -> Vector:
        """By what factors the update of MacKay and Tipping multiplies the alphas kept, and the noise where learned.

        alpha_i = (gamma_i + u_i v_i) / mean_i^2 and noise = ||t - Phi mean||^2 / (N - sum gamma_i). Every factor lies
        on the side of 1 where the evidence rises.
        """
        squares = np.maximum(self.u**2, np.finfo(float).tiny)
        # The numerator is above 0 for Gaussian noise; a mode that moves W a lot may turn it.
        weights = np.maximum(self.determined + self.bend, 0.01 * squares) / squares
        return weights if self.floor is None else np.append(weights, self.misfit / self.freedom)

    def overlaps(self, columns: Matrix) -> tuple[Vector, Vector, Vector]:
        """Return phi_i'e, phi_i'(W^-1 + Phi A^-1 Phi')^-1 phi_i and p_i of some columns phi_i.

        For a pruned column these are its quality q_i, its sparsity s_i and the pull p_i.
        """
        weighted = self.curvature[:, None] * columns
        inner = self.root @ (self.columns[:, self.kept].T @ weighted)
        spread = np.einsum("ij,ij->j", weighted, columns) - np.einsum("ij,ij->j", inner, inner)
        pull = columns.T @ self.pull - inner.T @ (self.root @ (self.columns[:, self.kept].T @ self.pull))
        return columns.T @ self.slope, np.maximum(spread, 0.0), pull

    @cached_property
    def returning(self) -> tuple[Vector, Vector]:
        """Twice the slopes in 1/alpha_i of the pruned weights, and their s_i; both shape (M,) and 0 where kept."""
        slopes, sparsity = np.zeros(self.alpha.size), np.zeros(self.alpha.size)
        pruned = np.isinf(self.alpha) & self.columns.any(axis=0)
        q, s, p = self.overlaps(self.columns[:, pruned])
        slopes[pruned], sparsity[pruned] = q**2 - s - q * p, s
        return slopes, sparsity

    @property
    def steepest(self) -> tuple[float, float]:
        """The largest |slope| in ln alpha_i of the kept weights, and |slope| in ln noise where it can follow."""
        weights = float(np.abs(self.gradient[: self.u.size]).max(initial=0.0))
        if self.floor is None or self.noise is None or (self.noise <= self.floor and self.gradient[-1] < 0):
            return weights, 0.0
        return weights, abs(float(self.gradient[-1]))

    @cached_property
    def stationarity(self) -> Stationarity:
        """How far the hyper-parameters are from a local maximum of the evidence."""
        slopes, sparsity = self.returning
        back = np.divide(slopes, sparsity, out=np.zeros_like(sparsity), where=sparsity > 0)
        return Stationarity(*self.steepest, pruned=float(back.max(initial=0.0)))


def kept_columns(columns: Matrix, alpha: Vector) -> Matrix:
    """Return Phi D without the pruned columns."""
    kept = np.isfinite(alpha)
    return np.asarray(columns[:, kept] / np.sqrt(alpha[kept]))


def weighted_cholesky(scaled: Matrix, curvature: Vector) -> Matrix:
    """Return L with LL' = I + scaled'W scaled.

    Raises
    ------
    LinAlgError
        If signal exceeds noise by so much that float64 does not tell the matrix from a singular one.
    """
    rows = np.sqrt(curvature)[:, None] * scaled
    B = rows.T @ rows
    B[np.diag_indices_from(B)] += 1.0
    return np.asarray(cholesky(B, lower=True, overwrite_a=True, check_finite=False))
