# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression beside least squares with an intercept."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import KernelRidge, LeastSquares
from qpkernels.kernels import Kernel, Linear, Precomputed
from regression_data import each_kernel, solved, targets


@each_kernel
def test_kernel_ridge_is_least_squares_on_centred_coordinates(kernel: Kernel | None) -> None:
    """Where K and y are centred, b = 0 is best, and lambda = 1/C."""
    X, y = targets()
    centre = np.eye(len(y)) - 1.0 / len(y)
    K, t = centre @ (kernel or Linear())(X) @ centre, centre @ y
    ridge = solved(KernelRidge(np.arange(len(y)), t, Precomputed(K), regularisation=0.5).dual, "linear")
    squares = solved(LeastSquares(np.arange(len(y)), t, Precomputed(K), C=2.0).dual, "linear")
    assert squares.intercept == pytest.approx(0.0, abs=1e-12)
    assert squares.decision == pytest.approx(ridge.decision, rel=0, abs=1e-10)
    assert squares.objective == pytest.approx(ridge.objective, rel=1e-10)
