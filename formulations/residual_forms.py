# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a regression by a loss of the residuals: a constraint names them, and their multipliers are beta."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from formulations.forms import DualForm, PrimalForm
from formulations.lowering import Lowered
from formulations.regressor import Regressor
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from qpkernels.arrays import Vector

__all__ = ["ResidualDual", "ResidualPrimal"]


class ResidualPrimal(Regressor, PrimalForm[Regression]):
    """A problem in f, b and the residuals r, whose constraint ``residual`` has the multipliers beta.

    Attributes
    ----------
    r
        The residuals, a CVXPY variable of shape (m,).
    """

    r: cp.Variable

    def _make_variables(self) -> None:
        super()._make_variables()
        self.r = cp.Variable(len(self), name="r")

    @property
    def residual(self) -> cp.Constraint:
        """The definition of the residuals, y - f - b = r."""
        return self.y - self.g == self.r

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return the multipliers of the residuals."""
        del lowered, z
        return np.asarray(self.constraint("residual").dual_value)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, b and the residuals, and return their multipliers."""
        self.r.value = self.y - self.decision(candidate)
        return super().assign(candidate) | {"residual": candidate.beta}


class ResidualDual(Regressor, DualForm[Regression]):
    """A maximisation in c = beta.

    Attributes
    ----------
    c
        The coefficients, a CVXPY variable of shape (m,).
    """

    maximised = True
    c: cp.Variable

    def _make_variables(self) -> None:
        super()._make_variables()
        self.c = cp.Variable(len(self), name="c")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients c."""
        return self.c

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write c, and return b of the balance."""
        self.c.value = candidate.beta
        return super().assign(candidate)
