# SPDX-License-Identifier: BSD-3-Clause
"""Who works on what: one rule for all, from the work at hand.

Work that takes a processor less than a millisecond is spread over no others. Larger work has the processors that this
process may use, or as many of them as BLAS is left (threadpool_limits, OMP_NUM_THREADS); in a worker of joblib or of a
pool of processes, beside which others work, it has one. Whoever asks for a number of threads gets it, up to the
processors. Our threads and those of BLAS are never at work at once, so that together they are as many.

The compiled loops release the interpreter's lock, so plain threads suffice. Each thread calls the matrix product of
its own part, and BLAS is held to one thread meanwhile: otherwise its threads, which wait busily for more work after
each product, take the processors away from the loops.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from itertools import pairwise
from multiprocessing import parent_process
from threading import Lock, local
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

__all__ = [
    "blas_threads_for",
    "blas_threads_worth",
    "in_parts",
    "in_this_thread",
    "paired_strips",
    "threads",
    "with_all_processors",
    "without_blas_threads",
]

_WORTH = 1e7
"""Multiplications of a millisecond, many times as long as waking a thread takes."""

_SMALL = 1000
"""Order up to which a matrix is left to one thread.

BLAS spreads a product or a factorisation from an order of about 200 on, and its threads wait busily for each other at
every panel. With two threads and four processes on two processors (OpenBLAS 0.3.31), eigh of order 200 took 4 to 12 ms,
now and then 300, of order 700 235 ms, svd of order 700 1900 ms; with one thread 4, 78 and 167 ms. Order 1000 takes one
thread 40 ms (Cholesky) to 0.4 s (svd): little to gain where processors are idle, much to lose where they are not.
"""


def threads(asked: int = -1, effort: float = np.inf) -> int:
    """Return how many threads some work may have.

    Parameters
    ----------
    asked
        What a user asks for, counted as joblib does: -1 leaves it to the rule, -2 leaves one processor to others.
    effort
        Multiplications of the work.
    """
    if effort <= _WORTH:
        return 1
    most = getattr(_here, "most", None)
    if asked > 0:
        return min(asked, most or _processors())
    if most is None:
        most = 1 if _is_worker() else min(_processors(), _blas_limit.allowed())
    return max(1, int(most) + 1 + asked)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_worker() -> bool:
    """Return whether this is one of several workers, a process of a pool or within a task of joblib."""
    if parent_process() is not None:
        return True
    joblib = sys.modules.get("joblib.parallel")
    return joblib is not None and joblib.get_active_backend()[0].nesting_level > 0


def in_this_thread() -> AbstractContextManager[None]:
    """Do the work of :func:`in_parts` in the thread that calls it: for callers with a thread for each processor."""
    return _with_most(1)


def with_all_processors() -> AbstractContextManager[None]:
    """Let this thread, though it is in a worker, have all processors: nobody else works meanwhile."""
    return _with_most(_processors())


@contextmanager
def _with_most(count: int) -> Iterator[None]:
    before, _here.most = getattr(_here, "most", None), count
    try:
        yield
    finally:
        _here.most = before


def in_parts(
    work: Callable[[int, slice], object], size: int, grain: int, effort: float = np.inf, asked: int = -1
) -> None:
    """Call ``work(number, part)`` in parallel, the parts covering range(size) evenly in multiples of ``grain``.

    ``effort`` and ``asked`` are as in :func:`threads`.
    """
    grains = -(-size // grain)
    count = max(1, min(threads(asked, effort), grains))
    edges = [*(grain * (grains * k // count) for k in range(count)), size]
    parts = [slice(start, stop) for start, stop in pairwise(edges)]
    others = [_pool().submit(work, number, part) for number, part in enumerate(parts[1:], 1)]
    work(0, parts[0])
    for other in others:
        other.result()


def paired_strips(size: int, width: int) -> list[slice]:
    """Return strips of a triangle: the first, which is the longest, with the last, and so on.

    Each such pair makes as much work.
    """
    strips = [slice(start, min(start + width, size)) for start in range(0, size, width)]
    return [strip for pair in zip(strips, reversed(strips), strict=True) for strip in pair][: len(strips)]


class _BlasLimit(AbstractContextManager[None]):
    """Holds BLAS to one thread from the first that asks for it until the last is done, whatever their order."""

    def __init__(self) -> None:
        self._lock, self._holders = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._before = [(library, library.get_num_threads()) for library in _blas_libraries()]
                for library, _ in self._before:
                    library.set_num_threads(1)
            self._holders += 1

    def allowed(self) -> int:
        """Return how many threads BLAS has when nobody holds it."""
        with self._lock:
            known = [count for _, count in self._before] if self._holders else None
        counts = [library.get_num_threads() for library in _blas_libraries()] if known is None else known
        return max(counts, default=_processors())

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                for library, count in self._before:
                    library.set_num_threads(count)


_blas_limit, _here = _BlasLimit(), local()


def without_blas_threads() -> AbstractContextManager[None]:
    """Hold BLAS to the thread that calls it, in the whole process."""
    return _blas_limit


def blas_threads_worth(effort: float) -> AbstractContextManager[None]:
    """Hold BLAS to one thread for products of so many multiplications where these take less than a millisecond."""
    return _blas_limit if effort <= _WORTH else nullcontext()


def blas_threads_for(order: int) -> AbstractContextManager[None]:
    """Hold BLAS to one thread for matrices of an ``order`` up to 1000; larger ones get all that it has.

    To enter and leave takes 3 microseconds, one of them within another.
    """
    return _blas_limit if order <= _SMALL else nullcontext()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, _processors() - 1), thread_name_prefix="qpkernels")


@cache
def _blas_libraries() -> tuple[Any, ...]:
    """Return the libraries of this process: NumPy and SciPy each may have one."""
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


def _begin_anew() -> None:
    """Forget the threads, which a forked process does not have, and locks that one of them may have held."""
    _pool.cache_clear()
    _blas_libraries.cache_clear()
    _blas_limit.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
