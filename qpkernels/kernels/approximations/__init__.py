# SPDX-License-Identifier: BSD-3-Clause
"""Kernels with few explicit features that stand in for others."""

from qpkernels.kernels.approximations.nystroem import Nystroem
from qpkernels.kernels.approximations.random_fourier import RandomFourier

__all__ = ["Nystroem", "RandomFourier"]
