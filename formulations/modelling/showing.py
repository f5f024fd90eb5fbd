# SPDX-License-Identifier: BSD-3-Clause
"""The last answer of a model in the variables and constraints of its forms, whoever gave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import formulations.cvx as cp
from formulations.modelling.solving import Latest
from qpkernels.arrays import shown
from qpkernels.errors import ParameterError

if TYPE_CHECKING:
    from formulations.modelling.form import Form

__all__ = [
    "Shown",
    "constraint_of",
]


class Shown:
    """What the variables of a form hold.

    Attributes
    ----------
    latest
        The answer of the model that was written to them last.
    own
        The last answer that came from this form, with multipliers of all its constraints.
    """

    def __init__(self) -> None:
        self.latest, self.own = Latest(), Latest()

    def show(self, form: Form, problem: cp.Problem) -> None:
        """Write the last answer of the model to ``problem``, that of ``form``, unless it is there."""
        held = form.model.latest.answer
        if held is None or held is self.latest.answer:
            return
        self.latest.answer = held
        answer, current = held.answer, held.parameters == form.model.parameter_values()
        multipliers = form.write(answer) if current else None
        if multipliers is None:
            return
        status = cp.OPTIMAL if held.proved else cp.OPTIMAL_INACCURATE
        primal = {variable.id: variable.value for variable in problem.variables()}
        dual = {constraint_of(problem, label).id: np.asarray(value) for label, value in multipliers.items()}
        value = form.objective_of(held.certificate)
        if self.own.answer is None or self.own.answer.parameters != held.parameters:
            # Multipliers that the answer of another form does not have would be those of another problem.
            _forget_multipliers(problem)
        problem.unpack(cp.reductions.solution.Solution(status, value, primal, dual, {}))


def constraint_of(problem: cp.Problem, label: str) -> cp.Constraint:
    """Return the first constraint with that label: the textbook's stand before the user's, who may have used the same.

    Raises
    ------
    ParameterError
        If there is none.
    """
    for constraint in problem.constraints:
        if isinstance(label, str) and constraint.label == label:
            return constraint
    labels = ", ".join(repr(constraint.label) for constraint in problem.constraints if constraint.label)
    raise ParameterError(f"no constraint is labelled {shown(label)}; the labels are {labels or 'none'}.")


def _forget_multipliers(problem: cp.Problem) -> None:
    for constraint in problem.constraints:
        for variable in constraint.dual_variables:
            variable.save_value(None)
