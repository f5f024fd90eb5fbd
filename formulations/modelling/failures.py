# SPDX-License-Identifier: BSD-3-Clause
"""What is said where there is no answer: the errors, and how a model comes to one of them."""

from __future__ import annotations

from typing import ClassVar

from formulations.inputs.hyperparameters import Parametrised
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.diagnosis import Ray
from qpkernels.errors import InfeasibleError, ParameterError, SolverFailedError, UnboundedError

__all__ = ["Failing", "infeasible", "no_answer", "not_an_answer", "unbounded"]

_NAMED = 6
"""Constraints that a message names."""


class Failing(Parametrised):
    """The part of a model that explains, in its own terms, why a solver gave no answer.

    Notes
    -----
    Argument of the methods:

    message
        What the solver said.
    """

    hard: ClassVar[bool] = False
    """Whether there are constraints without slack: the model may have no answer, and says why."""

    def contradiction(self, message: str) -> InfeasibleError | None:
        """Return the error if nothing satisfies the textbook's constraints, or None if that cannot be shown.

        Models with hard constraints decide here, in their own terms, what becomes of a solver's claim.
        """
        del message
        return None

    def explain_failure(self, message: str) -> Exception:
        """Return the error to raise when a solver gives no point, or none that its claim would need."""
        return self.contradiction(message) or no_answer(self.name, message)

    def explain_divergence(self, beta: Vector, message: str) -> Exception:
        """Return the error to raise when the objective of a KernelQP falls without bound.

        Parameters
        ----------
        beta
            Where the coefficients went, shape (m,).
        """
        del beta
        return self.explain_failure(message)

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, message: str) -> Exception:
        """Return the error to raise when no point satisfies the constraints of a textbook form.

        Parameters
        ----------
        certificate
            The proof that none does.
        multipliers
            Shape (rows of A,): what the proof weighs the constraints of the form, in its matrices, by.
        """
        if self.hard:
            unproved = f"{message}, but exact arithmetic does not prove it"
            return self.contradiction(message) or no_answer(self.name, unproved)
        return infeasible(self.name, certificate, multipliers, message)

    def explain_unbounded(self, certificate: Certificate, message: str) -> Exception:
        """Return the error to raise when the objective of a textbook form is proved to be unbounded below.

        Parameters
        ----------
        certificate
            The proof that it is.
        """
        return self.explain_failure(message) if self.hard else unbounded(self.name, certificate, message)


def infeasible(
    name: str, certificate: Certificate, multipliers: Vector, message: str, names: tuple[str, ...] = ()
) -> InfeasibleError:
    """Return the error of a problem of that name whose constraints are proved to contradict each other.

    Parameters
    ----------
    names
        The constraints that the multipliers weigh, where the user may have the problem explained.
    """
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    advice = f"they are among {shown}; see conflict() and relaxation() of the form" if names else "relax it"
    return InfeasibleError(
        f"the constraints of this {name} contradict each other ({message}): {certificate.worst}; {advice}.",
        certificate,
        multipliers,
    )


def unbounded(name: str, certificate: Certificate, message: str, ray: Ray | None = None) -> UnboundedError:
    """Return the error of a problem of that name whose objective is proved to be unbounded below."""
    reason = certificate.worst if ray is None else str(ray)
    return UnboundedError(
        f"the objective of this {name} is unbounded below ({message}): {reason}; bound it.", certificate, ray
    )


def no_answer(name: str, message: str) -> SolverFailedError:
    """Return the error where a solver gives no point, or none that its claim would need."""
    return SolverFailedError(f"{message}, for this {name}; try another solver, or a larger max_iter.")


def not_an_answer(answer: object, estimator: str) -> ParameterError:
    """Return the error for what is no answer to a model whose estimator has that name."""
    came = f"the class {answer.__name__}" if isinstance(answer, type) else type(answer).__name__
    return ParameterError(
        "an answer is a Solution, a pair (beta, b) or (w, b), an Expansion, a PrimalFunction with its norm, or a "
        f"fitted {estimator}, but {came} came."
    )
