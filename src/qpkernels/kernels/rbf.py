# SPDX-License-Identifier: BSD-3-Clause
"""The Gaussian kernel in each parametrisation in use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, check_positive, finite_matrix, finite_vector, row_blocks
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.base import Kernel, Samples

__all__ = ["RBF", "scale_gamma"]

_EXPONENT_ERROR = 1e-11
"""Largest error of an exponent that is left to rounding."""

_VANISHING = 1e3
"""exp of minus this is 0 in float64, whatever the rounding of the exponent."""


@dataclass(frozen=True)
class RBF(Kernel):
    r"""Gaussian kernel :math:`\exp(-\sum_k \gamma_k (x_k - z_k)^2)`.

    Parameters
    ----------
    gamma
        Above 0: one number for all features, or one a feature (then a feature with 0 is left out, and at least one
        must be above 0). Raising it narrows the kernel: f bends more and more samples become support vectors.

    Raises
    ------
    ParameterError
        If gamma is outside its range.

    See Also
    --------
    from_sigma, from_c, from_theta, from_data : the same kernel by the parameter of other texts.
    """

    gamma: float | tuple[float, ...]

    def __post_init__(self) -> None:
        if np.ndim(self.gamma) == 0:
            object.__setattr__(self, "gamma", check_positive(self.gamma, "gamma"))  # type: ignore[arg-type]
            return
        weights = finite_vector(self.gamma, "gamma")
        if weights.size == 0 or weights.min() < 0 or weights.max() <= 0:
            raise ParameterError(
                f"a vector gamma needs entries of at least 0 and one above 0, but {weights.tolist()} came."
            )
        object.__setattr__(self, "gamma", tuple(weights.tolist()))

    @classmethod
    def from_sigma(cls, sigma: float) -> RBF:
        r"""Return :math:`\exp(-\|x - z\|^2 / (2 \sigma^2))`: gamma = 1 / (2 sigma^2)."""
        return cls(0.5 * _inverse_square(sigma, "sigma"))

    @classmethod
    def from_c(cls, c: float) -> RBF:
        r"""Return :math:`\exp(-\|x - z\|^2 / c^2)`: gamma = 1 / c^2."""
        return cls(_inverse_square(c, "c"))

    @classmethod
    def from_theta(cls, theta: ArrayLike) -> RBF:
        r"""Return :math:`\exp(-\frac12 \sum_k \theta_k (x_k - z_k)^2)` (ARD): gamma = theta / 2."""
        return cls(0.5 * check_positive(theta, "theta")) if np.ndim(theta) == 0 else cls(_halves(theta))  # type: ignore[arg-type]

    @classmethod
    def from_data(cls, X: ArrayLike) -> RBF:
        """Return the kernel with gamma = :func:`scale_gamma` of ``X``."""
        return cls(scale_gamma(X))

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as a finite float64 matrix with as many features as gamma has entries."""
        matrix = finite_matrix(X, "X")
        if isinstance(self.gamma, tuple) and matrix.shape[1] != len(self.gamma):
            raise ShapeError(f"gamma has {len(self.gamma)} entries, one for each feature, but X has {matrix.shape[1]}.")
        return matrix

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        # The product form of the squared distance loses the digits that the samples share, so what they share goes
        # first: distances do not depend on the origin.
        roots = np.sqrt(np.asarray(self.gamma))
        origin = Z.mean(axis=0)
        left = (X - origin) * roots
        right = left if X is Z else (Z - origin) * roots
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = np.einsum("ij,ij->i", left, left)[:, None], np.einsum("ij,ij->i", right, right)[None, :]
            squares = left @ right.T
            squares *= -2.0
            squares += lengths[0]
            squares += lengths[1]
            _mend(squares, *lengths, X * roots, Z * roots)
        if X is Z:
            np.fill_diagonal(squares, 0.0)
        # Rounding may leave a distance of -1e-16 between equal samples.
        np.maximum(squares, 0.0, out=squares)
        np.negative(squares, out=squares)
        return np.asarray(np.exp(squares, out=squares))

    def diagonal(self, X: Samples) -> Vector:
        return np.ones(len(X))


def _mend(squares: Matrix, lengths: Matrix, other_lengths: Matrix, left: Matrix, right: Matrix) -> None:
    """Compute those squared distances from differences where the product form (of these lengths) lost its digits."""
    rounding = 4 * np.finfo(float).eps
    if rounding * (lengths.max() + other_lengths.max()) <= _EXPONENT_ERROR:
        return
    for rows in row_blocks(*squares.shape):
        lost = ~(rounding * (lengths[rows] + other_lengths) <= _EXPONENT_ERROR) & ~(squares[rows] > _VANISHING)
        i, j = np.nonzero(lost)
        i += rows.start
        for part in row_blocks(i.size, left.shape[1]):
            difference = left[i[part]] - right[j[part]]
            squares[i[part], j[part]] = np.einsum("ij,ij->i", difference, difference)


def scale_gamma(X: ArrayLike) -> float:
    """Return 1 / (d Var X), with d features and the variance over all entries: ``gamma="scale"`` of scikit-learn.

    Raises
    ------
    ParameterError
        If X is constant.
    """
    matrix = finite_matrix(X, "X")
    variance = float(matrix.var())
    if variance == 0.0:
        raise ParameterError("X is constant, so its variance gives no gamma; state a number.")
    return float(1.0 / (matrix.shape[1] * variance))


def _inverse_square(width: float, name: str) -> float:
    with np.errstate(over="ignore", under="ignore"):
        inverse = float((1.0 / np.float64(check_positive(width, name))) ** 2)
    if not 0.0 < inverse < np.inf:
        raise ParameterError(f"{name} must lie between 1e-150 and 1e150, but {width:g} came; scale the features.")
    return inverse


def _halves(theta: ArrayLike) -> tuple[float, ...]:
    return tuple((0.5 * finite_vector(theta, "theta")).tolist())
