# SPDX-License-Identifier: BSD-3-Clause
r"""The soft margin (C2): the support vector machine, with a price C_i on every slack.

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

from typing import Any, Self

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.binary import BinaryClassifier
from formulations.forms import DualForm, PrimalForm
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.solution import Candidate
from formulations.statement import Multipliers
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector, finite_vector
from qpkernels.errors import NonFiniteError, ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["SoftMarginDual", "SoftMarginHinge", "SoftMarginPrimal"]


class _SoftMargin(BinaryClassifier):
    """What the three forms share: the prices C and the KernelQP.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.binary.BinaryClassifier`.
    C
        Above 0: the price of a slack, one number or one for each sample. Raising it allows fewer margin violations.

    Attributes
    ----------
    C
        The prices as a CVXPY parameter of shape (m,); :meth:`set_params` sets it.
    """

    C: cp.Parameter

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, C: ArrayLike = 1.0) -> None:
        self._bind(TwoClasses.from_arrays(X, y, kernel), C)
        self.freeze()

    def _bind(self, data: TwoClasses, C: ArrayLike | cp.Parameter = 1.0) -> None:
        super()._bind(data)
        if isinstance(C, cp.Parameter):
            self.C = C
        else:
            self.C = cp.Parameter(len(self), nonneg=True, name="C", value=_checked(C, len(self)))

    def set_params(self, *, C: ArrayLike) -> Self:
        """Set the prices, one number or one for each sample, also of the partner; the problem compiles only once."""
        self.C.value = _checked(C, len(self))
        return self

    def check_parameters(self) -> None:
        """Refuse prices that are not above 0."""
        _checked(self.C.value, len(self))

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = y * a: beta_i lies between 0 and y_i C_i."""
        prices = _checked(self.C.value, len(self))
        return KernelQP(
            self.gram,
            target=self.y,
            lower=np.where(self.y > 0, 0.0, -prices),
            upper=np.where(self.y > 0, prices, 0.0),
            total=0.0,
            name="soft margin",
        )

    def slacks(self, candidate: Candidate) -> Vector:
        """Return xi_i = max(0, 1 - y_i (f(x_i) + b))."""
        return np.maximum(0.0, 1.0 - self.margins(candidate))


def _checked(C: Any, samples: int) -> Vector:
    try:
        prices = finite_vector(C, "C", samples)
    except NonFiniteError as error:
        message = "C must be a number above 0, or one for each sample" if np.ndim(C) == 0 else str(error)
        hint = " An infinite C is the hard margin: HardMarginPrimal, HardMarginDual." if np.isinf(C).any() else ""
        raise ParameterError(f"{message}, but {C} came.{hint}" if np.ndim(C) == 0 else message + hint) from None
    if prices.min() <= 0 and np.ndim(C) == 0:
        raise ParameterError(f"C must be a number above 0, but {C} came.")
    if prices.min() <= 0:
        first = int(np.argmax(prices <= 0))
        raise ParameterError(
            f"C must be above 0 for every sample, but C[{first}] is {prices[first]:g}; leave the sample out."
        )
    return prices


class SoftMarginPrimal(_SoftMargin, PrimalForm):
    """min 1/2 ||f||^2 + sum C_i xi_i  s.t.  y_i (f(x_i) + b) >= 1 - xi_i,  xi_i >= 0.

    Variables: w (explicit features) or u (kernel), b, xi. Multipliers: a of ``margin``, C - a of ``slack``.

    Parameters
    ----------
    X, y, kernel, C
        As in the other soft margins: C above 0, one number or one for each sample.
    """

    catalogue = "C2-primal"

    def _bind(self, data: TwoClasses, C: ArrayLike | cp.Parameter = 1.0) -> None:
        super()._bind(data, C)
        self.xi = cp.Variable(len(self), name="xi")

    def declare(self) -> cp.Problem:
        """State the problem."""
        margin = cp.multiply(self.y, self.f.values + self.b) >= 1 - self.xi
        slack = self.xi >= 0
        return cp.Problem(
            cp.Minimize(self.f.half_squared_norm + self.C @ self.xi),
            [margin.set_label("margin"), slack.set_label("slack")],
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the slacks, and return the multipliers a and C - a."""
        self.xi.value = self.slacks(candidate)
        return super().assign(candidate) | {"slack": self.C.value - self.y * candidate.beta}

    def state_partner(self) -> SoftMarginDual:
        """Return the dual."""
        return SoftMarginDual._on(self.data, C=self.C)


class SoftMarginHinge(_SoftMargin, PrimalForm):
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
        hinge = cp.pos(1 - cp.multiply(self.y, self.f.values + self.b))
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.C @ hinge))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b; no constraint has a multiplier."""
        super().assign(candidate)
        return {}

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read f and b from the variables, and a from the epigraph rows t_i >= 1 - y_i (f(x_i) + b) of the hinge."""
        # The textbook's objective is reduced before whatever the user added, so its inequalities come first.
        return self.at_variables(self.y * lowered.auxiliary_multipliers(z, self.b)[: len(self)])

    def state_partner(self) -> SoftMarginDual:
        """Return the dual."""
        return SoftMarginDual._on(self.data, C=self.C)


class SoftMarginDual(_SoftMargin, DualForm):
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
        balance, lower, upper = self.y @ self.alpha == 0, self.alpha >= 0, self.alpha <= self.C
        return cp.Problem(
            cp.Minimize(half_squared_norm(self.gram, self.alpha, self.y) - cp.sum(self.alpha)),
            [balance.set_label("balance"), lower.set_label("lower"), upper.set_label("upper")],
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
        return SoftMarginPrimal._on(self.data, C=self.C)
