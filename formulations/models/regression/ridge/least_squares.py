# SPDX-License-Identifier: BSD-3-Clause
r"""Regularised least squares with an intercept: the least-squares support vector machine.

These are the problem and the linear systems that are its optimality conditions. X holds the samples as rows, xbar and
ybar are means, and Xc holds the samples minus their mean::

    primal       min  1/2 ||f||^2 + C/2 sum (f(x_i) + b - y_i)^2
    constrained  min  1/2 ||f||^2 + C/2 sum xi_i^2   s.t.  y_i - f(x_i) - b = xi_i
    system       [1, xbar'; xbar, X'X/m + I/(mC)] [b; w] = [ybar; X'y/m]                            d + 1 unknowns
    centred      (Xc'Xc + I/C) w = Xc'y,  b = ybar - <w, xbar>                                      d unknowns
    dual         max  y'c - 1/2 c'(K + I/C) c   s.t.  1'c = 0,   that is   [0, 1'; 1, K + I/C] [b; c] = [0; y]

    f = sum_j c_j k(x_j, .),   c_i = C (y_i - f(x_i) - b) = C xi_i

Primal and dual have the same optimal value. The c_i are the multipliers of the constraints, and b is that of 1'c = 0.
Every sample with a residual has a coefficient, so the solution is not sparse. For labels use LeastSquaresClassifier.
Source: Suykens and Vandewalle (1999).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Conditions, Primal, Stated, labelled
from formulations.modelling.candidate import at_coordinates
from formulations.modelling.inputs.hyperparameters import COST, derived
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.regression_model import RegressionModel, ResidualDual, ResidualPrimal
from qpkernels.arrays import Vector
from qpkernels.display import TextbookProblem
from qpkernels.problems import Certificate, KernelQP, LinearSystem

__all__ = [
    "LeastSquares",
    "LeastSquaresCentred",
    "LeastSquaresConstrained",
    "LeastSquaresDual",
    "LeastSquaresPrimal",
    "LeastSquaresSystem",
]


class LeastSquaresPrimal(Primal):
    """The primal. Variables: w or u, and b."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + C/2 sum (f(x_i) + b - y_i)^2")
    model: LeastSquares

    def declare(self) -> cp.Problem:
        """State the problem."""
        loss = self.model.C * cp.sum_squares(self.g - self.model.y) / 2
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + loss))


class LeastSquaresConstrained(ResidualPrimal):
    """With slacks. Variables: w or u, b, xi. Multipliers of ``residual``: c."""

    textbook = TextbookProblem("min  1/2 ||f||^2 + C/2 sum xi_i^2  s.t.  y_i - f(x_i) - b = xi_i")
    model: LeastSquares

    @property
    def xi(self) -> cp.Variable:
        """The slacks, which are the residuals."""
        return self.r

    def declare(self) -> cp.Problem:
        """State the problem."""
        loss = self.model.C * cp.sum_squares(self.xi) / 2
        return cp.Problem(cp.Minimize(self.f.half_squared_norm + loss), labelled(residual=self.residual))


class NormalEquations(Primal):
    """The optimality conditions in w or u, stated as equations: the problem is to satisfy them, its objective 0.

    Notes
    -----
    Arguments of the methods:

    w, b
        Weights w or coordinates u of f, shape (d,), and the intercept.
    """

    model: LeastSquares

    def at(self, w: Vector, b: float) -> Candidate:
        """Return the answer with these w or u, and b."""
        answer = at_coordinates(self.model.data, w, b, np.zeros(len(self.model)))
        qp = self.model.qp()
        return replace(answer, beta=qp.project(qp.slopes(answer.at_samples.values, answer.intercept)))

    @property
    def factor(self) -> float:
        """NaN: equations have no value."""
        return float("nan")

    def objective_of(self, certificate: Certificate) -> float:
        """Return 0: the equations hold."""
        del certificate
        return 0.0


