# SPDX-License-Identifier: BSD-3-Clause
"""What an exact path found: breakpoints with their certificates, and the solution anywhere between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from formulations.modelling import Candidate, Model, Solution
from formulations.modelling.candidate import expand
from formulations.modelling.solution import Run, Seconds
from formulations.modelling.solving import status_of
from formulations.modelling.structures import judged
from formulations.selection.search.points import cell
from qpkernels.arrays import Indices, Vector, frozen, real_number, shown
from qpkernels.display import Column, Report, Reported, Table, as_text
from qpkernels.errors import ParameterError
from qpkernels.problems import Certificate, KernelQPBounds, Status
from qpkernels.solvers import Claim

if TYPE_CHECKING:
    from qpkernels.paths import Pieces

__all__ = ["ExactPath"]

_SHOWN = 12
"""Breakpoints that the table of a long path shows."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactPath(Reported):
    """All answers of a model between two values of a hyper-parameter. Prints as a table of some breakpoints.

    ``len(path)`` is the number of breakpoints, both ends among them; ``path.at(value)`` the certified solution anywhere
    between.

    Attributes
    ----------
    model
        The model, with the values of its hyper-parameters at the first end.
    parameter
        Name of the hyper-parameter. Where samples have values of their own, the largest of them tells the place.
    certificates
        What is proved at each breakpoint.
    tol
        The tolerance asked for.
    seconds
        Time by phase: the answer to start from, the path, and the certificates under ``gram``, ``solve``, ``certify``.
    pieces
        The pieces of the path, on each of which beta and b are linear in the hyper-parameter.

    Notes
    -----
    Arguments of the methods:

    value, p
        A value of the hyper-parameter between the ends, both included; where samples have values of their own, the
        largest.
    piece
        The number of the piece that ``p`` lies on, from 0.
    """

    model: Model[Any]
    parameter: str
    pieces: Pieces
    certificates: tuple[Certificate, ...]
    tol: float
    seconds: Seconds

    def __len__(self) -> int:
        """Return the number of breakpoints."""
        return len(self.pieces) + 1

    @cached_property
    def breakpoints(self) -> Vector:
        """The values of the hyper-parameter where another set of samples becomes free, from end to end, shape (n,)."""
        return frozen(np.append(self.pieces.ends[:, 0], self.pieces.ends[-1, 2]))

    @cached_property
    def intercepts(self) -> Vector:
        """B at each breakpoint, shape (n,); where it is not unique, the one that the path goes on from."""
        return frozen(np.append(self.pieces.ends[:, 1], self.pieces.ends[-1, 3]))

    @property
    def n_free(self) -> Indices:
        """Number of free samples (the elbow) between a breakpoint and the next, shape (n - 1,)."""
        return self.pieces.counts

    @property
    def status(self) -> Status:
        """``optimal`` if every breakpoint is proved at :attr:`tol`."""
        return Status.OPTIMAL if all(each.holds(self.tol) for each in self.certificates) else Status.UNCERTIFIED

    def coefficients(self, value: float) -> tuple[Vector, float]:
        """Return beta, shape (m,), and b at a value between the ends: interpolated, which is exact.

        Raises
        ------
        ParameterError
            If the path does not reach that value.
        """
        return self.pieces.at(self._within(value))

    def at(self, value: float) -> Solution:
        """Return the certified solution at a value between the ends.

        Raises
        ------
        ParameterError
            If the path does not reach that value.
        """
        begin = perf_counter()
        p = self._within(value)
        (model, answer, bounds), certificate = self.judged_at(p, self.pieces.find(p))
        status = status_of(certificate, Claim.OPTIMAL, self.tol)
        model.hold(answer, certificate, status, bounds)
        run = Run(
            formulation=model.name,
            objective=certificate.primal_value,
            scale=model.scale,
            status=status,
            tol=self.tol,
            seconds=Seconds(certify=perf_counter() - begin),
            solver="exact-path",
            claim=Claim.OPTIMAL,
            message=f"on piece {self.pieces.find(p) + 1} of {len(self.pieces)}",
            iterations=None,
        )
        found: Solution = model.solution(answer, certificate, bounds, run)
        return found

    def judged_at(self, p: float, piece: int) -> tuple[tuple[Model[Any], Candidate, KernelQPBounds], Certificate]:
        """Return the model, answer and bounds at a value on that piece, and what is proved of the answer."""
        model = self.model.copy().set_params(**{self.parameter: self._value_at(p)})
        bounds = model.bounds()
        assert isinstance(bounds, KernelQPBounds)
        beta, b = self.pieces.at(p, piece)
        answer = expand(model.gram, beta, b, model.classes, bounds=bounds)
        answer, certificate = judged(model, answer, bounds, self.tol)
        return (model, answer, bounds), certificate

    def _within(self, value: float) -> float:
        p, ends = real_number(value, self.parameter), (self.pieces.path.first, self.pieces.path.last)
        if not min(ends) <= p <= max(ends):
            raise ParameterError(
                f"this path goes from {self.parameter}={cell(ends[0])} to {cell(ends[1])}, but {shown(value)} is "
                "asked for."
            )
        return p

    def _value_at(self, p: float) -> Vector | float:
        value = self.model.value_of(self.parameter)
        return p if value.ndim == 0 else value * (p / float(value.max()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the table, one breakpoint a row; ``n_free`` is that of the piece which begins there."""
        free = [*self.n_free.tolist(), None]
        for p, b, count, proof in zip(self.breakpoints, self.intercepts, free, self.certificates, strict=True):
            yield {
                self.parameter: float(p),
                "status": str(Status.OPTIMAL if proof.holds(self.tol) else Status.UNCERTIFIED),
                "primal_value": proof.primal_value,
                "dual_value": proof.dual_value,
                "relative_gap": proof.relative_gap,
                "intercept": float(b),
                "n_free": count,
            }

    def to_pandas(self) -> Any:
        """Return the table as a pandas data frame."""
        import pandas as pd

        return pd.DataFrame(list(self.rows()))

    def report(self) -> Report:
        """Return breakpoints from end to end, the worst of what is proved, and where the time went."""
        rows = list(self.rows())
        chosen = sorted({round(k * (len(rows) - 1) / (_SHOWN - 1)) for k in range(_SHOWN)})
        headings = (self.parameter, "status", "primal value", "rel. gap", "free", "intercept")
        cells = tuple(
            (
                cell(row[self.parameter]),
                row["status"],
                as_text(row["primal_value"], ".10g"),
                as_text(row["relative_gap"], ".0e"),
                "" if row["n_free"] is None else str(row["n_free"]),
                as_text(row["intercept"], ".7g"),
            )
            for row in (rows[k] for k in chosen)
        )
        proved = sum(row["status"] == Status.OPTIMAL for row in rows)
        which = "every breakpoint is" if proved == len(rows) else f"{proved} of {len(rows)} breakpoints are"
        worst = max(each.error for each in self.certificates)
        title = f"{len(rows)} breakpoints; {which} proved at {self.tol:g}, the worst to {worst:.0e}"
        notes = (f"{len(rows) - len(chosen)} more breakpoints",) if len(rows) > len(chosen) else ()
        return Report((Table(tuple(map(Column, headings)), cells),), title, notes=notes)
