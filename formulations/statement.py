# SPDX-License-Identifier: BSD-3-Clause
"""The CVXPY side of a model: the problem as declared, extended by the user, lowered, exported, and written to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Self, TypeAlias

import cvxpy as cp
import numpy as np
from cvxpy.reductions.solution import Solution as CVXPYSolution
from numpy.typing import ArrayLike

from formulations.lowering import Lowered, lower
from formulations.solution import Candidate
from qpkernels.errors import ParameterError
from qpkernels.export import write_npz

__all__ = ["Multipliers", "Statement"]

Multipliers: TypeAlias = dict[str, ArrayLike]
"""Values of multipliers by the label of their constraint."""


class Statement(ABC):
    """A convex problem on data, declared in CVXPY, that the user may extend.

    A statement is frozen once it is stated; only its hyper-parameters change, being CVXPY parameters.
    """

    _extra_constraints: tuple[cp.Constraint, ...] = ()
    _extra_objective: cp.Expression | None = None

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute while the model is being stated; refuse afterwards."""
        if "_frozen" in self.__dict__:
            raise AttributeError(
                f"a {self.name} is frozen, so {name!r} cannot be set; state a new model, or change a hyper-parameter "
                "by set_params."
            )
        super().__setattr__(name, value)

    def freeze(self) -> None:
        """Refuse further attributes: the model is stated."""
        self.__dict__["_frozen"] = True

    @abstractmethod
    def declare(self) -> cp.Problem:
        """State the problem as the textbook does, every constraint with a label."""

    def assign(self, candidate: Candidate) -> Multipliers:
        """Write an answer from elsewhere to the variables, and return the multipliers of the labelled constraints.

        Only models that a structured solver takes are asked.
        """
        raise NotImplementedError(
            f"a {self.name} is solved as it is declared, so nothing is written to it from elsewhere"
        )

    def check_parameters(self) -> None:  # noqa: B027  a model without hyper-parameters has nothing to refuse
        """Refuse hyper-parameters outside their range."""

    @property
    def name(self) -> str:
        """Name of the form."""
        return type(self).__name__

    @cached_property
    def problem(self) -> cp.Problem:
        """The CVXPY problem, extensions included; after a solve its variables and multipliers hold the answer."""
        textbook = self.declare()
        expression = textbook.objective.args[0]
        if self._extra_objective is not None:
            expression = expression + self._extra_objective
        problem = cp.Problem(type(textbook.objective)(expression), [*textbook.constraints, *self._extra_constraints])
        self._write_to(problem)
        return problem

    @property
    def is_extended(self) -> bool:
        """Whether the user added to the textbook problem."""
        return bool(self._extra_constraints) or self._extra_objective is not None

    def extend(self, *constraints: cp.Constraint, objective: cp.Expression | float | None = None) -> Self:
        """Return this model with further CVXPY constraints, and a further term in its objective.

        The result shares data, variables and parameters with this model. It is no KernelQP any more: cone solvers
        take it, and its certificate is the conic one.
        """
        for constraint in constraints:
            if not isinstance(constraint, cp.Constraint):
                raise ParameterError(
                    f"extend takes CVXPY constraints, but {constraint!r} came; compare an expression of the model's "
                    "variables, as in model.w[0] <= 1, and pass a further objective term by objective=..."
                )
        extended = copy(self)
        fresh = extended.__dict__
        for stale in ("problem", "partner", "_answer"):
            fresh.pop(stale, None)
        fresh["_extra_constraints"] = (*self._extra_constraints, *constraints)
        if objective is not None:
            term = _scalar_expression(objective)
            fresh["_extra_objective"] = term if self._extra_objective is None else self._extra_objective + term
        return extended

    def constraint(self, label: str) -> cp.Constraint:
        """Return the constraint of the problem with that label."""
        return _constraint(self.problem, label)

    def lower(self) -> Lowered:
        """Return the problem in matrices, with the way back."""
        self.check_parameters()
        return lower(self.problem, self.name)

    def export(self, path: str | Path) -> Path:
        """Write the lowered problem to a .npz file and return its path; see :func:`qpkernels.export.write_npz`."""
        return write_npz(self.lower().program, path)

    def write(self, candidate: Candidate, value: float, proved: bool) -> None:
        """Write an answer from elsewhere to the variables, and to the problem now or as soon as it is declared."""
        multipliers = self.assign(candidate)
        self.__dict__["_answer"] = (multipliers, value, proved, self._parameter_values())
        if "problem" in self.__dict__:
            self._write_to(self.problem)

    def _parameter_values(self) -> list[bytes]:
        """Return what the hyper-parameters are now, to tell whether an answer is still one."""
        parameters = (value for value in self.__dict__.values() if isinstance(value, cp.Parameter))
        return [np.asarray(parameter.value).tobytes() for parameter in parameters]

    def _write_to(self, problem: cp.Problem) -> None:
        if "_answer" not in self.__dict__:
            return
        multipliers, value, proved, parameters = self.__dict__["_answer"]
        if parameters != self._parameter_values():
            return
        status = cp.OPTIMAL if proved else cp.OPTIMAL_INACCURATE
        primal = {variable.id: variable.value for variable in problem.variables()}
        dual = {_constraint(problem, label).id: np.asarray(vector) for label, vector in multipliers.items()}
        problem.unpack(CVXPYSolution(status, value, primal, dual, {}))


def _scalar_expression(objective: object) -> cp.Expression:
    if isinstance(objective, int | float):
        return cp.Constant(objective)
    if isinstance(objective, cp.Expression) and objective.is_scalar():
        return objective
    raise ParameterError(
        f"a further objective term must be a scalar CVXPY expression or a number, but {objective!r} came; "
        "leave Minimize out, and sum a vector."
    )


def _constraint(problem: cp.Problem, label: str) -> cp.Constraint:
    # The textbook's constraints stand before the user's, who may have used the same label.
    for constraint in problem.constraints:
        if constraint.label == label:
            return constraint
    labels = ", ".join(repr(constraint.label) for constraint in problem.constraints if constraint.label)
    raise ParameterError(f"no constraint is labelled {label!r}; the labels are {labels or 'none'}.")
