# SPDX-License-Identifier: BSD-3-Clause
r"""The relevance vector machine for classification (G2).

Labels y_i = +1 or -1 with P(y_i | w) = 1 / (1 + exp(-y_i a_i)), a = Phi w, Phi = [1, K] and w ~ N(0, A^-1). The
evidence is that of Laplace: with the mode of the posterior, found by Newton's method (IRLS), and W = diag(p (1 - p))::

    ln p(y | alpha) = sum ln P(y_i | mode) - 1/2 mode'A mode + 1/2 ln |A| - 1/2 ln |A + Phi'W Phi|

    Sigma = (A + Phi'W Phi)^-1,   gamma_i = 1 - alpha_i Sigma_ii,   alpha_i <- (gamma_i + u_i v_i) / mode_i^2

u_i v_i is what Tipping's update leaves out: W follows the mode, and the mode follows alpha. With it the fixed points of
the update are the stationary points of the evidence above; without it the evidence would fall on the way to them. What
the update may otherwise lower is made safe as in the regression. Source: G2 of the catalogue; Tipping (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike, NDArray

from formulations.relevance.answer import RelevanceSolution, expand
from formulations.relevance.ascent import ascend
from formulations.relevance.evidence import Posterior
from formulations.relevance.laplace import LaplacePosterior
from formulations.relevance.machine import RelevanceMachine, check_limits, initial_alphas
from formulations.two_classes import two_classes
from qpkernels.arrays import Matrix, Vector, frozen
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["LogisticLabels", "RelevanceClassification"]


@dataclass(frozen=True, eq=False)
class LogisticLabels:
    """The likelihood of labels ``y`` = +1 or -1 at the values Phi w."""

    columns: Matrix
    y: Vector

    def posterior(self, alpha: Vector, noise: float | None, near: Posterior | None) -> Posterior:
        """Return Laplace's approximation at the mode."""
        del noise
        return LaplacePosterior.at(self.columns, self.y, alpha, near)


class RelevanceClassification(RelevanceMachine):
    """The relevance vector machine for classification (G2).

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.relevance.machine.RelevanceMachine`.
    y
        Labels of two classes, numbers or text; the greater is +1.

    Raises
    ------
    OneClassError, LabelError, ShapeError, NonFiniteError
        If y does not hold two classes, one label a sample.
    """

    catalogue = "G2"

    y: Vector
    classes: NDArray[Any]

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None) -> None:
        self._bind(X, kernel)
        self.y, self.classes = two_classes(y, len(self.gram))
        self.freeze()

    @property
    def likelihood(self) -> LogisticLabels:
        """What the labels say of the weights."""
        return LogisticLabels(self.columns, self.y)

    def solve(self, *, max_iter: int = 1000, tol: float = 1e-6) -> RelevanceSolution:
        """Raise Laplace's evidence from two starts, each until it is stationary to ``tol``; keep the higher end."""
        check_limits(max_iter, tol)
        ascents = [
            ascend(self.likelihood, alpha, None, tol=tol, max_iter=max_iter)
            for alpha in initial_alphas(self.columns, 1.0)
        ]
        best = max(ascents, key=lambda ascent: ascent.posterior.log_evidence)
        return expand(self.name, self.gram, best, frozen(self.classes))
