# SPDX-License-Identifier: BSD-3-Clause
"""Whether loops are compiled already on this computer, and who compiles them meanwhile; it does not load the compiler.

numba takes seconds to compile, and keeps what it made in a cache. Until that has what a problem needs, those who solve
take ways that need none of it, and a process of its own, of low priority, compiles: one at a time, that ends by itself.
The environment variable ``QPKERNELS_COMPILE`` changes that:

================  ======================================================================================================
``background``    as said; also where it is not set
``first``         compiles what a problem needs before it is solved
``never``         starts no process; as with ``NUMBA_DISABLE_JIT``, ways without the compiler are taken where there are
                  such
================  ======================================================================================================

A kit is what some problems need. The process leaves a mark for each: a file that says of what sources, and of what
compiler, its machine code is, and in which files that lies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from qpkernels.arrays.log import is_heard, logger
from qpkernels.errors import ParameterError

try:
    import fcntl
except ImportError:  # as on Windows, where loops are compiled when they are needed
    fcntl = None  # type: ignore[assignment]

__all__ = ["MODE", "UNWRITABLE", "Kit", "at_hand", "in_use", "mark", "tell"]

MODE = "QPKERNELS_COMPILE"
"""The environment variable."""

Kit = Literal["arrays", "descent", "features"]
"""Machines held as arrays and what proves them; one of many samples, and sums over its kernel values; those arrays in
explicit features."""

_COMPILATION = 8.0
"""Seconds that a kit takes to compile."""

_ATTEMPTS = 3
"""Processes that are started before one has ended as it should."""

_HOME = Path(__file__).parent.parent

_NAME = f"qpkernels-{zlib.crc32(os.fsencode(_HOME)):08x}.{sys.implementation.cache_tag}"

UNWRITABLE = (
    "qpkernels: no folder was found where machine code can be kept, so that it is compiled anew in each process that "
    "needs it; set the environment variable NUMBA_CACHE_DIR to a folder that can be written to."
)

_marked: set[str] = set()
"""The kits whose marks were found by this process."""

_told: set[str] = set()

_begun = False


def tell(words: str) -> None:
    """Log something once; where nobody listens, it is printed on stderr if that is a terminal."""
    if words in _told:
        return
    _told.add(words)
    logger.info(words, stacklevel=2)
    if not is_heard() and sys.stderr is not None and sys.stderr.isatty():
        print(words, file=sys.stderr)


def at_hand(kit: Kit, seconds: float = 0.0) -> bool:
    """Return whether to use the machine code of a kit; if it is not there, it is being compiled from now on.

    It is used as well where the way without it takes so many ``seconds`` that there is nothing to spare.

    Raises
    ------
    ParameterError
        If the environment variable has another value.
    """
    mode = _mode()
    if mode != "background":
        return mode == "first"
    if kit in _marked or _has_mark(kit):
        _marked.add(kit)
        return True
    if seconds > _COMPILATION:
        return True
    _begin()
    return False


def in_use() -> bool:
    """Return whether machine code is at hand and the compiler is loaded, as by the solver of the answer."""
    mode = _mode()
    return mode == "first" or (mode == "background" and "arrays" in _marked and "numba" in sys.modules)


def _mode() -> str:
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return "never"
    mode = os.environ.get(MODE, "background")
    if mode not in ("background", "first", "never"):
        raise ParameterError(f"{MODE} must be 'background', 'first' or 'never', but {mode!r} came.")
    return "first" if fcntl is None and mode == "background" else mode


def _folders() -> Iterator[Path]:
    """Yield where marks may be: the folder that numba is told, or that of the package, or one of the user."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(named)
        return
    yield _HOME / "__pycache__"
    kept = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
    if kept.is_absolute():
        yield kept / "qpkernels"


def _stamp(path: str) -> list[int]:
    """Return what changes with a source; of an index, to which numba adds, that it is there."""
    found = os.stat(path)
    return [0, 0] if path.endswith(".nbi") else [found.st_mtime_ns, found.st_size]


def _has_mark(kit: Kit) -> bool:
    for folder in _folders():
        # A file that is damaged is none.
        with suppress(OSError, ValueError, TypeError, AttributeError):
            stamps = json.loads((folder / f"{_NAME}.{kit}.json").read_bytes())
            if stamps and stamps == {path: _stamp(path) for path in stamps}:
                return True
    return False


def mark(kit: Kit, paths: Iterable[str]) -> None:
    """Leave the mark of a kit whose machine code depends on the files of these ``paths``, or lies in them."""
    stamps = json.dumps({path: _stamp(path) for path in sorted(set(paths))})
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            written = folder / f"{_NAME}.{kit}.{os.getpid()}"
            written.write_text(stamps, encoding="utf-8")
            written.replace(folder / f"{_NAME}.{kit}.json")
            return


def _begin() -> None:
    """Start the process that compiles, unless there is one, or this process has asked for it before."""
    global _begun
    if _begun:
        return
    _begun = True
    if not os.path.basename(sys.executable or "").startswith(("python", "pypy")):
        # What else a program of its own would do with the words is not known.
        return
    lock = _lock()
    if lock is None:
        tell(UNWRITABLE)
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(lock).st_size >= _ATTEMPTS:
            return
        os.write(lock, b".")
        words = f"import sys; sys.path[:] = {sys.path!r}; from qpkernels.families.kits import compile_kits"
        process = subprocess.Popen(
            [sys.executable, "-c", f"{words}; compile_kits({lock})"],
            env=os.environ | {MODE: "first", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # It keeps the lock as long as it lives.
            pass_fds=(lock,),
            start_new_session=True,
        )
        # Nobody waits for it.
        process.returncode = 0
    except OSError:
        # Another one compiles, or none can be started.
        return
    finally:
        os.close(lock)


def _lock() -> int | None:
    """Open the file that a process holds while it compiles, with a byte for each that did not end as it should."""
    for folder in _folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            return os.open(folder / f"{_NAME}.lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    return None
