# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one file each, with the algebra that combines them."""

from qpkernels.kernels.algebra import Exponential, PolynomialOf, Power, Product, Scaled, Sum
from qpkernels.kernels.base import Kernel, Samples
from qpkernels.kernels.composition import Composed, RankOne
from qpkernels.kernels.functions import QuadraticMap, SampleFunction, ScaledQuadraticMap
from qpkernels.kernels.laplacian import Laplacian
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.matern import Matern
from qpkernels.kernels.polynomial import Polynomial
from qpkernels.kernels.precomputed import Precomputed
from qpkernels.kernels.rbf import RBF, scale_gamma
from qpkernels.kernels.sequences import SequenceKernel
from qpkernels.kernels.sigmoid import Sigmoid
from qpkernels.kernels.spectrum import Spectrum
from qpkernels.kernels.subsequence import Subsequence

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
