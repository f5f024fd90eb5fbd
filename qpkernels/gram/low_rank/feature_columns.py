# SPDX-License-Identifier: BSD-3-Clause
"""Explicit features as the columns of a factor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector
from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.base import Kernel

__all__ = ["FeatureColumns"]


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """All columns of explicit features, and the diagonal of what they leave."""

    approximation: Nystroem | RandomFourier
    kernel: Kernel

    def __call__(self, samples: Samples, before: Matrix) -> tuple[Matrix, Vector]:
        """Return the features of a block of samples, and what they leave of the diagonal."""
        del before
        features = self.approximation.features(samples)
        return features, np.maximum(self.kernel.diagonal(samples) - np.einsum("ij,ij->i", features, features), 0.0)
