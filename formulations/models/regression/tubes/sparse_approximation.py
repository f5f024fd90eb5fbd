# SPDX-License-Identifier: BSD-3-Clause
r"""Sparse approximation in the space of the kernel, by few kernel functions, of a function known at the samples.

With y_i the values of the unknown function at the samples, and a = a+ - a-::

    min  1/2 a'Ka - a'y + epsilon ||a||_1
    min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-) + epsilon 1'(a+ + a-)   s.t.  a+, a- >= 0
    min  1/2 ||f||^2   s.t.  |y_i - f(x_i)| <= epsilon, without b

The first is 1/2 ||h - sum a_i k(x_i, .)||^2 + epsilon ||a||_1 minus the constant 1/2 ||h||^2, for any h of the space
with h(x_i) = y_i. The values of the first two are equal. They are minus that of the third, the hard tube without an
intercept, whose dual they are: a_i = 0 where |y_i - f(x_i)| < epsilon. Source: Girosi (1998).
"""

from __future__ import annotations

from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling import Candidate, Dual, Multipliers, Stated, labelled, per_sample
from formulations.modelling.inputs.samples import KernelLike, SamplesLike
from formulations.models.regression.tubes.forms import TubeDual
from formulations.models.regression.tubes.hard import HardTubeModel, HardTubePrimal
from qpkernels.display import TextbookProblem

__all__ = ["SparseApproximation", "SparseApproximationL1", "SparseApproximationSplit"]


class SparseApproximationL1(Dual):
    """The l1 form, without constraints. Variable: a."""

    textbook = TextbookProblem("min  1/2 a'Ka - a'y + epsilon ||a||_1")
    model: SparseApproximation
    a = per_sample("a")

    @property
    def beta(self) -> cp.Expression:
        """The coefficients a."""
        return self.a

    def declare(self) -> cp.Problem:
        """State the problem."""
        fit = self.half_squared_norm(self.a) - self.model.y @ self.a
        return cp.Problem(cp.Minimize(fit + self.model.epsilon * cp.norm1(self.a)))

    def write(self, answer: Candidate) -> Multipliers:
        """Write a; no constraint has a multiplier."""
        self.a.value = answer.beta
        return super().write(answer)


class SparseApproximationSplit(TubeDual):
    """The split form, a quadratic program. Variables: a_plus, a_minus."""

    textbook = TextbookProblem("min  1/2 (a+ - a-)'K(a+ - a-) - y'(a+ - a-) + epsilon 1'(a+ + a-)  s.t.  a+, a- >= 0")
    model: SparseApproximation

    def declare(self) -> cp.Problem:
        """State the problem."""
        fit = self.half_squared_norm(self.beta) - self.model.y @ self.beta
        return cp.Problem(
            cp.Minimize(fit + self.model.epsilon * cp.sum(self.a_plus + self.a_minus)),
            labelled(plus=self.a_plus >= 0, minus=self.a_minus >= 0),
        )


class SparseApproximation(HardTubeModel):
    """Sparse approximation. Its primal and certificate are those of the hard tube without an intercept.

    Parameters
    ----------
    X, y, kernel
        As in :class:`~formulations.models.regression.regression_model.RegressionModel`.
    epsilon
        At least 0, in the unit of y: how far f may be from the values. Raising it leaves fewer terms.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations import SparseApproximation
    >>> from qpkernels import RBF
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> solution = SparseApproximation(X, np.sinc(X[:, 0]), RBF(gamma=0.5), epsilon=0.1).solve(tol=1e-6)
    >>> print(solution.status, f"{solution.objective:.3f}", f"{solution.n_support} of 13 coefficients are not 0")
    optimal 1.092 7 of 13 coefficients are not 0
    """

    l1, split = Stated(SparseApproximationL1), Stated(SparseApproximationSplit)
    primal = Stated(HardTubePrimal)

    def __init__(self, X: SamplesLike, y: ArrayLike, kernel: KernelLike | None = None, *, epsilon: float = 0.1) -> None:
        super().__init__(X, y, kernel, fit_intercept=False, epsilon=epsilon)