class LeastSquaresSystem(NormalEquations):
    """The equations in b and w. Variables: w or u, and b."""

    textbook = TextbookProblem("solve  [1, xbar'; xbar, X'X/m + I/(mC)] [b; w] = [ybar; X'y/m]")

    def declare(self) -> cp.Problem:
        """State the equations."""
        X, y, w, m = self.model.data.coordinates, self.model.y, self.f.variable, len(self.model)
        mean = X.mean(axis=0)
        level = self.b + mean @ w == y.mean()
        slope = mean * self.b + (X.T @ X / m) @ w + self.model.ridge * w / m == X.T @ y / m
        return cp.Problem(cp.Minimize(0), labelled(level=level, slope=slope))

    def linear_system(self) -> LinearSystem:
        """Return the equations in (b, w)."""
        X, m = self.model.data.coordinates, len(self.model)
        augmented = np.column_stack([np.ones(m), X])
        matrix = augmented.T @ augmented / m
        matrix[np.diag_indices_from(matrix)] += np.append(0.0, np.full(X.shape[1], self.model.ridge.value / m))
        return LinearSystem(matrix, augmented.T @ self.model.y / m, name=self.name)

    def _from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read b and w from the solution."""
        del intercept
        return self.at(point[1:], float(point[0]))


class LeastSquaresCentred(NormalEquations):
    """The equations in w, for samples less their mean. Variables: w or u, and b."""

    textbook = TextbookProblem("solve  (Xc'Xc + I/C) w = Xc'y,  b = ybar - <w, xbar>")

    def declare(self) -> cp.Problem:
        """State the equations."""
        X, y, w = self.model.data.coordinates, self.model.y, self.f.variable
        centred = X - X.mean(axis=0)
        slope = (centred.T @ centred) @ w + self.model.ridge * w == centred.T @ y
        level = self.b == y.mean() - X.mean(axis=0) @ w
        return cp.Problem(cp.Minimize(0), labelled(slope=slope, level=level))

    def linear_system(self) -> LinearSystem:
        """Return the equations in w."""
        X = self.model.data.coordinates
        centred = X - X.mean(axis=0)
        matrix = centred.T @ centred
        matrix[np.diag_indices_from(matrix)] += self.model.ridge.value
        return LinearSystem(matrix, centred.T @ self.model.y, name=self.name)

    def _from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read w, and b from the means."""
        del intercept
        return self.at(point, float(self.model.y.mean() - self.model.data.coordinates.mean(axis=0) @ point))


class LeastSquaresDual(ResidualDual):
    """The dual, a linear system in m + 1 unknowns. Variable: c. Multiplier of ``balance``: b."""

    textbook = TextbookProblem("max  y'c - 1/2 c'(K + I/C) c  s.t.  1'c = 0")
    is_system = True
    model: LeastSquares

    def declare(self) -> cp.Problem:
        """State the problem."""
        curvature = self.half_squared_norm(self.c) + self.model.ridge * cp.sum_squares(self.c) / 2
        value = self.model.y @ self.c - curvature
        return cp.Problem(cp.Maximize(value), labelled(balance=self.balance(cp.sum(self.c))))


class LeastSquares(RegressionModel):
    """Regularised least squares.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    C
        Above 0: the cost of half a squared residual. Raising it makes the residuals smaller.

    Examples
    --------
    >>> from formulations import LeastSquares
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> solution = LeastSquares(X, y, C=1.0).solve()
    >>> w, b = solution.function.weights[0], solution.intercept
    >>> print(solution.status, f"{solution.objective:.3f}", f"w = {w:.3f}, b = {b:.3f}")
    optimal 0.400 w = 0.800, b = 0.300
    """

    # [0, 1'; 1, K + I/C] [b; c] = [0; y]
    entry = replace(
        RegressionModel.entry,
        parameters=(COST,),
        coefficient="beta = c",
        linear=True,
        sparse=False,
        most_points=5000,
    )
    C: cp.Parameter
    primal, constrained, dual = Stated(LeastSquaresPrimal), Stated(LeastSquaresConstrained), Stated(LeastSquaresDual)
    system, centred = Stated(LeastSquaresSystem), Stated(LeastSquaresCentred)

    def __init__(self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, C: float = 1.0) -> None:
        super().__init__(X, y, kernel, C=C)

    @cached_property
    def ridge(self) -> cp.Parameter:
        """1/C."""
        return derived(lambda: 1.0 / self.C.value)

    def qp(self) -> KernelQP:
        """State the dual in beta = c, with the ridge 1/C and without bounds."""
        return KernelQP(
            self.gram, target=self.y, lower=-np.inf, upper=np.inf, ridge=1.0 / self.value_of("C"), name="least squares"
        )

    def conditions(self, answer: Candidate) -> Conditions:
        """Return c_i - C r_i."""
        return {"c - C r": answer.beta - float(self.value_of("C")) * self.residuals(answer)}
