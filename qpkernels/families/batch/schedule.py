# SPDX-License-Identifier: BSD-3-Clause
"""The order in which threads take up machines: each after the one it starts from, long work first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from heapq import heapify, heappop, heappush
from threading import Condition
from types import TracebackType

__all__ = ["Team"]


class Team(AbstractContextManager["Team"]):
    """Threads that work side by side on what releases the interpreter's lock."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._pool = ThreadPoolExecutor(size, thread_name_prefix="batch") if size > 1 else None

    def __exit__(self, *exception: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def apply(self, work: Callable[[int], None], count: int) -> None:
        """Call ``work`` with each number below ``count``, in any order."""
        if self._pool is None or count == 1:
            for number in range(count):
                work(number)
        else:
            for _ in self._pool.map(work, range(count)):
                pass

    def in_order(self, work: Callable[[int, int], None], before: Sequence[int | None], effort: Sequence[float]) -> None:
        """Call ``work(number, worker)`` for each number, after that of ``before``, if any.

        The machine with most to follow comes first, by ``effort``. ``worker`` tells the threads apart.
        """
        queue = _Queue(before, effort)

        def run(worker: int) -> None:
            while (number := queue.take()) is not None:
                try:
                    work(number, worker)
                except BaseException:
                    queue.close()
                    raise
                queue.done(number)

        try:
            self.apply(run, self.size)
        finally:
            # An interruption reaches the thread that waits for the others: they are not to go on.
            queue.close()


class _Queue:
    """Numbers that may be taken up, those with most work to follow first."""

    def __init__(self, before: Sequence[int | None], effort: Sequence[float]) -> None:
        self._following: list[list[int]] = [[] for _ in before]
        self._weight, self._left, self._changed = list(effort), len(before), Condition()
        for number in reversed(range(len(before))):
            if (parent := before[number]) is not None:
                self._following[parent].append(number)
                self._weight[parent] += self._weight[number]
        self._ready = [(-self._weight[number], number) for number, parent in enumerate(before) if parent is None]
        heapify(self._ready)

    def take(self) -> int | None:
        """Return a number as soon as there is one, or None if there will be no more."""
        with self._changed:
            while not self._ready and self._left > 0:
                self._changed.wait()
            return heappop(self._ready)[1] if self._left > 0 else None

    def done(self, number: int) -> None:
        """Make ready what follows ``number``."""
        with self._changed:
            self._left -= 1
            for each in self._following[number]:
                heappush(self._ready, (-self._weight[each], each))
            self._changed.notify_all()

    def close(self) -> None:
        """Give out no more."""
        with self._changed:
            self._left = 0
            self._changed.notify_all()
