# SPDX-License-Identifier: BSD-3-Clause
r"""K beta in the arithmetic that the duality gap needs: float64 where it tells, float32 where it proves a loss of 0.

P and D depend on f(x_i) through beta_i f(x_i), and through the loss of sample i. Where beta_i is not 0, f(x_i) is made
in float64: among these samples K is symmetric, so that half of it will do. Elsewhere only the loss counts. It is 0 on
the interval

    -epsilon_i <= target_i - b - f(x_i) <= epsilon_i,

which has no end on a side to which beta_i cannot move. With f(x_i) in float32 and a bound of its error (proved, see
:mod:`qpkernels.gram.panels.sums`), a sample that is inside by more than that bound has a loss of exactly 0: nothing
of the rounding of float32 enters P, D or the gap, at any tolerance. The others, near an end or beyond it, are made in
float64 as before. They are few at a good answer.

Of a matrix whose samples come and go, the product follows that of the certificate before, which was made in float64,
with a bound of what the updates add to its rounding.

A model with hard constraints may have f rescaled, which moves the interval; there float64 makes all values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.certificates.rounding import EPS
from qpkernels.gram import BoundedProduct
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["gap_product"]


def gap_product(program: KernelQP, beta: Vector, intercept: float) -> BoundedProduct:
    """Return K beta, whose errors leave the duality gap of (beta, b) what it is in float64."""
    if program.is_hard:
        return BoundedProduct(beta, program.gram.product(beta), np.zeros(beta.size))
    above, below = program.upper > 0, program.lower < 0

    def has_no_loss(samples: Indices, values: Vector, error: Vector) -> NDArray[np.bool_]:
        target, epsilon = program.target[samples], program.epsilon[samples]
        residuals = target - intercept - values
        width = epsilon - error - 2 * EPS * (np.abs(target - intercept) + np.abs(residuals) + epsilon)
        return (~above[samples] | (residuals <= width)) & (~below[samples] | (-residuals <= width))

    return program.gram.bounded_product(beta, has_no_loss)
