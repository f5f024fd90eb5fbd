# SPDX-License-Identifier: BSD-3-Clause
r"""Tube regression in the scaling of statistics (D3): the mean loss, a penalty on the norm, and no intercept.

Primal, and its dual up to the factor 2 lambda/m::

    min  lambda/m ||f||^2 + 1/m sum max(0, |y_i - f(x_i)| - epsilon)
    min  1/2 (a+ - a-)'K(a+ - a-) + epsilon 1'(a+ + a-) - y'(a+ - a-)   s.t.  0 <= a+, a- <= 1/(2 lambda)

    f = sum_j (a+_j - a-_j) k(x_j, .)

It is the soft tube (D2) without b and with C = 1/(2 lambda); the value is 2 lambda/m times that one's. Source: D3 of
the catalogue.
"""

from __future__ import annotations

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.forms import PrimalForm
from formulations.hyperparameters import EPSILON, LAMBDA, derived
from formulations.lowering import Lowered
from formulations.regression.soft_tube import SoftTubeDual
from formulations.solution import Regression
from formulations.targets import Targets
from formulations.tube_forms import GivenTube
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP

__all__ = ["PenalisedTube"]


class PenalisedTube(GivenTube, PrimalForm[Regression]):
    """min lambda/m ||f||^2 + 1/m sum max(0, |y_i - f(x_i)| - epsilon). Variable: w or u; no b.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    regularisation
        lambda, above 0. Raising it makes f flatter.
    epsilon
        At least 0, in the unit of y: half the width of the tube.
    """

    catalogue = "D3"
    hyperparameters = (LAMBDA, EPSILON)
    regularisation: cp.Parameter

    def __init__(
        self,
        X: ArrayLike | Gram,
        y: ArrayLike,
        kernel: Kernel | None = None,
        *,
        regularisation: float = 0.5,
        epsilon: float = 0.1,
    ) -> None:
        data = Targets.of(X, y, kernel)
        self._state(data, fit_intercept=False, regularisation=regularisation, epsilon=epsilon)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.C = derived(lambda: np.full(len(self), 0.5 / self.regularisation.value), len(self))

    @property
    def scale(self) -> float:
        """2 lambda/m: the value here for one of the soft tube."""
        return 2.0 * float(self.regularisation.value) / len(self)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = a+ - a-: |beta_i| is at most 1/(2 lambda), and there is no balance."""
        bound = 0.5 / float(self.regularisation.value)
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-bound,
            upper=bound,
            total=None,
            epsilon=self.half_width(),
            zero_tolerance=self.objective_tolerance(),
            name="penalised tube",
        )

    def least_cost(self) -> float:
        """Return 1/(2 lambda)."""
        return 0.5 / float(self.regularisation.value)

    def declare(self) -> cp.Problem:
        """State the problem."""
        loss = cp.sum(cp.pos(cp.abs(self.y - self.g) - self.epsilon))
        penalty = 2 * self.regularisation * self.f.half_squared_norm
        return cp.Problem(cp.Minimize((penalty + loss) / len(self)))

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return the multipliers of the rows t_i >= r_i less those of t_i >= -r_i, in the soft tube's scale."""
        plus, minus = lowered.epigraphs(z, self.g)[:2]
        return np.asarray(plus - minus) / self.scale

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value in this scaling."""
        return self.scale * certificate.primal_value

    def state_partner(self) -> SoftTubeDual:
        """Return the dual of the soft tube with C = 1/(2 lambda), without b."""
        return SoftTubeDual._on(self.data, False, C=self.C, epsilon=self.epsilon)
