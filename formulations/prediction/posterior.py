# SPDX-License-Identifier: BSD-3-Clause
"""The Gaussian over functions that a relevance machine ends with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, row_blocks
from qpkernels.functions import Expansions

__all__ = ["Posterior"]


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weights of the basis [1, k(x_1, .), ..., k(x_n, .)] with the covariance root'root.

    Attributes
    ----------
    root
        Shape (r, n), or (r, n + 1) with the constant.
    constant
        Whether the constant is in the basis.
    noise
        Variance of the noise of a target; None of a classifier.
    """

    root: Matrix = field(repr=False)
    constant: bool
    noise: float | None

    def variance(self, mean: Expansions, X: ArrayLike) -> Vector:
        """Return noise + phi(x_i)' root'root phi(x_i), shape (len(X),).

        Parameters
        ----------
        mean
            The mean of the machine, from which come the kernel and the centers of the basis functions k(x_j, .).
        X
            Samples as the kernel takes them.
        """
        samples = mean.kernel.samples(X)
        ones = int(self.constant)
        centers = mean.centers[: self.root.shape[1] - ones]
        variance = np.empty(samples.shape[0])
        for rows in row_blocks(variance.size, centers.shape[0] + 1):
            basis = mean.kernel(samples[rows], centers) if centers.shape[0] else np.empty((len(samples[rows]), 0))
            values = np.hstack([np.ones((len(basis), ones)), basis]) @ self.root.T
            variance[rows] = np.einsum("ij,ij->i", values, values)
        return variance if self.noise is None else self.noise + variance
