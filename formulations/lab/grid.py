# SPDX-License-Identifier: BSD-3-Clause
"""Values of a function over the window of a page.

A kernel exp(-gamma |x - z|^p) with |.|^p summed over features is a product of functions of one feature, so that on a
grid of points (u_a, v_b)

    sum_i beta_i k((u_a, v_b), x_i) = sum_i k(u_a, x_i1) beta_i k(v_b, x_i2),

one product of two thin matrices: 160 + 120 exponentials a support vector in place of 160 x 120. Of a sum of kernels,
each term is taken by itself. A kernel of the distance takes that from squares of 160 + 120 differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from formulations.lab.settings import Window
from qpkernels.arrays import Matrix, Vector
from qpkernels.arrays.threads import in_parts, without_blas_threads
from qpkernels.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Laplacian, Matern, Sum

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
    """Return the values of f + b on the grid, shape (len(v), len(u)), each term of the kernel by its own means."""
    values = np.full((grid.v.size, grid.u.size), function.intercept)
    for kernel in _terms(function.kernel):
        values += _term_values(grid, replace(function, kernel=kernel, intercept=0.0))
    return values


def _terms(kernel: Kernel) -> Iterator[Kernel]:
    """Yield the kernels of which a kernel is the sum."""
    if isinstance(kernel, Sum):
        yield from _terms(kernel.left)
        yield from _terms(kernel.right)
    else:
        yield kernel


def _term_values(grid: Grid, function: Expansion) -> Matrix:
    match function.kernel:
        case RBF(gamma=float()) | Laplacian(gamma=float()) as kernel:
            return _product_values(grid, function, kernel)
        case Matern() as kernel if kernel.nu < np.inf:
            return _distance_values(grid, function, kernel)
    return np.asarray(function(grid.points())).reshape(grid.v.size, grid.u.size)


def _product_values(grid: Grid, function: Expansion, kernel: Kernel) -> Matrix:
    X = np.asarray(function.centers)
    across = kernel.matrix(grid.u[:, None], X[:, :1])
    upwards = kernel.matrix(grid.v[:, None], X[:, 1:])
    with without_blas_threads():
        return np.asarray((upwards * function.coefficients) @ across.T)


def _distance_values(grid: Grid, function: Expansion, kernel: Matern) -> Matrix:
    """Return the values row by row of the grid: their distances stay in a processor's cache."""
    X = np.asarray(function.centers)
    across, upwards = np.subtract.outer(grid.u, X[:, 0]) ** 2, np.subtract.outer(grid.v, X[:, 1]) ** 2
    values = np.empty((grid.v.size, grid.u.size))

    def work(number: int, rows: slice) -> None:
        del number
        for row in range(rows.start, rows.stop):
            values[row] = kernel.at_distances(np.sqrt(across + upwards[row])) @ function.coefficients

    with without_blas_threads():
        in_parts(work, grid.v.size, 1, 10.0 * values.size * len(X))
    return values
