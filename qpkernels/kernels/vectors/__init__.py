# SPDX-License-Identifier: BSD-3-Clause
"""Kernels over vectors of features, and over objects known by their number."""

from qpkernels.kernels.vectors.laplacian import Laplacian
from qpkernels.kernels.vectors.linear import Linear
from qpkernels.kernels.vectors.matching import Matching
from qpkernels.kernels.vectors.matern import Matern
from qpkernels.kernels.vectors.polynomial import Polynomial
from qpkernels.kernels.vectors.precomputed import Precomputed
from qpkernels.kernels.vectors.rbf import RBF, scale_gamma
from qpkernels.kernels.vectors.sigmoid import Sigmoid

__all__ = ["RBF", "Laplacian", "Linear", "Matching", "Matern", "Polynomial", "Precomputed", "Sigmoid", "scale_gamma"]
