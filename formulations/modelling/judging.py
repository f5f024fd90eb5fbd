# SPDX-License-Identifier: BSD-3-Clause
"""The judge's view of a model: an answer with its certificate, or a point near it that is proved where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from formulations.modelling.candidate import Candidate, expand
from qpkernels.problems import Bounds, Certificate, KernelQPBounds

if TYPE_CHECKING:
    from formulations.modelling.model import Model

__all__ = ["judged"]


def judged(model: Model[Any], answer: Candidate, bounds: Bounds, tol: float) -> tuple[Candidate, Certificate]:
    """Return the feasible points near an answer with their certificate, or repaired ones where only theirs holds."""
    certificate = model.judge(answer, bounds)
    certified = model.certified(answer, bounds)
    if certificate.holds(tol) or not answer.is_squarable:
        return certified, certificate
    for repaired in _repaired(model, answer, certified, bounds):
        if (proof := model.judge(repaired, bounds)).holds(tol):
            return model.certified(repaired, bounds), proof
    return certified, certificate


def _repaired(model: Model[Any], answer: Candidate, certified: Candidate, bounds: Bounds) -> Iterator[Candidate]:
    """Yield the feasible points near an answer, the f of that of the dual, and those that prove an optimum of 0."""
    if certified is not answer:
        yield certified
    if isinstance(bounds, KernelQPBounds) and answer.is_expansion:
        yield expand(model.gram, bounds.feasible(answer.beta), answer.intercept, model.classes)
    vanishing = model.vanishing(answer, bounds)
    if vanishing is not None:
        yield vanishing
