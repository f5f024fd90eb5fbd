# SPDX-License-Identifier: BSD-3-Clause
r"""Proofs of infeasibility that no row can be spared from.

By Farkas' lemma the inequalities Ax <= b contradict each other exactly when w >= 0 exists with A'w = 0 and b'w < 0. A
basic solution of

    A'w = 0,  -b'w = 1,  w >= 0

has rows A_i, i in its support, of which any proper subset is linearly independent: they form a circuit. Then every
proper subset of these inequalities has a solution, namely one of the equations A_i x = b_i. The basic solutions are the
irreducible infeasible subsets, one for one. Source: Gleeson and Ryan (1990), ORSA Journal on Computing 2(1).
"""

from __future__ import annotations

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector

__all__ = ["basic_combination", "circuit"]

_ROUNDING = 1e-9
"""Residual of an equation, against its terms, that is nothing but rounding."""

_DEPENDENT = 1e-10
"""Singular value of rows of unit length, against the largest, that counts as 0."""


def basic_combination(columns: Matrix, target: Vector) -> Vector | None:
    """Return w >= 0 with columns @ w = target, over linearly independent columns; None: none was found.

    Parameters
    ----------
    columns, target
        Shapes (k, n) and (k,). At most k entries of w, shape (n,), are not 0 (Caratheodory).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.diagnosis import basic_combination
    >>> columns = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    >>> print(basic_combination(columns, np.array([2.0, 1.0])))
    [1. 0. 1.]
    >>> print(basic_combination(columns, np.array([-1.0, 0.0])))
    None
    """
    try:
        weights, _ = scipy.optimize.nnls(columns, target)
    except RuntimeError:  # it ran out of iterations
        return None
    terms = np.abs(columns) @ weights + np.abs(target)
    return np.asarray(weights) if (np.abs(columns @ weights - target) <= _ROUNDING * terms).all() else None


def circuit(rows: Matrix, bounds: Vector) -> Vector | None:
    """Return w >= 0 with rows' w = 0 and bounds' w < 0 whose support is a circuit; None: none was found.

    Parameters
    ----------
    rows, bounds
        A and b of the inequalities Ax <= b, shapes (k, n) and (k,).

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.diagnosis import circuit
    >>> rows, bounds = np.array([[1.0], [-1.0], [1.0]]), np.array([1.0, -2.0, 5.0])
    >>> print(circuit(rows, bounds))
    [5. 5. 0.]
    """
    lengths = np.linalg.norm(rows, axis=1)
    units = np.where(lengths > 0, lengths, np.where(bounds != 0, np.abs(bounds), 1.0))
    scaled, gains = rows / units[:, None], -bounds / units
    largest = float(np.abs(gains).max(initial=0.0))
    if largest == 0:
        return None
    found = basic_combination(np.vstack([scaled.T, gains / largest]), np.append(np.zeros(rows.shape[1]), 1.0))
    if found is None:
        return None
    weights = _refined(scaled, found) / units
    return weights if bounds @ weights < 0 else None


def _refined(rows: Matrix, weights: Vector) -> Vector:
    """Return the weights to full accuracy: a circuit has them up to a factor only."""
    (used,) = np.nonzero(weights)
    _, sizes, directions = np.linalg.svd(rows[used].T)
    null = directions[-1] if sizes.size < used.size or sizes[-1] <= _DEPENDENT * sizes[0] else None
    if null is None:
        return weights
    null = null * np.sign(null.sum())
    if null.min() <= 0:
        return weights
    refined = np.zeros_like(weights)
    refined[used] = null * (weights.sum() / null.sum())
    return refined
