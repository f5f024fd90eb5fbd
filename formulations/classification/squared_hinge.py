# SPDX-License-Identifier: BSD-3-Clause
r"""The squared hinge (C7): the soft margin with a cost C_i on the square of every slack (L2-SVM).

Primal and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 + sum C_i xi_i^2                        s.t.  y_i (f(x_i) + b) >= 1 - xi_i
    min  1/2 a'YKYa + sum a_i^2 / (4 C_i) - 1'a              s.t.  y'a = 0,  a >= 0

    f = sum_j a_j y_j k(x_j, .),   a_i = 2 C_i xi_i,   a_i (y_i (f(x_i) + b) - 1 + xi_i) = 0

It is the hard margin with 1 / (2 C_i) added to the diagonal of K, so it always has an answer. The value of the
minimised dual is the negative of the primal's, and b is the multiplier of y'a = 0. LIBLINEAR's L2-loss has the same
scaling of C. Source: C7 of the catalogue; Cortes and Vapnik (1995).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.binary import BinaryClassifier
from formulations.hyperparameters import MARGIN_COSTS, derived
from formulations.hypothesis import half_squared_norm
from formulations.margin_forms import MarginDual, MarginPrimal
from formulations.solution import Candidate
from formulations.statement import Multipliers
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["SquaredHingeDual", "SquaredHingePrimal"]


class _SquaredHinge(BinaryClassifier):
    """What both forms share: the costs C and the KernelQP.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.binary.BinaryClassifier`.
    C
        Above 0: the cost of a squared slack, one number or one for each sample.
    """

    hyperparameters = (MARGIN_COSTS,)
    C: cp.Parameter

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

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = y * a: the hard margin with the ridge 1 / (2 C_i)."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=np.where(self.y > 0, 0.0, -np.inf),
            upper=np.where(self.y > 0, np.inf, 0.0),
            total=self._total,
            ridge=0.5 / self.C.value,
            name="squared hinge",
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i (y_i g(x_i) - 1 + xi_i) and a_i - 2 C_i xi_i."""
        slacks = np.maximum(0.0, 1.0 - self.y * decision)
        slopes = {"a - 2 C xi": self.y * candidate.beta - 2.0 * self.C.value * slacks}
        return {**super().conditions(candidate, decision), **slopes}


class SquaredHingePrimal(_SquaredHinge, MarginPrimal):
    """min 1/2 ||f||^2 + sum C_i xi_i^2  s.t.  y_i (f(x_i) + b) >= 1 - xi_i.

    Variables: w (explicit features) or u (kernel), b, xi. Multipliers of ``margin``: a.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the other form: C above 0, one number or one for each sample.
    """

    catalogue = "C7-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.xi = cp.Variable(len(self), name="xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.g) >= 1 - self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + self.C @ cp.square(self.xi)), self._labelled(margin=margin)
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return the multipliers a."""
        self.xi.value = self.slacks(candidate)
        return super().assign(candidate)

    def state_partner(self) -> SquaredHingeDual:
        """Return the dual."""
        return self._as(SquaredHingeDual)


class SquaredHingeDual(_SquaredHinge, MarginDual):
    """min 1/2 a'YKYa + sum a_i^2 / (4 C_i) - 1'a  s.t.  y'a = 0,  a >= 0.

    Variable: alpha. Multiplier of ``balance``: b.

    Parameters
    ----------
    X, y, kernel, C, fit_intercept
        As in the other form: C above 0, one number or one for each sample.
    """

    catalogue = "C7-dual"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.ridge = derived(lambda: 0.5 / self.C.value, len(self))

    def declare(self) -> cp.Problem:
        """State the problem."""
        curvature = half_squared_norm(self.gram, self.alpha, self.y) + self.ridge @ cp.square(self.alpha) / 2
        return cp.Problem(
            cp.Minimize(curvature - cp.sum(self.alpha)),
            self._labelled(balance=self.balance(self.y @ self.alpha), nonnegative=self.alpha >= 0),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers max(0, y_i (f(x_i) + b) - 1) of a >= 0."""
        return super().assign(candidate) | {"nonnegative": np.maximum(self.margins(candidate) - 1.0, 0.0)}

    def state_partner(self) -> SquaredHingePrimal:
        """Return the primal."""
        return self._as(SquaredHingePrimal)
