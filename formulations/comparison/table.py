# SPDX-License-Identifier: BSD-3-Clause
"""The table of a comparison: in a terminal, in a notebook, as data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from formulations.comparison.row import Row, without_nan
from formulations.modelling.solution import Seconds
from qpkernels.display import Column, Report, Reported, Table, as_text
from qpkernels.problems import Status

__all__ = ["Comparison", "agreement"]

_NAN = float("nan")


@dataclass(frozen=True, repr=False)
class Comparison(Sequence[Row], Reported):
    """The rows of a comparison, in the order of the problems and their forms and, within one, of the solvers.

    Prints as a table in a terminal (rich) and in a notebook (HTML).

    Attributes
    ----------
    rows
        One for each pair.
    tol
        The tolerance asked for.
    problems
        Labels of the problems that the rows answer.
    differences
        In what models of one kind differ: they state different problems.
    scales
        In which scale each model counts, and each of its forms that has another.
    """

    rows: tuple[Row, ...]
    tol: float
    problems: tuple[str, ...]
    differences: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        """Return a row, or several by a slice."""
        return self.rows[index]

    def to_json(self, indent: int | None = 2) -> str:
        """Return the rows as a JSON array; NaN and infinity, which JSON has not, become null.

        Parameters
        ----------
        indent
            Spaces of a level; None: all in one line.
        """
        return json.dumps([without_nan(asdict(row)) for row in self.rows], indent=indent)

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows], columns=[field.name for field in fields(Row)])

    def report(self) -> Report:
        """Return the table, where the proved optima lie, what is not proved, and what counts in which scale."""
        unproved = frozenset(k for k, row in enumerate(self.rows) if row.status != Status.OPTIMAL)
        title = f"optimal = proved to a relative gap and residuals of {self.tol:g}"
        table = Table(_COLUMNS, tuple(map(_cells, self.rows)), title, faint=unproved)
        return Report((table,), warnings=tuple(self.warnings), notes=(*self.remarks, *self.scales))

    @property
    def warnings(self) -> list[str]:
        """In words, what nobody may overlook: proved answers that contradict each other, and problems that differ."""
        split = [agreement for agreement in map(self.agreement, self.problems) if not agreement.holds]
        return [*map(str, split), *self.differences]

    @property
    def remarks(self) -> list[str]:
        """In words: for each problem, what is proved of its optimum; then every row that is not proved."""
        agreements = [str(agreement) for agreement in map(self.agreement, self.problems) if agreement.holds]
        unproved = [
            f"{row.formulation} by {row.solver} is {row.status}: {row.reason}"
            for row in self.rows
            if row.status != Status.OPTIMAL
        ]
        return [*agreements, *unproved]

    def agreement(self, problem: str) -> Agreement:
        """Hold all proved answers to a problem, of primals and duals alike, against each other's bounds.

        Parameters
        ----------
        problem
            The name of a problem in the table.
        """
        return agreement(problem, self.rows, self.tol)


@dataclass(frozen=True)
class Agreement:
    """Whether the intervals [dual value, primal value] of all proved answers to one problem have a common point.

    Attributes
    ----------
    problem
        Its label.
    answers, proved, solvers
        How many answers there are, how many are proved, and by how many solvers.
    lower, upper
        The best bounds of the optimum.
    holds
        Whether they agree to the tolerance.
    """

    problem: str
    answers: int
    proved: int
    solvers: int
    lower: float
    upper: float
    holds: bool

    def __str__(self) -> str:
        if not self.proved:
            return f"{self.problem}: no answer is proved"
        if not self.holds:
            return (
                f"DISAGREEMENT: the {self.proved} proved answers of {self.problem} contradict each other: one proves "
                f"an optimum of at least {self.lower:.10g}, another one of at most {self.upper:.10g}"
            )
        low, high = sorted((self.lower, self.upper))
        return (
            f"{self.problem}: {self.proved} of {self.answers} answers by {self.solvers} solvers are proved and agree: "
            f"optimum {high:.10g} (to {high - low:.0e})"
        )


def agreement(problem: str, rows: Iterable[Row], tol: float) -> Agreement:
    """Hold all proved answers to the problem of that label, proved to ``tol``, against each other's bounds."""
    answers = [row for row in rows if row.problem == problem]
    proved = [row for row in answers if row.status == Status.OPTIMAL]
    lower = max((row.dual_value for row in proved), default=_NAN)
    upper = min((row.primal_value for row in proved), default=_NAN)
    holds = not proved or lower - upper <= tol * max(abs(lower), abs(upper))
    return Agreement(problem, len(answers), len(proved), len({row.solver for row in proved}), lower, upper, holds)


_WIDE = 165
"""Width of a terminal that shows every column."""

_MIDDLING = 104
"""Width from which on all columns of an answer itself are shown."""

_COLUMNS = (
    Column("form", "left"),
    Column("solver", "left"),
    Column("status", "left"),
    Column("objective"),
    Column("factor", least_width=_MIDDLING),
    Column("primal value", least_width=_WIDE),
    Column("dual value", least_width=_WIDE),
    Column("rel. gap"),
    Column("primal res.", least_width=_WIDE),
    Column("dual res.", least_width=_WIDE),
    Column("compl.", least_width=_WIDE),
    Column("SV"),
    Column("intercept", least_width=_MIDDLING),
    *(Column(f"{field.name} s", least_width=_WIDE) for field in fields(Seconds)),
    Column("total s"),
)


def _cells(row: Row) -> tuple[str, ...]:
    measures = (row.relative_gap, row.primal_residual, row.dual_residual, row.complementarity)
    seconds = (row.seconds_gram, row.seconds_lower, row.seconds_solve, row.seconds_certify)
    return (
        row.formulation,
        row.solver,
        str(row.status),
        as_text(row.objective, ".10g"),
        as_text(row.factor, ".4g"),
        *(as_text(value, ".10g") for value in (row.primal_value, row.dual_value)),
        *(as_text(value, ".0e") for value in measures),
        "" if row.n_support is None else str(row.n_support),
        as_text(row.intercept, ".7g"),
        *(as_text(value, ".3f") for value in (*seconds, row.seconds)),
    )
