# SPDX-License-Identifier: BSD-3-Clause
"""The audit of one machine: what is proved of it, where it is wrong, and what it takes to put it right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from formulations.auditing.finishing import Finish, finish
from formulations.auditing.nearness import Nearness, nearness
from formulations.auditing.optimality import Optimality, optimality
from formulations.auditing.reading.machine import Machine
from formulations.auditing.records import AuditRow, WrongSample
from formulations.auditing.remarks import remarks_on
from formulations.classification.base import TwoClassModel
from formulations.regression.base import RegressionModel
from qpkernels.arrays import Indices, Vector
from qpkernels.problems import Bounds, Certificate, Status

__all__ = ["MachineAudit"]

_SHOWN = 5
"""How many wrong samples a row names."""

_READ_OFF = (
    "it holds weights only, and the lower bound is that of multipliers read off these: it may be closer to the "
    "optimum; finish() tells how close"
)


@dataclass(frozen=True, eq=False, repr=False)
class MachineAudit:
    """What is found of one machine.

    Attributes
    ----------
    machine
        The model, and the answer that was given to it.
    bounds
        The model, stated for its certificate.
    certificate
        What is proved of the answer.
    tol
        The tolerance asked for.
    """

    machine: Machine
    bounds: Bounds
    certificate: Certificate
    tol: float

    @classmethod
    def of(cls, machine: Machine, tol: float) -> MachineAudit:
        """Judge a machine.

        Parameters
        ----------
        machine
            The model, and the answer that was given to it.
        tol
            Above 0 and below 1: the relative gap and residuals at which the answer counts as optimal.
        """
        bounds = machine.model.bounds()
        return cls(machine, bounds, machine.model.judge(machine.answer, bounds), tol)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.machine.name}: {self.verdict}>"

    @property
    def status(self) -> Status:
        """``optimal`` if the certificate holds at the tolerance, and the machine predicts it; else ``uncertified``."""
        return Status.OPTIMAL if self._holds and self.contradiction is None else Status.UNCERTIFIED

    @property
    def _holds(self) -> bool:
        return self.certificate.holds(self.tol)

    @cached_property
    def contradiction(self) -> str | None:
        """Where the estimator predicts other than its coefficients say; None where it does not, to the tolerance."""
        return self.machine.contradiction(self.tol)

    @property
    def verdict(self) -> str:
        """In words, what is proved."""
        proof = self.certificate
        if self.status is Status.OPTIMAL:
            return f"proved optimal to {self.tol:g}: at most {proof.relative_gap:.1e} above the optimum"
        if self.contradiction is not None and self._holds:
            return f"not proved to {self.tol:g}: {self.contradiction}"
        if not np.isfinite(proof.relative_gap):
            return f"not proved to {self.tol:g}: {proof.worst}"
        if proof.relative_gap <= self.tol:
            return f"not proved to {self.tol:g}: its constraints are missed by {proof.error:.1e}"
        gap = proof.primal_value - proof.dual_value + proof.rounding
        # Relative to the optimum, which the dual value is a lower bound of.
        above = f"{100 * gap / proof.dual_value:.3g}%" if proof.dual_value > 0 else f"{gap:.3g}"
        return f"not proved to {self.tol:g}: up to {above} above the optimum"

    @property
    def rows(self) -> Indices:
        """Numbers of the samples of this machine among those given, in the order of the arrays below."""
        return self.machine.rows

    @property
    def multipliers(self) -> Vector:
        """The coefficient of each sample, of two classes times its sign y."""
        return self._signs * self.machine.answer.beta

    @property
    def decision(self) -> Vector:
        """The decision values g(x_i)."""
        return self.machine.answer.decision

    @property
    def margins(self) -> Vector:
        """Of two classes the margins y_i g(x_i), of real targets the residuals y_i - g(x_i), of one class g(x_i)."""
        model = self.machine.model
        return model.y - self.decision if isinstance(model, RegressionModel) else self._signs * self.decision

    @property
    def violations(self) -> Vector:
        """What each sample adds to the gap, at least 0; NaN where the model is no sum of losses."""
        return self._unknown if self._optimality is None else self._optimality.violations

    @property
    def expected(self) -> Vector:
        """What :attr:`multipliers` should be at these decision values; NaN where the model is no sum of losses."""
        return self._unknown if self._optimality is None else self._signs * self._optimality.slopes

    @cached_property
    def nearness(self) -> Nearness | None:
        """How far the optimal function may be; None where the gap says nothing of that."""
        return nearness(self.machine.answer, self.bounds, self.certificate, self.machine.model.gram)

    @cached_property
    def wrong(self) -> Indices:
        """The samples that add more than 1/m of ``tol`` to the relative gap, in places of the arrays, the worst first.

        None where the certificate holds.
        """
        if self._holds:
            return np.arange(0)
        scale = max(abs(self.certificate.primal_value), abs(self.certificate.dual_value))
        violations = self.violations
        beyond = np.flatnonzero(violations > self.tol * scale / violations.size)
        return beyond[np.argsort(-violations[beyond], kind="stable")]

    def describe(self, place: int) -> WrongSample:
        """Return what is wrong with the sample at that place of the arrays.

        Parameters
        ----------
        place
            From 0: the number of the sample in :attr:`rows` and the arrays that go with it.
        """
        labels, model = self.machine.labels, self.machine.model
        real = isinstance(model, RegressionModel)
        return WrongSample(
            sample=int(self.rows[place]),
            label=None if labels is None else labels[place : place + 1].tolist()[0],
            measure="residual" if real else "margin" if isinstance(model, TwoClassModel) else "decision value",
            margin=float(self.margins[place]),
            # Adding 0 takes the sign off a zero.
            multiplier=float(self.multipliers[place]) + 0.0,
            expected=float(self.expected[place]) + 0.0,
            violation=float(self.violations[place]),
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What the coefficients say of the data and hyper-parameters, where these are not those of the fit."""
        # Where it alone is wrong, the verdict says so.
        changed = () if self.contradiction is None or self._holds else (self.contradiction,)
        if self.machine.holds_multipliers:
            return changed + remarks_on(self.machine.answer, self.bounds, self.rows)
        return changed if self._holds else (*changed, _READ_OFF)

    @cached_property
    def row(self) -> AuditRow:
        """All of it as one record."""
        proof, model, answer = self.certificate, self.machine.model, self.machine.answer
        known, near = self._optimality is not None and self.machine.holds_multipliers, self.nearness
        decides = near is not None and not isinstance(model, RegressionModel) and bool(np.isfinite(near.lower).all())
        return AuditRow(
            machine=self.machine.name,
            formulation=model.name,
            status=self.status,
            verdict=self.verdict,
            samples=self.rows.size,
            n_support=int(np.count_nonzero(answer.beta)) if model.sparse else None,
            primal_value=proof.primal_value,
            dual_value=proof.dual_value,
            relative_gap=proof.relative_gap,
            primal_residual=proof.primal_residual,
            dual_residual=proof.dual_residual,
            complementarity=proof.complementarity,
            accuracy=proof.error,
            norm=float(np.sqrt(max(answer.at_samples.squared_norm, 0.0))),
            distance=np.nan if near is None else near.radius,
            certain=near.certain if near is not None and decides else None,
            wrong=self.wrong.size if known else None,
            worst=tuple(self.describe(int(place)) for place in self.wrong[:_SHOWN]) if known else (),
            remarks=self.remarks,
        )

    def finish(self, tol: float = 1e-6, **options: Any) -> Finish:
        """Solve the model from this answer on; see :meth:`formulations.auditing.report.Audit.finish`.

        Parameters
        ----------
        tol, options
            As in :meth:`formulations.modelling.model.Model.solve`.
        """
        return finish(self.machine, self.bounds, tol, options)

    @cached_property
    def _optimality(self) -> Optimality | None:
        return optimality(self.machine.answer, self.bounds)

    @property
    def _signs(self) -> Vector | float:
        model = self.machine.model
        return model.y if isinstance(model, TwoClassModel) else 1.0

    @property
    def _unknown(self) -> Vector:
        return np.full(self.rows.size, np.nan)
