# SPDX-License-Identifier: BSD-3-Clause
r"""The soft margin (C2): the support vector machine, with a cost C_i on every slack.

Primal (with slacks, and without constraints) and dual, with their Karush-Kuhn-Tucker conditions::

    min  1/2 ||f||^2 + sum C_i xi_i                          s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  xi_i >= 0
    min  1/2 ||f||^2 + sum C_i max(0, 1 - y_i (f(x_i) + b))
    min  1/2 a'YKYa - 1'a                                    s.t.  y'a = 0,  0 <= a_i <= C_i

    f = sum_j a_j y_j k(x_j, .),   a_i (y_i (f(x_i) + b) - 1 + xi_i) = 0,   (C_i - a_i) xi_i = 0

The value of the minimised dual is the negative of the primal's, and b is the multiplier of y'a = 0 in the sign of
CVXPY's minimisation. With lambda = 1/(2C) the hinge form is C times (sum of hinge losses + lambda ||f||^2). Source: C2
of the catalogue; Cortes and Vapnik (1995).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.binary import BinaryClassifier
from formulations.hyperparameters import MARGIN_COSTS
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.margin_forms import MarginDual, MarginPrimal
from formulations.solution import Candidate
from formulations.statement import Multipliers
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["SoftMarginDual", "SoftMarginHinge", "SoftMarginPrimal"]


class _SoftMargin(BinaryClassifier):
    """What the three forms share: the costs C and the KernelQP.

    Parameters
    ----------
    X, y, kernel, fit_intercept
        As in :class:`~formulations.binary.BinaryClassifier`.
    C
        Above 0: the cost of a slack, one number or one for each sample. Raising it allows fewer margin violations.

    Attributes
    ----------
    C
        The costs as a CVXPY parameter of shape (m,); :meth:`set_params` sets it.
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
        """Return the dual in beta = y * a: beta_i lies between 0 and y_i C_i."""
        costs = self.C.value
        return KernelQP(
            self.gram,
            target=self.y,
            lower=np.where(self.y > 0, 0.0, -costs),
            upper=np.where(self.y > 0, costs, 0.0),
            total=self._total,
            name="soft margin",
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return a_i (y_i g(x_i) - 1 + xi_i) and (C_i - a_i) xi_i."""
        slacks = np.maximum(0.0, 1.0 - self.y * decision)
        return {
            **super().conditions(candidate, decision),
            "(C - a) xi": (self.C.value - self.y * candidate.beta) * slacks,
        }


class SoftMarginPrimal(_SoftMargin, MarginPrimal):
    """min 1/2 ||f||^2 + sum C_i xi_i  s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  xi_i >= 0.

    Variables: w (explicit features) or u (kernel), b, xi. Multipliers: a of ``margin``, C - a of ``slack``.

    Parameters
    ----------
    X, y, kernel, C
        As in the other soft margins: C above 0, one number or one for each sample.
    """

    catalogue = "C2-primal"

    def _make_variables(self) -> None:
        super()._make_variables()
        self.xi = cp.Variable(len(self), name="xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.g) >= 1 - self.xi
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + self.C @ self.xi), self._labelled(margin=margin, slack=self.xi >= 0)
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return the multipliers a and C - a."""
        self.xi.value = self.slacks(candidate)
        return super().assign(candidate) | {"slack": self.C.value - self.y * candidate.beta}

    def state_partner(self) -> SoftMarginDual:
        """Return the dual."""
        return self._as(SoftMarginDual)


class SoftMarginHinge(_SoftMargin, MarginPrimal):
    """min 1/2 ||f||^2 + sum C_i max(0, 1 - y_i (f(x_i) + b)).

    Variables: w (explicit features) or u (kernel), and b.

    Parameters
    ----------
    X, y, kernel, C
        As in the other soft margins: C above 0, one number or one for each sample.
    """

    catalogue = "C2-hinge"

    def declare(self) -> cp.Problem:
        """State the problem."""
        hinge = cp.pos(1 - cp.multiply(self.y, self.g))
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.C @ hinge))

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return the multipliers of the epigraph rows t_i >= 1 - y_i (f(x_i) + b) of the hinge."""
        return np.asarray(self.y * lowered.epigraphs(z, self.g)[0])

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b; no constraint has a multiplier."""
        super().assign(candidate)
        return {}

    def state_partner(self) -> SoftMarginDual:
        """Return the dual."""
        return self._as(SoftMarginDual)


class SoftMarginDual(_SoftMargin, MarginDual):
    """min 1/2 a'YKYa - 1'a  s.t.  y'a = 0,  0 <= a_i <= C_i.

    Variable: alpha. Multipliers: b of ``balance``, xi of ``upper``.

    Parameters
    ----------
    X, y, kernel, C
        As in the other soft margins: C above 0, one number or one for each sample.
    """

    catalogue = "C2-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        balance, lower, upper = self.balance(self.y @ self.alpha), self.alpha >= 0, self.alpha <= self.C
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.alpha, self.y) - cp.sum(self.alpha)),
            self._labelled(balance=balance, lower=lower, upper=upper),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write a, and return b and the multipliers of both bounds: max(0, margin - 1) and the slacks."""
        bounds: Multipliers = {
            "lower": np.maximum(self.margins(candidate) - 1.0, 0.0),
            "upper": self.slacks(candidate),
        }
        return super().assign(candidate) | bounds

    def state_partner(self) -> SoftMarginPrimal:
        """Return the primal, with slacks."""
        return self._as(SoftMarginPrimal)
