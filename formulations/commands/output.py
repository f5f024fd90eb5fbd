# SPDX-License-Identifier: BSD-3-Clause
"""The common part of all commands: their printing, the files that they write, and their exit statuses."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from typer.models import OptionInfo

from formulations.commands.options import with_options

if TYPE_CHECKING:
    from formulations.plots.display import Display
    from qpkernels.problems import Status

__all__ = [
    "check_machine",
    "check_output",
    "check_picture",
    "command",
    "end",
    "facts",
    "hint",
    "number",
    "report",
    "show",
    "show_logged",
    "waiting",
    "write_json",
    "write_picture",
]

_AUDIT = re.compile(r"audit\(\.\.\., (\w+)=\)")


def in_words_of_options(error: Exception, command: Callable[..., None], values: Mapping[str, Any]) -> str:
    """Return the message of an error for who gave options, and has no Python objects to change.

    The options are the parameters of the command, and ``values`` theirs by name.
    """
    from qpkernels.errors import GramTooLargeError, IndefiniteKernelError

    options = signature(command).parameters
    if isinstance(error, IndefiniteKernelError):
        found = f"the kernel matrix has the eigenvalue {error.smallest_eigenvalue:.6g}, below 0"
        if "indefinite" not in options:
            return f"{found}, so that its problem is not convex, and nothing is proved of answers; take another kernel."
        return (
            f"{found}, so that the problem is not convex; take another kernel, or --indefinite clip, which sets such "
            f"eigenvalues to 0, or --indefinite shift, which adds at least {-error.smallest_eigenvalue:.6g} to the "
            "diagonal."
        )
    message = _AUDIT.sub(lambda found: "--C" if found[1] == "C" else f"--set {found[1]}=VALUE", str(error))
    message = message.replace("pass the X and y that", "take the file that")
    if isinstance(error, GramTooLargeError):
        return f"{message.partition(';')[0]}; take fewer samples, a --rank, or a solver without matrices: smo."
    if isinstance(error, MemoryError):
        return f"{message or 'the memory is full'}; take fewer samples or features."
    # An argument that no option set came otherwise: by --set, --try, or inside of an expression.
    name = message.partition(" must ")[0]
    given = {_option(key, each) for key, each in options.items() if values.get(key, each.default) != each.default}
    option = "--" + name.replace("_", "-")
    return f"--{message.replace(name, option[2:], 1)}" if option in given and "\n" not in message else message


def _option(name: str, parameter: Parameter) -> str | None:
    """Return the option of a parameter; None: it is an argument."""
    for each in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(each, OptionInfo):
            # typer moves what comes first, its default by position, to the names when it builds the command.
            words = (each.default, *(each.param_decls or ()))
            stated = [word for word in words if isinstance(word, str) and word.startswith("--")]
            return stated[0] if stated else "--" + name.replace("_", "-")
    return None


_SELDOM = 30.0
"""Seconds between two lines of progress where there is no terminal."""


class Ending(IntEnum):
    """The exit status of a command."""

    DONE = 0
    """The command is done, and every answer is proved."""

    BAD_INPUT = 2
    """Nothing was done, because an option, a file or a name is not valid."""

    NOT_PROVED = 3
    """There is an answer, and it is not proved."""

    NO_ANSWER = 4
    """There is no answer: the model has no solution, or no solver found one."""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command its groups of options, and let exceptions of the project end it with one line and a status.

    With ``--json``, the reason for a missing answer is written as JSON as well.
    """
    flat = with_options(function)

    @wraps(flat)
    def wrapper(**values: Any) -> None:
        from qpkernels.errors import QPKernelsError

        try:
            flat(**values)
        except BrokenPipeError:
            # Who reads standard output has seen enough, such as head; typer ends without a word.
            raise
        except (QPKernelsError, OSError, MemoryError) as error:
            Console(stderr=True, soft_wrap=True).print(f"[bold red]{type(error).__name__}[/]: ", end="")
            message = in_words_of_options(error, flat, values)
            print(message, *(f"({note})" for note in getattr(error, "__notes__", ())), file=sys.stderr)
            ending = _ending_of(error)
            json_path = values.get("json_path")
            if ending is Ending.NO_ANSWER and json_path is not None:
                write_json({"status": _status_of(error), "error": type(error).__name__, "reason": message}, json_path)
            raise typer.Exit(ending) from None

    return wrapper


def _ending_of(error: Exception) -> Ending:
    from qpkernels.errors import (
        InfeasibleError,
        NoProofError,
        SeparableScoresError,
        SolverFailedError,
        UnboundedError,
    )

    if isinstance(error, NoProofError):
        return Ending.NOT_PROVED
    silent = isinstance(error, InfeasibleError | UnboundedError | SolverFailedError | SeparableScoresError)
    return Ending.NO_ANSWER if silent else Ending.BAD_INPUT


