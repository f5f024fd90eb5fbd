# SPDX-License-Identifier: BSD-3-Clause
"""What one answer shows, as numbers and words in a row."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from formulations.modelling.solution import Solution
from qpkernels.errors import InfeasibleError, QPKernelsError, UnboundedError
from qpkernels.problems import Certificate, Status

__all__ = ["Row", "without_nan"]

_NAN = float("nan")


@dataclass(frozen=True)
class Row:
    """One form, or a model as it is, solved by one solver; numbers are NaN where there is no answer.

    Attributes
    ----------
    problem
        What its bounds are shared with: all forms of a model.
    formulation
        Name of the form, or of the model where it was solved as it is.
    solver
        Name of the solver.
    status
        What is proved: "optimal", "uncertified", "infeasible", "unbounded", or "failed" without an answer or a proof.
    objective
        The value of the form, in the sign and the scale of the textbook.
    factor
        What that is of the value of the model, as ``primal_value`` has it; NaN where it is no multiple.
    scale
        The function whose value the objective is, as text; empty where nobody says.
    primal_value, dual_value, relative_gap, primal_residual, dual_residual, complementarity
        Those of its :class:`~qpkernels.problems.Certificate`.
    accuracy
        The least tolerance at which the certificate holds.
    n_support
        How many samples are support vectors; None of a model whose coefficients are dense, or without an answer.
    intercept
        b.
    seconds_gram, seconds_lower, seconds_solve, seconds_certify
        Wall-clock time of the kernel matrix, of the way to matrices, of the solver, and of the certificate.
    claim
        What the solver says of its answer, see :class:`~qpkernels.solvers.Claim`; empty without one.
    reason
        In words, why there is no answer; or else what the solver said, and where the certificate is worst.
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
        """Return the row of an answer to the problem so called.

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
    def of_error(cls, problem: str, formulation: str, solver: str, error: QPKernelsError) -> Row:
        """Return the row of a pair that gave no answer: proved infeasible, or failed for a reason.

        Parameters
        ----------
        problem, formulation, solver
            As in :class:`Row`.
        error
            Why there is no answer; one that holds a certificate proves that there is none.
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


def without_nan(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record with None in place of NaN and infinity, which JSON cannot write."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in record.items()
    }
