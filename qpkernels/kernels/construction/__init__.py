# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of kernels and of functions; loading this gives every kernel its operators."""

from qpkernels.kernels.base import Algebra, Kernel
from qpkernels.kernels.construction.algebra import Product, Scaled, Sum
from qpkernels.kernels.construction.columns import Columns
from qpkernels.kernels.construction.composition import Composed, RankOne
from qpkernels.kernels.construction.function_kernel import FunctionKernel, as_kernel
from qpkernels.kernels.construction.functions import QuadraticMap, ScaledQuadraticMap
from qpkernels.kernels.construction.power_series import Exponential, PolynomialOf, Power

__all__ = [
    "Columns",
    "Composed",
    "Exponential",
    "FunctionKernel",
    "PolynomialOf",
    "Power",
    "Product",
    "QuadraticMap",
    "RankOne",
    "Scaled",
    "ScaledQuadraticMap",
    "Sum",
    "as_kernel",
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
