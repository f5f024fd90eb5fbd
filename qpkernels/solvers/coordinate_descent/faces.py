# SPDX-License-Identifier: BSD-3-Clause
r"""Steps in all free coefficients at once: conjugate gradients on a face of the box, then a search along its boundary.

A face holds some coefficients where they are, and the signs of those that pay for their size; on it the objective is a
quadratic with the matrix Z_F Z_F' + diag(ridge_F) + penalty 11', whose products take two passes over the rows. The
minimiser is projected back to the face, and the step is cut until the objective falls.

Source: J. J. More and G. Toraldo, SIAM J. Optim. 1 (1991), who alternate so with projected gradients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.solvers.coordinate_descent.loops import Box, Rows, add_rows, row_values

__all__ = ["Face", "FaceStep", "face_of"]

_CUTS = 12
"""Attempts to shorten a step, at most."""

_SHARE, _CUT = 0.1, 0.3
"""Part of the promised descent that a projected step must make, and what a step is multiplied by otherwise."""


@dataclass(frozen=True, eq=False)
class FaceStep:
    """A change of the coefficients of a face.

    Attributes
    ----------
    change, weights
        That of beta, shape (size of the face,), and that of w, shape (features,).
    gain
        By how much the objective falls.
    passes
        Passes over the rows of the face that it took.
    inside
        Whether it leads to the minimiser on the face, and no bound is in its way.
    """

    change: Vector
    weights: Vector
    gain: float
    passes: int
    inside: bool


@dataclass(frozen=True, eq=False)
class Face:
    """The coefficients that are free to move, with their slopes and the room that they have.

    Attributes
    ----------
    samples
        Their samples.
    beta, slope
        They themselves, and the slopes of the objective, shape (size,).
    lower, upper
        The bounds within which the objective is a quadratic.
    ridge
        The ridge of each.
    penalty
        What 1/2 (1'change)^2 costs.
    """

    rows: Rows
    features: int
    samples: Indices
    beta: Vector
    slope: Vector
    lower: Vector
    upper: Vector
    ridge: Vector
    penalty: float

    def step(self, accuracy: float, most: int) -> FaceStep:
        """Return a step towards the minimiser, by so many iterations at most, until they add only this part each."""
        direction, passes = self._minimiser(accuracy, most)
        length = 1.0
        for attempt in range(_CUTS):
            target = np.clip(self.beta + length * direction, self.lower, self.upper)
            change = target - self.beta
            w, total = self._weights(change), float(change.sum())
            descent = float(self.slope @ change)
            square = float(w @ w) + self.penalty * total**2 + float(self.ridge @ change**2)
            if descent < 0.0 and -(descent + 0.5 * square) >= _SHARE * -descent:
                cut = bool((target != self.beta + length * direction).any())
                # Both ends of the step are within the bounds, and so is all between them.
                part = min(1.0, -descent / square) if square > 0.0 else 1.0
                gain = -part * (descent + 0.5 * part * square)
                return FaceStep(part * change, part * w, gain, passes + attempt + 1, not (cut or attempt))
            length *= _CUT
        return FaceStep(np.zeros(self.beta.size), np.zeros(self.features), 0.0, passes + _CUTS, inside=False)

    def _weights(self, change: Vector) -> Vector:
        w = np.zeros(self.features)
        add_rows(self.rows, self.samples, change, w)
        return w

    def _minimiser(self, accuracy: float, most: int) -> tuple[Vector, int]:
        """Return about the minimiser without bounds, by preconditioned conjugate gradients, and the passes it took."""
        scale = self.rows.squares[self.samples] + self.ridge + self.penalty
        scale = np.where(scale > 0.0, scale, 1.0)
        d, rest = np.zeros(self.beta.size), -self.slope
        ahead = rest / scale
        size, fall = float(rest @ ahead), 0.0
        for count in range(1, most + 1):
            image = row_values(self.rows, self.samples, self._weights(ahead)) + self.ridge * ahead
            image += self.penalty * ahead.sum()
            curvature = float(ahead @ image)
            if not curvature > 0.0:
                # Along a direction without curvature the bounds alone are a limit.
                return (d if d.any() else ahead), 2 * count
            d += size / curvature * ahead
            rest -= size / curvature * image
            scaled = rest / scale
            gain = 0.5 * size**2 / curvature
            fall += gain
            before, size = size, float(rest @ scaled)
            if gain <= accuracy * fall or size <= 0.0:
                return d, 2 * count
            ahead = scaled + size / before * ahead
        return d, 2 * most


def face_of(
    rows: Rows, features: int, box: Box, samples: Indices, beta: Vector, gradient: Vector, penalty: float
) -> Face | None:
    """Return the face of those of the ``samples`` that are free or would move; None: there is nobody.

    Parameters
    ----------
    beta, gradient
        All coefficients, and g of the samples.
    """
    value, epsilon = beta[samples], box.epsilon[samples]
    lower, upper = box.lower[samples], box.upper[samples]
    right = np.where(value < 0, gradient - epsilon, gradient + epsilon)
    left = np.where(value > 0, gradient + epsilon, gradient - epsilon)
    rises, falls = (value < upper) & (right < 0), (value > lower) & (left > 0)
    inside = (value > lower) & (value < upper) & ((value != 0) | (epsilon == 0))
    (free,) = np.nonzero(inside | rises | falls)
    if free.size == 0:
        return None
    rising, kinked = (value > 0) | ((value == 0) & rises), epsilon > 0
    slope = np.where(epsilon == 0, gradient, np.where(rising, gradient + epsilon, gradient - epsilon))
    lower = np.where(kinked & rising, np.maximum(lower, 0.0), lower)
    upper = np.where(kinked & ~rising, np.minimum(upper, 0.0), upper)
    return Face(
        rows,
        features,
        samples[free],
        value[free],
        slope[free],
        lower[free],
        upper[free],
        box.ridge[samples[free]],
        penalty,
    )
