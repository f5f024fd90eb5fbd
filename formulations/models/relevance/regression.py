# SPDX-License-Identifier: BSD-3-Clause
r"""The relevance vector machine for regression.

Targets t = Phi w + noise with Phi = [1, K], w ~ N(0, A^-1), A = diag(alpha), noise ~ N(0, I / beta)::

    max  ln N(t; 0, I / beta + Phi A^-1 Phi')   s.t.  alpha > 0,  beta > 0       (an alpha may be inf)

    Sigma = (A + beta Phi'Phi)^-1,   mean = beta Sigma Phi't,   gamma_i = 1 - alpha_i Sigma_ii
    alpha_i <- gamma_i / mean_i^2,   1/beta <- ||t - Phi mean||^2 / (m - sum gamma_i)

The prediction at x is Gaussian with mean phi(x)'mean and variance 1/beta + phi(x)'Sigma phi(x). The update alone may
lower the evidence; :mod:`formulations.models.relevance.ascent` says how this is avoided. The evidence has local maxima,
and the answer is the highest that was found from several starts, which are listed there. Without noise in the data the
evidence has no maximum, so 1/beta stays above 1e-10 of the mean square of t. Source: Tipping (2001), "Sparse Bayesian
learning and the relevance vector machine".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.inputs.samples import KernelLike, real_targets
from formulations.models.relevance.ascent import EvidenceSearch, initial_noise, least_noise, search, starting_points
from formulations.models.relevance.likelihoods import GaussianTargets
from formulations.models.relevance.machine import RelevanceMachine
from qpkernels.arrays import Vector, check_positive
from qpkernels.display import TextbookProblem
from qpkernels.gram import Gram

__all__ = ["RegressionMachine", "RelevanceRegression"]

_WIDTHS = (0.1, 1.0, 10.0, 1e4)
"""Prior variances of the values of one column, against that of the targets, at further starts."""

_SPARSE = 5
"""Number of starts from few columns, which find other maxima than all columns together."""

_MUCH_NOISE = 5.0
"""How many times the usual noise one start has, if the noise is learned."""


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RegressionMachine(RelevanceMachine):
    """Targets with Gaussian noise.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.models.relevance.machine.RelevanceMachine`.
    y
        Finite targets, shape (m,), whose squares are finite too.
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
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: KernelLike | None = None, *, noise: float | None = None
    ) -> None:
        super().__init__(X, kernel)
        object.__setattr__(self, "y", real_targets(y, len(self.gram)))
        object.__setattr__(self, "noise", None if noise is None else check_positive(noise, "noise"))

    @cached_property
    def likelihood(self) -> GaussianTargets:
        """The likelihood of the weights given the targets."""
        return GaussianTargets.of(self.design, self.y, least_noise(self.y) if self.noise is None else None)

    @property
    def first_noise(self) -> float:
        """The variance of the noise where it is known, else what it starts from."""
        return initial_noise(self.y) if self.noise is None else self.noise

    @property
    def mean_square(self) -> float:
        """The mean square of the targets."""
        return float(self.y @ self.y) / len(self)


class RelevanceRegression(RegressionMachine):
    """The relevance vector machine for regression; parameters as in :class:`RegressionMachine`.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import RelevanceRegression
    >>> from qpkernels import RBF
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> solution = RelevanceRegression(X, np.sinc(X[:, 0]), RBF(gamma=2.0), noise=0.01).solve()
    >>> print(solution.relevance, solution.predict([[0.0]]).round(2), solution.variance([[0.0]]).round(3))
    [ 1  3  6  9 11] [1.02] [0.016]
    """

    entry = ModelEntry(most_points=1000)
    textbook = TextbookProblem("max  ln N(t; 0, I / beta + Phi A^-1 Phi')  s.t.  alpha > 0,  beta > 0")

    def search(self, *, tol: float, max_iter: int, until: float) -> EvidenceSearch:
        """Raise the evidence from each start, by the safeguarded update of MacKay and Tipping."""
        noise = self.first_noise
        starts = starting_points(self.design, self.mean_square, noise, widths=_WIDTHS, sparse=_SPARSE)
        if self.noise is None:
            starts.append((starts[0][0], _MUCH_NOISE * noise))
        return search(self.likelihood, starts, tol=tol, max_iter=max_iter, until=until)
