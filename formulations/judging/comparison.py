# SPDX-License-Identifier: BSD-3-Clause
"""The table of a comparison, for a terminal, for a notebook and as data."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from formulations.modelling.solution import Seconds, Solution
from qpkernels.display import Column, TableReport, TextTable
from qpkernels.display.tables import Reported, without_nan
from qpkernels.errors import InfeasibleError, QPKernelsError, UnboundedError
from qpkernels.problems import Certificate, Status

if TYPE_CHECKING:
    from formulations.language import MachineSolution

__all__ = ["Agreement", "Comparison", "Listed", "Row"]

_NAN = float("nan")


@dataclass(frozen=True)
class Row:
    """One form, or a model itself, solved by one solver. Numbers are NaN where there is no answer.

    Attributes
    ----------
    problem
        The problem, whose bounds all forms of a model share.
    formulation
        Name of the form, or of the model where the model itself was solved.
    solver
        Name of the solver.
    status
        The proved status: "optimal", "uncertified", "infeasible", "unbounded", or "failed" without answer or proof.
    objective
        The value of the form, in the sign and the scale of the textbook.
    factor
        The objective divided by the value of the model, which ``primal_value`` has; NaN where it is not a multiple.
    scale
        The function whose value the objective is, as text; empty where it is not stated.
    primal_value, dual_value, relative_gap, primal_residual, dual_residual, complementarity
        Those of its :class:`~qpkernels.problems.Certificate`.
    accuracy
        The least tolerance at which the certificate holds.
    n_support
        Number of support vectors; None for a model whose coefficients are dense, or without an answer.
    intercept
        b.
    seconds_gram, seconds_lower, seconds_solve, seconds_certify
        Wall-clock time of the kernel matrix, of the conversion to matrices, of the solver, and of the certificate.
    claim
        The solver's claim about its answer, see :class:`~qpkernels.solvers.Claim`; empty without one.
    reason
        In words, why there is no answer, or else the solver's message, and where the certificate is worst.

    Examples
    --------
    >>> from formulations import SoftMargin, compare
    >>> row = compare(SoftMargin([[0.0], [1.0]], [-1, 1]), solvers=["smo"], progress=False).rows[0]
    >>> print(row.formulation, row.solver, row.status, f"{row.primal_value:.3f}")
    SoftMargin smo optimal 1.500
    """

    problem: str
    formulation: str
    solver: str
    status: str
    objective: float = _NAN
    factor: float = _NAN
    scale: str = ""
    primal_value: float = _NAN
    dual_value: float = _NAN
    relative_gap: float = _NAN
    primal_residual: float = _NAN
    dual_residual: float = _NAN
    complementarity: float = _NAN
    accuracy: float = _NAN
    n_support: int | None = None
    intercept: float = _NAN
    seconds_gram: float = _NAN
    seconds_lower: float = _NAN
    seconds_solve: float = _NAN
    seconds_certify: float = _NAN
    claim: str = ""
    reason: str = ""

    @property
    def seconds(self) -> float:
        """All phases together."""
        return self.seconds_gram + self.seconds_lower + self.seconds_solve + self.seconds_certify

    @classmethod
    def of_solution(cls, problem: str, formulation: str, solution: Solution) -> Row:
        """Return the row of an answer to the problem of that name.

        Parameters
        ----------
        problem, formulation
            As in :class:`Row`.
        solution
            The certified answer.
        """
        return cls(
            problem=problem,
            formulation=formulation,
            solver=solution.solver,
            status=solution.status,
            objective=solution.objective,
            factor=solution.scale.factor,
            scale=solution.scale.words,
            n_support=solution.n_support,
            intercept=solution.intercept,
            seconds_gram=solution.seconds.gram,
            seconds_lower=solution.seconds.lower,
            seconds_solve=solution.seconds.solve,
            seconds_certify=solution.seconds.certify,
            claim=solution.claim,
            reason=f"{solution.message}; {solution.certificate.worst}",
        )._with_proof(solution.certificate)

    @classmethod
    def of_statement(cls, problem: str, solution: MachineSolution) -> Row:
        """Return the row of an answer to a statement about functions.

        Parameters
        ----------
        problem
            As in :class:`Row`.
        solution
            The certified answer; its bounds are those of the statement as a minimisation, whatever the program.
        """
        proof, seconds = solution.certificate, solution.seconds
        return cls(
            problem=problem,
            formulation=solution.kind,
            solver=solution.solver,
            status=solution.status,
            objective=solution.objective,
            factor=solution.factor,
            seconds_gram=seconds.gram,
            seconds_lower=seconds.lower,
            seconds_solve=seconds.solve,
            seconds_certify=seconds.certify,
            claim=solution.claim,
            reason=f"{solution.message}; {proof.worst}",
        )._with_proof(proof)

    @classmethod
    def of_error(cls, problem: str, formulation: str, solver: str, error: QPKernelsError) -> Row:
        """Return the row of a pair without an answer, which is proved infeasible or failed for a reason.

        Parameters
        ----------
        problem, formulation, solver
            As in :class:`Row`.
        error
            The error that says why there is no answer. If it holds a certificate, it proves that there is none.
        """
        if isinstance(error, InfeasibleError | UnboundedError) and isinstance(error.certificate, Certificate):
            status = Status.INFEASIBLE if isinstance(error, InfeasibleError) else Status.UNBOUNDED
            return cls(problem, formulation, solver, status, reason=str(error))._with_proof(error.certificate)
        return cls(problem, formulation, solver, Status.FAILED, reason=str(error))

    def _with_proof(self, certificate: Certificate) -> Row:
        return replace(
            self,
            primal_value=certificate.primal_value,
            dual_value=certificate.dual_value,
            relative_gap=certificate.relative_gap,
            primal_residual=certificate.primal_residual,
            dual_residual=certificate.dual_residual,
            complementarity=certificate.complementarity,
            accuracy=certificate.error if math.isfinite(certificate.error) else _NAN,
        )


class Listed(Sequence[Any], Reported):
    """A sequence of entries that shows itself as a report, and writes its records as JSON."""

    @property
    @abstractmethod
    def _entries(self) -> tuple[Any, ...]:
        """The type of its items."""

    @abstractmethod
    def _record(self) -> Any:
        """Return all of it as JSON takes it, but for NaN and infinity."""

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def __getitem__(self, index: Any) -> Any:
        """Return an entry, or several by a slice."""
        return self._entries[index]

    def to_json(self, indent: int | None = 2) -> str:
        """Return everything as JSON; NaN and infinity, which JSON has not, become null.

        Parameters
        ----------
        indent
            Spaces of a level; None: all in one line.
        """
        return json.dumps(without_nan(self._record()), indent=indent)


@dataclass(frozen=True, repr=False)
class Comparison(Listed):
    """The rows of a comparison, in the order of the problems, of their forms and of the solvers.

    It prints as a table in a terminal (rich) and in a notebook (HTML).

    Attributes
    ----------
    rows
        One for each pair.
    tol
        The requested tolerance.
    problems
        Labels of the problems that the rows answer.
    differences
        The differences between models of one kind, which state different problems.
    scales
        The scale of the values of each model, and of each form that has another scale.

    Examples
    --------
    >>> from formulations import SoftMargin, compare
    >>> found = compare(SoftMargin([[0.0], [1.0]], [-1, 1]), solvers=["smo", "interior-point"], progress=False)
    >>> print([f"{row.solver}: {row.status}" for row in found.rows])
    ['smo: optimal', 'interior-point: optimal']
    """

    rows: tuple[Row, ...]
    tol: float
    problems: tuple[str, ...]
    differences: tuple[str, ...] = ()
    scales: tuple[str, ...] = ()

    @property
    def _entries(self) -> tuple[Row, ...]:
        return self.rows

    def _record(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]

    def to_pandas(self) -> Any:
        """Return the rows as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows], columns=[field.name for field in fields(Row)])

    def report(self) -> TableReport:
        """Return the table, where the proved optima lie, what is not proved, and the scale of each value."""
        unproved = frozenset(k for k, row in enumerate(self.rows) if row.status != Status.OPTIMAL)
        title = f"optimal = proved to a relative gap and residuals of {self.tol:g}"
        records = (vars(row) | {"seconds": row.seconds} for row in self.rows)
        table = TextTable.of(_COLUMNS, records, title=title, faint=unproved)
        return TableReport((table,), warnings=tuple(self.warnings), notes=(*self.remarks, *self.scales))

    @property
    def warnings(self) -> list[str]:
        """In words, the important warnings: proved answers that contradict each other, and problems that differ."""
        split = [agreement for agreement in map(self.agreement, self.problems) if not agreement.holds]
        return [*map(str, split), *self.differences]

    @property
    def remarks(self) -> list[str]:
        """In words: for each problem, what is proved about its optimum, and then every row that is not proved."""
        agreements = [str(agreement) for agreement in map(self.agreement, self.problems) if agreement.holds]
        unproved = [
            f"{row.formulation} by {row.solver} is {row.status}: {row.reason}"
            for row in self.rows
            if row.status != Status.OPTIMAL
        ]
        return [*agreements, *unproved]

    def agreement(self, problem: str) -> Agreement:
        """Compare all proved answers to a problem, of primals and duals alike, with each other's bounds.

        Parameters
        ----------
        problem
            The name of a problem in the table.
        """
        return Agreement.of(problem, self.rows, self.tol)


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

    @classmethod
    def of(cls, problem: str, rows: Iterable[Row], tol: float) -> Agreement:
        """Hold all answers to the problem of that label, proved to ``tol``, against each other's bounds."""
        answers = [row for row in rows if row.problem == problem]
        proved = [row for row in answers if row.status == Status.OPTIMAL]
        lower = max((row.dual_value for row in proved), default=_NAN)
        upper = min((row.primal_value for row in proved), default=_NAN)
        holds = not proved or lower - upper <= tol * max(abs(lower), abs(upper))
        return cls(problem, len(answers), len(proved), len({row.solver for row in proved}), lower, upper, holds)

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


_WIDE = 165
"""Width of a terminal that shows every column."""

_MIDDLING = 104
"""Width from which on all columns of an answer itself are shown."""

_COLUMNS = (
    Column("form", "left", key="formulation"),
    Column("solver", "left", key="solver"),
    Column("status", "left", key="status"),
    Column("objective", key="objective", form=".10g"),
    Column("factor", least_width=_MIDDLING, key="factor", form=".4g"),
    Column("primal value", least_width=_WIDE, key="primal_value", form=".10g"),
    Column("dual value", least_width=_WIDE, key="dual_value", form=".10g"),
    Column("rel. gap", key="relative_gap", form=".0e"),
    Column("primal res.", least_width=_WIDE, key="primal_residual", form=".0e"),
    Column("dual res.", least_width=_WIDE, key="dual_residual", form=".0e"),
    Column("compl.", least_width=_WIDE, key="complementarity", form=".0e"),
    Column("SV", key="n_support"),
    Column("intercept", least_width=_MIDDLING, key="intercept", form=".7g"),
    *(Column(f"{each.name} s", "right", _WIDE, f"seconds_{each.name}", ".3f") for each in fields(Seconds)),
    Column("total s", key="seconds", form=".3f"),
)
