# SPDX-License-Identifier: BSD-3-Clause
r"""Two bounds of a sigmoid over scores, from any slope A and offset B.

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

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates.certificate import Certificate, certify_values, relative, undefined
from qpkernels.certificates.rounding import EPS, sum_error
from qpkernels.programs import SigmoidFit

__all__ = ["SigmoidBounds"]


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
