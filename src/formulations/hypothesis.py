# SPDX-License-Identifier: BSD-3-Clause
"""The function f of a primal form as CVXPY sees it: weights in explicit features, or coefficients in the RKHS."""

from __future__ import annotations

from abc import ABC, abstractmethod

import cvxpy as cp
import numpy as np

from qpkernels.arrays import Vector, frozen
from qpkernels.certificates import FunctionAtSamples
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Linear, Samples

__all__ = ["Coefficients", "Hypothesis", "Weights", "half_squared_norm"]


def half_squared_norm(gram: Gram, coefficients: cp.Variable, signs: Vector | None = None) -> cp.Expression:
    """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for the variable c and signs s (all +1 when left out).

    Through explicit features where they are few, else through the dense K. That K is positive semidefinite is settled
    by the Gram matrix, so CVXPY need not test it again.
    """
    s = np.ones(len(gram)) if signs is None else signs
    if gram.features is not None:
        return 0.5 * cp.sum_squares((s[:, None] * gram.features).T @ coefficients)
    K = gram.dense if signs is None else np.outer(s, s) * gram.dense
    return 0.5 * cp.quad_form(coefficients, cp.psd_wrap(K))


class Hypothesis(ABC):
    """f in a primal form: a variable, the values f(x_i), and the norm of f, all as CVXPY expressions."""

    variable: cp.Variable

    @property
    @abstractmethod
    def values(self) -> cp.Expression:
        """f(x_i), shape (m,), affine in the variable."""

    @property
    @abstractmethod
    def half_squared_norm(self) -> cp.Expression:
        """1/2 ||f||^2."""

    @property
    @abstractmethod
    def norm(self) -> cp.Expression:
        """||f||."""

    @abstractmethod
    def assign(self, beta: Vector) -> None:
        """Give the variable the value that stands for sum_j beta_j k(x_j, .)."""

    @abstractmethod
    def expansion(self) -> tuple[Kernel, Samples, Vector]:
        """Return kernel, centers and coefficients of f at the variable's value."""

    @abstractmethod
    def at_samples(self) -> FunctionAtSamples:
        """Return f(x_i) and ||f||^2 at the variable's value, computed without CVXPY."""


class Weights(Hypothesis):
    """f(x) = <w, x> with w in R^d."""

    def __init__(self, gram: Gram) -> None:
        self._X = gram.X
        self.variable = cp.Variable(gram.X.shape[1], name="w")

    @property
    def values(self) -> cp.Expression:
        return self._X @ self.variable

    @property
    def half_squared_norm(self) -> cp.Expression:
        return 0.5 * cp.sum_squares(self.variable)

    @property
    def norm(self) -> cp.Expression:
        return cp.norm(self.variable)

    def assign(self, beta: Vector) -> None:
        self.variable.value = self._X.T @ beta

    def expansion(self) -> tuple[Kernel, Samples, Vector]:
        return Linear(), self.variable.value[None, :], np.ones(1)

    def at_samples(self) -> FunctionAtSamples:
        w = self.variable.value
        return FunctionAtSamples(self._X @ w, float(w @ w))


class Coefficients(Hypothesis):
    """f(x) = sum_j beta_j k(x_j, x) with beta in R^m (the RKHS form)."""

    def __init__(self, gram: Gram) -> None:
        self._gram = gram
        self.variable = cp.Variable(len(gram), name="beta")

    @property
    def values(self) -> cp.Expression:
        return self._gram.dense @ self.variable

    @property
    def half_squared_norm(self) -> cp.Expression:
        return half_squared_norm(self._gram, self.variable)

    @property
    def norm(self) -> cp.Expression:
        return cp.norm(self._gram.factor.T @ self.variable)

    def assign(self, beta: Vector) -> None:
        self.variable.value = beta

    def expansion(self) -> tuple[Kernel, Samples, Vector]:
        return self._gram.kernel, self._gram.X, frozen(self.variable.value.copy())

    def at_samples(self) -> FunctionAtSamples:
        beta = self.variable.value
        values = self._gram.product(beta)
        return FunctionAtSamples(values, float(beta @ values))
