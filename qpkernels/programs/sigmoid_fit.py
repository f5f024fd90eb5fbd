# SPDX-License-Identifier: BSD-3-Clause
r"""A sigmoid fitted to scores: a convex problem in two numbers, with its derivatives around a centre of the scores.

With z_i = A s_i + B, p_i = 1 / (1 + exp(-z_i)) and targets t_i in [0, 1]::

    min  sum [ log(1 + exp(z_i)) - t_i z_i ]     over A, B

    slopes in z_i  p_i - t_i,   curvatures  w_i = p_i (1 - p_i)

Written as z_i = a (s_i - c) + level, with the mean c of the scores in the weights w_i for a centre, the Hessian in
(a, level) is diagonal, and an offset that all scores share costs no digits. The scores are divided by a power of two,
which is exact, so that no square of them overflows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy

from qpkernels.arrays import Vector

__all__ = ["SigmoidFit", "SigmoidPoint"]


@dataclass(frozen=True, eq=False)
class SigmoidPoint:
    """A slope and an offset for scores in the unit of :attr:`SigmoidFit.unit`, with what the derivatives need there.

    Attributes
    ----------
    slope, centre, level
        a, c and level of z_i = a (s_i - c) + level.
    z, residuals, weights
        z_i, p_i - t_i and p_i (1 - p_i), each of shape (N,).
    offsets
        s_i - c, shape (N,).
    gradient, curvature
        First and second derivatives of the sum in level and in a, the latter without the mixed one.
    """

    slope: float
    centre: float
    level: float
    z: Vector
    residuals: Vector
    weights: Vector
    offsets: Vector
    gradient: tuple[float, float]
    curvature: tuple[float, float]


@dataclass(frozen=True, eq=False)
class SigmoidFit:
    """min sum [ log(1 + exp(z_i)) - t_i z_i ] over A and B, with z_i = A s_i + B.

    Attributes
    ----------
    scores
        s, shape (N,).
    targets
        t, shape (N,), each between 0 and 1.
    name
        What the program states.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels.programs import SigmoidFit
    >>> from qpkernels.solvers import find_solver
    >>> fit = SigmoidFit(np.array([-2.0, -1.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]))
    >>> print(find_solver("newton").solve(fit).point.round(6))
    [0.553795 0.203356]
    """

    scores: Vector
    targets: Vector
    name: str = "sigmoid fit"

    @cached_property
    def exponent(self) -> int:
        """The e for which the scores over 2^e are below 1."""
        return int(np.frexp(np.abs(self.scores).max(initial=0.0))[1])

    @cached_property
    def unit(self) -> Vector:
        """The scores over 2^e, shape (N,)."""
        return np.ldexp(self.scores, -self.exponent)

    @np.errstate(over="ignore", under="ignore", invalid="ignore")
    def at(self, A: float, B: float) -> SigmoidPoint:
        """Return the point A, B, each z_i with a relative error of a few roundings, whatever the scores share.

        Parameters
        ----------
        A, B
            Slope and offset of the scores as they are.
        """
        slope = float(np.ldexp(A, self.exponent))
        low, high = float(self.unit.min()), float(self.unit.max())
        # Around the score where z is 0, z is a product; what A c + B leaves there is computed without rounding.
        root = np.float64(-B) / slope if slope else 0.0
        centre = float(np.clip(root, low, high)) if np.isfinite(root) else low
        return self.around(slope, centre, _combined(B, slope, centre))

    @np.errstate(over="ignore", under="ignore", invalid="ignore")
    def around(self, slope: float, centre: float, level: float) -> SigmoidPoint:
        """Return the point z_i = slope (s_i - centre) + level, for scores in the unit, around their weighted mean.

        Parameters
        ----------
        slope, centre, level
            Finite numbers.
        """
        offsets = self.unit - centre
        z = slope * offsets + level
        above, below = scipy.special.expit(z), scipy.special.expit(-z)
        # On either side of 1/2 the smaller of p and 1 - p has all its digits, and 1 - t is exact above 1/2.
        residuals = np.where(self.targets > 0.5, (1.0 - self.targets) - below, above - self.targets)
        weights = above * below
        total = float(weights.sum())
        move = float((weights * offsets).sum()) / total if total > 0.0 else 0.0
        mean = float(np.clip(centre + move, self.unit.min(), self.unit.max()))
        offsets = self.unit - mean
        return SigmoidPoint(
            slope=slope,
            centre=mean,
            level=level + slope * (mean - centre),
            z=z,
            residuals=residuals,
            weights=weights,
            offsets=offsets,
            gradient=(float(residuals.sum()), float((residuals * offsets).sum())),
            curvature=(total, float((weights * offsets * offsets).sum())),
        )

    def original(self, point: SigmoidPoint) -> tuple[float, float]:
        """Return A and B of a point, for the scores as they are.

        Parameters
        ----------
        point
            A point of this program.
        """
        return float(np.ldexp(point.slope, -self.exponent)), _combined(point.level, -point.slope, point.centre)


def _combined(level: float, slope: float, centre: float) -> float:
    """Return level + slope centre, rounded once."""
    return float(Fraction(level) + Fraction(slope) * Fraction(centre))
