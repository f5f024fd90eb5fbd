# SPDX-License-Identifier: BSD-3-Clause
r"""Classification by any convex loss of the margins, penalised by the norm of f: hinge, logistic and the rest.

With a loss psi and its conjugate psi*, primal and dual, and their optimality condition, z_i = y_i (f(x_i) + b)::

    min  1/2 ||f||^2 + sum C_i psi(z_i)
    max  -1/2 a'YKYa - sum C_i psi*(-a_i / C_i)      s.t.  y'a = 0,  -a_i / C_i in dom psi*

    f = sum_j a_j y_j k(x_j, .),   a_i = -C_i psi'(z_i)

The optimal values are equal, and b is the multiplier of y'a = 0. Divided by m C, the primal is the regularised
empirical risk lambda ||f||^2 + 1/m sum psi(z_i) with lambda = 1/(2 m C). The hinge gives the soft margin, its square
gives the squared hinge, the squared margin gives least squares of the margins, and the logistic loss gives logistic
regression. Source: Zhang (2004).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.losses import Hinge, LogisticLoss, MarginLoss
from formulations.losses.expression import as_margin_loss
from formulations.modelling import Candidate, Classification, Conditions, Multipliers, Stated, labelled, per_sample
from formulations.modelling.inputs.hyperparameters import COSTS_OF_CLASSES, per_cost, times_cost
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.modelling.prediction.decisions import Sigmoids
from formulations.models.classification.two_class_model import MarginDual, MarginPrimal, TwoClassModel
from qpkernels.arrays import Vector, shown
from qpkernels.arrays.intervals import Interval, up
from qpkernels.display import TextbookProblem
from qpkernels.errors import ParameterError
from qpkernels.problems import Bounds, FenchelBounds, KernelQP, SampleLosses

__all__ = ["MarginLossClassifier", "MarginLossDual", "MarginLossModel", "MarginLossPrimal", "losses_of_margins"]


def losses_of_margins(loss: MarginLoss, y: Vector, costs: Vector) -> SampleLosses:
    """Return C_i psi(y_i v_i) as losses of the decision values v, with their conjugates.

    Parameters
    ----------
    loss
        psi, a margin loss of :mod:`formulations.losses`.
    y
        +1.0 or -1.0 for each sample, shape (m,).
    costs
        C_i of at least 0, shape (m,).
    """
    low, high = loss.domain
    ends = times_cost(costs, -low), times_cost(costs, -high)

    def largest_value(v: Interval) -> Vector:
        margins = v * y
        return up(times_cost(costs, loss.largest_value(margins.lower, margins.upper)))

    def largest_conjugate(beta: Vector) -> Vector:
        slopes = Interval.of(-y * beta).divided_by(np.where(costs > 0, costs, 1.0))
        return up(times_cost(costs, loss.largest_conjugate(slopes.lower, slopes.upper)))

    return SampleLosses(
        value=lambda v: times_cost(costs, loss.value(y * v)),
        conjugate=lambda beta: times_cost(costs, loss.conjugate(np.clip(per_cost(-y * beta, costs), low, high))),
        lower=np.where(y > 0, ends[1], -ends[0]),
        upper=np.where(y > 0, ends[0], -ends[1]),
        slope=lambda v: y * times_cost(costs, loss.slope(y * v)),
        curvature=(lambda v: times_cost(costs, loss.curvature(y * v))) if loss.is_smooth else None,
        largest_value=largest_value,
        largest_conjugate=largest_conjugate,
    )


class MarginLossModel(TwoClassModel):
    """A model with a loss of the margins that is the same for all samples.

    Notes
    -----
    Arguments of the methods:

    C
        C_i of at least 0, shape (m,): what the loss of each sample is multiplied by.
    """

    loss: MarginLoss

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: MarginLoss | Callable[[Any], cp.Expression],
        fit_intercept: bool = True,
        **values: Any,
    ) -> None:
        self.loss = as_margin_loss(loss)
        # A loss that is not convex has no conjugate, and says so here.
        if self.loss.domain[0] >= 0.0:
            raise ParameterError(
                f"a margin loss must fall somewhere as the margin y g(x) rises, but {shown(self.loss)} rewards wrong "
                "sides; turn the sign of its argument."
            )
        super().__init__(X, y, kernel, fit_intercept=fit_intercept, **values)

    def losses(self, C: Vector) -> SampleLosses:
        """Return C_i psi(y_i v_i) as losses of the decision values v, with their conjugates."""
        return losses_of_margins(self.loss, self.y, C)

    def gaps(self, answer: Candidate, C: Vector) -> Vector:
        """Return C_i (psi(z_i) + psi*(-a_i / C_i)) + a_i z_i."""
        margins, alpha = self.margins(answer), self.y * answer.beta
        slopes = np.clip(per_cost(-alpha, C), *self.loss.domain)
        return times_cost(C, self.loss.value(margins) + self.loss.conjugate(slopes)) + alpha * margins

    def _interpret(self, answer: Candidate, **fields: Any) -> Classification:
        """Make the solution; with the logistic loss its values are log-odds."""
        sigmoids = Sigmoids.of_log_odds() if isinstance(self.loss, LogisticLoss) else None
        return super()._interpret(answer, _sigmoids=sigmoids, **fields)


class MarginLossPrimal(MarginPrimal):
    """The primal. Variables: w or u, b, z. Multipliers of ``margin``: a."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i psi(z_i)", ("z_i = y_i (f(x_i) + b)",))
    model: MarginLossClassifier
    z = per_sample("z")

    def declare(self) -> cp.Problem:
        """State the problem."""
        cost = self.model.C @ self.model.loss.atom(self.z)
        margin = self.z == cp.multiply(self.model.y, self.g)
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + cost), labelled(margin=margin))

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, b and the margins, and return a."""
        self.z.value = self.model.margins(answer)
        return super().write(answer)


class MarginLossDual(MarginDual):
    """The dual. Variables: alpha, and the slopes s = -alpha / C, which let C change without compiling anew.

    Multipliers: b of ``balance``, -z of ``slope``, and those of ``lower`` and ``upper`` where the domain ends.
    """

    textbook = TextbookProblem("max  -1/2 a'YKYa - sum C_i psi*(-a_i / C_i)  s.t.  y'a = 0,  -a_i / C_i in dom psi*")
    maximised = True
    model: MarginLossClassifier
    s = per_sample("s")

    def declare(self) -> cp.Problem:
        """State the problem."""
        model, alpha, (low, high) = self.model, self.alpha, self.model.loss.domain
        conjugates = model.C @ model.loss.conjugate_atom(self.s)
        return cp.Problem(
            cp.Maximize(-self.half_squared_norm(alpha, model.y) - conjugates),
            labelled(
                balance=self.balance(model.y @ alpha),
                slope=alpha == -cp.multiply(model.C, self.s),
                lower=self.s >= low if np.isfinite(low) else None,
                upper=self.s <= high if np.isfinite(high) else None,
            ),
        )

    def write(self, answer: Candidate) -> Multipliers:
        """Write alpha and the slopes, and return b, -z, and the multipliers of the ends."""
        model, costs = self.model, self.model.value_of("C")
        margins, slopes = model.margins(answer), per_cost(-model.y * answer.beta, costs)
        self.s.value = np.clip(slopes, *model.loss.domain)
        ends = model.loss.multipliers_of_ends(costs, slopes, margins)
        return {**super().write(answer), "slope": -margins, **ends}


class MarginLossClassifier(MarginLossModel):
    """The classifier that minimises the regularised empirical risk, for any convex loss of the margins.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    loss
        A margin loss of :mod:`formulations.losses`: Hinge(), SquaredHinge(), SquaredMargin(), LogisticLoss(), or your
        own loss, which may be a function of a CVXPY variable; see :class:`~formulations.losses.ExpressionLoss`.
    C
        Above 0: the weight of a loss against 1/2 ||f||^2, one number, or one for each sample and 0 for an absent one.

    Examples
    --------
    >>> from formulations import MarginLossClassifier
    >>> from formulations.losses import LogisticLoss
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]
    >>> solution = MarginLossClassifier(X, y, loss=LogisticLoss(), C=1.0).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", solution.predict([[0.0], [3.0]]))
    optimal 2.548 [-1  1]
    """

    entry = replace(MarginLossModel.entry, parameters=(COSTS_OF_CLASSES,))
    C: cp.Parameter
    primal, dual = Stated(MarginLossPrimal), Stated(MarginLossDual)

    def __init__(
        self,
        X: SamplesLike,
        y: ArrayLike,
        kernel: KernelLike | None = None,
        *,
        loss: MarginLoss | Callable[[Any], cp.Expression] = Hinge(),  # noqa: B008  frozen
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        super().__init__(X, y, kernel, loss=loss, fit_intercept=fit_intercept, C=C)

    def qp(self) -> KernelQP | None:
        """State the dual in beta_i = y_i a_i, with slopes -a / C; None where the conjugate is not quadratic."""
        conjugate, costs, (low, high) = self.loss.quadratic_conjugate, self.value_of("C"), self.loss.domain
        if conjugate is None:
            return None
        positive = self.y > 0
        return KernelQP(
            self.gram,
            target=conjugate.linear * self.y,
            lower=times_cost(costs, np.where(positive, -high, low)),
            upper=times_cost(costs, np.where(positive, -low, high)),
            total=self.total,
            epsilon=conjugate.epsilon,
            ridge=per_cost(conjugate.ridge, costs),
            name=f"classification with the {self.loss.name} loss",
        )

    def bounds(self) -> Bounds:
        """State the KernelQP, or else the losses of the decision values."""
        if self.loss.quadratic_conjugate is not None:
            return super().bounds()
        return FenchelBounds(self.gram, self.losses(self.value_of("C")), self.total)

    def conditions(self, answer: Candidate) -> Conditions:
        """Return C_i (psi(z_i) + psi*(-a_i / C_i)) + a_i z_i, the gap of each sample."""
        return {"C (psi(z) + psi*(-a/C)) + a z": self.gaps(answer, self.value_of("C"))}
