# SPDX-License-Identifier: BSD-3-Clause
"""Compilation by numba, with the types kept."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

__all__ = ["compiled", "vectorised"]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled when first called; later processes load the machine code from numba's cache.

    It releases the interpreter's lock, so that threads may run side by side. Division by zero gives infinity, as in
    numpy: a check would keep loops from being vectorised.
    """
    return cast(Callable[P, R], njit(cache=True, nogil=True, error_model="numpy")(function))


def vectorised(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled like :func:`compiled`, for loops over arrays without NaN.

    Then a minimum is found in vector registers, and a product and a sum become one instruction. The order of sums is
    kept, so results do not depend on the width of the registers.
    """
    return cast(
        Callable[P, R],
        njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "contract"})(function),
    )
