# SPDX-License-Identifier: BSD-3-Clause
"""Calls in a process of their own, which end in time whatever happens there: a hang, an abort, a full memory.

The processes are loky's: they are started without running the user's script again, are kept for the next call, and
leave after a while without one.
"""

from __future__ import annotations

import faulthandler
import os
import pickle
import re
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

from qpkernels.arrays.threads import with_all_processors

__all__ = [
    "Ended",
    "ProcessLimits",
    "Raised",
    "Worker",
    "silent",
]

_IDLE = 300
"""Seconds without a call after which a process leaves."""

_ORPHANED = 30
"""Seconds past its limit after which a process ends itself, if nobody is left who would end it."""

_MEMORY = 0.75
"""Share of the machine's memory that a process may take where nobody says otherwise."""


@contextmanager
def silent() -> Iterator[None]:
    """Drop what Python, and compiled code, print meanwhile; what was printed before is kept, buffered or not."""
    streams = [(number, stream) for number, stream in ((1, sys.stdout), (2, sys.stderr)) if stream is not None]
    for _, stream in streams:
        stream.flush()
    kept = [(number, stream, os.dup(number)) for number, stream in streams]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number, _, _ in kept:
            os.dup2(nowhere, number)
        yield
    finally:
        for number, stream, before in kept:
            stream.flush()
            os.dup2(before, number)
            os.close(before)
        os.close(nowhere)


@dataclass(frozen=True)
class ProcessLimits:
    """The limits of a call.

    Attributes
    ----------
    seconds
        From the call to its result; None: without end.
    memory
        Bytes that the process may hold, which Linux alone keeps to; None: most of the machine's.
    quiet
        Drop what is printed.
    """

    seconds: float | None = None
    memory: int | None = None
    quiet: bool = True


@dataclass(frozen=True)
class Ended:
    """The process came to an end before the call did.

    Attributes
    ----------
    message
        How, in words.
    late
        It was ended, since the time was over; else it ended by itself.
    seconds
        After how long.
    """

    message: str
    late: bool
    seconds: float


@dataclass(frozen=True)
class Raised:
    """The call raised: an exception that can be sent, or else None, and its words."""

    error: BaseException | None
    message: str


class Worker:
    """A process that makes calls, one at a time; ``with Worker.of(name)`` takes an idle one of that name, or starts it.

    One whose call did not come to its end is killed, and not used again.
    """

    # By the number of their owner, too: a process that this one forks may not talk to them.
    _idle: ClassVar[defaultdict[tuple[int, str], list[Worker]]] = defaultdict(list)

    def __init__(self) -> None:
        # Importing it takes longer than all else here, and most calls need none of it.
        from joblib.externals.loky import ProcessPoolExecutor

        self._executor: Any = ProcessPoolExecutor(1, timeout=_IDLE)
        self._usable = True

    @classmethod
    @contextmanager
    def of(cls, name: str) -> Iterator[Worker]:
        """Lend a worker of that name: what it imported for the last call is there for the next one."""
        idle = cls._idle[os.getpid(), name]
        worker = idle.pop() if idle else cls()
        try:
            yield worker
        except BaseException:
            # Nobody knows what it still does; an interruption from the keyboard comes here as well.
            worker.kill()
            raise
        if worker._usable:
            idle.append(worker)

    def call(self, limits: ProcessLimits, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return ``function(*arguments)``, or :class:`Raised`, or :class:`Ended`."""
        begin = perf_counter()
        try:
            future = self._executor.submit(_confined, limits, function, *arguments)
            return future.result(limits.seconds)
        except TimeoutError:
            message, late = f"no answer within {limits.seconds:.2g} s", True
        except BrokenProcessPool as error:
            message, late = _end_in_words(error), False
        except Exception as error:
            # What cannot be sent there, or back.
            self.kill()
            # loky keeps what was raised as the text of a traceback, whose last line says it.
            cause = str(error.__cause__ or "").strip('\n" ').splitlines() or [f"{type(error).__name__}: {error}"]
            return Raised(
                None,
                f"cannot be sent to a process of its own, or its answer back ({cause[-1]}); "
                "isolate=False runs it in this one",
            )
        self.kill()
        return Ended(message, late, perf_counter() - begin)

    def kill(self) -> None:
        """End the process and all that it started, whatever they are doing."""
        self._usable = False
        self._executor.shutdown(wait=True, kill_workers=True)


def _end_in_words(error: BrokenProcessPool) -> str:
    """Return how a process ended; loky tells it as text only."""
    if by := re.search(r"(SIG\w+)\(-(\d+)\)", str(error)):
        return f"its process was ended by signal {by[2]} ({by[1]})"
    if status := re.search(r"EXIT\((\d+)\)", str(error)):
        return f"its process exited with status {status[1]}"
    return f"its process ended ({error})"


def _confined(limits: ProcessLimits, function: Callable[..., Any], *arguments: Any) -> Any:
    """Make a call, in the process of its own."""
    faulthandler.disable()
    quiet = silent() if limits.quiet else nullcontext()
    # Who waits for this process has no other at work.
    with quiet, with_all_processors(), _memory(limits.memory), _alarm(limits.seconds):
        try:
            return function(*arguments)
        except BaseException as error:
            return _raised(error)


def _raised(error: BaseException) -> Raised:
    message = f"raised {type(error).__name__}: {error}"
    try:
        # Exceptions whose constructor wants more than their message are sent well, and arrive broken.
        pickle.loads(pickle.dumps(error))
    except Exception:
        return Raised(None, message)
    return Raised(error, message)


@contextmanager
def _memory(limit: int | None) -> Iterator[None]:
    """Let an allocation beyond the limit fail, on Linux."""
    if sys.platform != "linux":
        yield
        return
    import resource

    if limit is None:
        limit = int(_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = before[1]
    resource.setrlimit(resource.RLIMIT_DATA, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


@contextmanager
def _alarm(seconds: float | None) -> Iterator[None]:
    """Let the system end this process where its owner, who ought to have done so, has gone."""
    if seconds is None or not hasattr(signal, "alarm"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(int(seconds) + _ORPHANED)
    try:
        yield
    finally:
        signal.alarm(0)
