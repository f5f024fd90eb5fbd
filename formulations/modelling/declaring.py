# SPDX-License-Identifier: BSD-3-Clause
"""The means to write declarations: forms as attributes of a model, their variables, and labelled constraints."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, TypeVar

import formulations.modelling.cvx as cp
from formulations.modelling.inputs.restating import Restatable

__all__ = ["Stated", "absence", "intercept", "labelled", "per_sample", "scalar"]

F = TypeVar("F")


class Stated(cached_property[F]):
    """A form as an attribute of its model. It is stated when it is first asked for, and then kept.

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
        """Return the names and classes of the forms of a class of models; the usual form is first.

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
        The coefficients of the samples, shape (m,).
    """
    absent = model.absent
    return coefficients[absent] == 0 if absent.size else None


def labelled(**constraints: cp.Constraint | None) -> list[cp.Constraint]:
    """Return the constraints, each labelled by its name, without those that are None for want of an intercept.

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
    """Return b as an attribute of a form: a scalar variable, or the constant 0 in a model without an intercept."""

    def variable(form: Any) -> cp.Variable | cp.Constant:
        return cp.Variable(name="b") if form.model.fit_intercept else cp.Constant(0.0)

    variable.__doc__ = "The intercept, a scalar CVXPY variable; the constant 0 in a model without one."
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
