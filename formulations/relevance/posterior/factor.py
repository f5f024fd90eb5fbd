# SPDX-License-Identifier: BSD-3-Clause
"""The Cholesky factor of B = I + rows'rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from qpkernels.arrays import Matrix

__all__ = ["factor"]

_LARGE_SIGNAL = 1e8
"""Signal of a column against the noise above which the posterior is computed from the rows, not from products."""


def factor(rows: Matrix, products: Matrix) -> Matrix:
    """Return L with LL' = I + rows'rows; ``products`` is rows'rows, and is overwritten.

    Where the signal is large, adding I to the products would lose the small eigenvalues, and with them digits of the
    evidence and its slopes; L is then found from the rows themselves, by an orthogonal factorisation.

    Raises
    ------
    LinAlgError
        If signal exceeds noise by so much that float64 does not tell the matrix from a singular one.
    """
    diagonal = products.ravel()[:: len(products) + 1]
    if diagonal.max(initial=0.0) > _LARGE_SIGNAL:
        upper = np.linalg.qr(np.vstack([rows, np.eye(len(products))]), mode="r")
        if not np.isfinite(upper).all():
            raise LinAlgError("the signal leaves float64.")
        return np.asarray((upper * np.sign(np.diag(upper))[:, None]).T)
    diagonal += 1.0
    return np.asarray(cholesky(products, lower=True, overwrite_a=True, check_finite=False))
