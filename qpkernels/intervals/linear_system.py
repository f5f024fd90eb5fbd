# SPDX-License-Identifier: BSD-3-Clause
r"""The exact solution of a square linear system, enclosed.

With any approximate inverse R of B and any approximate solution x, the exact solution y of B y = c satisfies, where
alpha = ||I - R B|| < 1 in the norm of largest row sums,

    |y - x|  <=  |R (c - B x)| + alpha / (1 - alpha) ||R (c - B x)||

entry by entry, and B is then proved to be regular.

Source: Rump, Verification methods: rigorous results using floating-point arithmetic (Acta Numerica, 2010), section 10.
"""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.intervals.interval import Interval
from qpkernels.intervals.products import product
from qpkernels.intervals.rounding import gamma, up

__all__ = ["enclose_solution"]


def enclose_solution(B: Matrix, c: Interval | Vector) -> Interval | None:
    """Return an enclosure of the y with B y = c, of every c in an interval; None where B is not proved to be regular.

    Parameters
    ----------
    B
        Dense, shape (n, n).
    c
        Shape (n,).
    """
    right = c if isinstance(c, Interval) else Interval.of(c)
    n = len(B)
    if n == 0:
        return Interval.of(np.zeros(0))
    try:
        R = np.linalg.inv(B)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(R).all():
        return None
    sizes = np.abs(R)
    # ||I - R B||: what is computed, and what rounding may have added to it.
    rounding = gamma(n + 1) * (sizes @ (np.abs(B) @ np.ones(n)) + 1.0)
    alpha = float(up((np.abs(np.eye(n) - R @ B).sum(axis=1) + rounding).max() * (1.0 + gamma(n))))
    if not alpha < 0.5:
        return None
    x = R @ right.middle
    for _ in range(2):
        x = x + R @ (right - product(B, x)).middle
    residual = product(R, right - product(B, x)).magnitude
    # Twice alpha / (1 - alpha) pays for the rounding of the division.
    return Interval.of(x, up(residual + 4.0 * alpha * float(residual.max())))
