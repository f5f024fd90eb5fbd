# SPDX-License-Identifier: BSD-3-Clause
r"""Values of a function over the window of a page.

A kernel exp(-gamma |x - z|^p) with |.|^p summed over features is a product of functions of one feature, so that on a
grid of points (u_a, v_b)

    sum_i beta_i k((u_a, v_b), x_i) = sum_i k(u_a, x_i1) beta_i k(v_b, x_i2),

one product of two thin matrices: 160 + 120 exponentials a support vector in place of 160 x 120.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.lab.settings import Window
from qpkernels.arrays import Matrix, Vector
from qpkernels.gram import Expansion
from qpkernels.kernels import RBF, Kernel, Laplacian

__all__ = ["GRID", "Grid", "grid_of", "values_on"]

GRID = (120, 160)
"""Rows and columns of the values of a decision function."""


@dataclass(frozen=True, eq=False)
class Grid:
    """The points (u_a, v_b) of a grid; v ascends."""

    u: Vector
    v: Vector

    def points(self) -> Matrix:
        """Return the points, shape (len(v) len(u), 2): u runs first."""
        u, v = np.meshgrid(self.u, self.v)
        return np.column_stack([u.ravel(), v.ravel()])


def grid_of(window: Window, shape: tuple[int, int] = GRID) -> Grid:
    """Return the grid whose corners are those of the window."""
    return Grid(np.linspace(window.left, window.right, shape[1]), np.linspace(window.bottom, window.top, shape[0]))


def values_on(grid: Grid, function: Expansion) -> Matrix:
    """Return the values of f + b on the grid, shape (len(v), len(u))."""
    if isinstance(function.kernel, RBF | Laplacian) and isinstance(function.kernel.gamma, float):
        return _product_values(grid, function, function.kernel)
    return np.asarray(function(grid.points())).reshape(grid.v.size, grid.u.size)


def _product_values(grid: Grid, function: Expansion, kernel: Kernel) -> Matrix:
    X = np.asarray(function.centers)
    across = kernel.matrix(grid.u[:, None], X[:, :1])
    upwards = kernel.matrix(grid.v[:, None], X[:, 1:])
    return np.asarray((upwards * function.coefficients) @ across.T) + function.intercept
