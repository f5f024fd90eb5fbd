# SPDX-License-Identifier: BSD-3-Clause
r"""Interpolation (F3): the function of least norm that meets every target, by radial basis functions or kriging.

Primal and dual, whose optimality condition is a linear system::

    min  1/2 ||f||^2              s.t.  f(x_i) = y_i
    max  y'c - 1/2 c'Kc,          that is   K c = y

    f = sum_j c_j k(x_j, .)

It is the sparse approximation (F1) with epsilon = 0, and needs a positive definite K: no two samples equal to the
kernel. Source: F3 of the catalogue; Krige (1951), Micchelli (1986).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.forms import PrimalForm
from formulations.hypothesis import half_squared_norm
from formulations.lowering import Lowered
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualDual
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from formulations.targets import Targets
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate
from qpkernels.errors import InfeasibleError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, LinearSystem, RidgedGram

__all__ = ["InterpolationDual", "InterpolationPrimal"]


class _Interpolation(Regressor):
    """What both forms share: the KernelQP and the linear system.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    """

    sparse = False

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None) -> None:
        self._state(Targets.of(X, y, kernel), fit_intercept=False)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = c: a quadratic without constraints."""
        return KernelQP(self.gram, target=self.y, lower=-np.inf, upper=np.inf, total=None, name="interpolation")

    def system(self) -> LinearSystem:
        """Return K c = y."""
        return LinearSystem(RidgedGram(self.gram, np.zeros(len(self))), self.y, name=self.name)

    def explain_unbounded(self, certificate: Certificate, words: str) -> Exception:
        """Explain a dual without bound: targets that no function of the space meets."""
        if self.is_extended:
            return super().explain_unbounded(certificate, words)
        return InfeasibleError(_contradiction(words), certificate, None)

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, words: str) -> Exception:
        """Explain in terms of the targets, where the constraints are the textbook's."""
        if self.is_extended:
            return super().explain_infeasible(certificate, multipliers, words)
        return InfeasibleError(_contradiction(words), certificate, multipliers)

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return y_i - f(x_i)."""
        del candidate
        return {"y - f(x)": self.y - decision}


def _contradiction(words: str) -> str:
    return (
        f"no function of this space meets every target ({words}): the kernel matrix is singular, and the targets "
        "contradict what it allows; use a ridge (KernelRidgeDual), a tube (SparseApproximation), or another kernel."
    )


class InterpolationPrimal(_Interpolation, PrimalForm[Regression]):
    """min 1/2 ||f||^2  s.t.  f(x_i) = y_i. Variable: w or u. Multipliers of ``meets``: c.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    """

    catalogue = "F3-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(self.f.half_squared_norm), self._labelled(meets=self.y - self.f.values == 0))

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return c."""
        del lowered, z
        return np.asarray(self.constraint("meets").dual_value)

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f, and return c."""
        return super().assign(candidate) | {"meets": candidate.beta}

    def state_partner(self) -> InterpolationDual:
        """Return the dual."""
        return self._as(InterpolationDual)


class InterpolationDual(_Interpolation, ResidualDual):
    """max y'c - 1/2 c'Kc. Variable: c.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    """

    catalogue = "F3"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Maximize(self.y @ self.c - half_squared_norm(self.gram, self.c)))

    def state_partner(self) -> InterpolationPrimal:
        """Return the primal."""
        return self._as(InterpolationPrimal)
