# SPDX-License-Identifier: BSD-3-Clause
r"""Kernel ridge regression (E2): regularised least squares without an intercept.

Primal, and dual up to the factor 2 lambda/m, whose optimality condition is a linear system::

    min  lambda/m ||f||^2 + 1/m sum (y_i - f(x_i))^2
    max  y'c - 1/2 c'(K + lambda I) c,   that is   (K + lambda I) c = y

    f = sum_j c_j k(x_j, .),   c_i = (y_i - f(x_i)) / lambda

The primal's value is 2 lambda/m times the dual's. There are no support vectors. lambda is ``alpha`` of scikit-learn's
KernelRidge, and 1/C of the least squares with a cost (E1). Source: E2 of the catalogue; Saunders et al. (1998).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.forms import PrimalForm
from formulations.hyperparameters import LAMBDA
from formulations.hypothesis import half_squared_norm
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualDual
from formulations.solution import Candidate, Regression
from formulations.targets import Targets
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, LinearSystem, RidgedGram

__all__ = ["KernelRidgeDual", "KernelRidgePrimal"]


class _KernelRidge(Regressor):
    """What both forms share: lambda, the KernelQP and the linear system.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    regularisation
        lambda, above 0. Raising it makes f flatter.
    """

    hyperparameters = (LAMBDA,)
    sparse = False
    regularisation: cp.Parameter

    def __init__(
        self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, regularisation: float = 1.0
    ) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept=False, regularisation=regularisation)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = c: no bounds, no balance, the ridge lambda."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-np.inf,
            upper=np.inf,
            total=None,
            ridge=float(self.regularisation.value),
            name="kernel ridge",
        )

    def system(self) -> LinearSystem:
        """Return (K + lambda I) c = y."""
        ridge = np.full(len(self), float(self.regularisation.value))
        return LinearSystem(RidgedGram(self.gram, ridge), self.y, name=self.name)

    _estimator = "KernelRidge"

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return lambda c_i - r_i."""
        return {"lambda c - r": float(self.regularisation.value) * candidate.beta - (self.y - decision)}


class KernelRidgePrimal(_KernelRidge, PrimalForm[Regression]):
    """min lambda/m ||f||^2 + 1/m sum (y_i - f(x_i))^2. Variable: w (explicit features) or u (kernel).

    Parameters
    ----------
    X, y, kernel, regularisation
        As in the other form: lambda above 0.
    """

    catalogue = "E2"

    def declare(self) -> cp.Problem:
        """State the problem."""
        penalty = 2 * self.regularisation * self.f.half_squared_norm
        return cp.Problem(cp.Minimize((penalty + cp.sum_squares(self.y - self.g)) / len(self)))

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value in this scaling, 2 lambda/m times that of the dual."""
        return 2.0 * float(self.regularisation.value) / len(self) * certificate.primal_value

    def state_partner(self) -> KernelRidgeDual:
        """Return the dual."""
        return self._as(KernelRidgeDual)


class KernelRidgeDual(_KernelRidge, ResidualDual):
    """max y'c - 1/2 c'(K + lambda I) c. Variable: c.

    Parameters
    ----------
    X, y, kernel, regularisation
        As in the other form: lambda above 0.
    """

    catalogue = "E2-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        curvature = half_squared_norm(self.gram, self.c) + self.regularisation * cp.sum_squares(self.c) / 2
        return cp.Problem(cp.Maximize(self.y @ self.c - curvature))

    def state_partner(self) -> KernelRidgePrimal:
        """Return the primal."""
        return self._as(KernelRidgePrimal)
