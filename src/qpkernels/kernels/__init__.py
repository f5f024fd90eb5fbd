# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one file each, with the algebra that combines them."""

from qpkernels.kernels.algebra import Exponential, Power, Product, Scaled, Sum
from qpkernels.kernels.base import Kernel, Samples
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.polynomial import Polynomial
from qpkernels.kernels.precomputed import Precomputed
from qpkernels.kernels.rbf import RBF, scale_gamma

__all__ = [
    "RBF",
    "Exponential",
    "Kernel",
    "Linear",
    "Polynomial",
    "Power",
    "Precomputed",
    "Product",
    "Samples",
    "Scaled",
    "Sum",
    "scale_gamma",
]
