# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a two-class model: a primal in f and b, and a dual in the multipliers alpha."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import cvxpy as cp

from formulations.binary import BinaryClassifier
from formulations.hypothesis import Hypothesis
from formulations.lowering import Lowered
from formulations.solution import Candidate
from formulations.statement import Multipliers
from formulations.two_classes import TwoClasses
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, FunctionAtSamples
from qpkernels.expansion import Expansion

__all__ = ["DualForm", "PrimalForm"]


class PrimalForm(BinaryClassifier):
    """A problem in f and b, whose constraint ``margin`` has the multipliers alpha.

    Attributes
    ----------
    b
        The intercept, a scalar CVXPY variable.
    """

    b: cp.Variable

    def _bind(self, data: TwoClasses) -> None:
        super()._bind(data)
        self.b = cp.Variable(name="b")

    @cached_property
    def f(self) -> Hypothesis:
        """The function: values at the samples and norm, as CVXPY expressions in w or u."""
        hypothesis = Hypothesis(self.gram, self.data.explicit)
        if "_coefficients" in self.__dict__:
            hypothesis.assign(self.__dict__.pop("_coefficients"))
        return hypothesis

    def assign_function(self, beta: Vector) -> None:
        """Write f to w or u; where u would cost a factorisation that nobody asked for yet, when it is asked for."""
        if self.data.explicit or "f" in self.__dict__:
            self.f.assign(beta)
        else:
            self.__dict__["_coefficients"] = beta

    def extend(self, *constraints: cp.Constraint, objective: cp.Expression | float | None = None) -> Self:
        """Return this model with further CVXPY constraints, and a further term in its objective, on the same variables.

        See :meth:`formulations.statement.Statement.extend`.
        """
        self.f  # noqa: B018  the variable must exist to be shared
        return super().extend(*constraints, objective=objective)

    @property
    def w(self) -> cp.Variable:
        """The weights of f(x) = <w, x>, a CVXPY variable of shape (d,); only in explicit features."""
        if not self.data.explicit:
            raise AttributeError(f"with a kernel, the variable of a {self.name} is u; leave the kernel out for w.")
        return self.f.variable

    @property
    def u(self) -> cp.Variable:
        """The coordinates of f in an orthonormal basis of the span of the k(x_j, .); only with a kernel."""
        if self.data.explicit:
            raise AttributeError(f"in explicit features, the variable of a {self.name} is w; pass a kernel for u.")
        return self.f.variable

    @property
    def beta(self) -> cp.Expression:
        """The coefficients of f = sum_j beta_j k(x_j, .), shape (m,), affine in u; only with a kernel.

        Where K is singular, those samples have the coefficients that the pivots of its factor name.
        """
        if self.data.explicit:
            raise AttributeError(f"in explicit features, the variable of a {self.name} is w; pass a kernel for beta.")
        return self.f.coefficients

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read f and b from the variables, alpha from the margins."""
        del lowered, z
        return self.at_variables(self.y * self.constraint("margin").dual_value)

    def at_variables(self, beta: Vector, scale: float = 1.0) -> Candidate:
        """Return the answer whose f and b are the variables times ``scale``, with ``beta`` read elsewhere."""
        kernel, centers, coefficients = self.f.expansion()
        intercept = scale * float(self.b.value)
        at = self.f.at_samples(coefficients)
        return Candidate(
            beta,
            intercept,
            Expansion(kernel, centers, scale * coefficients, intercept, self.data.classes),
            FunctionAtSamples(scale * at.values, scale**2 * at.squared_norm),
        )

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b, and return alpha of the margins."""
        self.assign_function(candidate.beta)
        self.b.value = candidate.intercept
        return {"margin": self.y * candidate.beta}

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        if not self.data.explicit:
            self.gram.factor  # noqa: B018  a cached property


class DualForm(BinaryClassifier):
    """A problem in alpha, whose constraint ``balance`` has the multiplier b.

    Attributes
    ----------
    alpha
        The multipliers, a CVXPY variable of shape (m,); beta = y * alpha.
    """

    alpha: cp.Variable

    def _bind(self, data: TwoClasses) -> None:
        super()._bind(data)
        self.alpha = cp.Variable(len(data.gram), name="alpha")

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read alpha from the variable, b from the balance."""
        del lowered, z
        return self.candidate((self.y * self.alpha.value, self.constraint("balance").dual_value))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write alpha, and return b of the balance."""
        self.alpha.value = self.y * candidate.beta
        return {"balance": candidate.intercept}

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of the minimised dual: the negative of the certificate's."""
        return -certificate.dual_value

    def prepare(self) -> None:
        """Compute K unless its features are few."""
        if self.gram.features is None:
            self.gram.dense  # noqa: B018  a cached property
