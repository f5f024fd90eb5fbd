# SPDX-License-Identifier: BSD-3-Clause
"""Dropping what a back-end prints that cannot be told not to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["silent"]


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
