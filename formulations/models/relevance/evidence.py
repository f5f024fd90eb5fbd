# SPDX-License-Identifier: BSD-3-Clause
"""The posterior of the weights and the log evidence, for either likelihood, by one Cholesky factor.

Weights w ~ N(0, A^-1) with A = diag(alpha), values a = Phi w, and a likelihood whose logarithm has the slope e and the
curvature -W, a diagonal matrix, in the values at the posterior mode. With D = A^-1/2 and u = A^1/2 mean::

    Sigma = (A + Phi'W Phi)^-1 = D B^-1 D,   B = I + D Phi'W Phi D = LL'
    ln evidence = ln p(t | mean) - u'u / 2 - ln |L|

This is exact for Gaussian noise, where e = (t - Phi mean) / noise, W = I / noise and the evidence is
N(t; 0, noise I + Phi A^-1 Phi'); otherwise it is Laplace's approximation. No eigenvalue of B is below 1, however far
apart the alphas are. A pruned weight, alpha_i = inf, is simply a column left out.

These are the slopes in the logarithms, with gamma_i = 1 - alpha_i Sigma_ii, and in 1/alpha_i at 0 for a pruned weight::

    d ln evidence / d ln alpha_i   = (gamma_i + u_i v_i - u_i^2) / 2
    d ln evidence / d ln noise     = (||t - Phi mean||^2 / noise - N + sum gamma_i) / 2
    d ln evidence / d (1/alpha_i)  = (q_i^2 - s_i - q_i p_i) / 2

    q_i = phi_i'e,   s_i = phi_i'(W^-1 + Phi A^-1 Phi')^-1 phi_i

v and p are 0 for Gaussian noise; otherwise they say how W follows the mode. Source: Tipping (2001); Tipping and Faul
(2003).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from scipy.linalg import LinAlgError, cholesky, eigh
from scipy.linalg.lapack import dtrtri

from qpkernels.arrays import Indices, Matrix, Vector, frozen
from qpkernels.gram import Gram

__all__ = ["Design", "Stationarity", "WeightPosterior", "caratheodory_reductions", "factor"]


@dataclass(frozen=True, eq=False)
class Design:
    """Phi, shape (N, M), and the squares of its entries: every step asks for phi_i'W phi_i of all columns."""

    columns: Matrix
    squares: Matrix

    @classmethod
    def of_kernel(cls, gram: Gram) -> Design:
        """Return [1, K]: the constant function, and a function k(x_j, .) for each sample."""
        columns = frozen(np.hstack([np.ones((len(gram), 1)), gram.dense]))
        return cls(columns, frozen(columns**2))

    def scaled(self, alpha: Vector) -> Matrix:
        """Return Phi A^-1/2 without the pruned columns."""
        kept = np.isfinite(alpha)
        return np.asarray(self.columns[:, kept] / np.sqrt(alpha[kept]))


_LARGE_SIGNAL = 1e8
"""Signal of a column against the noise above which the posterior is computed from the rows, not from products."""


def factor(rows: Matrix, products: Matrix) -> Matrix:
    """Return L with LL' = I + rows'rows; ``products`` is rows'rows, and is overwritten.

    Where the signal is large, adding I to the products would lose the small eigenvalues, and with them digits of the
    evidence and its slopes; L is then found from the rows themselves, by an orthogonal factorisation.
    """
    diagonal = products.ravel()[:: len(products) + 1]
    if diagonal.max(initial=0.0) > _LARGE_SIGNAL:
        upper = np.linalg.qr(np.vstack([rows, np.eye(len(products))]), mode="r")
        if not np.isfinite(upper).all():
            raise LinAlgError("the signal leaves float64.")
        return np.asarray((upper * np.sign(np.diag(upper))[:, None]).T)
    diagonal += 1.0
    return np.asarray(cholesky(products, lower=True, overwrite_a=True, check_finite=False))


