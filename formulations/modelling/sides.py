# SPDX-License-Identifier: BSD-3-Clause
"""The two kinds of form: a primal in f and b, and a dual in the coefficients of f."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np

import formulations.modelling.cvx as cp
from formulations.modelling.candidate import Candidate, at_coordinates, expand
from formulations.modelling.declaring import intercept
from formulations.modelling.form import Form
from formulations.modelling.inputs.samples import BoundSamples
from formulations.modelling.lowering import ConeAnswer, Structure
from formulations.modelling.statement import Multipliers
from qpkernels.arrays import Vector
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, ConeProgram, KernelQPBounds
from qpkernels.problems.cone_program.elimination import optimality_system

__all__ = [
    "Dual",
    "Hypothesis",
    "Primal",
    "half_squared_norm",
]


def half_squared_norm(gram: Gram, coefficients: cp.Expression, signs: Vector | None = None) -> cp.Expression:
    """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for coefficients c and signs s (1 where left out).

    Through explicit features where they are few, else through the dense K. That K is positive semidefinite is checked
    by the Gram matrix, so CVXPY need not test it again.
    """
    s = np.ones(len(gram)) if signs is None else signs
    if gram.features is not None:
        return 0.5 * cp.sum_squares((s[:, None] * gram.features).T @ coefficients)
    K = s[:, None] * gram.dense
    K *= s
    return 0.5 * cp.quad_form(coefficients, cp.psd_wrap(K))


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


class Primal(Form):
    """A problem in f and b, which reads beta from its multipliers.

    Notes
    -----
    Arguments of the methods:

    beta
        Coefficients, shape (m,).
    scale
        A factor of f and b.
    """

    b = intercept()

    @cached_property
    def f(self) -> Hypothesis:
        """The function: values at the samples and norm, as CVXPY expressions in w or u."""
        return Hypothesis(self.model.data)

    @property
    def g(self) -> cp.Expression:
        """The decision values f(x_i) + b, shape (m,)."""
        return self.f.values + self.b

    @property
    def w(self) -> cp.Variable:
        """The weights of f(x) = <w, x>, a CVXPY variable of shape (d,); only in explicit features."""
        if not self.model.data.explicit:
            raise AttributeError(
                f"with a kernel, or sparse samples, the variable of a {self.name} is u; of dense samples, "
                "leave the kernel out for w."
            )
        return self.f.variable

    @property
    def u(self) -> cp.Variable:
        """The coordinates of f in an orthonormal basis of the span of the k(x_j, .); only with a kernel."""
        if self.model.data.explicit:
            raise AttributeError(f"in explicit features, the variable of a {self.name} is w; pass a kernel for u.")
        return self.f.variable

    @property
    def beta(self) -> cp.Expression:
        """The coefficients of f = sum_j beta_j k(x_j, .), shape (m,), affine in u; only with a kernel.

        Where K is singular, those samples have the coefficients that the pivots of its factor name.
        """
        if self.model.data.explicit:
            raise AttributeError(f"in explicit features, the variable of a {self.name} is w; pass a kernel for beta.")
        return self.f.coefficients

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the signed multipliers of the samples, of the solved problem.

        Where no constraint has them, and the model is a KernelQP with a smooth loss, they are the slopes of the loss at
        g, shifted to the sum that the intercept demands.

        Parameters
        ----------
        answer, bounds
            As in :meth:`formulations.modelling.form.Form.read`.
        """
        del answer
        assert isinstance(bounds, KernelQPBounds), f"a {self.name} must say where its multipliers are"
        return bounds.program.project(bounds.program.slopes(np.asarray(self.f.values.value), float(self.b.value)))

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read f and b from the variables, beta from the multipliers."""
        return self.at_variables(self.read_beta(answer, bounds))

    def at_variables(self, beta: Vector, scale: float = 1.0) -> Candidate:
        """Return the answer whose f and b are the variables times ``scale``, with ``beta`` read elsewhere."""
        model = self.model
        coordinates = scale * np.asarray(self.f.variable.value)
        intercept = scale * float(self.b.value)
        return at_coordinates(model.data, coordinates, intercept, beta, model.classes, expands=model.entry.expands)

    def write(self, answer: Candidate) -> Multipliers:
        """Write f and b; the forms add the multipliers of their constraints."""
        if answer.coordinates is None:
            self.f.assign(answer.beta if answer.coefficients is None else answer.coefficients)
        else:
            self.f.variable.value = answer.coordinates
        if self.model.fit_intercept:
            self.b.value = answer.intercept
        return {}

    def prepare(self) -> None:
        """Factor K unless f has weights."""
        self.model.data.coordinates  # noqa: B018  a cached factor


class Dual(Form):
    """A problem in the coefficients of f, whose constraint ``balance`` has the multiplier b; without b it is absent.

    Notes
    -----
    Arguments of the methods:

    amount
        The sum that the intercept wants to be 0.
    coefficients, signs
        Affine in the variables, shape (m,), and a sign for each; None: 1.
    """

    by_samples: ClassVar[bool] = True
    is_dual: ClassVar[bool] = True

    maximised: ClassVar[bool] = False
    """Whether the textbook maximises."""

    is_system: ClassVar[bool] = False
    """Whether its constraints are equations, so that the textbook solves it as the linear system of its conditions."""

    @property
    def factor(self) -> float:
        """1, or -1 where the textbook minimises."""
        return 1.0 if self.maximised else -1.0

    @property
    @abstractmethod
    def beta(self) -> cp.Expression:
        """The signed coefficients of f = sum_j beta_j k(x_j, .), shape (m,), affine in the variables."""

    def half_squared_norm(self, coefficients: cp.Expression, signs: Vector | None = None) -> cp.Expression:
        """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for coefficients c and signs s (1 where left out)."""
        return half_squared_norm(self.model.gram, coefficients, signs)

    def balance(self, amount: cp.Expression) -> cp.Constraint | None:
        """Return the equation that the free intercept implies, amount = 0; None in a model without."""
        return amount == 0 if self.model.fit_intercept else None

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read beta from the variables, b from the balance."""
        del answer
        beta, b = np.asarray(self.beta.value), self.multiplier_of_balance()
        return expand(self.model.gram, beta, b, self.model.classes, bounds=bounds)

    def write(self, answer: Candidate) -> Multipliers:
        """Return b of the balance; the forms write their variables."""
        return {"balance": answer.intercept} if self.model.fit_intercept else {}

    def matrices(self, structure: Structure = "textbook") -> ConeProgram:
        """Return the problem in matrices, or the linear system that it is; see :meth:`Form.matrices`."""
        program = super().matrices(structure)
        stated = structure == "textbook" and self.is_system and not self.is_extended
        return optimality_system(program, {"balance": "b"}) if stated else program

    def prepare(self) -> None:
        """Compute K unless its features are few."""
        if self.model.gram.features is None:
            self.model.gram.dense  # noqa: B018  formed when first asked for
