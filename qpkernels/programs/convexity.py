# SPDX-License-Identifier: BSD-3-Clause
"""Whether 1/2 x'Px is convex: P has no negative eigenvalue, whatever the units of the variables.

With D the diagonal of P, the matrix D^-1/2 P D^-1/2 has ones on its diagonal and as many negative eigenvalues as P. One
counts as negative below -1e-10, which the rounding of a P that was itself a product may leave.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh
from scipy.sparse import csc_array, diags_array, eye_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh, splu

from qpkernels.arrays import Indices, Vector

__all__ = ["negative_eigenvalue"]

_TOLERANCE = 1e-10
"""How far below 0 an eigenvalue may be where the diagonal is 1."""

_SMALL = 2000
"""Order up to which all eigenvalues are computed to name the smallest."""

_DENSE = 0.1
"""Share of nonzeros from which on a dense factorisation is the faster one."""


def negative_eigenvalue(P: csc_array) -> float | None:
    """Return the smallest eigenvalue of a symmetric P if it is negative beyond rounding, else None.

    A factorisation decides; eigenvalues are computed only where there is a negative one, by Lanczos' method if P is
    large: then it is one near the smallest.
    """
    diagonal = np.asarray(P.diagonal())
    coupled = _coupled(P, diagonal)
    if diagonal.min(initial=0.0) >= 0 and _is_psd(P, diagonal, coupled):
        return None
    smallest = min(float(diagonal.min()), _smallest(csc_array(P[:, coupled][coupled])))
    return smallest if smallest < 0 else None


def _coupled(P: csc_array, diagonal: Vector) -> Indices:
    """Return the variables that share a term with another one."""
    entries = np.asarray(csc_array(abs(P)).sum(axis=0)).ravel()
    return np.flatnonzero(entries > np.abs(diagonal))


def _is_psd(P: csc_array, diagonal: Vector, coupled: Indices) -> bool:
    if not coupled.size:
        return True
    if diagonal[coupled].min() == 0:
        # A square of 0 with a product beside it: the other square cannot make up for it.
        return False
    roots = diags_array(diagonal[coupled] ** -0.5)
    scaled = csc_array(roots @ P[:, coupled][coupled] @ roots + _TOLERANCE * eye_array(coupled.size))
    if scaled.nnz > _DENSE * coupled.size**2:
        try:
            cholesky(scaled.toarray(), overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
        return True
    return _has_positive_pivots(scaled)


def _has_positive_pivots(matrix: csc_array) -> bool:
    """Return whether elimination meets positive pivots only, in an order that keeps the factor sparse."""
    try:
        factor = splu(matrix, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except RuntimeError:  # a pivot of 0
        return False
    symmetric = np.array_equal(factor.perm_r, factor.perm_c)
    return symmetric and bool((factor.U.diagonal() > 0).all())


def _smallest(P: csc_array) -> float:
    if P.shape[0] <= _SMALL:
        return float(eigvalsh(P.toarray(), subset_by_index=[0, 0])[0]) if P.shape[0] else 0.0
    try:
        start = np.random.default_rng(0).normal(size=P.shape[0])
        return float(eigsh(P, 1, which="SA", tol=1e-6, v0=start, return_eigenvectors=False)[0])
    except ArpackNoConvergence as stopped:
        return float(stopped.eigenvalues.min(initial=0.0))