@dataclass(frozen=True)
class Stationarity:
    """How far the hyper-parameters are from a local maximum of the evidence, where all three numbers are 0.

    Attributes
    ----------
    weights
        The largest |d ln evidence / d ln alpha_i| of the weights kept.
    noise
        |d ln evidence / d ln noise|; 0 where the noise is not learned, or is at its lower bound and would fall.
    pruned
        The largest (q_i^2 - s_i - q_i p_i) / s_i of the weights pruned, or 0 if none is positive: the evidence would
        rise if that weight came back.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import RelevanceRegression
    >>> from qpkernels import RBF
    >>> x = np.linspace(-3, 3, 12)[:, None]
    >>> solution = RelevanceRegression(x, np.sin(x.ravel()), RBF(0.5)).solve()
    >>> print(solution.stationarity.holds(1e-2))
    True
    """

    weights: float
    noise: float
    pruned: float

    def holds(self, tol: float) -> bool:
        """Return whether all three are within ``tol``, which NaN never is.

        Parameters
        ----------
        tol
            At least 0: the largest size that each of them may have.
        """
        return all(measure <= tol for measure in (self.weights, self.noise, self.pruned))

    def __str__(self) -> str:
        return (
            f"slopes of the evidence {self.weights:.1e} (weights), {self.noise:.1e} (noise), {self.pruned:.1e} (pruned)"
        )


@dataclass(frozen=True, eq=False)
class WeightPosterior(ABC):
    """The Gaussian w | t at given alpha and noise, exact or approximate.

    Attributes
    ----------
    design
        Phi, shape (N, M).
    alpha
        Precisions of the weights, shape (M,); inf where pruned.
    noise
        Variance of the noise; None for a likelihood without it.
    least_noise
        What a learned noise may not fall below; None where the noise is not learned.
    lower
        L, of the order of the kept weights.
    u
        A^1/2 mean of the kept weights.
    curvature, slope
        The diagonal of W, and e, shape (N,).
    fit
        ln p(t | mean).
    """

    design: Design
    alpha: Vector
    noise: float | None
    least_noise: float | None
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
        return np.asarray(dtrtri(self.lower, lower=1)[0]) if self.u.size else self.lower

    @cached_property
    def log_evidence(self) -> float:
        """The log evidence, ln p(t | alpha, noise)."""
        return self.fit - 0.5 * float(self.u @ self.u) - float(np.log(np.diag(self.lower)).sum())

    @property
    def rounding(self) -> float:
        """The amount by which the evidence may differ for no other reason than float64."""
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
    def mode_correction(self) -> Vector:
        """u_i v_i of the kept weights: what of the slope is due to W, which follows the mode."""

    @property
    @abstractmethod
    def log_det_slope(self) -> Vector:
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
        weights = 0.5 * (self.determined + self.mode_correction - self.u**2)
        if self.least_noise is None:
            return weights
        return np.append(weights, 0.5 * (self.misfit - self.degrees_of_freedom))

    @property
    def misfit(self) -> float:
        """||t - Phi mean||^2 / noise."""
        return float(self.slope @ self.slope) / float(self.curvature[0])

    @property
    def degrees_of_freedom(self) -> float:
        """N - sum gamma_i, those of the residuals."""
        return self.curvature.size - self.u.size + float(self.uncertainty.sum())

    @property
    def fixed_point(self) -> Vector:
        """By what factors the update of MacKay and Tipping multiplies the alphas kept, and the noise where learned.

        alpha_i = (gamma_i + u_i v_i) / mean_i^2 and noise = ||t - Phi mean||^2 / (N - sum gamma_i). Every factor lies
        on the side of 1 where the evidence rises.
        """
        squares = np.maximum(self.u**2, np.finfo(float).tiny)
        # The numerator is above 0 for Gaussian noise; a mode that moves W a lot may turn it.
        weights = np.maximum(self.determined + self.mode_correction, 0.01 * squares) / squares
        return weights if self.least_noise is None else np.append(weights, self.misfit / self.degrees_of_freedom)

    @property
    def cross_products(self) -> Matrix:
        """Phi_kept'W Phi, of shape (kept, M)."""
        Phi = self.design.columns
        return np.asarray((self.curvature[:, None] * Phi[:, self.kept]).T @ Phi)

    @property
    def signal(self) -> Vector:
        """phi_i'W phi_i, shape (M,)."""
        return np.asarray(self.curvature @ self.design.squares)

    @cached_property
    def overlaps(self) -> tuple[Vector, Vector, Vector]:
        """phi_i'e, phi_i'(W^-1 + Phi A^-1 Phi')^-1 phi_i and p_i, each of shape (M,).

        For a pruned column these are its quality q_i, its sparsity s_i and its correction p_i for the mode.
        """
        Phi, h = self.design.columns, self.log_det_slope
        inner = self.root @ self.cross_products
        sparsity = self.signal - np.einsum("ij,ij->j", inner, inner)
        correction = h @ Phi - (self.root @ (h @ Phi)[self.kept]) @ inner
        return self.slope @ Phi, np.maximum(sparsity, 0.0), correction

    @cached_property
    def returning(self) -> tuple[Vector, Vector]:
        """Twice the slopes in 1/alpha_i of the pruned weights, and their s_i; both shape (M,) and 0 where kept."""
        q, s, p = self.overlaps
        pruned = np.isinf(self.alpha)
        return np.where(pruned, q**2 - s - q * p, 0.0), np.where(pruned, s, 0.0)

    @property
    def steepest(self) -> tuple[float, float]:
        """The largest |slope| in ln alpha_i of the kept weights, and |slope| in ln noise where it can follow."""
        weights = float(np.abs(self.gradient[: self.u.size]).max(initial=0.0))
        if self.least_noise is None or self.noise is None or (self.noise <= self.least_noise and self.gradient[-1] < 0):
            return weights, 0.0
        return weights, abs(float(self.gradient[-1]))

    @cached_property
    def stationarity(self) -> Stationarity:
        """How far the hyper-parameters are from a local maximum of the evidence."""
        slopes, sparsity = self.returning
        back = np.divide(slopes, sparsity, out=np.zeros_like(sparsity), where=sparsity > 0)
        return Stationarity(*self.steepest, pruned=float(back.max(initial=0.0)))


