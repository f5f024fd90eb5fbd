# SPDX-License-Identifier: BSD-3-Clause
"""The linear kernel."""

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels.base import Kernel, Samples

__all__ = ["Linear"]


@dataclass(frozen=True)
class Linear(Kernel):
    """x'z: f is the linear function <w, x> with w = sum_j beta_j x_j."""

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(X @ Z.T)

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray(np.einsum("ij,ij->i", X, X))

    def features(self, X: Samples) -> Matrix:
        return X
