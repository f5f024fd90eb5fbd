# SPDX-License-Identifier: BSD-3-Clause
"""What models with hard constraints share: a solver's claim that there is no answer is decided in the model's terms."""

from __future__ import annotations

from abc import abstractmethod

from formulations.base import Answered
from formulations.machine import KernelMachine
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.errors import InfeasibleError

__all__ = ["HardConstraints"]


class HardConstraints(KernelMachine[Answered]):
    """A model that may have no answer: its primal is infeasible then, and its dual unbounded."""

    @abstractmethod
    def contradiction(self, words: str) -> InfeasibleError | None:
        """Return the error if nothing satisfies the textbook's constraints, or None if that cannot be shown."""

    def explain_failure(self, words: str) -> Exception:
        """Let the model decide whether there is an answer at all."""
        if not self.is_extended and (error := self.contradiction(words)) is not None:
            return error
        return super().explain_failure(words)

    def explain_unbounded(self, certificate: Certificate, words: str) -> Exception:
        """Explain a dual without bound: an infeasible primal."""
        return super().explain_unbounded(certificate, words) if self.is_extended else self.explain_failure(words)

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, words: str) -> Exception:
        """Explain in the terms of the model, where the constraints are the textbook's."""
        if self.is_extended:
            return super().explain_infeasible(certificate, multipliers, words)
        return self.explain_failure(words)
