# SPDX-License-Identifier: BSD-3-Clause
r"""Kernel logistic regression (C4): probabilities 1 / (1 + exp(-g(x))) of the class +1.

Primal and dual, with their optimality condition; H(t) = -t log t - (1 - t) log(1 - t)::

    min  1/2 ||f||^2 + sum C_i log(1 + exp(-y_i (f(x_i) + b)))
    max  -1/2 a'YKYa + sum C_i H(a_i / C_i)          s.t.  y'a = 0

    f = sum_j a_j y_j k(x_j, .),   a_i = C_i / (1 + exp(y_i (f(x_i) + b)))

and the form of statistics, without b, where lambda = 1/(2C)::

    min  lambda/m ||f||^2 + 1/m sum log(1 + exp(-y_i f(x_i)))

The optimal values of primal and dual are equal, and b is the multiplier of y'a = 0. Every a_i lies strictly between 0
and C_i: all samples carry the answer, and there are no support vectors. Source: C4 of the catalogue; Jaakkola and
Haussler (1999).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, xlogy

from formulations.binary import BinaryClassifier
from formulations.forms import PrimalForm
from formulations.hyperparameters import COSTS, LAMBDA, derived
from formulations.hypothesis import half_squared_norm
from formulations.losses import LogisticLoss
from formulations.lowering import Lowered
from formulations.margin_forms import MarginDual
from formulations.solution import Candidate, Classification
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, SampleLosses, certify_fenchel
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import nearest_feasible

__all__ = ["LogisticDual", "LogisticPenalised", "LogisticPrimal"]

_LOSS = LogisticLoss()


class _Logistic(BinaryClassifier):
    """What the forms share: the costs C and the certificate."""

    sparse = False
    C: cp.Parameter

    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Bound the error of (beta, b) and f by Fenchel's duality."""
        costs, y = np.asarray(self.C.value), self.y
        losses = SampleLosses(
            value=lambda v: costs * _LOSS.value(y * v),
            conjugate=lambda beta: costs * _LOSS.conjugate(np.clip(-y * beta / costs, -1.0, 0.0)),
            lower=np.where(y > 0, 0.0, -costs),
            upper=np.where(y > 0, costs, 0.0),
        )
        return certify_fenchel(
            self.gram, losses, candidate.beta, candidate.intercept, self._total, candidate.at_samples
        )

    def slopes(self, margins: Vector) -> Vector:
        """Return a_i = C_i / (1 + exp(y_i g(x_i)))."""
        return np.asarray(self.C.value * expit(-margins))

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i - C_i / (1 + exp(y_i g(x_i)))."""
        return {"a - C / (1 + exp(y g(x)))": self.y * candidate.beta - self.slopes(self.y * decision)}


class _WithCost(_Logistic):
    """The forms with a cost.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.binary.BinaryClassifier`.
    C
        Above 0: the weight of a loss against 1/2 ||f||^2, one number or one for each sample.
    """

    hyperparameters = (COSTS,)

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        C: ArrayLike = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self._state(TwoClasses.of(X, y, kernel), fit_intercept, C=C)


class _LogisticPrimalForm(_Logistic, PrimalForm[Classification]):
    """A problem in f and b without constraints."""

    @property
    def losses(self) -> cp.Expression:
        """log(1 + exp(-y_i g(x_i))), shape (m,)."""
        return _LOSS.atom(cp.multiply(self.y, self.g))

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return y * a from the slopes of the losses, shifted to the sum that the intercept demands."""
        del lowered, z
        costs, y = np.asarray(self.C.value), self.y
        beta = y * self.slopes(y * np.asarray(self.g.value))
        return nearest_feasible(beta, np.where(y > 0, 0.0, -costs), np.where(y > 0, costs, 0.0), self._total)


class LogisticPrimal(_WithCost, _LogisticPrimalForm):
    """min 1/2 ||f||^2 + sum C_i log(1 + exp(-y_i (f(x_i) + b))). Variables: w or u, and b.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the dual: C above 0, one number or one for each sample.
    """

    catalogue = "C4-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.C @ self.losses))

    def state_partner(self) -> LogisticDual:
        """Return the dual."""
        return self._as(LogisticDual)


class LogisticPenalised(_LogisticPrimalForm):
    """min lambda/m ||f||^2 + 1/m sum log(1 + exp(-y_i f(x_i))). Variable: w or u; no b.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    regularisation
        lambda, above 0. Raising it makes f flatter.
    """

    catalogue = "C4-penalised"
    hyperparameters = (LAMBDA,)
    regularisation: cp.Parameter

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, regularisation: float = 0.5
    ) -> None:
        self._state(TwoClasses.of(X, y, kernel), fit_intercept=False, regularisation=regularisation)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.C = derived(lambda: np.full(len(self), 0.5 / self.regularisation.value), len(self))

    def declare(self) -> cp.Problem:
        """State the problem."""
        penalty = 2 * self.regularisation * self.f.half_squared_norm
        return cp.Problem(cp.Minimize((penalty + cp.sum(self.losses)) / len(self)))

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value in this scaling, 2 lambda/m times that of the form with a cost."""
        return 2.0 * float(self.regularisation.value) / len(self) * certificate.primal_value

    def state_partner(self) -> LogisticDual:
        """Return the dual with the cost C = 1/(2 lambda), without b."""
        return LogisticDual._on(self.data, False, C=self.C)


class LogisticDual(_WithCost, MarginDual):
    """max -1/2 a'YKYa + sum C_i H(a_i / C_i)  s.t.  y'a = 0.

    Declared through C H(a/C) = entr(a) + entr(C - a) + C log C with entr(t) = -t log t. Variable: alpha. Multiplier of
    ``balance``: b.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the primal: C above 0, one number or one for each sample.
    """

    catalogue = "C4-dual"
    maximised = True

    def _make_variables(self) -> None:
        super()._make_variables()
        self.constant = derived(lambda: float(xlogy(self.C.value, self.C.value).sum()), nonneg=False)

    def declare(self) -> cp.Problem:
        """State the problem."""
        entropy = cp.sum(cp.entr(self.alpha) + cp.entr(self.C - self.alpha)) + self.constant
        return cp.Problem(
            cp.Maximize(entropy - half_squared_norm(self.gram, self.alpha, self.y)),
            self._labelled(balance=self.balance(self.y @ self.alpha)),
        )

    def state_partner(self) -> LogisticPrimal:
        """Return the primal."""
        return self._as(LogisticPrimal)
