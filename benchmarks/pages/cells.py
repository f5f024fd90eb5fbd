# SPDX-License-Identifier: BSD-3-Clause
"""Cells and tables of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.records import Record, Run

__all__ = ["FOOTNOTE", "mark", "note", "ratio", "run_cell", "seconds", "sign", "table"]

_QUIET = 0.1
"""Processors that other programs may keep busy before a record is marked."""

FOOTNOTE = f"† Other programs kept more than {_QUIET:g} processors busy meanwhile: to be measured again.\n"
"""What the mark says."""


def mark(others: float | None) -> str:
    """Return the mark of what was measured while other programs kept so many processors busy."""
    return " †" if (others or 0.0) > _QUIET else ""


def sign(record: Record) -> str:
    """Return the mark of a record while whose making other programs were busy."""
    return mark(record.where.others)


def note(records: Sequence[Record]) -> str:
    """Return what the mark says, where one of the records has it."""
    return f"\n{FOOTNOTE}" if any(sign(record) for record in records) else ""


def table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column is of words."""
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)], *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def seconds(value: float) -> str:
    """Return a time, with its unit."""
    return f"{value:.3g} s" if value >= 1 else f"{1e3 * value:.3g} ms"


def run_cell(run: Run | None) -> str:
    """Return the time and the gap of a run."""
    if run is None:
        return "–"
    proof = "" if run.gap is None else f" ({run.gap:.0e})"
    return f"{'' if run.limit is None else '> '}{seconds(run.seconds)}{proof}"


def ratio(run: Run | None, base: Run | None) -> str:
    """Return the ratio, as a bound where one of them was ended; there is none where both were."""
    if run is None or base is None or (run.limit is not None and base.limit is not None):
        return "–"
    sign = "> " if run.limit is not None else "< " if base.limit is not None else ""
    return f"{sign}{run.seconds / base.seconds:.3g}"
