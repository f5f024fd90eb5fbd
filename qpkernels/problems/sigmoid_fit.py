# SPDX-License-Identifier: BSD-3-Clause
"""The sigmoid over scores: the program, and two bounds on its optimum from any slope A and offset B.

With z_i = A s_i + B, targets t_i in [0, 1] and the entropy H(p) = -p log p - (1-p) log(1-p), both problems are

    min  1/N sum [ log(1 + exp(z_i)) - t_i z_i ]     over A, B
    max  1/N sum H(p_i)                              s.t.  1/N sum (t_i - p_i) = 0,  1/N sum (t_i - p_i) s_i = 0

An answer has no dual part. Its probabilities p_i = 1 / (1 + exp(-z_i)), moved onto the two equations, form one, and the
dual residual is what rounding leaves of those equations.

The values of a flat problem say little of A and B themselves, but the gradient does. Let H be the Hessian of the sum at
(A, B), lambda the length of the gradient in the norm of the inverse of H, and R the largest change of a log-odds z_i by
a step of length 1 in the norm of H. At a distance r in that norm the Hessian is at least exp(-R r) H (Bach, 2010). If R
lambda < 1, the optimum is no farther away than ::

    -log(1 - R lambda) / R

The gradient is enlarged and H is reduced by bounds on their rounding errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector
from qpkernels.problems.certificate import Certificate, certify_values, relative, undefined
from qpkernels.problems.program import Program
from qpkernels.problems.rounding import EPS, sum_error

__all__ = [
    "SigmoidBounds",
    "SigmoidFit",
    "SigmoidPoint",
    "UnitScores",
]


class SigmoidPoint(NamedTuple):
    """A slope and an offset for scores in their unit, with the numbers that the derivatives need there.

    For several fits, all arrays have one more axis, which comes first, and numbers become arrays along that axis.

    Attributes
    ----------
    slope, centre, level
        a, c and level of z_i = a (s_i - c) + level.
    z, residuals, weights
        z_i, p_i - t_i and p_i (1 - p_i), each of shape (N,).
    offsets
        s_i - c, shape (N,).
    gradient, curvature
        The first and second derivatives of the sum in level and in a, without the mixed derivative; shape (2,).
    """

    slope: Any
    centre: Any
    level: Any
    z: NDArray[np.float64]
    residuals: NDArray[np.float64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    gradient: NDArray[np.float64]
    curvature: NDArray[np.float64]

    def of(self, fits: Any) -> SigmoidPoint:
        """Return the point of one of several fits, or the points of some."""
        return SigmoidPoint(*(each[fits] for each in self))


class UnitScores(NamedTuple):
    """The scores of a fit divided by a power of two, and its targets; for several fits with one more axis in front.

    If fits differ in size, the last sample of the smaller ones is repeated, and the copies do not count.

    Attributes
    ----------
    unit, targets, counts
        s_i / 2^e and t_i, and 1 for a sample that counts, else 0; each of shape (N,).
    exponent
        The e for which the scores over 2^e are below 1.
    low, high
        The smallest and the largest score, in the unit.
    """

    unit: NDArray[np.float64]
    targets: NDArray[np.float64]
    counts: NDArray[np.float64]
    exponent: Any
    low: Any
    high: Any

    @classmethod
    def of_fits(cls, fits: Sequence[SigmoidFit]) -> UnitScores:
        """Return the scores of several fits."""
        sizes = np.array([[fit.scores.size] for fit in fits])
        column = np.arange(int(sizes.max()))
        place = np.cumsum(sizes)[:, None] - sizes + np.minimum(column, sizes - 1)
        scores = np.concatenate([fit.scores for fit in fits])[place]
        exponent = np.frexp(np.abs(scores).max(axis=-1))[1]
        unit = np.ldexp(scores, -exponent[:, None])
        targets = np.concatenate([fit.targets for fit in fits])[place]
        counts = (column < sizes).astype(np.float64)
        return cls(unit, targets, counts, exponent, unit.min(axis=-1), unit.max(axis=-1))

    def of(self, fits: Any) -> UnitScores:
        """Return those of one of several fits, or of some."""
        return UnitScores(*(each[fits] for each in self))

    @np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
    def at(self, A: float, B: float) -> SigmoidPoint:
        """Return the point A, B, where each z_i has a relative error of a few roundings, whatever the scores share.

        Parameters
        ----------
        A, B
            The slope and the offset for the original scores.
        """
        slope = np.ldexp(A, self.exponent)
        # Around the score where z is 0, z is a product; what A c + B leaves there is computed without rounding.
        root = np.where(slope != 0.0, np.float64(-B) / slope, 0.0)
        centre = np.where(np.isfinite(root), np.clip(root, self.low, self.high), self.low)
        return self.around(slope, centre, _combined(B, slope, centre))

    def around(self, slope: Any, centre: Any, level: Any) -> SigmoidPoint:
        """Return the point z_i = slope (s_i - centre) + level, for scores in the unit, around their weighted mean.

        Parameters
        ----------
        slope, centre, level
            Finite NumPy numbers, or arrays of them with one for each fit.
        """
        offsets = self.unit - centre[..., None]
        z = slope[..., None] * offsets + level[..., None]
        above, below = scipy.special.expit(z), scipy.special.expit(-z)
        # On either side of 1/2 the smaller of p and 1 - p has all its digits, and 1 - t is exact above 1/2.
        residuals = self.counts * np.where(self.targets > 0.5, (1.0 - self.targets) - below, above - self.targets)
        weights = self.counts * (above * below)
        total = weights.sum(axis=-1)
        move = np.where(total > 0.0, (weights * offsets).sum(axis=-1) / total, 0.0)
        mean = np.clip(centre + move, self.low, self.high)
        offsets = self.unit - mean[..., None]
        return SigmoidPoint(
            slope=slope,
            centre=mean,
            level=level + slope * (mean - centre),
            z=z,
            residuals=residuals,
            weights=weights,
            offsets=offsets,
            gradient=np.array([residuals.sum(axis=-1), (residuals * offsets).sum(axis=-1)]).T,
            curvature=np.array([total, (weights * offsets * offsets).sum(axis=-1)]).T,
        )

    def original(self, point: SigmoidPoint) -> tuple[Any, Any]:
        """Return A and B of a point, for the original scores.

        Parameters
        ----------
        point
            A point of these fits.
        """
        return np.ldexp(point.slope, -self.exponent), _combined(point.level, -point.slope, point.centre)


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
        """The number of entries of its point, and the number of its multipliers."""
        return 2, 0

    @cached_property
    def in_unit(self) -> UnitScores:
        """The scores divided by a power of two, with the values and derivatives at any A and B."""
        return UnitScores.of_fits([self]).of(0)


def _combined(level: Any, slope: Any, centre: Any) -> Any:
    """Return level + slope centre, rounded once."""
    return np.asarray(_rounded_once(level, slope, centre), dtype=np.float64)[()]


_rounded_once = np.frompyfunc(
    lambda level, slope, centre: float(Fraction(level) + Fraction(slope) * Fraction(centre)), 3, 1
)


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
        z = self.program.in_unit.at(A, B).z
        unit = np.column_stack([np.ones(z.size), _standardised(self.program.in_unit.unit)])
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
        """Bound how far A and B are from the optimal ones; infinity if nothing is proved, as for equal scores.

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
        point, targets = self.program.in_unit.at(A, B), self.program.targets
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
        slope_error = float(np.ldexp(radius / np.sqrt(spread), -self.program.in_unit.exponent))
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
