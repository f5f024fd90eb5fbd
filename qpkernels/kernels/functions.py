# SPDX-License-Identifier: BSD-3-Clause
"""Functions of samples that kernels are built with, among them the maps of quadratic discriminants."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, finite_matrix
from qpkernels.kernels.base import Samples

__all__ = ["QuadraticMap", "SampleFunction", "ScaledQuadraticMap"]


class SampleFunction(ABC):
    """A function of samples that a file can hold: a frozen dataclass, whose fields are its parameters.

    It acts on each sample by itself: a row of its answer depends on the same row of ``X`` alone.
    """

    @abstractmethod
    def __call__(self, X: ArrayLike) -> NDArray[Any]:
        """Return one row, or one number, for each sample."""

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` checked and in the container this function works on; here: a finite float64 matrix."""
        return finite_matrix(X, "X")


@dataclass(frozen=True)
class QuadraticMap(SampleFunction):
    """x -> (x_1, ..., x_d, all products x_i x_j with i <= j): d + d (d + 1) / 2 features.

    A linear function of them is a quadratic discriminant.
    """

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the features, shape (len(X), d + d (d + 1) / 2)."""
        samples = self.samples(X)
        return np.hstack([samples, _products(samples)])


@dataclass(frozen=True)
class ScaledQuadraticMap(SampleFunction):
    """x -> (all x_i^2, and sqrt(2) x_i x_j with i < j): d (d + 1) / 2 features, x_1's first.

    Scaled so that <phi(x), phi(z)> = (x'z)^2: a linear function of them is one of the kernel ``Polynomial(2)``.
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
