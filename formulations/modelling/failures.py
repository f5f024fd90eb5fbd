# SPDX-License-Identifier: BSD-3-Clause
"""The errors where there is no answer, in the words of the model."""

from __future__ import annotations

from qpkernels.arrays import Vector
from qpkernels.diagnosis import Ray
from qpkernels.errors import InfeasibleError, ParameterError, SolverFailedError, UnboundedError
from qpkernels.problems import Certificate

__all__ = ["infeasible", "no_answer", "not_an_answer", "unbounded"]

_NAMED = 6
"""Constraints that a message names."""


def infeasible(
    name: str, certificate: Certificate, multipliers: Vector, message: str, names: tuple[str, ...] = ()
) -> InfeasibleError:
    """Return the error of a problem of that name whose constraints are proved to contradict each other.

    Parameters
    ----------
    names
        The constraints with multipliers, if the problem can be explained to the user.
    """
    shown = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    advice = f"they are among {shown}; conflict() finds an irreducible subset" if names else "relax it"
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
