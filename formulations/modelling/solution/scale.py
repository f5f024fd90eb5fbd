# SPDX-License-Identifier: BSD-3-Clause
"""In which scale an objective counts: texts divide by m, or weigh the norm by lambda in place of the losses by C."""

from __future__ import annotations

import math
from dataclasses import dataclass

from qpkernels.display import to_text

__all__ = ["Scale"]


@dataclass(frozen=True)
class Scale:
    """The function whose value an objective is, and what that is of the value of the model.

    Attributes
    ----------
    objective
        The function, in the notation of :mod:`qpkernels.display.maths`; empty where nobody says.
    factor
        What the objective is of the model's value, which a certificate bounds: 1, -1 of a dual that is minimised, or
        what :attr:`formula` says; NaN where it is no multiple of it.
    formula
        The factor in the letters of the model; empty where it is the same whatever these are.

    Examples
    --------
    >>> from formulations import KernelRidge
    >>> model = KernelRidge([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.8, 0.9, 0.1], regularisation=0.1)
    >>> print(model.scale.words)
    ½ ‖f‖² + C Σᵢ (yᵢ − f(xᵢ))², C = 1/(2 λ)
    >>> print(model.primal.scale.words, "is", model.primal.scale.times, "times that")
    λ/m ‖f‖² + 1/m Σᵢ (yᵢ − f(xᵢ))² is 2 λ/m = 0.05 times that
    """

    objective: str
    factor: float = 1.0
    formula: str = ""

    @property
    def words(self) -> str:
        """The function as text."""
        return to_text(self.objective)

    @property
    def times(self) -> str:
        """The factor as text, with its formula; empty where the objective is no multiple of the model's value."""
        if math.isnan(self.factor):
            return ""
        return f"{to_text(self.formula)} = {self.factor:.4g}" if self.formula else f"{self.factor:g}"
