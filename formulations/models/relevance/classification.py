# SPDX-License-Identifier: BSD-3-Clause
r"""The relevance vector machine for classification.

Labels y_i = +1 or -1 with P(y_i | w) = 1 / (1 + exp(-y_i a_i)), a = Phi w, Phi = [1, K] and w ~ N(0, A^-1). The
evidence is Laplace's approximation, with the mode of the posterior, found by Newton's method (IRLS), and the diagonal
matrix W of p (1 - p)::

    max  sum ln P(y_i | mode) - 1/2 mode'A mode + 1/2 ln |A| - 1/2 ln |A + Phi'W Phi|   s.t.  alpha > 0

    Sigma = (A + Phi'W Phi)^-1,   gamma_i = 1 - alpha_i Sigma_ii,   alpha_i <- (gamma_i + u_i v_i) / mode_i^2

Tipping's update leaves out u_i v_i, although W follows the mode, and the mode follows alpha. With this term the fixed
points of the update are the stationary points of the evidence above; without it the evidence would fall on the way to
its fixed points. An update that might otherwise lower the evidence is safeguarded as in the regression. Source: Tipping
(2001).
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from formulations.modelling.inputs.hyperparameters import ModelEntry
from formulations.modelling.inputs.samples import KernelLike, two_classes
from formulations.models.relevance.ascent import EvidenceSearch, search, starting_points
from formulations.models.relevance.likelihoods import LogisticLabels
from formulations.models.relevance.machine import RelevanceMachine
from qpkernels.arrays import Vector, frozen
from qpkernels.display import TextbookProblem
from qpkernels.gram import Gram

__all__ = ["RelevanceClassification"]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class RelevanceClassification(RelevanceMachine):
    """The relevance vector machine for classification.

    Parameters
    ----------
    X, kernel
        As in :class:`~formulations.models.relevance.machine.RelevanceMachine`.
    y
        Labels of two classes, numbers or text; the greater one is +1.

    Raises
    ------
    OneClassError, LabelError, ShapeError, NonFiniteError
        If y does not hold the labels of two classes, one for each sample.

    Examples
    --------
    >>> from formulations import RelevanceClassification
    >>> from qpkernels import RBF
    >>> X = [[0.0], [0.5], [1.0], [1.5], [3.0], [2.0], [3.5], [4.0], [4.5], [5.0]]
    >>> y = ["a"] * 5 + ["b"] * 5
    >>> solution = RelevanceClassification(X, y, RBF(gamma=0.2)).solve()
    >>> print(solution.relevance, solution.predict_proba([[0.0], [2.5], [5.0]]).round(2))
    [0 9] [[0.84 0.16]
     [0.5  0.5 ]
     [0.16 0.84]]
    """

    entry = ModelEntry(most_points=300)
    textbook = TextbookProblem(
        "max  sum ln P(y_i | mode) - 1/2 mode'A mode + 1/2 ln |A| - 1/2 ln |A + Phi'W Phi|  s.t.  alpha > 0"
    )

    y: Vector

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: KernelLike | None = None) -> None:
        super().__init__(X, kernel)
        signs, classes = two_classes(y, len(self.gram))
        object.__setattr__(self, "y", signs)
        object.__setattr__(self, "classes", frozen(classes))

    @property
    def likelihood(self) -> LogisticLabels:
        """The likelihood of the weights given the labels."""
        return LogisticLabels(self.design, self.y)

    def search(self, *, tol: float, max_iter: int, until: float) -> EvidenceSearch:
        """Raise Laplace's evidence from each start."""
        starts = starting_points(self.design, 1.0, None, widths=(1.0,))
        return search(self.likelihood, starts, tol=tol, max_iter=max_iter, until=until)
