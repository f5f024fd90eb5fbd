# SPDX-License-Identifier: BSD-3-Clause
"""What an audit says of one machine, as numbers and words in records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from formulations.comparison.row import without_nan

__all__ = ["AuditRow", "WrongSample"]


@dataclass(frozen=True)
class WrongSample:
    """A sample whose coefficient does not fit its decision value.

    Attributes
    ----------
    sample
        Its number among the samples given.
    label
        Its label or target; None of one class.
    measure, margin
        What is measured, and how much it is: of two classes the margin y g(x), of real targets the residual y - g(x),
        of one class g(x).
    multiplier
        Its coefficient, of two classes times y.
    expected
        What it should be at this margin.
    violation
        What the sample adds to the gap, in the unit of the objective.
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

    None, or NaN: that cannot be said of this machine.

    Attributes
    ----------
    machine
        Which of the machines of the estimator it is; the estimator itself where it is the only one.
    formulation
        Name of the model that it was judged as.
    status
        "optimal" where the certificate holds at the tolerance, else "uncertified".
    verdict
        In words, what is proved.
    samples
        How many it was trained on.
    n_support
        How many of their coefficients are not 0; None where the model is not sparse.
    primal_value, dual_value, relative_gap, primal_residual, dual_residual, complementarity
        Those of its :class:`~qpkernels.problems.Certificate`.
    accuracy
        The least tolerance at which the certificate holds.
    norm
        ||f||, in the space of the kernel.
    distance
        A bound of ||f - f*||; NaN where the gap says nothing of it.
    certain
        How many training samples the optimal machine decides alike for certain; None where that cannot be said, as of
        real targets.
    wrong
        How many samples add more than their share to the gap; None where that cannot be said, as where it holds no
        multipliers.
    worst
        The first five of these, the worst first.
    remarks
        In words, what the coefficients say of the data and hyper-parameters.
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
        """Return the fields by name for JSON, which has neither NaN nor infinity: None in their place."""
        record = without_nan(asdict(self))
        return {**record, "worst": [without_nan(each) for each in record["worst"]]}
