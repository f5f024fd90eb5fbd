# SPDX-License-Identifier: BSD-3-Clause
"""The audit of an estimator: in a terminal, in a notebook, as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from formulations.auditing.finishing import Finish
from formulations.auditing.machine_audit import MachineAudit
from formulations.auditing.records import AuditRow
from qpkernels.display import Displayed, as_text, plain_text
from qpkernels.problems import Status

__all__ = ["Audit"]

_NAMED = 3
"""How many machines that are not proved have their samples named below the table."""


@dataclass(frozen=True, eq=False, repr=False)
class Audit(Displayed, Sequence[MachineAudit]):
    """What is found of an estimator: one entry for each of its machines.

    Prints as a table in a terminal (rich) and in a notebook (HTML).

    Attributes
    ----------
    estimator
        What was audited.
    machines
        What is found of each.
    tol
        The tolerance asked for.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> machine = SVC(kernel="linear", C=1.0).fit(X, y)
    >>> machine.intercept_ += 0.5
    >>> (row,) = audit(machine, X, y).rows
    >>> print(row.formulation, row.status, f"relative gap {row.relative_gap:.2f}")
    SoftMargin uncertified relative gap 0.15
    """

    estimator: str
    machines: tuple[MachineAudit, ...]
    tol: float

    def __len__(self) -> int:
        """Return the number of machines."""
        return len(self.machines)

    def __getitem__(self, index: Any) -> Any:
        """Return a machine, or several by a slice."""
        return self.machines[index]

    @property
    def status(self) -> Status:
        """``optimal`` if every machine is proved to the tolerance, else ``uncertified``."""
        proved = all(each.status is Status.OPTIMAL for each in self.machines)
        return Status.OPTIMAL if proved else Status.UNCERTIFIED

    @property
    def rows(self) -> tuple[AuditRow, ...]:
        """What is found, as records."""
        return tuple(each.row for each in self.machines)

    def finish(self, tol: float = 1e-6, **options: Any) -> tuple[Finish, ...]:
        """Solve each model from its answer on, and say what that took and changed.

        Parameters
        ----------
        tol, **options
            As in :meth:`formulations.modelling.model.Model.solve`.

        Returns
        -------
        tuple of Finish
            For each machine the certified solution, the seconds and iterations, the true distance to the optimal
            function, and how many samples change their role or side.
        """
        return tuple(each.finish(tol, **options) for each in self.machines)

    def to_json(self, indent: int | None = 2) -> str:
        """Return the rows as a JSON array; NaN and infinity, which JSON has not, become null.

        Parameters
        ----------
        indent
            Spaces of a level; None: all in one line.
        """
        return json.dumps([row.to_record() for row in self.rows], indent=indent)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table (fewer columns in a narrow terminal), and in words what is proved and what is wrong."""
        del console
        table = Table(title=self._title, pad_edge=False, box=box.SIMPLE_HEAD)
        shown = [k for k, (name, _) in enumerate(_HEADINGS) if options.max_width >= _WIDE or name in _NARROW]
        for heading, justify in (_HEADINGS[k] for k in shown):
            table.add_column(heading, justify=justify, no_wrap=True)
        for row in self.rows:
            cells = _cells(row)
            table.add_row(*(cells[k] for k in shown), style=None if row.status == Status.OPTIMAL else "bold")
        yield table
        yield from (Text(note) for note in self.notes)

    def __str__(self) -> str:
        return plain_text(self)

    def __repr__(self) -> str:
        proved = sum(row.status == Status.OPTIMAL for row in self.rows)
        found = (
            self.machines[0].verdict if len(self) == 1 else f"{proved} of {len(self)} machines proved to {self.tol:g}"
        )
        return f"<Audit of {self.estimator}: {found}>"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        head = "".join(f"<th>{escape(heading)}</th>" for heading, _ in _HEADINGS)
        body = ""
        for row in self.rows:
            cells = zip(_cells(row), _HEADINGS, strict=True)
            body += "<tr>" + "".join(f'<td style="text-align: {side}">{escape(cell)}</td>' for cell, (_, side) in cells)
            body += "</tr>"
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{escape(self._title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>{notes}"
        )

    @property
    def _title(self) -> str:
        return f"{self.estimator}: optimal = proved to a relative gap and residuals of {self.tol:g}"

    @property
    def notes(self) -> list[str]:
        """In words: how many machines are proved; of the worst of the others, what is proved and which samples err."""
        open_ = sorted(
            (row for row in self.rows if row.status != Status.OPTIMAL), key=lambda row: -_sortable(row.relative_gap)
        )
        count = f"{len(self) - len(open_)} of {len(self)} machines are proved"
        found = [count] if len(self) > 1 else []
        for row in self.rows if len(self) == 1 else open_[:_NAMED]:
            found.append(f"{row.machine}: {row.verdict}")
            found += [f"  {remark}" for remark in row.remarks]
            if row.status != Status.OPTIMAL and row.wrong:
                found.append(f"  {row.wrong} of {row.samples} samples add more than their share to the gap:")
                found += [f"    {each}" for each in row.worst]
        return found


def _sortable(gap: float) -> float:
    return gap if gap == gap else float("inf")


_HEADINGS: tuple[tuple[str, Literal["left", "right"]], ...] = (
    ("machine", "left"),
    ("model", "left"),
    ("status", "left"),
    ("samples", "right"),
    ("SV", "right"),
    ("primal value", "right"),
    ("dual value", "right"),
    ("rel. gap", "right"),
    ("primal res.", "right"),
    ("dual res.", "right"),
    ("‖f‖", "right"),
    ("‖f − f*‖ ≤", "right"),
    ("certain", "right"),
    ("wrong", "right"),
)

_WIDE = 165
"""Width of a terminal that shows every column."""

_NARROW = ("machine", "model", "status", "samples", "SV", "rel. gap", "‖f − f*‖ ≤", "certain", "wrong")
"""The columns that a narrower one shows."""


def _cells(row: AuditRow) -> list[str]:
    counts = (row.certain, row.wrong)
    return [
        row.machine,
        row.formulation,
        str(row.status),
        str(row.samples),
        "" if row.n_support is None else str(row.n_support),
        *(as_text(value, ".10g") for value in (row.primal_value, row.dual_value)),
        *(as_text(value, ".0e") for value in (row.relative_gap, row.primal_residual, row.dual_residual)),
        *(as_text(value, ".3g") for value in (row.norm, row.distance)),
        *("" if count is None else str(count) for count in counts),
    ]
