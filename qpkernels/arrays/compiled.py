# SPDX-License-Identifier: BSD-3-Clause
"""Compilation by numba, with the types kept."""

import logging
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core import event

__all__ = ["Notice", "compiled", "compiled_for", "inlined", "vectorised"]

_COMPILING = "qpkernels: compiling loops for this kind of problem, once on this computer ..."

P = ParamSpec("P")
R = TypeVar("R")


class Notice(event.Listener):  # type: ignore[misc]
    """Says once that time is spent on compilation: numba tells when it really compiles.

    On a terminal it is printed, elsewhere logged by the logger ``qpkernels``, at the level INFO.
    """

    told = False

    def on_start(self, event: Any) -> None:
        """Say so, if the function is one of these packages."""
        own = event.data["dispatcher"].py_func.__module__.startswith(("qpkernels.", "formulations."))
        if not own or self.told:
            return
        self.told = True
        if sys.stderr.isatty():
            print(_COMPILING, file=sys.stderr)
        else:
            logging.getLogger("qpkernels").info(_COMPILING)

    def on_end(self, event: Any) -> None:
        """Nothing is to say then."""


event.register("numba:compile", Notice())


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled when first called; later processes load the machine code from numba's cache.

    It releases the interpreter's lock, so that threads may run side by side. Division by zero gives infinity, as in
    numpy: a check would keep loops from being vectorised.
    """
    return cast(Callable[P, R], njit(cache=True, nogil=True, error_model="numpy")(function))


def compiled_for(arguments: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return what compiles a function for these types of ``arguments`` alone, when its module is imported.

    A parameter that is read only takes all contiguous arrays: without this there is a version for each combination of
    arrays that may be written to and others.
    """

    def make(function: Callable[P, R]) -> Callable[P, R]:
        return cast(Callable[P, R], njit(arguments, cache=True, nogil=True, error_model="numpy")(function))

    return make


def vectorised(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled like :func:`compiled`, for loops over arrays without NaN.

    Then a minimum is found in vector registers, and a product and a sum become one instruction. The order of sums is
    kept, so results do not depend on the width of the registers.
    """
    return cast(
        Callable[P, R],
        njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "contract"})(function),
    )


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled like :func:`vectorised`, into each compiled loop that calls it.

    A call with a tuple of arrays counts references to each of them, which takes as long as a few numbers do.
    """
    return cast(
        Callable[P, R],
        njit(cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "contract"}, inline="always")(
            function
        ),
    )
