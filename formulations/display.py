# SPDX-License-Identifier: BSD-3-Clause
"""What is shown while something runs, and tables as plain text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

__all__ = ["as_text", "plain_text", "progress_bar", "table_text"]


@contextmanager
def progress_bar(total: int, wanted: bool) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error, if that is a terminal; call what is given before each of the steps."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    terminal = Console(stderr=True)
    with Progress(*columns, console=terminal, transient=True, disable=not (wanted and terminal.is_terminal)) as bar:
        task, step = bar.add_task("", total=total), count(0)
        yield lambda what: bar.update(task, description=what, completed=next(step))


def plain_text(printed: Any) -> str:
    """Return what rich prints, without colours and wide enough for every column."""
    from rich.console import Console

    console = Console(width=220, no_color=True)
    with console.capture() as capture:
        console.print(printed)
    return capture.get()


def as_text(value: float, form: str) -> str:
    """Return a number as a cell of a table; NaN is an empty one."""
    return "" if math.isnan(value) else format(value, form)


def table_text(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()) -> str:
    """Return a table as plain text, numbers to the right, with a title above and notes below."""
    from rich import box
    from rich.table import Table

    table = Table(pad_edge=False, box=box.SIMPLE_HEAD)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return "\n".join([title, *(line.rstrip() for line in plain_text(table).strip("\n").splitlines()), *notes])
