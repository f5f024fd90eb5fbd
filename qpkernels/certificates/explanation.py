# SPDX-License-Identifier: BSD-3-Clause
"""A certificate in words: what is proved, where the proof is weakest, and what may help."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from qpkernels.certificates.certificate import Certificate

__all__ = ["explain_certificate"]


@dataclass(frozen=True)
class _Part:
    """One of the numbers that a proof needs to be small."""

    name: str
    size: float
    advice: str


def explain_certificate(certificate: Certificate, tol: float) -> str:
    """Return what is proved and, where that is not enough for ``tol``, the part that fails most, and what may help."""
    primal, dual = certificate.primal_value, certificate.dual_value
    if np.isnan(primal) or np.isnan(dual):
        return f"Nothing is proved: {certificate.worst}. Try another solver, or scale the features."
    weakest = max(_parts(certificate), key=lambda part: np.inf if np.isnan(part.size) else part.size)
    if primal == dual == np.inf:
        proved = f"No point satisfies the constraints, as multipliers prove: {certificate.worst}"
    elif primal == dual == -np.inf:
        proved = f"The objective is unbounded below, as a direction proves: {certificate.worst}"
    else:
        gap = f"relative gap {certificate.relative_gap:.1e}"
        proved = f"The optimum lies between {dual:.12g} and {primal:.12g}, {gap}; {certificate.worst}"
    if certificate.primal_only:
        proved += "; a function alone was given, and the multipliers of the lower bound were read off it"
    if certificate.holds(tol):
        return f"{proved}. This holds to {tol:g}; the weakest part is the {weakest.name}, {weakest.size:.1e}."
    if weakest.size <= tol:
        uncounted = replace(certificate, relative_gap=0.0, complementarity=0.0)
        weakest = max(_parts(uncounted), key=lambda part: part.size)
        return (
            f"{proved}. This holds at no tolerance: a {weakest.name} of {certificate.uncounted:.1e} is in neither "
            f"value, and nothing bounds what it does to the optimum, so that it must be within 1e-9. {weakest.advice}"
        )
    return f"{proved}. This does not hold to {tol:g}: the {weakest.name} is {weakest.size:.1e}. {weakest.advice}"


def _parts(certificate: Certificate) -> tuple[_Part, ...]:
    smaller = "Solve with a smaller tol, or by another solver"
    closer = (
        "Where a limit came first, such as max_iter, raise it; where features differ much in size, scale them. "
        f"Else {smaller[0].lower()}{smaller[1:]}."
    )
    if certificate.rounding > abs(certificate.primal_value - certificate.dual_value):
        # No solver comes closer than float64 can tell.
        closer = f"Most of it, {certificate.rounding:.1e}, is rounding of the values; centre and scale the data."
    return (
        _Part("relative gap", certificate.relative_gap, closer),
        _Part(
            "primal residual",
            certificate.primal_residual,
            f"The answer violates a constraint by that share of its terms. {smaller}; scale the features where their "
            "sizes differ much.",
        ),
        _Part(
            "dual residual",
            certificate.dual_residual,
            f"The multipliers violate the constraints of the dual by that share of their terms. {smaller}; "
            "scale the features where their sizes differ much.",
        ),
        _Part(
            "complementarity",
            certificate.complementarity,
            f"One sample or row adds that share to the gap, and others make up for it. {smaller}.",
        ),
    )
