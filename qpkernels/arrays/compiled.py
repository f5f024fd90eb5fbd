# SPDX-License-Identifier: BSD-3-Clause
"""Compilation by numba, with the types kept."""

import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from qpkernels.arrays.machine_code import UNWRITABLE, tell

__all__ = [
    "Notice",
    "choose",
    "compiled",
    "compiled_for",
    "greater",
    "inlined",
    "lesser",
    "read_only",
    "sources",
    "vectorised",
]

_COMPILING = "qpkernels: compiling loops for this kind of problem, once on this computer ..."
_WITHOUT_NAN = {"nnan", "nsz", "contract"}

P = ParamSpec("P")
R = TypeVar("R")


class Notice(event.Listener):  # type: ignore[misc]
    """Says once that time is spent on compilation: numba tells when it really compiles."""

    def on_start(self, event: Any) -> None:
        """Say so, if the function is one of these packages."""
        own = event.data["dispatcher"].py_func.__module__.startswith(("qpkernels.", "formulations."))
        if own:
            tell(_COMPILING)

    def on_end(self, event: Any) -> None:
        """Nothing is to say then."""


event.register("numba:compile", Notice())


class TaggedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files of a function's machine code, each of which says of what source, and for what types, it was made.

    numba writes an index that names a file first and the file afterwards, and gives the same names again where the
    source has changed. A process that reads between the two, or after one that was ended there, finds under a name the
    code of the source before; where two processes compile for different types at once, it may be that of the other
    types. Such code reads and writes memory that is not its own.
    """

    def save(self, key: Any, data: Any) -> None:
        """Write machine code for the types of ``key``."""
        super().save(key, ((self._source_stamp, key), data))

    def load(self, key: Any) -> Any:
        """Return the machine code for the types of ``key``; None: there is none, or a file holds another."""
        found = super().load(key)
        return found[1] if found is not None and found[0] == (self._source_stamp, key) else None


class MachineCode(FunctionCache):  # type: ignore[misc]
    """numba's cache of a function, which forgets what it cannot read and takes nothing for what it is not.

    numba unpickles all that it knows of a function, and the types of its arguments with it, before it looks whether
    that is out of date. Where a named tuple among them is in another module since, this would end the call.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = TaggedFiles(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the machine code for these types; None: it has to be compiled."""
        try:
            return super().load_overload(signature, target)
        except OSError:
            raise
        except Exception:
            # Reading a pickle may raise anything.
            self.flush()
            return None


_functions: list[Any] = []
"""All functions that are compiled, and those that are part of them."""


def _stored(function: Callable[P, R], **options: Any) -> Any:
    """Return ``function`` to be compiled for the types it is called with, the machine code kept in numba's cache."""
    dispatcher = njit(nogil=True, error_model="numpy", **options)(function)
    if dispatcher is not function:  # as with NUMBA_DISABLE_JIT
        try:
            dispatcher._cache = MachineCode(function)
        except RuntimeError:
            # numba knows no folder that can be written to.
            tell(UNWRITABLE)
        _functions.append(dispatcher)
    return dispatcher


def sources() -> list[str] | None:
    """Return the files of all functions so far, and those in which numba finds their machine code; None: it is lost."""
    used = [each for each in _functions if each.signatures]
    indexes = [each._cache._cache_file._index_path if each._cache.cache_path else "" for each in used]
    if not all(map(os.path.exists, indexes)):
        return None
    return [*indexes, *(each.py_func.__code__.co_filename for each in _functions)]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled when first called; later processes load the machine code from numba's cache.

    It releases the interpreter's lock, so that threads may run side by side. Division by zero gives infinity, as in
    numpy: a check would keep loops from being vectorised.
    """
    return cast(Callable[P, R], _stored(function))


def compiled_for(arguments: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return what compiles a function for these types of ``arguments`` alone, when its module is imported.

    A parameter that is read only takes all contiguous arrays: without this there is a version for each combination of
    arrays that may be written to and others.
    """

    def make(function: Callable[P, R]) -> Callable[P, R]:
        dispatcher = _stored(function)
        if dispatcher is not function:
            dispatcher.compile(arguments)
            dispatcher.disable_compile()
        return cast(Callable[P, R], dispatcher)

    return make


def vectorised(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled like :func:`compiled`, for loops over arrays without NaN.

    Then a minimum is found in vector registers, and a product and a sum become one instruction. The order of sums is
    kept, so results do not depend on the width of the registers.
    """
    return cast(Callable[P, R], _stored(function, fastmath=_WITHOUT_NAN))


@intrinsic  # type: ignore[untyped-decorator]
def read_only(context: Any, array: Any) -> Any:
    """Return, in compiled code, the same array as one that is not written to, as callees take it."""
    del context
    return array.copy(readonly=True)(array), lambda context, builder, signature, values: impl_ret_borrowed(
        context, builder, signature.return_type, values[0]
    )


@intrinsic  # type: ignore[untyped-decorator]
def choose(context: Any, condition: Any, one: Any, other: Any) -> Any:
    """Return, in compiled code, ``one`` where the condition holds, else ``other``: both are made, and nothing jumps.

    A jump that depends on the sample is often guessed wrongly, which takes as long as many numbers do.
    """
    del context
    return one(condition, one, other), lambda _, builder, __, values: builder.select(*values)


def _best_of(order: str) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def best(context: Any, one: Any, other: Any) -> Any:
        """Return, in compiled code, the one of two numbers that comes first in this order; neither may be NaN."""
        del context
        flags = ("nnan", "nsz")

        def write(_: Any, builder: Any, __: Any, values: Any) -> Any:
            return builder.select(builder.fcmp_ordered(order, *values, flags=flags), *values, flags=flags)

        return one(one, other), write

    return best


lesser, greater = _best_of("<"), _best_of(">")
"""The lesser and the greater of two numbers that are not NaN, in compiled code: of many, in vector registers."""


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Return ``function`` compiled like :func:`vectorised`, into each compiled loop that calls it.

    A call with a tuple of arrays counts references to each of them, which takes as long as a few numbers do.
    """
    return cast(Callable[P, R], _stored(function, fastmath=_WITHOUT_NAN, inline="always"))
