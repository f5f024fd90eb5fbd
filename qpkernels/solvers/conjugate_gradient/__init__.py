# SPDX-License-Identifier: BSD-3-Clause
"""Preconditioned conjugate gradients for kernel matrices with a ridge."""

from qpkernels.solvers.conjugate_gradient.solver import ConjugateGradient, Progress

__all__ = ["ConjugateGradient", "Progress"]
