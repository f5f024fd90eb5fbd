# SPDX-License-Identifier: BSD-3-Clause
"""Compilation by numba, with the types kept."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

__all__ = ["compiled"]

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled when first called; later processes load the machine code from numba's cache.

    It releases the interpreter's lock, so that threads may run side by side.
    """
    return cast(Callable[P, R], njit(cache=True, nogil=True)(function))
