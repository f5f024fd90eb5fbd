# SPDX-License-Identifier: BSD-3-Clause
"""2^x in float32, in the few operations that vector registers have.

With n the integer nearest to x, 2^x = 2^n 2^t for t = x - n in [-1/2, 1/2]. A float32 adds 127 to its binary exponent
and keeps it in its bits from 23 on, so 2^n is made by a shift. On [-1/2, 1/2] a polynomial of degree 5 meets 2^t to a
relative error of 7.5e-8, about half a unit in the last place.
"""

from typing import Any

import numpy as np

from qpkernels.compiled import inlined

__all__ = ["exp2"]

# Sum of this and x has no bits left for a fraction: adding it rounds to an integer, and taking it away gives n.
_ROUNDING = np.float32(3 * 2**22)
_LEAST = np.float32(-126)
_BIAS, _SHIFT = np.int32(127), np.int32(23)
# Of least largest relative error on [-1/2, 1/2] (Lawson's iteration on 2000 Chebyshev nodes).
_C5, _C4, _C3 = np.float32(1.3276472e-3), np.float32(9.6755413e-3), np.float32(5.5507133e-2)
_C2, _C1, _C0 = np.float32(2.4022120e-1), np.float32(6.9314697e-1), np.float32(1.0000001)


@inlined
def exp2(x: Any) -> Any:
    """Return 2^x for a float32 x <= 0; below the least normal number (x < -126), that."""
    x = x if x > _LEAST else _LEAST
    n = (x + _ROUNDING) - _ROUNDING
    t = x - n
    power = ((((_C5 * t + _C4) * t + _C3) * t + _C2) * t + _C1) * t + _C0
    return power * np.int32((np.int32(n) + _BIAS) << _SHIFT).view(np.float32)
