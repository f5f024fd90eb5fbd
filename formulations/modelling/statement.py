# SPDX-License-Identifier: BSD-3-Clause
"""What forms are made of: attributes of their model, labelled constraints, variables, and what a user adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.inputs.restating import Restatable
from formulations.modelling.candidate import Candidate
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest
from qpkernels.arrays import Vector, check_finite, shown
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, Certificate
from qpkernels.solvers import Solver

__all__ = [
    "Basis",
    "Extension",
    "Multipliers",
    "Stated",
    "Statement",
    "absence",
    "intercept",
    "labelled",
    "per_sample",
    "scalar",
]

Multipliers: TypeAlias = Mapping[str, ArrayLike]
"""Values of multipliers by the label of their constraint."""


@dataclass(frozen=True, eq=False)
class Basis:
    """What a form is stated on beside parameters: the kernel matrix, and which samples have no cost."""

    gram: Gram
    absent: tuple[int, ...]

    def check(self, model: Restatable, name: str) -> None:
        """Refuse a model with another kernel, or other absent samples, than it had for the form of that name.

        Raises
        ------
        ParameterError
            If so.
        """
        again = "take the form from the model again, and extend it anew"
        if self.gram is not model.gram:
            raise ParameterError(
                f"this {name} was stated with the kernel {self.gram.kernel!r}, and its model has {model.gram.kernel!r} "
                f"now; {again}. To keep both, make another model by with_kernel."
            )
        if self.absent != tuple(model.absent.tolist()):
            raise ParameterError(
                f"this {name} was stated with {len(self.absent)} samples of weight 0, and its model has others now; "
                f"{again}."
            )


class Statement(Protocol):
    """What a model knows of its forms."""

    by_samples: ClassVar[bool]

    @property
    def name(self) -> str:
        """Name of the form."""

    @property
    def cone_solver(self) -> str:
        """Name of the solver of cone programs that suits it."""

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of the form where the values of the model are those of ``certificate``."""

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of the form's own linear system."""

    def solve_by(self, backend: Solver, request: SolveRequest, bounds: Bounds) -> Solution:
        """Solve the lowered problem by a solver of cone programs."""


F = TypeVar("F")


class Stated(cached_property[F]):
    """A form as an attribute of its model: stated when first asked for, then kept.

    ``dual = Stated(SoftMarginDual)`` in a model makes ``model.dual`` the form ``SoftMarginDual(model)``.

    Parameters
    ----------
    form
        The class of the form.
    """

    def __init__(self, form: type[F]) -> None:
        super().__init__(form)
        self.form = form

    @staticmethod
    @cache
    def of(model: type) -> tuple[tuple[str, type], ...]:
        """Return the names of the forms of a class of models, with their classes, the usual one first.

        Parameters
        ----------
        model
            A class of models, whose base classes are searched before it.
        """
        owners = reversed(model.__mro__)
        return tuple(
            (name, each.form) for owner in owners for name, each in vars(owner).items() if isinstance(each, Stated)
        )


def absence(model: Restatable, coefficients: cp.Expression) -> cp.Constraint | None:
    """Return the equations that a sample of cost 0 has no coefficient; None where there is no such sample.

    Parameters
    ----------
    model
        The model, whose costs tell which samples are absent.
    coefficients
        Those of the samples, shape (m,).
    """
    absent = model.absent
    return coefficients[absent] == 0 if absent.size else None


def labelled(**constraints: cp.Constraint | None) -> list[cp.Constraint]:
    """Return the constraints, each labelled by its name; those of an absent intercept are None and left out.

    Parameters
    ----------
    constraints
        Constraints by their labels.
    """
    return [constraint.set_label(label) for label, constraint in constraints.items() if constraint is not None]


def per_sample(name: str) -> cached_property[cp.Variable]:
    """Return a variable of that name with an entry for each sample, as an attribute of a form.

    Parameters
    ----------
    name
        What CVXPY calls the variable.
    """

    def variable(form: Any) -> cp.Variable:
        return cp.Variable(len(form.model), name=name)

    variable.__doc__ = f"{name} of every sample, a CVXPY variable of shape (m,)."
    return cached_property(variable)


def intercept() -> cached_property[cp.Variable | cp.Constant]:
    """Return b as an attribute of a form: a scalar variable, or the constant 0 in a model without."""

    def variable(form: Any) -> cp.Variable | cp.Constant:
        return cp.Variable(name="b") if form.model.fit_intercept else cp.Constant(0.0)

    variable.__doc__ = "The intercept, a scalar CVXPY variable; the constant 0 in a model without."
    return cached_property(variable)


def scalar(name: str) -> cached_property[cp.Variable]:
    """Return a scalar variable of that name, as an attribute of a form.

    Parameters
    ----------
    name
        What CVXPY calls the variable.
    """

    def variable(form: Any) -> cp.Variable:
        del form
        return cp.Variable(name=name)

    variable.__doc__ = f"{name}, a scalar CVXPY variable."
    return cached_property(variable)


@dataclass(frozen=True, eq=False)
class Extension:
    """What a user added to a textbook problem."""

    constraints: tuple[cp.Constraint, ...] = ()
    objective: cp.Expression | None = None

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self.constraints) or self.objective is not None

    def with_added(self, constraints: Iterable[object], objective: object) -> Extension:
        """Return this and what a user adds now.

        Raises
        ------
        ParameterError
            If these are no constraints of CVXPY, or no scalar expression or None.
        """
        for constraint in constraints:
            if not isinstance(constraint, cp.Constraint):
                raise ParameterError(
                    f"extend takes CVXPY constraints, but {shown(constraint)} came; compare an expression of the "
                    "form's variables, as in form.w[0] <= 1, pass several one by one, and a further objective term by "
                    "objective=..."
                )
        term = self.objective
        if objective is not None:
            added = _scalar_expression(objective)
            term = added if term is None else term + added
        return Extension((*self.constraints, *constraints), term)


def _scalar_expression(objective: object) -> cp.Expression:
    if isinstance(objective, int | float):
        return cp.Constant(check_finite(objective, "a further objective term"))
    if isinstance(objective, cp.Expression) and objective.is_scalar() and objective.is_real():
        return objective
    raise ParameterError(
        f"a further objective term must be a real scalar CVXPY expression or a number, but {shown(objective)} came; "
        "leave Minimize out, and sum a vector."
    )
