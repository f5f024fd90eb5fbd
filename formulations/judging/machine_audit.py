# SPDX-License-Identifier: BSD-3-Clause
"""The audit of one machine: its certificate, where it is wrong, and what it takes to correct it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from formulations.judging.findings import Nearness, Optimality, nearness, optimality, remarks_on
from formulations.modelling import Candidate, Model, Solution
from formulations.modelling.candidate import checked_intercept, expand
from formulations.models.classification.margins.nu_margin import NuMargin
from formulations.models.classification.one_class import OneClass
from formulations.models.classification.two_class_model import TwoClassModel
from formulations.models.regression.regression_model import RegressionModel
from qpkernels.arrays import Indices, Vector
from qpkernels.display.tables import without_nan
from qpkernels.problems import Bounds, Certificate, KernelQPBounds, Status, Support
from qpkernels.problems.program import ExpansionProgram

__all__ = ["AuditRow", "Finish", "GivenMachine", "MachineAudit", "Predicted", "WrongSample", "expansion"]

_SHOWN = 5
"""How many wrong samples a row names."""

_READ_OFF = (
    "it holds weights only, and the lower bound is that of multipliers read off these: it may be closer to the "
    "optimum; finish() tells how close"
)

_ON_THE_BOUNDARY = 1e-6
"""Share of the largest decision value within which a sample lies on the boundary."""

_SAME = 1e-10
"""Share of the largest coefficient within which the feasible point near an answer is the answer."""


@dataclass(frozen=True, eq=False, repr=False)
class MachineAudit:
    """The audit of one machine.

    Attributes
    ----------
    machine
        The model, and the answer that was given to it.
    bounds
        The model, stated for its certificate.
    certificate
        The certificate of the answer.
    tol
        The requested tolerance.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]
    >>> (machine,) = audit(SVC(kernel="linear", tol=1e-8).fit(X, y), X, y).machines
    >>> print(machine.status, machine.margins.round(3), machine.wrong)
    optimal [1.5 0.5 0.5 1.5] []
    """

    machine: GivenMachine
    bounds: Bounds
    certificate: Certificate
    tol: float

    @classmethod
    def of(cls, machine: GivenMachine, tol: float) -> MachineAudit:
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
        """Where the estimator's predictions differ from those of its coefficients beyond the tolerance, or None."""
        return self.machine.contradiction(self.tol)

    @property
    def verdict(self) -> str:
        """The proof in words."""
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
        """The coefficient of each sample, times its sign y for two classes."""
        return self._signs * self.machine.answer.beta

    @property
    def decision(self) -> Vector:
        """The decision values g(x_i)."""
        return self.machine.answer.decision

    @property
    def margins(self) -> Vector:
        """For two classes the margins y_i g(x_i), for real targets the residuals y_i - g(x_i), for one class g(x_i)."""
        model = self.machine.model
        return model.y - self.decision if isinstance(model, RegressionModel) else self._signs * self.decision

    @property
    def violations(self) -> Vector:
        """The part of the gap that each sample adds, at least 0; NaN where the model is not a sum of losses."""
        return self._unknown if self._optimality is None else self._optimality.violations

    @property
    def expected(self) -> Vector:
        """The values of :attr:`multipliers` at these decision values; NaN where the model is not a sum of losses."""
        return self._unknown if self._optimality is None else self._signs * self._optimality.slopes

    @cached_property
    def nearness(self) -> Nearness | None:
        """How far away the optimal function may be; None where the gap does not tell."""
        return nearness(self.machine.answer, self.bounds, self.certificate, self.machine.model.gram)

    @cached_property
    def wrong(self) -> Indices:
        """The samples that add more than 1/m of ``tol`` to the relative gap, as places in the arrays, worst first.

        There are none where the certificate holds.
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
            The place of the sample in :attr:`rows` and the arrays that go with it, from 0.
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
        """The data and hyper-parameters that the coefficients imply, where these are not those of the fit."""
        # Where it alone is wrong, the verdict says so.
        changed = () if self.contradiction is None or self._holds else (self.contradiction,)
        if self.machine.holds_multipliers:
            return changed + remarks_on(self.machine.answer, self.bounds, self.rows)
        return changed if self._holds else (*changed, _READ_OFF)

    @cached_property
    def row(self) -> AuditRow:
        """The whole audit as one record."""
        proof, model, answer = self.certificate, self.machine.model, self.machine.answer
        known, near = self._optimality is not None and self.machine.holds_multipliers, self.nearness
        decides = near is not None and not isinstance(model, RegressionModel) and bool(np.isfinite(near.lower).all())
        return AuditRow(
            machine=self.machine.name,
            formulation=model.name,
            status=self.status,
            verdict=self.verdict,
            samples=self.rows.size,
            n_support=int(np.count_nonzero(answer.beta)) if model.entry.sparse else None,
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
        """Solve the model, starting from this answer where a solver of it can start from one.

        Parameters
        ----------
        tol, options
            As in :meth:`formulations.modelling.model.Model.solve`.
        """
        model, answer = self.machine.model, self.machine.answer
        programs = model.programs(self.bounds)
        starts = bool(programs) and isinstance(programs[0], ExpansionProgram)
        start = answer.beta if starts and np.isfinite(answer.beta).all() else None
        solution = model.solve(tol=tol, warm_start=start, **options)
        roles = (_roles(support, len(model)) for support in (model.support(answer, self.bounds), solution.support))
        sides = None
        if not isinstance(model, RegressionModel):
            sides = int(np.count_nonzero(_sides(answer.decision) * _sides(solution.decision) < 0))
        return Finish(
            machine=self.machine.name,
            solution=solution,
            distance=_distance(answer, solution),
            roles=int(np.count_nonzero(np.not_equal(*roles))),
            sides=sides,
        )

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


@dataclass(frozen=True)
class WrongSample:
    """A sample whose coefficient does not fit its decision value.

    Attributes
    ----------
    sample
        Its number among the samples given.
    label
        Its label or target; None for one class.
    measure, margin
        The quantity that is measured, and its value: the margin y g(x) for two classes, the residual y - g(x) for real
        targets, and g(x) for one class.
    multiplier
        Its coefficient, times y for two classes.
    expected
        The coefficient that it should have at this margin.
    violation
        What the sample adds to the gap, in the unit of the objective.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = make_moons(60, noise=0.3, random_state=0)
    >>> (machine,) = audit(SVC(gamma=1.0, tol=0.5).fit(X, y), X, y).machines
    >>> wrong = machine.describe(machine.wrong[0])
    >>> print(f"margin {wrong.margin:.1f}, multiplier {wrong.multiplier:.1f} and not {wrong.expected:.1f}")
    margin 0.8, multiplier 0.0 and not 1.0
    """

    sample: int
    label: Any
    measure: str
    margin: float
    multiplier: float
    expected: float
    violation: float

    def __str__(self) -> str:
        label = "" if self.label is None else f" ({self.label!r})"
        return (
            f"sample {self.sample}{label}: multiplier {self.multiplier:.6g} at {self.measure} {self.margin:.6g}, where "
            f"it should be {self.expected:.6g}; adds {self.violation:.1e} to the gap"
        )


@dataclass(frozen=True)
class AuditRow:
    """One machine.

    A field is None or NaN if it cannot be told for this machine.

    Attributes
    ----------
    machine
        The name of the machine among those of the estimator, or the estimator itself if it is the only one.
    formulation
        Name of the model that it was judged by.
    status
        "optimal" where the certificate holds at the tolerance, else "uncertified".
    verdict
        The proof in words.
    samples
        Number of its training samples.
    n_support
        Number of coefficients that are not 0; None where the model is not sparse.
    primal_value, dual_value, relative_gap, primal_residual, dual_residual, complementarity
        Those of its :class:`~qpkernels.problems.Certificate`.
    accuracy
        The least tolerance at which the certificate holds.
    norm
        ||f||, in the space of the kernel.
    distance
        A bound of ||f - f*||; NaN where the gap does not tell.
    certain
        Number of training samples that the optimal machine certainly decides alike; None where this is not known, as
        for real targets.
    wrong
        Number of samples that add more than their share to the gap; None where this is not known, as without
        multipliers.
    worst
        The five worst of these, beginning with the worst.
    remarks
        In words, what the coefficients say about the data and hyper-parameters.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]
    >>> (row,) = audit(SVC(kernel="linear", tol=1e-8).fit(X, y), X, y).rows
    >>> print(row.formulation, row.status, row.n_support, row.certain)
    SoftMargin optimal 2 2
    """

    machine: str
    formulation: str
    status: str
    verdict: str
    samples: int
    n_support: int | None
    primal_value: float
    dual_value: float
    relative_gap: float
    primal_residual: float
    dual_residual: float
    complementarity: float
    accuracy: float
    norm: float
    distance: float
    certain: int | None
    wrong: int | None
    worst: tuple[WrongSample, ...]
    remarks: tuple[str, ...]

    def to_record(self) -> dict[str, Any]:
        """Return the fields by name for JSON, with None in place of NaN and infinity, which JSON lacks."""
        record: dict[str, Any] = without_nan(asdict(self))
        return record


@dataclass(frozen=True, eq=False)
class Finish:
    """An answer that was solved to the end.

    Attributes
    ----------
    machine
        The name of the machine among those of the estimator, in words.
    solution
        The certified answer.
    distance
        ||f - f*||, the distance of the given function from that of the solution, in the space of the kernel.
    roles
        Number of samples that changed their kind: no support vector, a free one, or one at the bound.
    sides
        Number of training samples that are decided differently; None for real targets.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from formulations import audit
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, -1, 1, 1]
    >>> (done,) = audit(SVC(kernel="linear", tol=1.0).fit(X, y), X, y).finish()
    >>> print(done.machine, done.solution.status, f"{done.solution.objective:.3f}")
    SVC optimal 1.500
    """

    machine: str
    solution: Solution
    distance: float
    roles: int
    sides: int | None

    @property
    def seconds(self) -> float:
        """Seconds, including those of the certificate."""
        return self.solution.seconds.total

    @property
    def iterations(self) -> int | None:
        """Iterations by the solver's own count."""
        return self.solution.iterations

    def __str__(self) -> str:
        steps = "" if self.iterations is None else f" and {self.iterations} iterations"
        sides = "" if self.sides is None else f", {self.sides} training samples change side"
        return (
            f"{self.machine}: {self.solution.status} after {self.seconds:.3g} s{steps} of {self.solution.solver}; "
            f"||f - f*|| = {self.distance:.3g}, {self.roles} samples change their role{sides}"
        )


