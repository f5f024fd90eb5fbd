# SPDX-License-Identifier: BSD-3-Clause
"""The CVXPY problem of a form: declared once, extended by the user, holding the last answer of the model."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

import formulations.cvx as cp
from formulations.inputs.frozen import Frozen
from formulations.modelling.candidate import Candidate
from formulations.modelling.model import Model
from formulations.modelling.solving import Latest
from formulations.modelling.statement import Basis, Extension, Multipliers
from qpkernels.arrays import Vector, shown
from qpkernels.certificates import Certificate
from qpkernels.errors import ParameterError

__all__ = ["Declared"]


class Declared(Frozen, metaclass=ABCMeta):
    """The part of a form that is its CVXPY problem.

    Notes
    -----
    Arguments of the methods of a form:

    answer
        To read one: the values that its variables and multipliers got in matrices. To write one: beta, b and f.
    bounds
        The two bounds of the optimum that the model states.
    certificate
        What is proved of the answer, with the values of both problems.
    label
        The name of a constraint, as :meth:`declare` gives it or a user by ``set_label``.
    point, intercept
        The solution of the linear system of the form, and b.
    backend, request
        Who is asked, and for what: tolerance, limits, start.
    """

    model: Model[Any]
    extension: Extension
    _basis: Basis
    _shown: Latest
    _own: Latest

    @abstractmethod
    def declare(self) -> cp.Problem:
        """State the problem as the textbook does, every constraint with a label."""

    def write(self, answer: Candidate) -> Multipliers | None:
        """Write an answer to the variables, and return the multipliers of the constraints; None: it cannot be shown.

        A constraint that is left out has the multiplier that the solver of this form returned, or else none.
        """
        del answer
        return None

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of this form where the values of the model are those of ``certificate``."""
        return certificate.primal_value

    @property
    def name(self) -> str:
        """Name of the form."""
        return type(self).__name__

    @property
    def is_extended(self) -> bool:
        """Whether the user added to the textbook problem."""
        return bool(self.extension)

    @cached_property
    def _textbook(self) -> cp.Problem:
        return self.declare()

    @property
    def _declared(self) -> cp.Problem:
        self._basis.check(self.model, self.name)
        return self._assembled

    @cached_property
    def _assembled(self) -> cp.Problem:
        textbook = self._textbook
        expression = textbook.objective.args[0]
        if self.extension.objective is not None:
            expression = expression + self.extension.objective
        return cp.Problem(type(textbook.objective)(expression), [*textbook.constraints, *self.extension.constraints])

    @property
    def problem(self) -> cp.Problem:
        """The CVXPY problem, extensions included; its variables and multipliers hold the last answer of the model."""
        held = self.model.latest.answer
        if held is not None and held is not self._shown.answer and not self.is_extended:
            self._shown.answer = held
            answer, current = held.answer, held.parameters == self.model.parameter_values()
            certified = self.model.certified(answer, held.bounds) if current and answer.is_squarable else answer
            multipliers = self.write(certified) if current else None
            if multipliers is not None:
                status = cp.OPTIMAL if held.proved else cp.OPTIMAL_INACCURATE
                primal = {variable.id: variable.value for variable in self._declared.variables()}
                dual = {self._constraint(label).id: np.asarray(value) for label, value in multipliers.items()}
                value = self.objective_of(held.certificate)
                own = self._own.answer
                if own is None or own.parameters != held.parameters:
                    # Multipliers that the answer of another form does not have would be those of another problem.
                    self._forget_multipliers()
                self._declared.unpack(cp.reductions.solution.Solution(status, value, primal, dual, {}))
        return self._declared

    def solved(self) -> None:
        """Remember that the last answer of the model came from this form, with multipliers of all constraints."""
        self._own.answer = self.model.latest.answer

    def _forget_multipliers(self) -> None:
        for constraint in self._declared.constraints:
            for variable in constraint.dual_variables:
                variable.save_value(None)

    def constraint(self, label: str) -> cp.Constraint:
        """Return the constraint of the problem with that label, its multiplier being that of the last answer.

        Raises
        ------
        ParameterError
            If there is none.
        """
        self.problem  # noqa: B018  shows the last answer
        return self._constraint(label)

    def _constraint(self, label: str) -> cp.Constraint:
        # The textbook's constraints stand before the user's, who may have used the same label.
        for constraint in self._declared.constraints:
            if isinstance(label, str) and constraint.label == label:
                return constraint
        labels = ", ".join(repr(constraint.label) for constraint in self._declared.constraints if constraint.label)
        raise ParameterError(f"no constraint is labelled {shown(label)}; the labels are {labels or 'none'}.")

    def dual_of(self, label: str) -> Vector:
        """Return the multipliers that the last solve left at the constraint with that label."""
        return np.asarray(self._constraint(label).dual_value)

    def multiplier_of_balance(self) -> float:
        """Return b of a dual: what the last solve left at ``balance``; 0 in a model without."""
        return float(self.dual_of("balance")) if self.model.fit_intercept else 0.0
