# SPDX-License-Identifier: BSD-3-Clause
"""How the time grows with the number of samples, ours and that of the limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.comparison import compare
from benchmarks.computer import Computer
from benchmarks.problems import Problem
from benchmarks.records import PROVED, Growth

__all__ = ["SIZES", "grow"]

SIZES = (2000, 5000, 10000, 20000, 40000, 60000)


def grow(
    task: str,
    problems: Sequence[Problem],
    folder: Path,
    repeats: int,
    tol: float,
    limit_seconds: float,
    computer: Computer,
) -> Iterator[Growth]:
    """Yield a record for each of ``problems``, which are one ``task`` on ever more samples."""
    for problem in problems:
        row = compare(problem, folder, (), repeats, tol, limit_seconds, computer)
        yield Growth(row.where, task, tol, row.samples, row.support, row.limit, row.runs[PROVED])
