# SPDX-License-Identifier: BSD-3-Clause
"""The sigmoid over scores: the program, and two bounds of its optimum from any slope A and offset B.

With z_i = A s_i + B, targets t_i in [0, 1] and the entropy H(p) = -p log p - (1-p) log(1-p), both problems are

    min  1/N sum [ log(1 + exp(z_i)) - t_i z_i ]     over A, B
    max  1/N sum H(p_i)                              s.t.  1/N sum (t_i - p_i) = 0,  1/N sum (t_i - p_i) s_i = 0

An answer has no dual part. Its probabilities p_i = 1 / (1 + exp(-z_i)), moved onto the two equations, make one, and
what rounding leaves of those equations is the dual residual.

The values of a flat problem say little of A and B themselves, but the gradient does. Let H be the Hessian of the sum at
(A, B), lambda the length of the gradient in the norm of the inverse of H, and R the largest change of a log-odds z_i by
a step of length 1 in the norm of H. At a distance r in that norm the Hessian is at least exp(-R r) H (Bach, 2010), and
the optimum is, where R lambda < 1, no farther than ::

    -log(1 - R lambda) / R

The gradient is enlarged, and H reduced, by bounds of what rounding may have changed in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.problems.certificate import Certificate, certify_values, relative, undefined
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS, sum_error

__all__ = [
    "SigmoidBounds",
    "SigmoidFit",
    "SigmoidPoint",
]


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
class SigmoidFit(Program):
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
    >>> from qpkernels.problems import SigmoidFit
    >>> from qpkernels.solvers import find_solver
    >>> fit = SigmoidFit(np.array([-2.0, -1.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]))
    >>> print(find_solver("newton").solve(fit).point.round(6))
    [0.553795 0.203356]
    """

    usual_solver = "newton"

    scores: Vector
    targets: Vector
    name: str = "sigmoid fit"

    @property
    def sizes(self) -> tuple[int, int]:
        """How many numbers its point has, and how many multipliers."""
        return 2, 0

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


_ROUNDINGS = 8
"""Roundings of half a unit that a log-odds, a probability, or a product of both may have gone through."""


@dataclass(frozen=True, eq=False)
class SigmoidBounds:
    """The bounds of a sigmoid fitted to scores.

    Attributes
    ----------
    program
        The scores s and the targets t.
    """

    program: SigmoidFit

    def certify(self, A: float, B: float) -> Certificate:
        """Bound the error of A and B.

        Parameters
        ----------
        A, B
            Slope and offset of z_i = A s_i + B; the probability of sample i is 1 / (1 + exp(-z_i)).
        """
        scores, targets = self.program.scores, self.program.targets
        if not self._is_finite(A, B):
            return undefined("A s + B is not finite")
        z = self.program.at(A, B).z
        unit = np.column_stack([np.ones(z.size), _standardised(self.program.unit)])
        p = _on_equations(scipy.special.expit(z), targets, unit)
        # log(1 + exp(z)) - t z, without a difference of large numbers.
        of_one, of_zero = np.logaddexp(0.0, -z), np.logaddexp(0.0, z)
        losses, entropies = (
            targets * of_one + (1.0 - targets) * of_zero,
            scipy.special.entr(p) + scipy.special.entr(1 - p),
        )
        # By the equations sum t_i z_i = sum p_i z_i, so that these parts, none below 0, add up to the gap.
        parts = (p * of_one + (1.0 - p) * of_zero - entropies) / z.size
        worst = int(np.argmax(parts))
        missed, size = np.abs(unit.T @ (p - targets)), np.abs(unit).T @ (p + targets)
        return certify_values(
            primal=float(losses.mean()),
            dual=float(entropies.mean()),
            dual_residual=float(max(map(relative, missed, size))),
            rounding=(sum_error(losses) + sum_error(entropies)) / z.size,
            largest=float(parts[worst]),
            worst=f"sample {worst} (score {scores[worst]:.6g}) adds {parts[worst]:.1e} to the gap",
        )

    def errors(self, A: float, B: float) -> tuple[float, float]:
        """Bound how far A and B are from the optimal ones; infinity where nothing is proved, as of equal scores.

        Parameters
        ----------
        A, B
            As in :meth:`certify`.
        """
        if not self._is_finite(A, B):
            return np.inf, np.inf
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            return self._errors(A, B)

    def _errors(self, A: float, B: float) -> tuple[float, float]:
        point, targets = self.program.at(A, B), self.program.targets
        offsets, (total, spread) = np.abs(point.offsets), point.curvature
        # z, p and t are within a few roundings of their sizes, p as z moves it, and so is each term of the gradient.
        p, t = (np.minimum(v, 1.0 - v) for v in (scipy.special.expit(point.z), targets))
        lost = _ROUNDINGS * EPS * (p + t + np.abs(point.residuals) + point.weights * np.abs(point.z))
        lengths = [
            (abs(slope) + float((size * lost).sum()) + sum_error(size * point.residuals)) / np.sqrt(curvature)
            for slope, size, curvature in zip(
                point.gradient, (np.ones_like(offsets), offsets), point.curvature, strict=True
            )
        ]
        mixed = abs(float((point.weights * point.offsets).sum())) + sum_error(point.weights * offsets)
        kept = 1.0 - mixed / np.sqrt(total * spread) - _ROUNDINGS * np.sqrt(offsets.size) * EPS
        reach = float(np.hypot(1.0 / np.sqrt(total), offsets / np.sqrt(spread)).max())
        share = reach * float(np.hypot(*lengths)) / kept
        if not (kept > 0.0 and share < 1.0):
            return np.inf, np.inf
        radius = -np.log1p(-share) / reach
        slope_error = float(np.ldexp(radius / np.sqrt(spread), -self.program.exponent))
        return slope_error, float(radius * np.hypot(1.0 / np.sqrt(total), point.centre / np.sqrt(spread)))

    def _is_finite(self, A: float, B: float) -> bool:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(A * self.program.scores + B).all())


def _standardised(scores: Vector) -> Vector:
    """Return the scores centred and scaled, which leaves the two equations the same."""
    centred = scores - scores.mean()
    return np.asarray(centred / (float(np.abs(centred).max()) or 1.0))


def _on_equations(p: Vector, t: Vector, unit: Matrix) -> Vector:
    """Return probabilities near p with unit'(p - t) = 0.

    Each move is a Newton step of the primal, p (1 - p) times a linear function, so that a small one stays within
    [0, 1]; a larger one is brought back there along the line to t, which meets the equations itself.
    """
    for _ in range(3):
        weights = np.maximum(p * (1.0 - p), 0.0)[:, None] * unit
        p = p - weights @ np.linalg.lstsq(weights.T @ unit, unit.T @ (p - t))[0]
    if np.abs(unit.T @ (p - t)).max() > 1e-9 * p.size:
        return t
    beyond = p - np.clip(p, 0.0, 1.0)
    share = float(np.divide(beyond, p - t, out=np.zeros_like(p), where=beyond != 0).max())
    return np.clip(p + share * (t - p), 0.0, 1.0)