def _sides(decision: Vector) -> Vector:
    """Return the signs, 0 of samples on the boundary."""
    return np.where(np.abs(decision) <= _ON_THE_BOUNDARY * np.abs(decision).max(), 0.0, np.sign(decision))


def _distance(answer: Candidate, solution: Solution) -> float:
    """Return ||f - f*||."""
    own, f = answer.coordinates, solution.function
    if own is not None:
        return float(np.linalg.norm(own - f.centers.T @ f.coefficients))
    values = solution.decision - solution.intercept
    moved = answer.beta - solution.beta
    return float(np.sqrt(max(float(moved @ (answer.at_samples.values - values)), 0.0)))


def _roles(support: Support, samples: int) -> Vector:
    roles = np.zeros(samples)
    roles[support.free], roles[support.bounded] = 1.0, 2.0
    return roles


@dataclass(frozen=True, eq=False)
class Predicted:
    """Decision values that an estimator returns for some of the samples, by their places among those of the machine."""

    places: Indices
    values: Vector


@dataclass(frozen=True, eq=False)
class GivenMachine:
    """A model, and somebody's answer to it.

    Attributes
    ----------
    name
        Which of the machines of the estimator it is: "'b' against 'a'", "output 2"; the estimator itself where it is
        the only one.
    model
        The model that it answers.
    answer
        Its point.
    rows
        Numbers of its samples among those given.
    labels
        Labels or targets of these samples as they were given; None of one class.
    holds_multipliers
        Whether the multipliers are its own; otherwise it holds weights of the features, and they were read off these.
    predicted
        What its estimator predicts; None of a file, and of an estimator that predicts otherwise than by machines.
    """

    name: str
    model: Model[Any]
    answer: Candidate
    rows: Indices
    labels: NDArray[Any] | None
    holds_multipliers: bool = True
    predicted: Predicted | None = None

    def contradiction(self, tol: float) -> str | None:
        """Say where the estimator predicts what its coefficients do not say, by more than ``tol`` of the largest."""
        if self.predicted is None:
            return None
        own, values = self.answer.decision[self.predicted.places], self.predicted.values
        if isinstance(self.model, NuMargin | OneClass):
            # LIBSVM divides the functions of NuMargin by rho, and multiplies those of OneClass by nu m.
            values = values * (max(float(values @ own), 0.0) / (float(values @ values) or 1.0))
        # "Not at most" is true of NaN as well.
        beyond = ~(np.abs(values - own) <= tol * np.abs(own).max(initial=0.0))
        if not beyond.any():
            return None
        worst = int(np.argmax(np.where(beyond, np.abs(values - own), -1.0)))
        return (
            f"at sample {self.rows[self.predicted.places[worst]]} it predicts {values[worst]:.6g}, but its "
            f"coefficients say {own[worst]:.6g}: it does not predict with them"
        )


def expansion(model: Model[Any], beta: Vector, intercept: float) -> Candidate:
    """Return the answer whose function is the expansion in beta, K beta being made once, as its certificate needs it.

    The rounding error of the sum of beta is moved to the feasible point, so that answer and certificate share the
    product.
    """
    b = checked_intercept(intercept, model.fit_intercept, model.name)
    bounds = model.bounds()
    judge = bounds if isinstance(bounds, KernelQPBounds) else None
    if np.isfinite(beta).all():
        feasible = bounds.feasible(beta)
        if np.abs(feasible - beta).max() <= _SAME * np.abs(beta).max():
            beta = feasible
    return expand(model.gram, beta, b, model.classes, None, judge)