_DEPENDENT = 1e-13
"""Eigenvalue of the matrices' inner products, against the largest, that counts as 0."""


def caratheodory_reductions(here: WeightPosterior) -> Iterator[Vector]:
    """Yield alphas with fewer kept weights and the same Phi A^-1 Phi' up to rounding, if there are such.

    The evidence sees alpha only through the prior covariance of the values, Phi A^-1 Phi' = sum_i phi_i phi_i' /
    alpha_i. Where the matrices phi_i phi_i' are linearly dependent (samples that occur twice, a kernel of few
    features), infinitely many alphas share one evidence, and by the theorem of Caratheodory a basic solution of

        sum_i g_i phi_i phi_i' / alpha_i = sum_i phi_i phi_i' / alpha_i,   g >= 0

    has the fewest weights: alpha_i / g_i, pruned where g_i = 0.
    """
    if here.u.size < 2:
        return
    scaled = here.design.scaled(here.alpha)
    products = (scaled.T @ scaled) ** 2
    values, vectors = eigh(products, check_finite=False)
    independent = values > _DEPENDENT * values[-1]
    if independent.all():
        return
    factor = np.sqrt(values[independent])[:, None] * vectors[:, independent].T
    shares, _ = scipy.optimize.nnls(factor, factor.sum(axis=1))
    if (shares > 0).sum() < here.u.size:
        alpha = here.alpha.copy()
        alpha[here.kept] = np.divide(alpha[here.kept], shares, out=np.full(shares.size, np.inf), where=shares > 0)
        yield alpha
