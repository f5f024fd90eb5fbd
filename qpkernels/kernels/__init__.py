# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one file each, over vectors and over sequences, and the construction of kernels from others."""

from qpkernels.kernels.base import Kernel, ProductForm, SampleFunction, Samples
from qpkernels.kernels.construction import (
    Composed,
    Exponential,
    PolynomialOf,
    Power,
    Product,
    QuadraticMap,
    RankOne,
    Scaled,
    ScaledQuadraticMap,
    Sum,
)
from qpkernels.kernels.sequences import SequenceKernel, Spectrum, Subsequence
from qpkernels.kernels.vectors import (
    RBF,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Sigmoid,
    scale_gamma,
)

__all__ = [
    "RBF",
    "Composed",
    "Exponential",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "ProductForm",
    "QuadraticMap",
    "RankOne",
    "SampleFunction",
    "Samples",
    "Scaled",
    "ScaledQuadraticMap",
    "SequenceKernel",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "Sum",
    "scale_gamma",
]
