# SPDX-License-Identifier: BSD-3-Clause
r"""Whether a hyperplane separates two classes, asked in units in which every feature has a range of 1.

No affine map of the samples that can be undone changes the answer, but a distance that is small beside one feature may
be large beside another. With G the features about their means, divided by their ranges::

    max  t   s.t.  y_i (g_i'w + b) >= t,  |w_j| <= 1,  t <= 1

is above 0 if and only if a hyperplane separates the classes.
"""

from __future__ import annotations

import numpy as np
import scipy

from formulations.classification.separation.hulls import ROUNDING
from qpkernels.arrays import Matrix, Vector

__all__ = ["separates_in_units"]

_MOST = 2_000_000
"""Entries of G up to which the program is solved."""


def separates_in_units(F: Matrix, y: Vector, beta: Vector, *, fit_intercept: bool) -> bool:
    """Return whether a hyperplane was found that separates the classes by more than rounding.

    Parameters
    ----------
    F
        Features, shape (m, d).
    y
        +1.0 or -1.0 for each sample.
    beta
        y_i times the weights of a common point of both hulls: nothing is solved where it is one in each feature.
    fit_intercept
        Whether the hyperplane may have an offset.
    """
    centred = F - F.mean(axis=0) if fit_intercept else F
    ranges = np.abs(centred).max(axis=0)
    G = centred[:, ranges > 0] / ranges[ranges > 0]
    if G.size == 0 or G.size > _MOST or float(np.abs(beta @ G).max()) <= ROUNDING:
        return False
    m, d = G.shape
    offset = y if fit_intercept else np.zeros(m)
    rows = np.column_stack([-y[:, None] * G, -offset, np.ones(m)])
    bounds = [(-1.0, 1.0)] * d + [(None, None), (None, 1.0)]
    found = scipy.optimize.linprog(
        np.append(np.zeros(d + 1), -1.0), A_ub=rows, b_ub=np.zeros(m), bounds=bounds, method="highs"
    )
    if found.x is None:
        return False
    w, b = found.x[:d], float(found.x[d])
    rounding = (d + 2) * np.finfo(float).eps * (np.abs(G) @ np.abs(w) + abs(b))
    return bool((y * (G @ w) + offset * b > rounding).all())
