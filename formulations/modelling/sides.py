# SPDX-License-Identifier: BSD-3-Clause
"""The two kinds of form: a primal in f and b, and a dual in the coefficients of f."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling.candidate import Candidate, Sampling, at_coordinates, expand, sum_of
from formulations.modelling.declaring import intercept
from formulations.modelling.form import Form
from formulations.modelling.inputs.samples import BoundSamples
from formulations.modelling.lowering import ConeAnswer, Structure
from formulations.modelling.statement import OF_FURTHER_POINTS, Multipliers
from qpkernels.arrays import Matrix, Samples, Vector
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.gram.features import PivotedCholesky, pivoted_cholesky
from qpkernels.gram.functions import Expansion
from qpkernels.problems import Bounds, ConeProgram, KernelQPBounds
from qpkernels.problems.cone_program.elimination import optimality_system

__all__ = [
    "Dual",
    "Hypothesis",
    "Primal",
    "half_squared_norm",
]


def half_squared_norm(gram: Gram, coefficients: cp.Expression, signs: Vector | None = None) -> cp.Expression:
    """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for coefficients c and signs s (1 by default).

    It is stated through explicit features if they are few, and otherwise through the dense K. The Gram matrix checks
    that K is positive semidefinite, so CVXPY need not test it again.
    """
    s = np.ones(len(gram)) if signs is None else signs
    if gram.features is not None:
        return 0.5 * cp.sum_squares((s[:, None] * gram.features).T @ coefficients)
    K = s[:, None] * gram.dense
    K *= s
    return 0.5 * cp.quad_form(coefficients, cp.psd_wrap(K))


@dataclass(frozen=True, eq=False)
class _FurtherPoints:
    """Points t beside the samples, with the part of the k(t, .) that is orthogonal to all before.

    Attributes
    ----------
    points
        The t, as the kernel takes them.
    rows
        What f(t) is of the coordinates before, shape (n, number of those).
    cholesky
        What it is of the further ones.
    variable
        The further coordinates.
    """

    points: Samples
    rows: Matrix
    cholesky: PivotedCholesky
    variable: cp.Variable


class Hypothesis:
    """f in a primal form: a vector of coordinates, in which f(x_i) is linear and ||f|| the Euclidean norm.

    In explicit features the coordinates are the weights w of f(x) = <w, x>. With a kernel they are those of f in an
    orthonormal basis of the span of the functions k(x_j, .): with K = Phi Phi', f(x_i) = (Phi u)_i and ||f|| = ||u||.
    The coefficients beta of f = sum_j beta_j k(x_j, .) satisfy Phi'beta = u; solvers are not given beta itself, since
    K is nearly singular for most kernels, and beta is then hardly determined.

    A condition on f at further points may need their k(t, .) as well. Asking for f there gives it further coordinates,
    in directions orthogonal to the span of the samples, which do not change f at the samples.

    Attributes
    ----------
    variable
        w or u.

    Notes
    -----
    Arguments of the methods:

    problem
        An extended form, which contains some of the further coordinates.
    """

    def __init__(self, data: BoundSamples) -> None:
        self._data = data
        self.variable = cp.Variable(data.coordinates.shape[1], name="w" if data.explicit else "u")
        self._further: list[_FurtherPoints] = []

    @property
    def values(self) -> cp.Expression:
        """f(x_i), shape (m,)."""
        return self._data.coordinates @ self.variable

    @cached_property
    def half_squared_norm(self) -> cp.Expression:
        """1/2 ||f||^2."""
        return 0.5 * cp.sum_squares(self.variable)

    @cached_property
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

    # At further points

    def at(self, points: ArrayLike) -> cp.Expression:
        """Return f(t) at any points, shape (n,), which has further coordinates if it needs them."""
        gram = self._data.gram
        T = gram.kernel.samples(points)
        if T.shape[1:] != gram.X.shape[1:]:
            raise ShapeError(
                f"points must have the features of the samples, shape {gram.X.shape[1:]}, but points of "
                f"shape {T.shape[1:]} came."
            )
        if self._data.explicit:
            return T @ self.variable
        if type(gram) is not Gram or gram.correction is not None:
            raise ParameterError(
                "f is known at the samples alone where the kernel matrix is approximated, or corrected to be positive "
                "semidefinite; take the kernel as it is, or give the points as samples of cost 0."
            )
        kernel = gram.kernel
        rows = gram.coordinates(T)
        for each in self._further:
            pivots = each.cholesky.pivots
            crossed = kernel.matrix(each.points[pivots], T) - each.rows[pivots] @ rows.T
            rows = np.hstack([rows, each.cholesky.rows_of(crossed)])
        K = kernel.matrix(T, T)
        cholesky = pivoted_cholesky(K - rows @ rows.T, K.diagonal())
        before = cp.hstack([self.variable, *(each.variable for each in self._further)])
        further = cp.Variable(cholesky.factor.shape[1], name=OF_FURTHER_POINTS)
        self._further.append(_FurtherPoints(T, rows, cholesky, further))
        return rows @ before + cholesky.factor @ further

    @property
    def further(self) -> tuple[cp.Variable, ...]:
        """The coordinates that f was given for further points."""
        return tuple(each.variable for each in self._further)

    def _in(self, problem: cp.Problem) -> list[_FurtherPoints]:
        inside = {each.id for each in problem.variables()}
        return [each for each in self._further if each.variable.id in inside]

    def grown(self, textbook: cp.Problem, problem: cp.Problem) -> cp.Problem:
        """Return the textbook's problem with the norm of all coordinates that are in ``problem``."""
        further = [each.variable for each in self._in(problem)]
        if not further:
            return textbook
        every = cp.hstack([self.variable, *further])
        norms = {id(self.half_squared_norm): 0.5 * cp.sum_squares(every), id(self.norm): cp.norm(every)}
        objective = type(textbook.objective)(_with(textbook.objective.args[0], norms))
        return cp.Problem(objective, [_with(each, norms) for each in textbook.constraints])

    def completed(self, answer: Candidate, problem: cp.Problem) -> Candidate:
        """Return an answer that was read from the coordinates over the samples, with the further ones of f."""
        inside, u, gram = self._in(problem), np.asarray(self.variable.value), self._data.gram
        if not inside:
            return answer
        assert answer.coordinates is not None
        scale = float(u @ answer.coordinates) / float(u @ u) if u.any() else 1.0
        every = scale * np.concatenate([u, *(np.asarray(each.variable.value) for each in inside)])
        squared, parts = float(every @ every), list[Expansion]()
        for each in reversed(inside):
            width = each.rows.shape[1]
            c = np.asarray(each.cholesky.coefficients(every[width:]))
            every = every[:width] - each.rows.T @ c
            parts.append(Expansion(gram.kernel, each.points, c))
        own = gram.expansion(gram.coefficients(every), answer.intercept, answer.function.classes, slice(None))
        values = replace(answer.at_samples, squared_norm=squared, coefficients=None)
        return replace(answer, function=sum_of(own, *reversed(parts)), sampling=Sampling.of(values))


