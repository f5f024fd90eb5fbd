# SPDX-License-Identifier: BSD-3-Clause
"""Numerics of kernel machines: kernels, programs, solvers, certificates and export.

The models themselves are in the package :mod:`formulations`. Importing this package imports neither CVXPY nor any
solver.
"""

from qpkernels.gram import Expansion, Gram, Mercer
from qpkernels.kernels import (
    RBF,
    Columns,
    FunctionKernel,
    Kernel,
    Laplacian,
    Linear,
    Matching,
    Matern,
    Polynomial,
    Precomputed,
    QuadraticMap,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
    Spectrum,
    Subsequence,
)

__version__ = "0.1.0"

__all__ = [
    "RBF",
    "Columns",
    "Expansion",
    "FunctionKernel",
    "Gram",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matching",
    "Matern",
    "Mercer",
    "Polynomial",
    "Precomputed",
    "QuadraticMap",
    "RankOne",
    "ScaledQuadraticMap",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "__version__",
]
