# SPDX-License-Identifier: BSD-3-Clause
"""The problems that linear algebra solves: symmetric systems, bordered or not, and least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import ShapeError
from qpkernels.gram import Gram
from qpkernels.problems.program import Program

__all__ = [
    "LeastSquares",
    "LinearSystem",
    "RidgedGram",
]


@dataclass(frozen=True, eq=False)
class RidgedGram:
    """K + diag(ridge): a symmetric positive definite matrix that need not fit in memory.

    Parameters
    ----------
    gram
        K.
    ridge
        Shape (m,), at least 0.
    """

    gram: Gram
    ridge: Vector

    @property
    def shape(self) -> tuple[int, int]:
        """(m, m)."""
        return len(self.gram), len(self.gram)

    def dense(self) -> Matrix:
        """Return the whole matrix."""
        matrix = np.array(self.gram.dense)
        matrix[np.diag_indices(len(self.gram))] += self.ridge
        return matrix

    def product(self, v: Vector) -> Vector:
        """Return (K + diag(ridge)) v, block by block.

        Parameters
        ----------
        v
            Shape (m,).
        """
        return self.gram.product(v) + self.ridge * v


@dataclass(frozen=True, eq=False)
class LinearSystem(Program):
    """H x = rhs, or with a border [0, 1'; 1, H] [b; x] = [0; rhs], for a symmetric positive definite H.

    Parameters
    ----------
    matrix
        H, shape (n, n), dense or a kernel matrix with a ridge.
    rhs
        Shape (n,).
    bordered
        Whether there is a b, with 1'x = 0.
    name
        The problem that the system states.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import LinearSystem
    >>> from qpkernels.solvers import find_solver
    >>> system = LinearSystem(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0]))
    >>> answer = find_solver("linear").solve(system)
    >>> print(answer.point.round(3), f"{system.residual(np.array([1.0, 0.0]), b=0.0):.3f}")
    [1. 1.] 0.632
    """

    usual_solver = "linear"

    matrix: Matrix | RidgedGram
    rhs: Vector
    bordered: bool = False
    name: str = "linear system"

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of entries of its point, and the number of its multipliers."""
        return self.rhs.size, int(self.bordered)

    def __post_init__(self) -> None:
        n = self.rhs.size
        if self.matrix.shape != (n, n):
            raise ShapeError(
                f"the matrix must have shape {(n, n)}, as the right-hand side, but has {self.matrix.shape}."
            )

    @property
    def is_expansion(self) -> bool:
        """Whether x holds the coefficients of samples, because H is a kernel matrix with a ridge."""
        return isinstance(self.matrix, RidgedGram)

    def product(self, x: Vector) -> Vector:
        """Return H x.

        Parameters
        ----------
        x
            Shape (m,).
        """
        return self.matrix.product(x) if isinstance(self.matrix, RidgedGram) else np.asarray(self.matrix @ x)

    def residual(self, x: Vector, b: float) -> float:
        """Return the norm of rhs - H x - b 1 relative to that of rhs, or the share of 1'x if that is larger.

        Parameters
        ----------
        x, b
            The point, shape (m,), and the multiplier of 1'x = 0.
        """
        unmet = self.rhs - self.product(x) - (b if self.bordered else 0.0)
        size = float(np.linalg.norm(self.rhs)) or 1.0
        imbalance = abs(float(x.sum())) / (float(np.abs(x).sum()) or 1.0) if self.bordered else 0.0
        return max(float(np.linalg.norm(unmet)) / size, imbalance)


@dataclass(frozen=True, eq=False)
class LeastSquares(Program):
    """min over w of least norm, and b, of ||target - F w - b||^2.

    Parameters
    ----------
    features
        F, shape (m, d); its columns may be linearly dependent.
    target
        Shape (m,).
    intercept
        Whether the function has an intercept.
    name
        The name of the problem.
    interpolating
        Whether only a w that meets all targets is wanted. Such a w is optimal for any norm of the residuals.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.problems import LeastSquares
    >>> from qpkernels.solvers import find_solver
    >>> program = LeastSquares(np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 2.0, 4.0]))
    >>> answer = find_solver("linear").solve(program)
    >>> print(answer.point.round(3), answer.multipliers.round(3))
    [1.5] [0.833]
    """

    usual_solver = "linear"

    features: Matrix
    target: Vector
    intercept: bool = True
    name: str = "least squares"

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of entries of its point, and the number of its multipliers."""
        return self.features.shape[1], int(self.intercept)

    interpolating: bool = False
