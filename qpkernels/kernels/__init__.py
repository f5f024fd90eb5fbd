# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one file each, over vectors and sequences, made of others, and of low rank in their place."""

from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.base import Kernel, ProductForm, SampleFunction, Samples
from qpkernels.kernels.construction import (
    Columns,
    Composed,
    Exponential,
    FunctionKernel,
    PolynomialOf,
    Power,
    Product,
    QuadraticMap,
    RankOne,
    Scaled,
    ScaledQuadraticMap,
    Sum,
    as_kernel,
)
from qpkernels.kernels.sequences import SequenceKernel, Spectrum, Subsequence
from qpkernels.kernels.vectors import (
    RBF,
    Laplacian,
    Linear,
    Matching,
    Matern,
    Polynomial,
    Precomputed,
    Sigmoid,
    scale_gamma,
)

__all__ = [
    "RBF",
    "Columns",
    "Composed",
    "Exponential",
    "FunctionKernel",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matching",
    "Matern",
    "Nystroem",
    "Polynomial",
    "PolynomialOf",
    "Power",
    "Precomputed",
    "Product",
    "ProductForm",
    "QuadraticMap",
    "RandomFourier",
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
    "as_kernel",
    "scale_gamma",
]
