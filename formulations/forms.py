# SPDX-License-Identifier: BSD-3-Clause
"""The two sides of a kernel machine: a primal in f and b, and a dual in the coefficients."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Self

import cvxpy as cp
import numpy as np

from formulations.base import Answered
from formulations.hypothesis import Hypothesis
from formulations.lowering import Lowered
from formulations.machine import KernelMachine
from formulations.solution import Candidate
from formulations.statement import Multipliers
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, FunctionAtSamples

__all__ = ["DualForm", "PrimalForm"]


class PrimalForm(KernelMachine[Answered]):
    """A problem in f and b.

    Attributes
    ----------
    b
        The intercept, a scalar CVXPY variable; the constant 0 in a model without.
    """

    b: cp.Variable | cp.Constant

    def _make_variables(self) -> None:
        super()._make_variables()
        self.b = cp.Variable(name="b") if self.fit_intercept else cp.Constant(0.0)

    @cached_property
    def f(self) -> Hypothesis:
        """The function: values at the samples and norm, as CVXPY expressions in w or u."""
        hypothesis = Hypothesis(self.gram, self.data.explicit)
        if "_coefficients" in self.__dict__:
            hypothesis.assign(self.__dict__.pop("_coefficients"))
        return hypothesis

    @property
    def g(self) -> cp.Expression:
        """The decision values f(x_i) + b, shape (m,)."""
        return self.f.values + self.b

    def assign_function(self, beta: Vector) -> None:
        """Write f to w or u; where u would cost a factorisation that nobody asked for yet, when it is asked for."""
        if self.data.explicit or "f" in self.__dict__:
            self.f.assign(beta)
        else:
            self.__dict__["_coefficients"] = beta

    def assign_intercept(self, intercept: float) -> None:
        """Write b, where the model has one."""
        if self.fit_intercept:
            self.b.value = intercept

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
            raise AttributeError(
                f"with a kernel, or sparse samples, the variable of a {self.name} is u; of dense samples, "
                "leave the kernel out for w."
            )
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

    def read_beta(self, lowered: Lowered, z: Vector) -> Vector:
        """Return the signed multipliers of the samples of the solved problem.

        Where the model is a KernelQP with a smooth loss, they are the slopes of the loss at g, shifted to the sum that
        the intercept demands.
        """
        del lowered, z
        program = self.textbook_qp()
        if program is None:
            raise NotImplementedError(f"a {self.name} that is no KernelQP must say where its multipliers are")
        return program.project(program.slopes(np.asarray(self.g.value)))

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read f and b from the variables, beta from the multipliers."""
        return self.at_variables(self.read_beta(lowered, z))

    def at_variables(self, beta: Vector, scale: float = 1.0) -> Candidate:
        """Return the answer whose f and b are the variables times ``scale``, with ``beta`` read elsewhere."""
        intercept = scale * float(self.b.value)
        centers, coefficients = self.f.expansion()
        at = self.f.at_samples(coefficients)
        if self.data.explicit:
            function = self._function(centers, scale * coefficients, intercept)
        elif self.gram.correction is not None and self.gram.correction.shift:
            # The shifted matrix is singular, and what its factor leaves open shows in the kernel as it is.
            function = self._function(centers, beta, intercept)
        else:
            function = self._function(centers, scale * self.gram.expansion_coefficients(coefficients), intercept)
        return Candidate(beta, intercept, function, FunctionAtSamples(scale * at.values, scale**2 * at.squared_norm))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write f and b; the forms add the multipliers of their constraints."""
        self.assign_function(candidate.beta)
        self.assign_intercept(candidate.intercept)
        return {}

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        if not self.data.explicit:
            self.gram.factor  # noqa: B018  a cached property


class DualForm(KernelMachine[Answered]):
    """A problem in the coefficients, whose constraint ``balance`` has the multiplier b; without b it is absent."""

    maximised: ClassVar[bool] = False
    """Whether the textbook maximises."""

    @property
    @abstractmethod
    def beta(self) -> cp.Expression:
        """The signed coefficients of f = sum_j beta_j k(x_j, .), shape (m,), affine in the variables."""

    def balance(self, amount: cp.Expression) -> cp.Constraint | None:
        """Return the equation that the free intercept implies, amount = 0; None in a model without."""
        return amount == 0 if self.fit_intercept else None

    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read beta from the variables, b from the balance."""
        del lowered, z
        b: Any = self.constraint("balance").dual_value if self.fit_intercept else 0.0
        return self.candidate((np.asarray(self.beta.value), float(b)))

    def assign(self, candidate: Candidate) -> Multipliers:
        """Return b of the balance; the forms write their variables."""
        return {"balance": candidate.intercept} if self.fit_intercept else {}

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of the dual: the certificate's, or its negative where the textbook minimises."""
        return certificate.dual_value if self.maximised else -certificate.dual_value

    def prepare(self) -> None:
        """Compute K unless its features are few."""
        if self.gram.features is None:
            self.gram.dense  # noqa: B018  formed when first asked for