def _status_of(error: Exception) -> str:
    from qpkernels.errors import InfeasibleError, UnboundedError
    from qpkernels.problems import Status

    if isinstance(error, InfeasibleError):
        return str(Status.INFEASIBLE)
    return str(Status.UNBOUNDED if isinstance(error, UnboundedError) else Status.FAILED)


def end(statuses: Iterable[Status | str]) -> None:
    """End a command with the exit status for those of its answers, or return if all are proved."""
    from qpkernels.problems import Status

    told = [str(status) for status in statuses]
    without = (Status.INFEASIBLE, Status.UNBOUNDED, Status.FAILED)
    if told and all(status in without for status in told):
        raise typer.Exit(Ending.NO_ANSWER)
    if any(status != Status.OPTIMAL for status in told):
        raise typer.Exit(Ending.NOT_PROVED)


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Print on standard error what is being done: on a terminal at once, with the last line of progress.

    Elsewhere, a line is printed now and then if it takes long.
    """
    console = Console(stderr=True, soft_wrap=True)
    with console.status(escape(what)) as status:
        if console.is_terminal:
            yield lambda line: status.update(escape(f"{what}: {line}"))
        else:
            yield _Seldom(console)


class _Seldom:
    """Prints a line of progress every half minute."""

    def __init__(self, console: Console) -> None:
        self._console, self._last = console, perf_counter()

    def __call__(self, line: str) -> None:
        if perf_counter() - self._last >= _SELDOM:
            self._last = perf_counter()
            self._console.print(line, markup=False, highlight=False)


class _ToStandardError(logging.Handler):
    """Prints log records to the present standard error, which is looked up each time."""

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr)


def show_logged() -> None:
    """Print on standard error what the packages log, such as that compilation takes time."""
    logger = logging.getLogger("qpkernels")
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, _ToStandardError) for handler in logger.handlers):
        logger.addHandler(_ToStandardError())


def hint(text: str) -> None:
    """Print a remark on standard error."""
    Console(stderr=True, soft_wrap=True).print(text, markup=False, highlight=False, style="yellow")


def report(heading: str, tables: Any) -> Console:
    """Print a heading and tables, 110 columns wide unless the terminal differs, and return the console."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=110)
    console.print(heading, markup=False, highlight=False)
    console.print(tables)
    return console


def show(table: Any, record: Any, json_path: str | None) -> None:
    """Print a table and write its record as JSON, as requested."""
    if json_path != "-":
        Console().print(table)
    if json_path is not None:
        write_json(record, json_path)


def facts(values: Mapping[str, str]) -> Table:
    """Return a table of names and values."""
    table = Table(show_header=False)
    for name, value in values.items():
        table.add_row(name, escape(value))
    return table


def number(value: float | None, digits: int = 6) -> str:
    """Return a number with that many significant digits, and an empty text for None."""
    return "" if value is None else f"{value:.{digits}g}"


def write_json(record: Any, path: str) -> None:
    """Write a record to a file, or print it where the path is "-"."""
    from qpkernels.arrays.files import replacing

    text = json.dumps(record, indent=2)
    if path == "-":
        print(text)
        return
    with replacing(Path(path), "utf-8") as file:
        file.write(text + "\n")


def check_output(path: Path, what: str, suffixes: Iterable[str] = ()) -> None:
    """Refuse a file that could not be written, before anything is computed for it.

    The suffixes are those of the formats there are, the empty one if a file without one gets it; none: any will do.
    """
    from qpkernels.errors import ParameterError

    known = tuple(suffixes)
    if known and path.suffix.lower() not in known:
        listed = ", ".join(filter(None, known))
        raise ParameterError(f"{what} is written as {listed}, but {path} came; name it so.")
    if not path.parent.is_dir():
        raise ParameterError(f"the folder {path.parent} of {path.name} does not exist; make it, or name another.")


def check_machine(path: Path | None) -> None:
    """Refuse to train a machine whose file could not be written."""
    if path is not None:
        check_output(path, "a machine", ("", ".npz"))


def check_picture(path: Path | None) -> None:
    """Refuse a picture of another format, or that could not be written."""
    if path is not None:
        check_output(path, "a picture", (".png", ".pdf", ".svg", ".jpg"))


def write_picture(display: Display, path: Path, title: str, console: Console) -> None:
    """Draw a display into a file under a title, and print its path."""
    from qpkernels.arrays.files import replacing

    display.plot().ax_.set_title(title, fontsize="medium")
    with replacing(path) as file:
        display.figure_.savefig(file, dpi=150, format=path.suffix[1:].lower())
    console.print(f"picture: {path}", markup=False, highlight=False)
