# SPDX-License-Identifier: BSD-3-Clause
"""Answers in the terms of their task: margins and slacks, residuals and tubes, or outliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.modelling.prediction import Decision, Labels
from formulations.modelling.prediction.decisions import Inliers, Sigmoids
from formulations.modelling.solution import Solution
from qpkernels.arrays import Indices, Vector, frozen, shown

__all__ = [
    "Classification",
    "Novelty",
    "Regression",
    "Tube",
]

_ON_THE_MARGIN = 1e-4
"""Share of the margin level within which y g(x) counts as that level; answers are known to their tolerance only."""


@dataclass(frozen=True, eq=False, repr=False)
class Classification(Solution):
    """The answer of a model of two classes.

    Attributes
    ----------
    margin_level
        The value of y g(x) on the margin: 1, or rho in a nu-machine.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> solution = SoftMargin([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"], C=10.0).solve()
    >>> print(solution.predict([[0.2]]), f"margin {solution.margin:.3f}", solution.n_support)
    ['low'] margin 0.500 2
    """

    _y: Vector
    margin_level: float = 1.0
    _sigmoids: Sigmoids | None = None
    """From g(x) to a probability: log-odds, or a sigmoid that an estimator fitted; the label goes by the sign of g."""

    @property
    def _decision(self) -> Decision:
        assert self.function.classes is not None
        return Labels(self.function.classes, self._sigmoids)

    @property
    def alpha(self) -> Vector:
        """Multipliers of the margin constraints, shape (m,): y * beta."""
        return frozen(self._y * self.beta)

    @property
    def margin(self) -> float:
        """Distance of the margin from the separating surface, margin_level / ||f||, in the space of the kernel."""
        norm = float(np.sqrt(max(self.function.squared_norm, 0.0)))
        return self.margin_level / norm if norm > 0 else float("inf")

    @property
    def margins(self) -> Vector:
        """y_i g(x_i) of each sample. A sample with a value below 0 is on the wrong side."""
        return self._y * self.decision

    @property
    def slacks(self) -> Vector:
        """xi_i = max(0, margin_level - y_i g(x_i)) of each sample."""
        return np.maximum(0.0, self.margin_level - self.margins)

    def _class_of(self, sample: int) -> str:
        """Return the label of a sample, and its sign where that is another."""
        sign = f"y = {self._y[sample]:+g}"
        if self.function.classes is None:
            return sign
        labels = self.function.classes.tolist()
        if labels == [-1, 1]:
            return f"class {self._y[sample]:+g}"
        return f"class {shown(labels[int(self._y[sample] > 0)])} ({sign})"

    def _position(self, sample: int) -> str:
        margin = float(self.margins[sample])
        if not self._sparse:
            side = "right" if margin > 0 else "wrong"
            return f"{self._class_of(sample)}, y (f(x) + b) = {margin:.6g} is on the {side} side"
        beyond = margin - self.margin_level
        if margin < 0:
            where = "on the wrong side"
        elif abs(beyond) <= _ON_THE_MARGIN * max(abs(self.margin_level), np.finfo(float).tiny):
            where = "on the margin"
        else:
            where = "beyond the margin" if beyond > 0 else "inside the margin"
        return f"{self._class_of(sample)}, y (f(x) + b) = {margin:.6g} is {where}, slack xi = {self.slacks[sample]:.3g}"


@dataclass(frozen=True, eq=False)
class Tube:
    """Which samples lie inside the tube |y - g(x)| <= epsilon, on its edge, above it and below it."""

    inside: Indices
    edge: Indices
    above: Indices
    below: Indices


@dataclass(frozen=True, eq=False, repr=False)
class Regression(Solution):
    """The answer of a model with real targets.

    Attributes
    ----------
    epsilon
        Half the width of the tube within which a residual costs nothing; 0 where the model has no tube.

    Examples
    --------
    >>> from formulations import SoftTube
    >>> solution = SoftTube([[0.0], [1.0], [2.0]], [0.0, 1.1, 1.9], C=10.0, epsilon=0.2).solve()
    >>> print(solution.predict([[1.5]]).round(2), solution.tube.edge, solution.epsilon)
    [1.32] [0 2] 0.2
    """

    _y: Vector
    epsilon: float = 0.0

    @property
    def residuals(self) -> Vector:
        """r_i = y_i - g(x_i). Where it is above 0, the target lies above the function."""
        return self._y - self.decision

    @property
    def slacks(self) -> Vector:
        """How far each sample is outside the tube: max(0, |r_i| - epsilon)."""
        return np.maximum(0.0, np.abs(self.residuals) - self.epsilon)

    @property
    def tube(self) -> Tube:
        """The samples by place: free support vectors are on the edge, bounded ones outside, the others inside."""
        outside = np.zeros(self._y.size, dtype=bool)
        outside[self.support.bounded] = True
        inside = np.ones(self._y.size, dtype=bool)
        inside[self.support.indices] = False
        above = outside & (self.residuals > 0)
        return Tube(np.flatnonzero(inside), self.support.free, np.flatnonzero(above), np.flatnonzero(outside & ~above))

    def _position(self, sample: int) -> str:
        residual = float(self.residuals[sample])
        said = f"target y = {self._y[sample]:.6g}, residual r = y - f(x) - b = {residual:.6g}"
        if self.epsilon == 0:
            return said
        if sample in self.support.bounded:
            where = "above the tube" if residual > 0 else "below the tube"
        elif sample in self.support.free:
            where = "on its upper edge" if residual > 0 else "on its lower edge"
        else:
            where = "inside the tube"
        return f"{said} is {where}, slack xi = {self.slacks[sample]:.3g}"


@dataclass(frozen=True, eq=False, repr=False)
class Novelty(Solution):
    """The answer of a one-class model: g(x) = f(x) - rho is below 0 for the samples that are unlike the others.

    Examples
    --------
    >>> from formulations import OneClass
    >>> from qpkernels import RBF
    >>> solution = OneClass([[0.0], [0.1], [0.2], [3.0]], RBF(1.0), nu=0.5).solve()
    >>> print(solution.predict([[0.1], [9.0]]), f"rho {solution.rho:.3f}")
    [ 1 -1] rho 0.495
    """

    @property
    def _decision(self) -> Decision:
        return Inliers(self.rho)

    @property
    def rho(self) -> float:
        """The level of f on the boundary: -b."""
        return -self.intercept

    @property
    def slacks(self) -> Vector:
        """xi_i = max(0, rho - f(x_i)) of each sample."""
        return np.maximum(0.0, -self.decision)

    @property
    def outliers(self) -> Indices:
        """Numbers of the samples at their bound, which lie outside."""
        return self.support.bounded

    def _position(self, sample: int) -> str:
        if sample in self.support.bounded:
            where = "outside"
        else:
            where = "on the boundary" if sample in self.support.free else "inside"
        return f"f(x) - rho = {self.decision[sample]:.6g} is {where}, slack xi = {self.slacks[sample]:.3g}"
