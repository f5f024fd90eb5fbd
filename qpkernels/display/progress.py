# SPDX-License-Identifier: BSD-3-Clause
"""The display of progress while something runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from qpkernels.arrays import check_flag

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(total: int, wanted: bool) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error, if that is a terminal; call what is given before each of the steps.

    Raises
    ------
    ParameterError
        If ``wanted`` is neither True nor False.
    """
    if not check_flag(wanted, "progress") or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, step = bar.add_task("", total=total), count(0)
        yield lambda what: bar.update(task, description=what, completed=next(step))
