# SPDX-License-Identifier: BSD-3-Clause
"""The proof that a function separates two classes: a feasibility problem, whose optimum is 0 from both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.gram.exact import enclose_on_samples
from qpkernels.gram.functions import Expansion
from qpkernels.problems.bounds import Move, Support
from qpkernels.problems.certificate import Certificate, undefined
from qpkernels.problems.enclosing import Enclosure, judged, quiet
from qpkernels.problems.rounding import EPS, FunctionAtSamples

__all__ = [
    "SeparationBounds",
    "enclose_separation",
]

_ZERO_TOLERANCE = 1e-6
"""Multiplier above which a sample is a support vector; without an objective there is none but rounding."""


@dataclass(frozen=True, eq=False)
class SeparationBounds:
    """find f, b  s.t.  y_i (f(x_i) + b) >= 1, for labels y of +-1.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    y
        Labels +1.0 and -1.0, shape (m,).

    Notes
    -----
    Arguments of the methods:

    beta, intercept, function, is_expansion, values, decision, support
        As in :class:`~qpkernels.problems.bounds.Bounds`.
    """

    program: ClassVar[None] = None

    gram: Gram
    y: Vector

    def certify(self, beta: Vector, intercept: float, function: FunctionAtSamples | None = None) -> Certificate:
        """Certify that f and b separate: every y_i (f(x_i) + b) is above 0 beyond rounding.

        They can then be scaled to margins of 1, the objective is 0, and multipliers of 0 prove it.
        """
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return undefined("the answer holds NaN or infinity")
        f = self._expansion(beta, self.gram.product(beta)) if function is None else function
        values = f.values
        error = 4 * EPS * f.terms * np.broadcast_to(f.sizes, values.shape)
        margins = self.y * (values + intercept)
        rounding = error + 4 * EPS * abs(intercept)
        smallest = int(np.argmin(margins - rounding))
        residual = 0.0 if margins[smallest] > rounding[smallest] else np.inf
        worst = f"sample {smallest} has the smallest margin, {margins[smallest]:.3g}"
        return Certificate(0.0, 0.0, 0.0, residual, 0.0, 0.0, worst)

    def enclose(self, beta: Vector, intercept: float, function: Expansion | None = None) -> Enclosure:
        """Return [0, 0] if f and b separate in exact arithmetic, where beta is not moved; otherwise [0, inf]."""
        if not (np.isfinite(beta).all() and np.isfinite(intercept)):
            return Enclosure(0.0, np.inf)
        return enclose_separation(self.gram, self.y, beta, intercept, function)

    def feasible(self, beta: Vector) -> Vector:
        """Return multipliers of 0, which prove that an objective of 0 is the smallest."""
        return np.zeros_like(beta)

    def moved(
        self, beta: Vector, intercept: float, function: FunctionAtSamples, *, is_expansion: bool
    ) -> tuple[Move, FunctionAtSamples] | None:
        """Return the multiple of f and b with margins of at least 1, if these separate."""
        if is_expansion:
            function = self._expansion(beta, function.values)
        smallest = float((self.y * (function.values + intercept)).min())
        if not 0.0 < smallest < 1.0:
            return None
        move = Move(1.0 / smallest, intercept / smallest)
        return move, move.of_function(self.gram, function)

    def _expansion(self, beta: Vector, values: Vector) -> FunctionAtSamples:
        """Return the expansion in beta, with the sizes of the sums that its ``values`` were computed as."""
        terms, reach = self.gram.terms, float(np.abs(beta) @ self.gram.lengths)
        squared_norm = max(0.0, float(beta @ values))
        return FunctionAtSamples(values, squared_norm, reach * self.gram.lengths, reach * reach, terms)

    def support(self, beta: Vector, decision: Vector) -> Support:
        """Return the samples with a multiplier."""
        del decision
        return Support(free=np.flatnonzero(np.abs(beta) > _ZERO_TOLERANCE), bounded=np.arange(0))

    def interval(self, beta: Vector, values: Vector, intercept: float, support: Support) -> tuple[float, float]:
        """Return b twice, since the question is about this function only."""
        del beta, values, support
        return intercept, intercept

    def vanishing(self) -> None:
        """Return None, since f = 0 separates nothing."""


@quiet
def enclose_separation(
    gram: Gram, y: Vector, beta: Vector, intercept: float, function: Expansion | None = None
) -> Enclosure:
    """Return [0, 0] if every y_i (f(x_i) + b) is above 0, so that a multiple meets all margins; else [0, inf]."""
    values = enclose_on_samples(gram, beta).values if function is None else judged(function, gram, intercept).values
    v = values + intercept
    separates = bool((np.where(y > 0, v.lower, -v.upper) > 0).all())
    return Enclosure(0.0, 0.0 if separates else np.inf)
