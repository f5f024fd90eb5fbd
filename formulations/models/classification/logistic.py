# SPDX-License-Identifier: BSD-3-Clause
r"""Kernel logistic regression: probabilities 1 / (1 + exp(-g(x))) of the class +1.

Primal and dual, with their optimality condition; H(t) = -t log t - (1 - t) log(1 - t)::

    min  1/2 ||f||^2 + sum C_i log(1 + exp(-y_i (f(x_i) + b)))
    max  -1/2 a'YKYa + sum C_i H(a_i / C_i)          s.t.  y'a = 0

    f = sum_j a_j y_j k(x_j, .),   a_i = C_i / (1 + exp(y_i (f(x_i) + b)))

The regularised empirical risk, without b, is 2 lambda/m times that primal with C = 1/(2 lambda)::

    min  lambda/m ||f||^2 + 1/m sum log(1 + exp(-y_i f(x_i)))

The optimal values of primal and dual are equal, and b is the multiplier of y'a = 0. Every a_i lies strictly between 0
and C_i, so the solution is not sparse, and there are no support vectors. Source: Jaakkola and Haussler (1999).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.losses import LogisticLoss
from formulations.modelling import Candidate, Classification, Conditions, ConeAnswer, Primal, Stated, absence, labelled
from formulations.modelling.inputs.hyperparameters import derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.modelling.mean_risk import MEAN_FACTOR, MeanRiskModel
from formulations.modelling.prediction.decisions import Sigmoids
from formulations.models.classification.margin_loss import losses_of_margins
from formulations.models.classification.two_class_model import MarginDual, TwoClassCostModel, TwoClassModel
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Bounds, FenchelBounds

__all__ = ["Logistic", "LogisticDual", "LogisticPenalised", "LogisticPrimal", "PenalisedLogistic"]

_LOSS = LogisticLoss()


class LogisticPrimal(Primal):
    """Without constraints. Variables: w or u, and b."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + sum C_i log(1 + exp(-y_i (f(x_i) + b)))")
    model: Logistic | PenalisedLogistic

    @property
    def losses(self) -> cp.Expression:
        """log(1 + exp(-y_i g(x_i))), shape (m,)."""
        return _LOSS.atom(cp.multiply(self.model.y, self.g))

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.model.C @ self.losses))

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return y * a from the slopes of the losses, shifted to the sum that the intercept demands."""
        del answer
        assert isinstance(bounds, FenchelBounds)
        y = self.model.y
        return bounds.feasible(y * self.model.slopes(y * np.asarray(self.g.value)))


class LogisticPenalised(LogisticPrimal):
    """Scaled as the regularised empirical risk. Variable: w or u; no b."""

    textbook = TextbookProblem("min  lambda/m ||f||^2 + 1/m sum log(1 + exp(-y_i f(x_i)))")
    factor_formula = MEAN_FACTOR
    model: PenalisedLogistic

    @property
    def factor(self) -> float:
        """2 lambda/m."""
        return self.model.mean_factor

    def declare(self) -> cp.Problem:
        """State the problem."""
        return self.model.mean_risk(self.f, cp.sum(self.losses))


class LogisticDual(MarginDual):
    """The dual, by C H(a/C) = entr(a) + entr(C - a) + C log C with entr(t) = -t log t.

    Variable: alpha. Multiplier of ``balance``: b.
    """

    textbook = TextbookProblem(
        "max  -1/2 a'YKYa + sum C_i H(a_i / C_i)  s.t.  y'a = 0", ("H(t) = -t log t - (1 - t) log(1 - t)",)
    )
    maximised = True
    model: Logistic | PenalisedLogistic

    def declare(self) -> cp.Problem:
        """State the problem."""
        y, C, alpha = self.model.y, self.model.C, self.alpha
        constant = derived(lambda: float(scipy.special.xlogy(C.value, C.value).sum()), nonneg=False)
        shares = self.model.of_present(alpha), self.model.of_present(C - alpha)
        entropy = cp.sum(cp.entr(shares[0]) + cp.entr(shares[1])) + constant
        return cp.Problem(
            cp.Maximize(entropy - self.half_squared_norm(alpha, y)),
            labelled(balance=self.balance(y @ alpha), absent=absence(self.model, alpha)),
        )


class _LogisticModel(TwoClassModel):
    """The common part of both scalings: the logistic loss at the costs C."""

    entry = replace(TwoClassModel.entry, sparse=False)
    C: cp.Parameter

    def _interpret(self, answer: Candidate, **fields: Any) -> Classification:
        """Make the solution, whose values are log-odds."""
        return super()._interpret(answer, _sigmoids=Sigmoids.of_log_odds(), **fields)

    @property
    def costs(self) -> Vector:
        """The values of C."""
        return self.value_of("C")

    def bounds(self) -> FenchelBounds:
        """State the losses of the decision values."""
        return FenchelBounds(self.gram, losses_of_margins(_LOSS, self.y, self.costs), self.total)

    def slopes(self, margins: Vector) -> Vector:
        """Return a_i = C_i / (1 + exp(y_i g(x_i))).

        Parameters
        ----------
        margins
            y_i g(x_i), shape (m,).
        """
        return np.asarray(self.costs * scipy.special.expit(-margins))

    def conditions(self, answer: Candidate) -> Conditions:
        """Return a_i - C_i / (1 + exp(y_i (f(x_i) + b)))."""
        return {"a - C / (1 + exp(y (f(x) + b)))": self.y * answer.beta - self.slopes(self.margins(answer))}


class Logistic(_LogisticModel, TwoClassCostModel):
    """Kernel logistic regression.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in :class:`~formulations.models.classification.two_class_model.TwoClassCostModel`.

    Examples
    --------
    >>> from formulations import Logistic
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> solution = Logistic(X, y, C=1.0).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}")
    optimal 2.548
    >>> print(solution.predict_proba([[0.0], [3.0]]).round(3))
    [[0.664 0.336]
     [0.336 0.664]]
    """

    entry = replace(_LogisticModel.entry, parameters=TwoClassCostModel.entry.parameters, most_points=5000)
    primal, dual = Stated(LogisticPrimal), Stated(LogisticDual)


class PenalisedLogistic(MeanRiskModel[Classification], _LogisticModel):
    """Kernel logistic regression as a regularised empirical risk, without b.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.classification.two_class_model.TwoClassModel`.
    regularisation
        lambda, above 0. Raising it makes f flatter.

    Examples
    --------
    >>> from formulations import PenalisedLogistic
    >>> X, y = [[-1.0], [-0.5], [0.5], [1.0]], ["no", "yes", "no", "yes"]
    >>> solution = PenalisedLogistic(X, y, regularisation=0.1).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}")
    optimal 13.098
    >>> print(solution.predict_proba([[-1.0], [2.0]]).round(3))
    [[0.65  0.35 ]
     [0.225 0.775]]
    """

    entry = replace(
        _LogisticModel.entry,
        parameters=MeanRiskModel.entry.parameters,
        counts="1/2 ||f||^2 + C sum log(1 + exp(-y_i f(x_i))), C = 1/(2 lambda)",
    )
    penalised, dual = Stated(LogisticPenalised), Stated(LogisticDual)

    def __init__(
        self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, regularisation: float = 0.5
    ) -> None:
        super().__init__(X, y, kernel, fit_intercept=False, regularisation=regularisation)
