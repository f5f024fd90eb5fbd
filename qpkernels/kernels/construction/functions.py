# SPDX-License-Identifier: BSD-3-Clause
"""The maps of quadratic discriminants: functions of samples that kernels are built with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix
from qpkernels.kernels.base import SampleFunction

__all__ = ["QuadraticMap", "ScaledQuadraticMap"]


@dataclass(frozen=True)
class QuadraticMap(SampleFunction):
    """x -> (x_1, ..., x_d, all products x_i x_j with i <= j): d + d (d + 1) / 2 features.

    A linear function of them is a quadratic discriminant.

    Examples
    --------
    >>> from formulations import LeastSquaresFit
    >>> from qpkernels import Linear, QuadraticMap
    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]], [3.0, 1.0, 1.0, 3.0]
    >>> solution = LeastSquaresFit(X, y, Linear().compose(QuadraticMap())).solve()
    >>> print(QuadraticMap()([[2.0, 3.0]]), solution.residuals.round(6) + 0.0)
    [[2. 3. 4. 6. 9.]] [0. 0. 0. 0.]
    """

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the features, shape (len(X), d + d (d + 1) / 2)."""
        samples = self.samples(X)
        return np.hstack([samples, _products(samples)])


@dataclass(frozen=True)
class ScaledQuadraticMap(SampleFunction):
    """x -> (all x_i^2, and sqrt(2) x_i x_j with i < j): d (d + 1) / 2 features, x_1's first.

    Scaled so that <phi(x), phi(z)> = (x'z)^2: a linear function of them is one of the kernel ``Polynomial(2)``.

    Examples
    --------
    >>> from qpkernels import Linear, Polynomial, ScaledQuadraticMap
    >>> x, z = [[1.0, 2.0]], [[3.0, 1.0]]
    >>> print(ScaledQuadraticMap()(x).round(3))
    [[1.    2.828 4.   ]]
    >>> print(Linear().compose(ScaledQuadraticMap())(x, z).round(6), Polynomial(2)(x, z))
    [[25.]] [[25.]]
    """

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the features, shape (len(X), d (d + 1) / 2)."""
        samples = self.samples(X)
        i, j = np.triu_indices(samples.shape[1])
        return np.asarray(_products(samples) * np.where(i == j, 1.0, np.sqrt(2.0)))


def _products(X: Matrix) -> Matrix:
    """Return all x_i x_j with i <= j, in the order (1, 1), (1, 2), ..., (2, 2), ..."""
    i, j = np.triu_indices(X.shape[1])
    return np.asarray(X[:, i] * X[:, j])
