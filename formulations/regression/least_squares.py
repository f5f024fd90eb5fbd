# SPDX-License-Identifier: BSD-3-Clause
r"""Regularised least squares with an intercept (E1): the least-squares support vector machine.

The problem, and the linear systems that are its optimality conditions; X holds the samples as rows, xbar and ybar are
means, and Xc the samples less their mean::

    primal   min  1/2 ||f||^2 + C/2 sum (f(x_i) + b - y_i)^2
    system   [1, xbar'; xbar, X'X/m + I/(mC)] [b; w] = [ybar; X'y/m]                            d + 1 unknowns
    centred  (Xc'Xc + I/C) w = Xc'y,  b = ybar - <w, xbar>                                      d unknowns
    dual     max  y'c - 1/2 c'(K + I/C) c   s.t.  1'c = 0,   that is   [0, 1'; 1, K + I/C] [b; c] = [0; y]

    f = sum_j c_j k(x_j, .),   c_i = C (y_i - f(x_i) - b)

Primal and dual have the same optimal value, and b is the multiplier of 1'c = 0. Every sample with a residual carries
the answer: there are no support vectors. With y = +-1 it is a classifier (predict by the sign). Source: E1 of the
catalogue; Suykens and Vandewalle (1999).
"""

from __future__ import annotations

from collections.abc import Mapping

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike

from formulations.forms import PrimalForm
from formulations.hyperparameters import COST, derived
from formulations.hypothesis import half_squared_norm
from formulations.regressor import Regressor
from formulations.residual_forms import ResidualDual
from formulations.solution import Candidate, Regression
from formulations.statement import Multipliers
from formulations.targets import Targets
from qpkernels.arrays import Matrix, Vector
from qpkernels.certificates import Certificate
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel
from qpkernels.programs import KernelQP, LinearSystem, RidgedGram

__all__ = ["LeastSquaresCentred", "LeastSquaresDual", "LeastSquaresPrimal", "LeastSquaresSystem"]


class _LeastSquares(Regressor):
    """What all forms share: C and the KernelQP.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.regressor.Regressor`.
    C
        Above 0: the cost of half a squared residual. Raising it makes the residuals smaller.
    """

    hyperparameters = (COST,)
    sparse = False
    C: cp.Parameter

    def __init__(self, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None = None, *, C: float = 1.0) -> None:
        self._state(Targets.of(X, y, kernel), C=C)

    def _make_variables(self) -> None:
        super()._make_variables()
        self.ridge = derived(lambda: 1.0 / self.C.value)

    def textbook_qp(self) -> KernelQP:
        """Return the dual in beta = c: no bounds, the ridge 1/C."""
        return KernelQP(
            self.gram,
            target=self.y,
            lower=-np.inf,
            upper=np.inf,
            ridge=self.ridge.value,
            name="least squares",
            zero_tolerance=0.5 * float(self.C.value) * len(self) * self.zero_tolerance() ** 2,
        )

    def conditions(self, candidate: Candidate, decision: Vector) -> Mapping[str, Vector]:
        """Return c_i - C r_i."""
        return {"c - C r": candidate.beta - float(self.C.value) * (self.y - decision)}


class LeastSquaresPrimal(_LeastSquares, PrimalForm[Regression]):
    """min 1/2 ||f||^2 + C/2 sum (f(x_i) + b - y_i)^2. Variables: w (explicit features) or u (kernel), and b.

    Parameters
    ----------
    X, y, kernel, C
        As in the other forms: C above 0.
    """

    catalogue = "E1-primal"

    def declare(self) -> cp.Problem:
        """State the problem."""
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + self.C * cp.sum_squares(self.g - self.y) / 2))

    def state_partner(self) -> LeastSquaresDual:
        """Return the dual."""
        return self._as(LeastSquaresDual)


