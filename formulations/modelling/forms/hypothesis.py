# SPDX-License-Identifier: BSD-3-Clause
"""The function f as CVXPY sees it: by coordinates in a primal form, by its norm in a dual."""

from __future__ import annotations

import numpy as np

import formulations.cvx as cp
from formulations.inputs.samples import BoundSamples
from qpkernels.arrays import Vector
from qpkernels.gram import Gram

__all__ = ["Hypothesis", "half_squared_norm"]


def half_squared_norm(gram: Gram, coefficients: cp.Expression, signs: Vector | None = None) -> cp.Expression:
    """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for coefficients c and signs s (1 where left out).

    Through explicit features where they are few, else through the dense K. That K is positive semidefinite is checked
    by the Gram matrix, so CVXPY need not test it again.
    """
    s = np.ones(len(gram)) if signs is None else signs
    if gram.features is not None:
        return 0.5 * cp.sum_squares((s[:, None] * gram.features).T @ coefficients)
    return 0.5 * cp.quad_form(coefficients, cp.psd_wrap(np.outer(s, s) * gram.dense))


class Hypothesis:
    """f in a primal form: a vector of coordinates, in which f(x_i) is linear and ||f|| the Euclidean norm.

    In explicit features the coordinates are the weights w of f(x) = <w, x>. With a kernel they are those of f in an
    orthonormal basis of the span of the functions k(x_j, .): with K = Phi Phi', f(x_i) = (Phi u)_i and ||f|| = ||u||.
    The coefficients beta of f = sum_j beta_j k(x_j, .) satisfy Phi'beta = u; solvers are not given beta itself, since
    K is nearly singular for most kernels, and beta then hardly determined.

    Attributes
    ----------
    variable
        w or u.
    """

    def __init__(self, data: BoundSamples) -> None:
        self._data = data
        self.variable = cp.Variable(data.coordinates.shape[1], name="w" if data.explicit else "u")

    @property
    def values(self) -> cp.Expression:
        """f(x_i), shape (m,)."""
        return self._data.coordinates @ self.variable

    @property
    def half_squared_norm(self) -> cp.Expression:
        """1/2 ||f||^2."""
        return 0.5 * cp.sum_squares(self.variable)

    @property
    def norm(self) -> cp.Expression:
        """||f||."""
        return cp.norm(self.variable)

    @property
    def coefficients(self) -> cp.Expression:
        """The beta of f = sum_j beta_j k(x_j, .), shape (m,), linear in u."""
        return self._data.gram.coefficients(np.eye(self.variable.size)) @ self.variable

    def assign(self, beta: Vector) -> None:
        """Give the variable the value that stands for sum_j beta_j k(x_j, .)."""
        self.variable.value = self._data.coordinates.T @ beta
