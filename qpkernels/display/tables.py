# SPDX-License-Identifier: BSD-3-Clause
"""Tables as data that can be shown in a terminal (rich), as plain text, and in a notebook (HTML)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from qpkernels.display.card import Displayed, count

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

__all__ = ["Column", "Reported", "TableReport", "TextTable", "as_text", "without_nan"]

Json = TypeVar("Json")


@dataclass(frozen=True)
class Column:
    """A column: its heading, its side, and the width of a terminal from which on it is shown.

    For records it shows the entry ``key``, with floats in that form; None and NaN are empty cells.
    """

    heading: str
    side: Literal["left", "right"] = "right"
    least_width: int = 0
    key: str = ""
    form: str = ""

    def cell(self, record: Mapping[str, Any]) -> str:
        """Return the text of a record."""
        value = record[self.key]
        if isinstance(value, float):
            return as_text(value, self.form)
        return "" if value is None else str(value)


@dataclass(frozen=True)
class TextTable:
    """A table of texts.

    Attributes
    ----------
    columns, rows
        The columns, and for each row a text for each of them.
    title
        Stands above the middle.
    faint, bold
        Numbers of the rows that count less, and of those to be looked at.
    ends
        Numbers of the rows after which there is a gap.
    narrow
        Whether little space is left between columns.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    faint: frozenset[int] = frozenset()
    bold: frozenset[int] = frozenset()
    ends: frozenset[int] = frozenset()
    narrow: bool = False

    @classmethod
    def of(cls, columns: Iterable[Column], records: Iterable[Mapping[str, Any]], **settings: Any) -> TextTable:
        """Return the table of records."""
        chosen = tuple(columns)
        return cls(chosen, tuple(tuple(column.cell(each) for column in chosen) for each in records), **settings)

    def rich(self, width: int) -> Any:
        """Return the table for a terminal of that width."""
        from rich import box
        from rich.table import Table

        padding = (0, 1, 0, 0) if self.narrow else (0, 1)
        table = Table(title=self.title or None, pad_edge=False, padding=padding, box=box.SIMPLE_HEAD)
        shown = [k for k, column in enumerate(self.columns) if width >= column.least_width]
        for column in (self.columns[k] for k in shown):
            table.add_column(column.heading, justify=column.side, no_wrap=True)
        for number, row in enumerate(self.rows):
            cells = (row[k] for k in shown)
            style = "dim" if number in self.faint else "bold" if number in self.bold else None
            table.add_row(*cells, style=style, end_section=number in self.ends)
        return table

    def html(self) -> str:
        """Return the table, all columns of it, in HTML."""
        head = "".join(f"<th{_aligned(column)}>{escape(column.heading)}</th>" for column in self.columns)
        body = "".join(self._rows_in_html())
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _rows_in_html(self) -> Iterator[str]:
        for number, row in enumerate(self.rows):
            cells = zip(self.columns, row, strict=True)
            written = "".join(f"<td{_aligned(column)}>{escape(cell)}</td>" for column, cell in cells)
            style = "opacity: 0.6" if number in self.faint else "font-weight: bold" if number in self.bold else ""
            marked = f' style="{style}"' if style else ""
            yield f"<tr{marked}>{written}</tr>"


@dataclass(frozen=True)
class TableReport:
    """Tables with a line above, what nobody may overlook, and notes below."""

    tables: tuple[TextTable, ...]
    title: str = ""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The report in a few words."""
        rows, faint = len(self.tables[0].rows), len(self.tables[0].faint)
        return self.title or f"{count(rows, 'answer')}, {faint} of them not proved"

    def html(self) -> str:
        """Return the report in HTML."""
        title = f"<p>{escape(self.title)}</p>" if self.title else ""
        loud = "".join(f'<p style="color: red"><b>{escape(warning)}</b></p>' for warning in self.warnings)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<div>{loud}{title}{''.join(table.html() for table in self.tables)}{notes}</div>"

    def rich(self, width: int) -> Iterator[Any]:
        """Yield what a terminal of that width prints."""
        from rich.text import Text

        yield from (Text(warning, style="bold red") for warning in self.warnings)
        if self.title:
            yield Text(self.title)
        yield from (table.rich(width) for table in self.tables)
        yield from (Text(note) for note in self.notes)


class Reported(Displayed):
    """An object that shows itself as a report: rich's tables in a terminal, plain ones as text, and HTML."""

    @abstractmethod
    def report(self) -> TableReport:
        """Return what it shows."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what the report prints; fewer columns in a narrow terminal."""
        del console
        yield from self.report().rich(options.max_width)

    def __str__(self) -> str:
        return plain_text(self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.report().summary}>"

    def _repr_html_(self) -> str:
        """Return the report for a notebook."""
        return self.report().html()


def plain_text(printed: Any) -> str:
    """Return what rich prints, without colours and wide enough for every column; no line ends in spaces.

    The text is the same wherever it is made: a terminal, a notebook and a file are given no codes and no display.
    """
    from rich.console import Console

    console = Console(width=10_000, color_system=None, force_terminal=False, force_jupyter=False)
    with console.capture() as capture:
        console.print(printed)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    return "\n".join(lines)


def as_text(value: float, form: str) -> str:
    """Return a number as a cell of a table; NaN is an empty one."""
    return "" if math.isnan(value) else format(value, form)


def without_nan(record: Json) -> Json:
    """Return a record, those within it as well, with None for NaN and infinity, which JSON cannot write."""
    bare: Any = record
    if isinstance(record, dict):
        bare = {name: without_nan(value) for name, value in record.items()}
    elif isinstance(record, list | tuple):
        bare = [without_nan(value) for value in record]
    elif isinstance(record, float) and not math.isfinite(record):
        bare = None
    return bare  # type: ignore[no-any-return]


def _aligned(column: Column) -> str:
    return f' style="text-align: {column.side}"'
