# SPDX-License-Identifier: BSD-3-Clause
r"""Two bounds of a sigmoid over scores, from any slope A and offset B.

With z_i = A s_i + B, targets t_i in [0, 1] and the entropy H(p) = -p log p - (1-p) log(1-p), both problems are

    min  1/N sum [ log(1 + exp(z_i)) - t_i z_i ]     over A, B
    max  1/N sum H(p_i)                              s.t.  1/N sum (t_i - p_i) = 0,  1/N sum (t_i - p_i) s_i = 0

An answer has no dual part. Its probabilities p_i = 1 / (1 + exp(-z_i)), moved onto the two equations, make one, and
what rounding leaves of those equations is the dual residual.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates.certificate import Certificate, certify_values, relative, undefined
from qpkernels.certificates.rounding import sum_error

__all__ = ["SigmoidBounds"]


@dataclass(frozen=True, eq=False)
class SigmoidBounds:
    """The bounds of the sigmoid fitted to ``scores`` s and ``targets`` t, both of shape (N,).

    Attributes
    ----------
    scores
        s, shape (N,).
    targets
        t, shape (N,), each between 0 and 1.
    """

    scores: Vector
    targets: Vector

    def certify(self, A: float, B: float) -> Certificate:
        """Bound the error of A and B.

        Parameters
        ----------
        A, B
            Slope and offset of z_i = A s_i + B; the probability of sample i is 1 / (1 + exp(-z_i)).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            z = A * self.scores + B
        if not np.isfinite(z).all():
            return undefined("A s + B is not finite")
        unit = np.column_stack([np.ones(z.size), _standardised(self.scores)])
        p = _on_equations(scipy.special.expit(z), self.targets, unit)
        costs, entropies = np.logaddexp(0.0, z), scipy.special.entr(p) + scipy.special.entr(1.0 - p)
        # By the equations sum t_i z_i = sum p_i z_i, so that these parts, none below 0, add up to the gap.
        parts = (costs - p * z - entropies) / z.size
        worst = int(np.argmax(parts))
        missed, size = np.abs(unit.T @ (p - self.targets)), np.abs(unit).T @ (p + self.targets)
        return certify_values(
            primal=float((costs - self.targets * z).mean()),
            dual=float(entropies.mean()),
            dual_residual=float(max(map(relative, missed, size))),
            rounding=(sum_error(costs) + sum_error(self.targets * z) + sum_error(entropies)) / z.size,
            largest=float(parts[worst]),
            worst=f"sample {worst} (score {self.scores[worst]:.6g}) adds {parts[worst]:.1e} to the gap",
        )


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
