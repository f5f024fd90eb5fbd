# SPDX-License-Identifier: BSD-3-Clause
"""What all commands share: how they print, what they write, and how they fail."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from formulations.displays.base import Display

__all__ = ["report", "reports_errors", "show", "write_json", "write_picture"]

P = ParamSpec("P")


def reports_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn an exception of the project into one line on standard error and exit status 1."""

    @wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        from qpkernels.errors import QPKernelsError

        try:
            command(*args, **kwargs)
        except (QPKernelsError, OSError) as error:
            Console(stderr=True, soft_wrap=True).print(f"[bold red]{type(error).__name__}[/]: ", end="")
            print(error, file=sys.stderr)
            raise typer.Exit(1) from None

    return wrapper


def report(heading: str, tables: Any) -> Console:
    """Print a heading and tables, 100 columns wide where no terminal says otherwise; return where."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=100)
    console.print(heading, markup=False, highlight=False)
    console.print(tables)
    return console


def show(table: Table, record: Any, json_path: str | None) -> None:
    """Print a table and write its record as JSON, as asked for."""
    if json_path != "-":
        Console().print(table)
    if json_path is not None:
        write_json(record, json_path)


def write_json(record: Any, path: str) -> None:
    """Write a record to a file, or print it where the path is "-"."""
    text = json.dumps(record, indent=2)
    if path == "-":
        print(text)
    else:
        Path(path).write_text(text + "\n", encoding="utf-8")


def write_picture(display: Display, path: Path, title: str, console: Console) -> None:
    """Draw a display into a file under a title, and print where that is."""
    display.plot().ax_.set_title(title, fontsize="medium")
    display.figure_.savefig(path, dpi=150)
    console.print(f"picture: {path}", markup=False, highlight=False)