class _NormalEquations(_LeastSquares, PrimalForm[Regression]):
    """The optimality conditions in w, stated as equations: the problem is to satisfy them, its objective 0."""

    def coordinates(self) -> Matrix:
        """Return the features of the samples, or their coordinates in the space of the kernel, one sample a row."""
        return self.gram.X if self.data.explicit else self.gram.factor

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Write w and b, and read the answer from them."""
        self.f.variable.value = point
        self.b.value = intercept
        program = self.textbook_qp()
        return self.at_variables(program.slopes(np.asarray(self.g.value)))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write w and b, where they are not there yet; equations without an objective have no multipliers."""
        if candidate.at_samples is None:
            super().assign(candidate)
        return {}

    def objective_of(self, certificate: Certificate) -> float:
        """Return 0: the equations hold."""
        del certificate
        return 0.0

    def state_partner(self) -> LeastSquaresDual:
        """Return the dual."""
        return self._as(LeastSquaresDual)


class LeastSquaresSystem(_NormalEquations):
    """[1, xbar'; xbar, X'X/m + I/(mC)] [b; w] = [ybar; X'y/m]. Variables: w or u, and b.

    Parameters
    ----------
    X, y, kernel, C
        As in the other forms: C above 0.
    """

    catalogue = "E1-system"

    def declare(self) -> cp.Problem:
        """State the equations."""
        X, w, m = self.coordinates(), self.f.variable, len(self)
        mean = X.mean(axis=0)
        level = self.b + mean @ w == self.y.mean()
        slope = mean * self.b + (X.T @ X / m) @ w + self.ridge * w / m == X.T @ self.y / m
        return cp.Problem(cp.Minimize(0), self._labelled(level=level, slope=slope))

    def system(self) -> LinearSystem:
        """Return the equations in (b, w)."""
        X, m = self.coordinates(), len(self)
        augmented = np.column_stack([np.ones(m), X])
        matrix = augmented.T @ augmented / m
        matrix[np.diag_indices_from(matrix)] += np.append(0.0, np.full(X.shape[1], float(self.ridge.value) / m))
        return LinearSystem(matrix, augmented.T @ self.y / m, name=self.name)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read b and w from the solution."""
        del intercept
        return super().from_system(point[1:], float(point[0]))


class LeastSquaresCentred(_NormalEquations):
    """(Xc'Xc + I/C) w = Xc'y,  b = ybar - <w, xbar>. Variables: w or u, and b.

    Parameters
    ----------
    X, y, kernel, C
        As in the other forms: C above 0.
    """

    catalogue = "E1-centred"

    def declare(self) -> cp.Problem:
        """State the equations."""
        X, w = self.coordinates(), self.f.variable
        centred = X - X.mean(axis=0)
        slope = (centred.T @ centred) @ w + self.ridge * w == centred.T @ self.y
        level = self.b == self.y.mean() - X.mean(axis=0) @ w
        return cp.Problem(cp.Minimize(0), self._labelled(slope=slope, level=level))

    def system(self) -> LinearSystem:
        """Return the equations in w."""
        X = self.coordinates()
        centred = X - X.mean(axis=0)
        matrix = centred.T @ centred
        matrix[np.diag_indices_from(matrix)] += float(self.ridge.value)
        return LinearSystem(matrix, centred.T @ self.y, name=self.name)

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read w, and b from the means."""
        del intercept
        return super().from_system(point, float(self.y.mean() - self.coordinates().mean(axis=0) @ point))


class LeastSquaresDual(_LeastSquares, ResidualDual):
    """max y'c - 1/2 c'(K + I/C) c  s.t.  1'c = 0: a linear system in m + 1 unknowns.

    Variable: c. Multiplier of ``balance``: b.

    Parameters
    ----------
    X, y, kernel, C
        As in the other forms: C above 0.
    """

    catalogue = "E1-dual"

    def declare(self) -> cp.Problem:
        """State the problem."""
        curvature = half_squared_norm(self.gram, self.c) + self.ridge * cp.sum_squares(self.c) / 2
        return cp.Problem(
            cp.Maximize(self.y @ self.c - curvature), self._labelled(balance=self.balance(cp.sum(self.c)))
        )

    def system(self) -> LinearSystem:
        """Return [0, 1'; 1, K + I/C] [b; c] = [0; y]."""
        matrix = RidgedGram(self.gram, np.full(len(self), float(self.ridge.value)))
        return LinearSystem(matrix, self.y, bordered=True, name=self.name)

    def state_partner(self) -> LeastSquaresPrimal:
        """Return the primal."""
        return self._as(LeastSquaresPrimal)
