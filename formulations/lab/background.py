# SPDX-License-Identifier: BSD-3-Clause
"""Work that a page does not wait for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock, Thread
from typing import Any, TypeVar

__all__ = ["THREADS", "Background", "Recorder"]

Made = TypeVar("Made")

THREADS = "lab-"
"""The beginning of the names of all threads of the lab."""


class Background:
    """Does ``work`` once in this process, in a thread of its own that ends with it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._thread = Thread(target=work, name=f"{THREADS}background", daemon=True)
        self._begins = Lock()

    def is_done(self, seconds: float) -> bool:
        """Begin with it if nobody has, wait for at most that long, and return whether it has ended."""
        with self._begins:
            if self._thread.ident is None:
                self._thread.start()
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def is_under_way(self) -> bool:
        """Whether it was begun and has not ended."""
        return self._thread.is_alive()


class Recorder:
    """Records what algorithms do, one recording at a time, in a thread that ends when nobody holds the recorder.

    A recording is waited for ``patience`` seconds; one that waits for another to end is dropped as soon as a newer one
    is begun.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._thread = ThreadPoolExecutor(1, f"{THREADS}recorder")
        self._open: list[Future[Any]] = []

    def begin(self, work: Callable[[], Made]) -> Future[Made]:
        """Begin a recording, and wait for it for a moment, unless another is still under way."""
        for each in self._open:
            each.cancel()
        others = [each for each in self._open if not each.done()]
        recording = self._thread.submit(work)
        self._open = [*others, recording]
        if not others:
            wait([recording], self._patience)
        return recording
