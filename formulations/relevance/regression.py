# SPDX-License-Identifier: BSD-3-Clause
r"""The relevance vector machine for regression (G1).

Targets t = Phi w + noise with Phi = [1, K], w ~ N(0, A^-1), A = diag(alpha), noise ~ N(0, I / beta)::

    max  ln N(t; 0, I / beta + Phi A^-1 Phi')   over  alpha > 0 (inf allowed)  and  beta > 0

    Sigma = (A + beta Phi'Phi)^-1,   mean = beta Sigma Phi't,   gamma_i = 1 - alpha_i Sigma_ii
    alpha_i <- gamma_i / mean_i^2,   1/beta <- ||t - Phi mean||^2 / (m - sum gamma_i)

The prediction at x is Gaussian with mean phi(x)'mean and variance 1/beta + phi(x)'Sigma phi(x). The update alone may
lower the evidence; :mod:`formulations.relevance.ascent` says what is done so that it does not. The evidence has local
maxima: the answer is the higher of two stationary points, reached from a narrow and from a wide prior. Without noise in
the data the evidence has no maximum, so 1/beta stays above 1e-10 of the mean square of t. Source: G1 of the catalogue;
Tipping (2001), "Sparse Bayesian learning and the relevance vector machine".
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from formulations.relevance.answer import RelevanceSolution, expand
from formulations.relevance.ascent import Ascent, ascend
from formulations.relevance.evidence import Posterior
from formulations.relevance.gaussian import GaussianPosterior
from formulations.relevance.machine import RelevanceMachine, check_limits, initial_alphas, noise_floor, one_target
from qpkernels.arrays import Matrix, Vector, check_positive
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["GaussianTargets", "RegressionMachine", "RelevanceRegression"]

_INITIAL_NOISE = 0.1
"""Share of the mean square of the targets that is taken for noise at the start."""


@dataclass(frozen=True, eq=False)
class GaussianTargets:
    """The likelihood N(t; Phi w, noise I); ``floor`` None says that the noise is known."""

    columns: Matrix
    t: Vector
    floor: float | None

    def posterior(self, alpha: Vector, noise: float | None, near: Posterior | None) -> Posterior:
        """Return the posterior, which is known in closed form."""
        del near
        assert noise is not None
        return GaussianPosterior.at(self.columns, self.t, alpha, noise, self.floor)


class RegressionMachine(RelevanceMachine):
    """Targets with Gaussian noise, and the hyper-parameters that the search starts from.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.relevance.machine.RelevanceMachine`.
    y
        Finite targets, shape (m,).
    noise
        The variance of the noise where it is known, above 0; None: learned.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If y is not such a vector, or another argument is outside its range.
    """

    y: Vector
    noise: float | None

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, noise: float | None = None
    ) -> None:
        self._bind(X, kernel)
        self.y = one_target(y, len(self.gram))
        self.noise = None if noise is None else check_positive(noise, "noise")
        self.freeze()

    @property
    def likelihood(self) -> GaussianTargets:
        """What the targets say of the weights."""
        return GaussianTargets(self.columns, self.y, noise_floor(self.y) if self.noise is None else None)

    @abstractmethod
    def climb(self, alpha: Vector, noise: float, tol: float, max_iter: int) -> Ascent:
        """Raise the evidence from one start."""

    def solve(self, *, max_iter: int = 1000, tol: float = 1e-6) -> RelevanceSolution:
        """Raise the evidence from two starts, each until it is stationary to ``tol``; keep the higher end."""
        check_limits(max_iter, tol)
        square = float(self.y @ self.y) / len(self)
        noise = max(_INITIAL_NOISE * square, noise_floor(self.y)) if self.noise is None else self.noise
        ascents = [self.climb(alpha, noise, tol, max_iter) for alpha in initial_alphas(self.columns, square)]
        return expand(self.name, self.gram, max(ascents, key=lambda ascent: ascent.posterior.log_evidence))


class RelevanceRegression(RegressionMachine):
    """The relevance vector machine for regression (G1); parameters as in :class:`RegressionMachine`."""

    catalogue = "G1"

    def climb(self, alpha: Vector, noise: float, tol: float, max_iter: int) -> Ascent:
        """Raise the evidence from one start, by the update of MacKay and Tipping made safe."""
        return ascend(self.likelihood, alpha, noise, tol=tol, max_iter=max_iter)
