# SPDX-License-Identifier: BSD-3-Clause
"""Kernels on vectors and sequences, kernels made of other kernels, and low-rank kernels that stand in for them.

Importing this package gives every kernel its operators.
"""

from qpkernels.kernels.algebra import Exponential, PolynomialOf, Power, Product, Scaled, Sum
from qpkernels.kernels.approximations import Nystroem, RandomFourier
from qpkernels.kernels.columns import Columns
from qpkernels.kernels.composition import Composed, QuadraticMap, RankOne, ScaledQuadraticMap
from qpkernels.kernels.elastic_edit import ElasticEdit
from qpkernels.kernels.function_kernel import FunctionKernel
from qpkernels.kernels.global_alignment import GlobalAlignment
from qpkernels.kernels.kernel import Algebra, Kernel, SampleFunction, Samples
from qpkernels.kernels.laplacian import Laplacian
from qpkernels.kernels.linear import Linear
from qpkernels.kernels.matching import Matching
from qpkernels.kernels.matern import Matern
from qpkernels.kernels.polynomial import Polynomial
from qpkernels.kernels.precomputed import Precomputed
from qpkernels.kernels.products import ProductForm
from qpkernels.kernels.rbf import RBF
from qpkernels.kernels.sequences import SequenceKernel
from qpkernels.kernels.sigmoid import Sigmoid
from qpkernels.kernels.spectrum import Spectrum
from qpkernels.kernels.subsequence import Subsequence

__all__ = [
    "RBF",
    "Columns",
    "Composed",
    "ElasticEdit",
    "Exponential",
    "FunctionKernel",
    "GlobalAlignment",
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
]

Kernel.algebra = Algebra(
    sum=Sum,
    product=Product,
    scaled=Scaled,
    power=Power,
    exponential=Exponential,
    polynomial=PolynomialOf,
    composed=Composed,
)
