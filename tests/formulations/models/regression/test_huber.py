# SPDX-License-Identifier: BSD-3-Clause
"""Huber's loss in its two limits: squares, and absolute values."""

from __future__ import annotations

import pytest

from formulations import Huber, LeastSquares, SoftTube
from qpkernels.kernels import Kernel
from regression_data import each_kernel, same, solved, targets


@each_kernel
def test_huber_of_a_huge_delta_is_least_squares(kernel: Kernel | None) -> None:
    X, y = targets()
    huber, squares = Huber(X, y, kernel, delta=1e4, C=0.7), LeastSquares(X, y, kernel, C=0.7)
    same(huber.primal, squares.primal)
    same(huber.dual, squares.dual, solvers=("smo", "linear"))


@each_kernel
def test_huber_of_a_tiny_delta_is_the_absolute_loss(kernel: Kernel | None) -> None:
    """C h(r) = C delta |r| - C delta^2 / 2 for all |r| >= delta."""
    X, y = targets()
    huber = solved(Huber(X, y, kernel, delta=1e-6, C=0.7e6).dual, "clarabel", 1e-7)
    absolute = solved(SoftTube(X, y, kernel, epsilon=0.0, C=0.7).dual, "smo", 1e-9)
    assert huber.objective == pytest.approx(-absolute.objective, rel=1e-5)
