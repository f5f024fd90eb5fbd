# SPDX-License-Identifier: BSD-3-Clause
"""The judge's view of a model: an answer with its certificate, or a point near it that is proved where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from formulations.modelling.candidate import Candidate, expand
from qpkernels.certificates import Bounds, Certificate, KernelQPBounds

if TYPE_CHECKING:
    from formulations.modelling.model import Model

__all__ = ["judged"]


def judged(model: Model[Any], answer: Candidate, bounds: Bounds, tol: float) -> tuple[Candidate, Certificate]:
    """Return the answer with its certificate, or a repaired one where only that one's holds."""
    certificate = model.judge(answer, bounds)
    if certificate.holds(tol) or not answer.is_squarable:
        return answer, certificate
    for repaired in _repaired(model, answer, bounds):
        if (proof := model.judge(repaired, bounds)).holds(tol):
            return repaired, proof
    return answer, certificate


def _repaired(model: Model[Any], answer: Candidate, bounds: Bounds) -> Iterator[Candidate]:
    """Yield the answer at the feasible point of the dual near it, and the one that proves an optimum of 0."""
    if isinstance(bounds, KernelQPBounds):
        beta = bounds.program.project(answer.beta)
        own = answer.is_expansion
        yield expand(model.gram, beta, answer.intercept, model.classes) if own else replace(answer, beta=beta)
    vanishing = model.vanishing(answer, bounds)
    if vanishing is not None:
        yield vanishing
