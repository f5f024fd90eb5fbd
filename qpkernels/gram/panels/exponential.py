# SPDX-License-Identifier: BSD-3-Clause
"""2^x in the few operations that vector registers have, in float32 and in float64.

With n the integer nearest to x, 2^x = 2^n 2^t for t = x - n in [-1/2, 1/2]. A float32 adds 127 to its binary exponent
and keeps it in its bits from 23 on, so 2^n is made by a shift; a float64 adds 1023 and keeps it from bit 52 on.
"""

from collections.abc import Callable
from math import factorial, log
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

__all__ = ["exp2"]


def exp2(x: Any) -> Any:
    """Return 2^x for a float32 or float64 x <= 0, to its rounding; below the least normal number, that.

    In compiled code one of the two functions below takes its place.
    """
    return np.exp2(x)


@overload(exp2, inline="always")  # type: ignore[untyped-decorator]
def _of_type(x: Any) -> Callable[[Any], Any] | None:
    return {types.float32: _single, types.float64: _double}.get(x)


# Sum of this and x has no bits left for a fraction: adding it rounds to an integer, and taking it away gives n.
_ROUNDING, _LEAST = np.float32(3 * 2**22), np.float32(-126)
_BIAS, _SHIFT = np.int32(127), np.int32(23)
# A polynomial of degree 5, of least largest relative error on [-1/2, 1/2]: 7.5e-8, about half a unit in the last place
# (Lawson's iteration on 2000 Chebyshev nodes).
_C5, _C4, _C3 = np.float32(1.3276472e-3), np.float32(9.6755413e-3), np.float32(5.5507133e-2)
_C2, _C1, _C0 = np.float32(2.4022120e-1), np.float32(6.9314697e-1), np.float32(1.0000001)


def _single(x: Any) -> Any:
    x = x if x > _LEAST else _LEAST
    n = (x + _ROUNDING) - _ROUNDING
    t = x - n
    power = ((((_C5 * t + _C4) * t + _C3) * t + _C2) * t + _C1) * t + _C0
    return power * np.int32((np.int32(n) + _BIAS) << _SHIFT).view(np.float32)


_ROUNDING_64, _LEAST_64 = 1.5 * 2.0**52, -1022.0
_BIAS_64, _SHIFT_64 = np.int64(1023), np.int64(52)
# The series of exp(t log 2): the first term left out is below 4e-18.
_T1, _T2, _T3, _T4, _T5, _T6, _T7, _T8, _T9, _T10, _T11, _T12, _T13 = (log(2) ** k / factorial(k) for k in range(1, 14))


def _double(x: Any) -> Any:
    x = x if x > _LEAST_64 else _LEAST_64
    n = (x + _ROUNDING_64) - _ROUNDING_64
    t = x - n
    high = (((((_T13 * t + _T12) * t + _T11) * t + _T10) * t + _T9) * t + _T8) * t + _T7
    power = ((((((high * t + _T6) * t + _T5) * t + _T4) * t + _T3) * t + _T2) * t + _T1) * t + 1.0
    return power * np.int64((np.int64(n) + _BIAS_64) << _SHIFT_64).view(np.float64)
