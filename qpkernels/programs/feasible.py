# SPDX-License-Identifier: BSD-3-Clause
"""The feasible point of a box, with a sum if that is asked, near a given one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Vector

__all__ = ["nearest_feasible"]

_EPS, _TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


def nearest_feasible(beta: Vector, lower: Vector, upper: Vector, total: float | None) -> Vector:
    """Return a point close to ``beta`` within the bounds: clipped, then shifted evenly until the sum is ``total``.

    The shift moves only entries strictly inside the bounds if they suffice, so that an answer keeps its support: the
    point is not always the nearest. A feasible beta is returned itself.

    Parameters
    ----------
    beta
        Shape (m,), finite, of any sign and size.
    lower, upper
        The ends of each entry, shape (m,), lower <= upper; either may be infinite.
    total
        The value of 1'beta, which the sums of the ends enclose; otherwise beta is clipped only. None: any sum will do.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.programs import nearest_feasible
    >>> beta, lower, upper = np.array([-1.5, 0.5, 0.8]), np.array([-1.0, 0.0, 0.0]), np.array([0.0, 1.0, 1.0])
    >>> print(nearest_feasible(beta, lower, upper, total=0.0).round(3))
    [-1.    0.35  0.65]
    """
    # It loads the compiler, which not everyone needs.
    from qpkernels.arrays.sums import box_sums

    sums = box_sums(np.ascontiguousarray(beta), np.ascontiguousarray(lower), np.ascontiguousarray(upper))
    if sums.inside and (total is None or abs(total - sums.total) <= _sum_rounding(sums.size, total)):
        return beta
    inside = np.clip(beta, lower, upper)
    if total is None:
        return inside
    free = (inside > lower) & (inside < upper)
    shifted = _shift(inside, lower, upper, free, total)
    if shifted is None:
        shifted = _shift(inside, lower, upper, np.ones_like(free), total)
    return inside if shifted is None else shifted


def _shift(beta: Vector, lower: Vector, upper: Vector, movable: NDArray[np.bool_], total: float) -> Vector | None:
    rounding = _sum_rounding(float(np.abs(beta).sum()), total)
    while abs(defect := total - float(beta.sum())) > rounding:
        room = movable & ((beta < upper) if defect > 0 else (beta > lower))
        if not room.any():
            return None
        beta = np.clip(beta + room * (defect / room.sum()), lower, upper)
    return beta


def _sum_rounding(size: float, total: float) -> float:
    """Return how far a sum of coefficients may be off; below the least number of full precision none can be shared."""
    return 4 * _EPS * (size + abs(total)) + _TINY
