# SPDX-License-Identifier: BSD-3-Clause
r"""The preconditioner P = Z Z' + D of K + D, where Z are some columns of a partial Cholesky decomposition of K.

With R = K - Z Z', positive semidefinite, the eigenvalues of P^{-1} (K + D) lie between 1 and 1 + ||R||, in the scale
of D, which is at most 1 + sum R_ii / D_ii. So the diagonal of the residual tells beforehand how many iterations there
will be.

The inverse is applied as D^{-1/2} (I - Q Q') D^{-1/2}, where Q is the upper part of the orthonormal factor of
[D^{-1/2} Z; I]. It is made by Cholesky decompositions, twice, so that Q is orthonormal to rounding also where Z Z' is
1e12 times as large as D, and the usual formula of Woodbury has lost all digits.

Sources: Diaz, Epperly, Frangella, Tropp and Webber, Robust, randomized preconditioning for kernel ridge regression
(2023); Yamamoto, Nakatsukasa, Yanagisawa and Fukaya, Roundoff error analysis of the CholeskyQR2 algorithm (ETNA, 2015).
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from scipy.linalg import solve_triangular

from qpkernels.arrays import Matrix, Vector, row_blocks
from qpkernels.gram import Gram
from qpkernels.gram.low_rank.pivots import partial_cholesky
from qpkernels.gram.low_rank.sources import ArraySource
from qpkernels.kernels import Precomputed

__all__ = ["Factor", "Preconditioner", "expected_iterations", "expected_rank"]

_SPREAD = 160.0
"""The trace of a residual is about as many times its largest eigenvalue, as it was seen of RBF kernels."""

_FEW = 20.0
"""Condition number that is small enough: more columns would cost what they save."""

_LEAST, _ROOTS = 100, 6.0
"""Rank that costs nothing, and how many times sqrt(m) make about as much work as the iterations that it saves."""

_DIGITS = 1e-13
"""Share of the trace of K which D is taken to be at least: beyond, Q would be rounding."""


class Factor:
    """K = Z Z' + R.

    Attributes
    ----------
    matrix
        Z, shape (m, r).
    residual
        The diagonal of R, shape (m,).
    """

    def __init__(self, gram: Gram, rank: int, ridge: Vector, seed: int) -> None:
        """Take explicit features, which leave nothing, or pivots until the residual is small beside ``ridge``."""
        self.trace = float(gram.diagonal.sum())
        if gram.correction is None and gram.features is not None:
            self.matrix, self.residual = gram.features, np.zeros(len(gram))
            return
        kernel, X = gram.kernel, gram.X
        if gram.correction is not None:
            kernel, X = Precomputed(gram.dense), np.arange(len(gram))
        enough = _FEW * _SPREAD * float(ridge.min()) / (self.trace or 1.0)
        generator = np.random.default_rng(seed)
        made = partial_cholesky(kernel, ArraySource(kernel, X), max(1, rank), enough, generator)
        Z = made.factor.matrix
        self.matrix, self.residual = (Z, made.residual) if rank else (Z[:, :0], gram.diagonal)

    @property
    def rank(self) -> int:
        """Number of columns."""
        return int(self.matrix.shape[1])


class Preconditioner:
    """P^{-1} of P = Z Z' + D.

    Parameters
    ----------
    factor
        Z.
    ridge
        The diagonal of D, shape (m,); where it is 0, the mean of what Z misses takes its place.
    """

    def __init__(self, factor: Factor, ridge: Vector) -> None:
        # Beside a ridge, what Z misses would save no iteration.
        D = np.where(ridge > 0, ridge, factor.residual.mean())
        self._roots = np.sqrt(np.maximum(D, _DIGITS * factor.trace or 1.0))[:, None]
        self._Q = np.array(factor.matrix / self._roots, order="C")
        lower = np.eye(factor.rank)
        for _ in range(2 if factor.rank else 0):
            triangle = np.asarray(np.linalg.cholesky(self._Q.T @ self._Q + lower.T @ lower), dtype=np.float64)
            lower = _divided(lower, triangle)
            for rows in row_blocks(len(ridge), factor.rank):
                self._Q[rows] = _divided(self._Q[rows], triangle)

    def __call__(self, V: Matrix) -> Matrix:
        """Return P^{-1} V, for V of shape (m, k)."""
        scaled = V / self._roots
        scaled -= self._Q @ (self._Q.T @ scaled)
        return np.asarray(scaled / self._roots)


def _divided(rows: Matrix, triangle: Matrix) -> Matrix:
    """Return rows L'^{-1}."""
    return np.asarray(solve_triangular(triangle, rows.T, lower=True, check_finite=False)).T


def expected_iterations(residual: Vector, ridge: Vector, tol: float) -> float:
    """Return about how many iterations bring the relative gap to ``tol``: 1/2 sqrt(condition) log(2 / sqrt(tol))."""
    with np.errstate(divide="ignore", over="ignore"):
        ratio = float(np.divide(residual, ridge, out=np.zeros_like(residual), where=residual > 0).sum())
    return 0.5 * sqrt(1.0 + ratio / _SPREAD) * log(2.0 / sqrt(tol))


def expected_rank(gram: Gram) -> int:
    """Return the rank at which the work for Z and Q is about that of the iterations, within the memory limit."""
    m = len(gram)
    return int(min(m, max(_LEAST, _ROOTS * sqrt(m)), max(1.0, gram.memory_limit / (3 * 8 * m))))
