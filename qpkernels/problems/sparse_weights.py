# SPDX-License-Identifier: BSD-3-Clause
"""Two bounds on the squared hinge with few weights, from the weights alone.

With a_i = y_i z_i, the samples with their labels as signs, the programs are

    min  ||w||_1 + sum C_i max(0, 1 - a_i'w)^2
    max  sum alpha_i - sum alpha_i^2 / (4 C_i)      s.t.  |sum_i alpha_ij a_ij| <= 1 for each feature j,  alpha >= 0

so that every w is feasible above. The lower bound is the best multiple of alpha_i = 2 C_i max(0, 1 - a_i'w), which are
the optimal multipliers at the optimal w. The difference is a sum over features and samples of terms of at least 0::

    sum_j (|w_j| - w_j g_j) + sum_i (C_i xi_i^2 + alpha_i^2 / (4 C_i) - alpha_i (1 - a_i'w)),   g = A'alpha
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from qpkernels.arrays import Matrix, Vector
from qpkernels.problems.certificate import Certificate, certify_values, undefined
from qpkernels.problems.rounding import EPS, sum_error, together

__all__ = [
    "SparseWeightsBounds",
]


@dataclass(frozen=True, eq=False)
class SparseWeightsBounds:
    """The bounds of an l1-penalised squared hinge.

    Attributes
    ----------
    A
        The samples times their labels +-1, shape (m, d), dense or sparse.
    costs
        C_i, above 0, shape (m,).
    """

    A: Matrix | csr_array
    costs: Vector

    @np.errstate(over="ignore", invalid="ignore")
    def certify(self, w: Vector, multipliers: Vector | None = None) -> Certificate:
        """Bound the error of w, shape (d,), by the values of both programs.

        Parameters
        ----------
        w
            Weights, shape (d,).
        multipliers
            alpha up to a factor, shape (m,), where negative entries count as 0; None if w determines them.
        """
        excess = 1.0 - self.A @ w
        slacks = np.maximum(excess, 0.0)
        alpha, g = self._scaled(2.0 * self.costs * slacks if multipliers is None else np.maximum(multipliers, 0.0))
        losses, conjugates = self.costs * slacks**2, alpha**2 / (4.0 * self.costs)
        of_features, of_samples = np.abs(w) - w * g, losses + conjugates - alpha * excess
        if not (np.isfinite(of_features).all() and np.isfinite(of_samples).all()):
            return undefined("the answer, or its value, holds NaN or infinity")
        j, i = int(np.argmax(of_features)), int(np.argmax(of_samples))
        largest, place = max((float(of_features[j]), f"feature {j}"), (float(of_samples[i]), f"sample {i}"))
        return certify_values(
            primal=float(np.abs(w).sum() + losses.sum()),
            dual=float(alpha.sum() - conjugates.sum()),
            largest=largest,
            rounding=(
                together(2.0 * self.costs * slacks * (self._reach(self.A, w) + EPS * (1.0 + slacks)))
                + sum(map(sum_error, (w, losses, alpha, conjugates)))
            ),
            worst=f"{place} adds {largest:.1e} to the gap",
        )

    def _scaled(self, slopes: Vector) -> tuple[Vector, Vector]:
        """Return the multiple of these multipliers with the largest dual value, and g."""
        g = self.A.T @ slopes
        reach = float((np.abs(g) + self._reach(self.A.T, slopes)).max())
        total, curvature = float(slopes.sum()), float((slopes**2 / self.costs).sum())
        scale = min(2.0 * total / curvature, np.inf if reach == 0 else 1.0 / reach) if curvature > 0 else 0.0
        return scale * slopes, scale * g

    def _reach(self, matrix: Any, factor: Vector) -> Vector:
        """Return how far rounding may take the product."""
        terms = max(1, int(np.count_nonzero(factor)))
        return np.asarray(np.sqrt(terms) * EPS * (abs(matrix) @ np.abs(factor)))
