# SPDX-License-Identifier: BSD-3-Clause
r"""Probabilities of several classes from those of all pairs of them.

With r_ij, the probability of class i where only i and j are possible, those of all classes are the minimiser of

    min  sum over i, j of (r_ji p_i - r_ij p_j)^2    s.t.  1'p = 1,  p >= 0

whose solution is that of a linear system, and positive (T.-F. Wu, C.-J. Lin and R. C. Weng, J. Mach. Learn. Res. 5,
2004, section 4, which LIBSVM follows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix

__all__ = ["probabilities"]

_LEAST = 1e-7
"""Probability of a pair that none is taken to be below, as LIBSVM has it: with 0, the system may be singular."""


def probabilities(second: Matrix, pairs: list[tuple[int, int]], classes: int) -> NDArray[np.float64]:
    """Return the probability of each class, shape (n, classes).

    Parameters
    ----------
    second
        For each pair, the probability of the second of its classes, shape (n, pairs).
    pairs
        The numbers of the classes; one that is in none has the probability 0.
    classes
        Their number.
    """
    if len(pairs) == 1:
        of_two = np.zeros((len(second), classes))
        of_two[:, pairs[0]] = np.column_stack([1.0 - second[:, 0], second[:, 0]])
        return of_two
    return _coupled(1.0 - second, pairs, classes)


def _coupled(first: Matrix, pairs: list[tuple[int, int]], classes: int) -> NDArray[np.float64]:
    present = sorted({number for pair in pairs for number in pair})
    place = {number: k for k, number in enumerate(present)}
    n, k = len(first), len(present)
    r = np.zeros((n, k, k))
    for (i, j), column in zip(pairs, np.clip(first, _LEAST, 1.0 - _LEAST).T, strict=True):
        r[:, place[i], place[j]], r[:, place[j], place[i]] = column, 1.0 - column
    # Q_ii = sum_s r_si^2 and Q_ij = -r_ji r_ij; [Q, 1; 1', 0] [p; b] = [0; 1].
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = np.square(r).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    shares = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    found = np.zeros((n, classes))
    found[:, present] = shares / shares.sum(axis=1, keepdims=True)
    return found
