# SPDX-License-Identifier: BSD-3-Clause
"""Numerics of kernel machines: kernels, programs, solvers, certificates and export.

The models themselves are in the package :mod:`formulations`. Importing this package imports no CVXPY and no solver.
"""

from qpkernels.gram import Gram, LowRank, Mercer
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import (
    RBF,
    Columns,
    ElasticEdit,
    FunctionKernel,
    GlobalAlignment,
    Kernel,
    Laplacian,
    Linear,
    Matching,
    Matern,
    Nystroem,
    Polynomial,
    Precomputed,
    QuadraticMap,
    RandomFourier,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
    Spectrum,
    Subsequence,
)

__version__ = "0.1.0"
"""The release number of both packages."""

__all__ = [
    "RBF",
    "Columns",
    "ElasticEdit",
    "Expansion",
    "FunctionKernel",
    "GlobalAlignment",
    "Gram",
    "Kernel",
    "Laplacian",
    "Linear",
    "LowRank",
    "Matching",
    "Matern",
    "Mercer",
    "Nystroem",
    "Polynomial",
    "Precomputed",
    "QuadraticMap",
    "RandomFourier",
    "RankOne",
    "ScaledQuadraticMap",
    "Sigmoid",
    "Spectrum",
    "Subsequence",
    "__version__",
]
