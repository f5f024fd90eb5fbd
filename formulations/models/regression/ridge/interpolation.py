# SPDX-License-Identifier: BSD-3-Clause
r"""Interpolation: the function of least norm that meets every target, by radial basis functions or kriging.

These are the primal, and the dual, whose optimality condition is a linear system::

    min  1/2 ||f||^2              s.t.  f(x_i) = y_i
    max  y'c - 1/2 c'Kc,          that is   K c = y

    f = sum_j c_j k(x_j, .)

It is the sparse approximation with epsilon = 0, and needs a positive definite K, so that no two samples may be equal to
the kernel. Source: Krige (1951), Micchelli (1986).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, ConeAnswer, Multipliers, Primal, Stated, labelled
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualDual
from formulations.models.regression.tubes.conflict import TubeConflict
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.errors import InfeasibleError
from qpkernels.problems import Bounds, KernelQP

__all__ = ["Interpolation", "InterpolationDual", "InterpolationPrimal"]


class InterpolationPrimal(Primal):
    """The primal. Variable: w or u. Multipliers of ``meets``: c."""

    textbook = TextbookProblem("min  1/2 ||f||^2  s.t.  f(x_i) = y_i")
    model: Interpolation

    def declare(self) -> cp.Problem:
        """State the problem."""
        meets = self.model.y - self.f.values == 0
        return cp.Problem(cp.Minimize(self.f.half_squared_norm), labelled(meets=meets))

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return c."""
        del answer, bounds
        return self.dual_of("meets")

    def write(self, answer: Candidate) -> Multipliers:
        """Write f, and return c."""
        return {**super().write(answer), "meets": answer.beta}


class InterpolationDual(ResidualDual):
    """The dual. Variable: c."""

    textbook = TextbookProblem("max  y'c - 1/2 c'Kc")
    is_system = True
    model: Interpolation

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Maximize(self.model.y @ self.c - self.half_squared_norm(self.c)))


class Interpolation(RegressionModel):
    """Interpolation.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.

    Examples
    --------
    >>> from formulations import Interpolation
    >>> from qpkernels import RBF
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> solution = Interpolation(X, y, RBF(gamma=0.5)).solve()
    >>> print(solution.status, f"{solution.objective:.3f}", solution.predict([[1.0], [1.5]]).round(3))
    optimal 0.992 [0.8   0.983]
    """

    # K c = y
    entry = replace(RegressionModel.entry, coefficient="beta = c", linear=True, sparse=False, hard=True)
    primal, dual = Stated(InterpolationPrimal), Stated(InterpolationDual)

    def __init__(self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None) -> None:
        super().__init__(X, y, kernel, fit_intercept=False)

    def qp(self) -> KernelQP:
        """State the dual in beta = c, a quadratic function without constraints."""
        return KernelQP(self.gram, self.y, -np.inf, np.inf, self.total, name="interpolation")

    def conditions(self, answer: Candidate) -> Conditions:
        """Return y_i - f(x_i)."""
        return {"y - f(x)": self.residuals(answer)}

    def conflict(self) -> TubeConflict | None:
        """Return samples, every one needed, whose targets no function meets; None if no such set is proved.

        Samples that determine a function determine its values at the others. The target that is farthest from its value
        is contradicted.
        """
        return TubeConflict.of_dependent(self.data, self.y, 0.0, has_intercept=False)

    def _contradiction(self, message: str) -> InfeasibleError | None:
        """Let the samples that determine a function decide, in exact arithmetic."""
        conflict = self.conflict()
        if conflict is None:
            return None
        return InfeasibleError(
            f"no function of this space meets every target: the kernel matrix is singular, and the targets contradict "
            f"it ({conflict}); use a ridge above 0 (KernelRidge), a tube (SparseApproximation), or another "
            f"kernel ({message}).",
            conflict.certificate,
            conflict.multipliers,
            conflict,
        )
