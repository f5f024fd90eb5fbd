# SPDX-License-Identifier: BSD-3-Clause
"""The design matrix Phi, whose columns are the functions that the weights multiply."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Vector, frozen
from qpkernels.gram import Gram

__all__ = ["Design"]


@dataclass(frozen=True, eq=False)
class Design:
    """Phi, and the squares of its entries: every step asks for phi_i'W phi_i of all columns.

    Attributes
    ----------
    columns
        Phi, shape (N, M), read-only.
    squares
        Its entries squared.
    """

    columns: Matrix
    squares: Matrix

    @classmethod
    def of_kernel(cls, gram: Gram) -> Design:
        """Return [1, K]: the constant function, and a function k(x_j, .) for each sample."""
        columns = frozen(np.hstack([np.ones((len(gram), 1)), gram.dense]))
        return cls(columns, frozen(columns**2))

    def scaled(self, alpha: Vector) -> Matrix:
        """Return Phi A^-1/2 without the pruned columns."""
        kept = np.isfinite(alpha)
        return np.asarray(self.columns[:, kept] / np.sqrt(alpha[kept]))
