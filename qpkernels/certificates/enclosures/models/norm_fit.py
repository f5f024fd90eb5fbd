# SPDX-License-Identifier: BSD-3-Clause
r"""An interval that holds the optimal value of a linear fit without regularisation, in exact arithmetic.

See :mod:`qpkernels.certificates.models.fits.norm_fit` for both problems. From above, the norm of the residuals of any
(w, b) will do, and f is enclosed at the samples. From below, v must satisfy F'v = 0 and 1'v = 0 exactly: it is moved
there by rounding errors, within an interval, and the norm's own bound takes care of ||v||*. Then y'v = r'v, for the
exact residuals r. As all norms do, the value lies above 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates.enclosures.enclosure import Enclosure, no_enclosure, quiet
from qpkernels.gram import Expansion
from qpkernels.gram.enclosed import enclose_expansion
from qpkernels.intervals import Interval, enclose_point, inner
from qpkernels.intervals.sums import two_sum

if TYPE_CHECKING:
    from qpkernels.certificates.models.fits.norm_fit import NormFitBounds

__all__ = ["enclose_norm_fit"]

_LEAST_ROOM = 1e-3
"""Share of the largest |v_i| that entries may move by, however small they are."""


@quiet
def enclose_norm_fit(bounds: NormFitBounds, v: Vector, intercept: float, function: Expansion | None) -> Enclosure:
    """Enclose the optimal value, given multipliers v, b, and f; without f only from below by 0.

    Raises
    ------
    NoEnclosureError
        If the features are coordinates in the space of a kernel, which are rounded.
    """
    F = bounds.samples
    if F is None:
        raise no_enclosure("a fit of a norm in the space of a kernel other than Linear()")
    if function is None or not (np.isfinite(v).all() and np.isfinite(intercept)):
        return Enclosure(0.0, np.inf)
    f = enclose_expansion(function.kernel, function.centers, function.coefficients, F).values
    residuals = bounds.enclosed_feasible(Interval.of(bounds.target) - intercept - f)
    upper = bounds.loss_above(residuals)
    point = _orthogonal(_equations(F, has_intercept=bounds.has_intercept), bounds.balanced(v))
    if point is None:
        return Enclosure(0.0, upper)
    return Enclosure(max(0.0, bounds.bound_below(point, inner(residuals, point))), upper)


def _equations(F: Matrix, *, has_intercept: bool) -> Matrix:
    """Return rows of the same span as F' and 1', centred and about 1 in size, without those that others imply."""
    rows = np.unique(F.T, axis=0)
    constant = (rows == rows[:, :1]).all(axis=1)
    rows = rows[~constant if has_intercept else rows.any(axis=1)]
    if has_intercept and len(rows):
        centred, lost = two_sum(rows, -np.broadcast_to(rows.mean(axis=1, keepdims=True), rows.shape))
        rows = np.where((lost == 0.0).all(axis=1, keepdims=True), centred, rows)
    # By a power of 2, without rounding.
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, initial=0.0))[1][:, None])
    return np.vstack([rows, np.ones(len(F))]) if has_intercept else rows


def _orthogonal(rows: Matrix, v: Vector) -> Interval | None:
    """Return an interval about v that holds a v with rows v = 0; None where the rows may depend on each other."""
    if not v.any():
        return Interval.of(v)
    room = np.abs(v) + _LEAST_ROOM * float(np.abs(v).max())
    return enclose_point(csr_array(rows), np.zeros(len(rows)), v, room)
