# SPDX-License-Identifier: BSD-3-Clause
"""What the packages say while they work: records of the logger ``qpkernels``, at level INFO.

Whoever listens to that level gets the records and nothing is printed. Where a program has set up no logging, lines that
the user asked for are printed, as ``verbose=True`` of any solver would.
"""

from __future__ import annotations

import logging

__all__ = ["is_heard", "logger", "report"]

logger = logging.getLogger("qpkernels")
logger.addHandler(logging.NullHandler())


def is_heard() -> bool:
    """Return whether some handler takes records of level INFO."""
    if not logger.isEnabledFor(logging.INFO):
        return False
    source: logging.Logger | None = logger
    while source is not None:
        if any(not isinstance(each, logging.NullHandler) and each.level <= logging.INFO for each in source.handlers):
            return True
        source = source.parent if source.propagate else None
    return False


def report(line: str) -> None:
    """Log a line that the user asked for, or print it where nobody listens; the record names the place of the call."""
    logger.info(line, stacklevel=2)
    if not is_heard():
        print(line, flush=True)
