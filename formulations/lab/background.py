# SPDX-License-Identifier: BSD-3-Clause
"""Work that a page does not wait for."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Thread

__all__ = ["Background"]


class Background:
    """Does something once in this process, in a thread of its own that ends with it.

    Parameters
    ----------
    work
        What is to be done.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        self._thread = Thread(target=work, name="lab-background", daemon=True)
        self._begins = Lock()

    def is_done(self, seconds: float) -> bool:
        """Begin with it if nobody has, wait for at most that long, and return whether it has ended."""
        with self._begins:
            if self._thread.ident is None:
                self._thread.start()
        self._thread.join(seconds)
        return not self._thread.is_alive()
