# SPDX-License-Identifier: BSD-3-Clause
"""The results of a cross-examination: claims beside proofs, and the time to each accuracy that was proved."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from formulations.judging.comparison import Agreement, Listed, Row
from formulations.modelling.solution import Solution
from qpkernels.display import Column, TableReport, TextTable, as_text
from qpkernels.display.tables import without_nan
from qpkernels.problems import Enclosure, Status
from qpkernels.solvers import Claim

__all__ = ["CrossExamination", "Trial"]

_NAN = float("nan")
_ANYWHERE = Enclosure(-math.inf, math.inf)


@dataclass(frozen=True)
class Trial:
    """A solver's claim when asked for a tolerance, and its certificate; NaN where there is no answer.

    Attributes
    ----------
    row
        The answer as :func:`~formulations.compare` shows it.
    tol
        The requested tolerance.
    objective_error
        A bound of |objective - optimum| at the feasible point of the answer, relative to the optimum.
    disagreement
        max_i |g(x_i) - g*(x_i)| over the data, where g* belongs to the answer that is proved best.
    support_difference
        Number of samples that are support vectors of only one of the two; None where there are no support vectors.
    support_overlap
        Number of support vectors of both, divided by the number of those of either (the Jaccard index).

    Examples
    --------
    >>> from formulations import SoftMargin, cross_examine
    >>> model = SoftMargin([[0.0], [1.0]], [-1, 1])
    >>> trial = cross_examine(model, solvers=["smo"], tolerances=[1e-6], progress=False).trials[0]
    >>> print(trial.row.solver, trial.tol, trial.row.status)
    smo 1e-06 optimal
    """

    row: Row
    tol: float
    objective_error: float = _NAN
    disagreement: float = _NAN
    support_difference: int | None = None
    support_overlap: float = _NAN

    @classmethod
    def of(cls, row: Row, tol: float, answer: Solution | None, best: Solution, optimum: Enclosure) -> Trial:
        """Compare an answer with the best one, and with what is proved about the optimum.

        Parameters
        ----------
        row
            The answer as :func:`~formulations.compare` shows it.
        tol
            The tolerance that its solver was asked for.
        answer
            The answer itself; None if the solver gave no answer.
        best
            The answer that is proved best, with which the others are compared.
        optimum
            Bounds of the optimal value.
        """
        if answer is None:
            return cls(row, tol)
        error = max(row.primal_value - optimum.lower, optimum.upper - row.primal_value)
        scale = max(abs(optimum.lower), abs(optimum.upper))
        difference, overlap = _compared(answer, best)
        return cls(
            row,
            tol,
            0.0 if error == 0 else error / scale if scale > 0 else math.inf,
            float(np.max(np.abs(answer.decision - best.decision))),
            difference,
            overlap,
        )

    @property
    def seconds(self) -> float:
        """Seconds of the solver and of the certificate; the matrices are the same for all."""
        return self.row.seconds_solve + self.row.seconds_certify

    def values(self) -> dict[str, Any]:
        """Return all numbers and words by name: those of the row, then its own."""
        return asdict(self.row) | {name: value for name, value in vars(self).items() if name != "row"}

    def to_record(self) -> dict[str, Any]:
        """Return all numbers and words by name, with None for NaN and infinity."""
        return without_nan(self.values())


def _compared(answer: Solution, best: Solution) -> tuple[int | None, float]:
    if answer.n_support is None or best.n_support is None:
        return None, _NAN
    mine, theirs = set(answer.support.indices.tolist()), set(best.support.indices.tolist())
    either = mine | theirs
    return len(mine ^ theirs), len(mine & theirs) / len(either) if either else 1.0


@dataclass(frozen=True, repr=False)
class CrossExamination(Listed):
    """The trials of all solvers at all tolerances; prints as two tables in a terminal or notebook (rich).

    Attributes
    ----------
    problem
        Its label.
    tolerances
        The requested tolerances, beginning with the loosest.
    trials
        One for each solver and tolerance, in this order.
    reference
        The solver whose answer is proved best, with which the others are compared; empty without an answer.
    optimum
        Bounds of the optimal value, from this answer.
    rigorous
        Whether these bounds hold in exact arithmetic. Otherwise they are the values of its certificate, in float64. See
        :meth:`formulations.modelling.form.Form.enclose`.

    Examples
    --------
    >>> from formulations import SoftMargin, cross_examine
    >>> model = SoftMargin([[0.0], [1.0]], [-1, 1])
    >>> found = cross_examine(model, solvers=["smo"], tolerances=[1e-6], progress=False)
    >>> print(found.reference, found.rigorous, [trial.row.status.value for trial in found.trials])
    SoftMargin by smo at 1e-06 True ['optimal']
    """

    problem: str
    tolerances: tuple[float, ...]
    trials: tuple[Trial, ...]
    reference: str = ""
    optimum: Enclosure = _ANYWHERE
    rigorous: bool = False

    @property
    def _entries(self) -> tuple[Trial, ...]:
        return self.trials

    @property
    def solvers(self) -> tuple[str, ...]:
        """Names of the solvers, in order."""
        return tuple(dict.fromkeys(trial.row.solver for trial in self.trials))

    def of(self, solver: str) -> tuple[Trial, ...]:
        """Return the trials of a solver.

        Parameters
        ----------
        solver
            The name of a solver in the table.
        """
        return tuple(trial for trial in self.trials if trial.row.solver == solver)

    def seconds_to(self, solver: str, accuracy: float) -> float:
        """Return the seconds of a solver's fastest answer that is proved to that accuracy, or NaN if none is.

        Parameters
        ----------
        solver
            The name of a solver in the table.
        accuracy
            A relative duality gap above 0.
        """
        proved = [trial.seconds for trial in self.of(solver) if trial.row.accuracy <= accuracy]
        return min(proved, default=_NAN)

    def _record(self) -> dict[str, Any]:
        first = [
            {"solver": solver, "accuracy": tol, "seconds": self.seconds_to(solver, tol)}
            for solver in self.solvers
            for tol in self.tolerances
        ]
        return {
            "problem": self.problem,
            "optimum": vars(self.optimum) | {"rigorous": self.rigorous},
            "reference": self.reference,
            "first_proved": first,
            "trials": [trial.values() for trial in self.trials],
        }

    def to_pandas(self) -> Any:
        """Return the trials as a pandas data frame, a row for each."""
        import pandas as pd

        names = [field.name for kind in (Row, Trial) for field in fields(kind) if field.name != "row"]
        return pd.DataFrame([trial.values() for trial in self.trials], columns=names)

    @property
    def warnings(self) -> list[str]:
        """In words: proved answers that contradict each other."""
        rows = [trial.row for trial in self.trials]
        held = Agreement.of(self.problem, rows, max(self.tolerances))
        return [] if held.holds else [str(held)]

    @property
    def remarks(self) -> list[str]:
        """In words: the answer to compare with, how many claims are proved, and why answers are missing."""
        lines = [f"{self.problem}: no answer is proved"]
        if self.reference:
            how = "proved in exact arithmetic" if self.rigorous else "as its certificate says in float64"
            lines = [f"measured by {self.reference}: optimum in {self.optimum}, {how}"]
        claimed = [trial for trial in self.trials if trial.row.claim == Claim.OPTIMAL]
        proved = sum(trial.row.status == Status.OPTIMAL for trial in claimed)
        lines.append(
            f"{len(claimed)} of {len(self)} answers are claimed to be optimal, and {proved} of them are proved"
        )
        silent = [trial for trial in self.trials if not trial.row.claim]
        return [*lines, *(f"{trial.row.solver} at {trial.tol:g}: {trial.row.reason}" for trial in silent)]

    def report(self) -> TableReport:
        """Return the trials, the times to each accuracy, and remarks."""
        trials = [trial for solver in self.solvers for trial in self.of(solver)]
        claims = TextTable.of(
            _COLUMNS,
            (each.values() | {"claimed": each.row.claim or "-", "seconds": each.seconds} for each in trials),
            title=f"{self.problem}: claimed and proved",
            faint=frozenset(k for k, trial in enumerate(trials) if trial.row.status != Status.OPTIMAL),
            ends=frozenset(k for k, trial in enumerate(trials) if trial.tol == self.tolerances[-1]),
            narrow=True,
        )
        return TableReport((claims, self._times()), warnings=tuple(self.warnings), notes=tuple(self.remarks))

    def _times(self) -> TextTable:
        columns = (Column("solver", "left"), *(Column(f"{tol:.0e}") for tol in self.tolerances))
        rows = (
            (solver, *(as_text(self.seconds_to(solver, tol), ".2g") or "never" for tol in self.tolerances))
            for solver in self.solvers
        )
        return TextTable(columns, tuple(rows), "seconds to the first proof of")


_COLUMNS = (
    Column("solver", "left", key="solver"),
    Column("form", "left", 120, "formulation"),
    Column("tol", key="tol", form=".0e"),
    Column("claimed", "left", key="claimed"),
    Column("proved", "left", key="status"),
    Column("to", key="accuracy", form=".0e"),
    Column("obj. error", key="objective_error", form=".0e"),
    Column("|g - g*|", key="disagreement", form=".0e"),
    Column("SV", least_width=120, key="n_support"),
    Column("differ", least_width=90, key="support_difference"),
    Column("overlap", least_width=120, key="support_overlap", form=".3f"),
    Column("time s", key="seconds", form=".2g"),
)