def _with(node: Any, others: Mapping[int, cp.Expression]) -> Any:
    """Return an expression or constraint with others in place of some of its parts, which are known by identity."""
    if id(node) in others:
        return others[id(node)]
    args = [_with(each, others) for each in node.args]
    if all(own is each for own, each in zip(node.args, args, strict=True)):
        return node
    made = node.copy(args)
    return made.set_label(node.label) if isinstance(node, cp.Constraint) and node.label else made


class Primal(Form):
    """A problem in f and b, whose multipliers give beta.

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

    def g_at(self, points: ArrayLike) -> cp.Expression:
        """Return f + b at any points, shape (n,), in order to :meth:`extend` the form by conditions at these points.

        f is then the best function of the whole space: where functions over the samples do not suffice for the points,
        it has a part k(t, .) for each point t as well.

        Parameters
        ----------
        points
            As the kernel takes them, with the features of the samples.

        Raises
        ------
        ShapeError, NonFiniteError
            If they are not such points.
        ParameterError
            If the kernel matrix is an approximation, or corrected, so that f is known only at the samples.
        """
        self._basis.check(self)
        return self.f.at(points) + self.b

    def _textbook_of(self, problem: cp.Problem) -> cp.Problem:
        self._require_own(problem, self.f.further)
        return self.f.grown(self.stated, problem)

    def completed(self, answer: Candidate) -> Candidate:
        """Return an answer to an extended form with the part of f that lies outside the functions over the samples."""
        return self.f.completed(answer, self._assembled)

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

        Where K is singular, only the samples that the pivots of its factor name have coefficients.
        """
        if self.model.data.explicit:
            raise AttributeError(f"in explicit features, the variable of a {self.name} is w; pass a kernel for beta.")
        return self.f.coefficients

    def read_beta(self, answer: ConeAnswer, bounds: Bounds) -> Vector:
        """Return the signed multipliers of the samples in the solved problem.

        Where no constraint has such multipliers, and the model is a KernelQP with a smooth loss, they are the slopes of
        the loss at g, shifted to the sum that the intercept demands.

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
    """A problem in the coefficients of f. The multiplier of its constraint ``balance``, absent without b, is b.

    Notes
    -----
    Arguments of the methods:

    amount
        The sum that is 0 because the intercept is free.
    coefficients, signs
        Affine in the variables, shape (m,), and a sign for each; None: 1.
    """

    by_samples: ClassVar[bool] = True
    is_dual: ClassVar[bool] = True

    maximised: ClassVar[bool] = False
    """Whether the textbook maximises."""

    is_system: ClassVar[bool] = False
    """Whether its constraints are equations, so that the textbook solves the linear system of its conditions."""

    @property
    def factor(self) -> float:
        """1, or -1 where the textbook form minimises."""
        return 1.0 if self.maximised else -1.0

    @property
    @abstractmethod
    def beta(self) -> cp.Expression:
        """The signed coefficients of f = sum_j beta_j k(x_j, .), shape (m,), affine in the variables."""

    def half_squared_norm(self, coefficients: cp.Expression, signs: Vector | None = None) -> cp.Expression:
        """Return 1/2 ||f||^2 of f = sum_j s_j c_j k(x_j, .), for coefficients c and signs s (1 by default)."""
        return half_squared_norm(self.model.gram, coefficients, signs)

    def balance(self, amount: cp.Expression) -> cp.Constraint | None:
        """Return the equation amount = 0 that a free intercept implies, or None in a model without an intercept."""
        return amount == 0 if self.model.fit_intercept else None

    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read beta from the variables, and b from the balance."""
        del answer
        beta, b = np.asarray(self.beta.value), self.multiplier_of_balance()
        return expand(self.model.gram, beta, b, self.model.classes, bounds=bounds)

    def write(self, answer: Candidate) -> Multipliers:
        """Return b as the multiplier of the balance; the forms write their variables."""
        return {"balance": answer.intercept} if self.model.fit_intercept else {}

    def matrices(self, structure: Structure = "textbook") -> ConeProgram:
        """Return the problem in matrices, or as a linear system if it is one; see :meth:`Form.matrices`."""
        program = super().matrices(structure)
        stated = structure == "textbook" and self.is_system and not self.is_extended
        return optimality_system(program, {"balance": "b"}) if stated else program

    def prepare(self) -> None:
        """Compute K unless there are few explicit features."""
        if self.model.gram.features is None:
            self.model.gram.dense  # noqa: B018  formed when first asked for
