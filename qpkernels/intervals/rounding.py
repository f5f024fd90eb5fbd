# SPDX-License-Identifier: BSD-3-Clause
"""What one operation in float64 may lose, and many.

IEEE 754 rounds every sum, product, quotient and square root to a neighbour of the exact result, which so lies between
the float below and the float above the computed one. A sum of n products, in whatever order and with whatever fused
operations, is exact to gamma_n = n u / (1 - n u) times the sum of their sizes, with
u = 2^-53, plus n times the least float where products underflow.

Source: Higham, Accuracy and stability of numerical algorithms (2nd edition, 2002), sections 2.2 and 3.1; Rump,
Verification methods: rigorous results using floating-point arithmetic (Acta Numerica, 2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.arrays import Vector

__all__ = ["ELEMENTARY", "TINY", "UNDERFLOW", "UNIT", "down", "gamma", "up"]

UNIT = 2.0**-53
"""The largest relative error u of one operation."""

TINY = 2.0**-1074
"""The least float above 0: what one product that underflows may lose."""

ELEMENTARY = 8.0 * UNIT
"""The largest relative error of exp, log, pow, tanh and their like, in the C library, NumPy and SciPy.

These are not rounded correctly. They are assumed to be within 4 units in the last place, which are at most 8 u: the one
assumption in this package that no theorem stands behind.
"""

UNDERFLOW = 2.0**-1000
"""More than a few thousand operations lose to underflow, even where numbers below 2^-1022 become 0."""


def down(values: Any) -> Vector:
    """Return the floats below ``values``: lower bounds of exact results of one operation."""
    return np.asarray(np.nextafter(values, -np.inf))


def up(values: Any) -> Vector:
    """Return the floats above ``values``: upper bounds of exact results of one operation."""
    return np.asarray(np.nextafter(values, np.inf))


def gamma(terms: int, unit: float = UNIT) -> float:
    """Return a bound of gamma_n that also pays for the rounding of the product gamma_n times a computed sum of n sizes.

    Raises
    ------
    ValueError
        If there are so many terms, more than 1e-3 / u, that the bound does not hold.
    """
    if terms * unit > 1e-3:
        raise ValueError(f"a sum of {terms} terms has no bound of this kind; at most {1e-3 / unit:.0f} are allowed.")
    # For n u <= 1e-3, n u (1 + n u)^2 / (1 - n u)^2 < 1.005 n u.
    return 1.01 * (terms + 4) * unit
