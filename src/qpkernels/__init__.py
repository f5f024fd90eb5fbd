# SPDX-License-Identifier: BSD-3-Clause
"""Numerics of kernel machines: kernels, programs, solvers, certificates and export.

The models themselves are in the package :mod:`formulations`. Importing this package imports neither CVXPY nor any
solver.
"""

from qpkernels.expansion import Expansion
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed

__version__ = "0.1.0"

__all__ = ["RBF", "Expansion", "Gram", "Kernel", "Linear", "Polynomial", "Precomputed", "__version__"]
