# SPDX-License-Identifier: BSD-3-Clause
"""A stated form: a problem of CVXPY that the user may extend, and the last answer in its variables."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

import formulations.modelling.cvx as cp
from formulations.modelling.candidate import Candidate
from formulations.modelling.cards import card_of_form, line_of_form, objective_of
from formulations.modelling.inputs.hyperparameters import set_unless_frozen
from formulations.modelling.kernel_machine import KernelMachine
from formulations.modelling.lowering import ConeAnswer, Lowered, Structure, lower
from formulations.modelling.solution import Scale, Solution
from formulations.modelling.solving import Latest, SolveRequest
from qpkernels.arrays import Vector, check_finite, shown
from qpkernels.display import Card, TextbookProblem
from qpkernels.display.card import carded
from qpkernels.errors import ParameterError
from qpkernels.files import write
from qpkernels.gram import Gram
from qpkernels.problems import Bounds, Certificate, ConeProgram, LinearSystem
from qpkernels.solvers import Solver

__all__ = ["OF_FURTHER_POINTS", "Basis", "Extension", "Multipliers", "Shown", "Statement", "constraint_of"]

Multipliers: TypeAlias = Mapping[str, ArrayLike]
"""Values of multipliers by the label of their constraint."""


OF_FURTHER_POINTS = "u of further points"
"""The name of coordinates that a function has beside those over the samples, for what is said of it elsewhere."""


@carded
class Statement(metaclass=ABCMeta):
    """One statement of a model as a convex problem in CVXPY.

    ``model.dual`` is a form of ``model``; all forms of a model share its data, kernel matrix and hyper-parameters. A
    subclass declares the problem as on the blackboard, and says how an answer is read from its solution.

    Attributes
    ----------
    model
        What is stated: data, kernel and hyper-parameters.

    Notes
    -----
    Arguments of the methods:

    answer
        Of :meth:`write`, feasible points of the model, see :meth:`formulations.modelling.model.Model.certified`.
    certificate
        What is proved of an answer, with both values of the model.
    point, intercept
        The solution of the linear system, shape (unknowns,), and b of its border; 0 where it has none.
    bounds
        The model as it was stated for this solve, see :meth:`formulations.modelling.model.Model.bounds`.
    backend, request
        A solver of cone programs, and what it is asked for.
    label
        The name of a constraint of the textbook problem, or one that a user gave by ``set_label``.
    path
        Where to, with a suffix of :data:`qpkernels.files.FORMATS`; a file that is there is replaced.
    structure
        "textbook": in the variables of the declaration, those of epigraphs beside them, and a dual that is a linear
        system as that. "lowered": as solvers get it. See :data:`formulations.modelling.lowering.Structure`.
    """

    textbook: ClassVar[TextbookProblem | None] = None
    """The problem as the docstring writes it; None: the class does not say."""

    factor_formula: ClassVar[str] = ""
    """:attr:`factor` in the letters of the model; empty where it is the same whatever these are."""

    by_samples: ClassVar[bool] = False
    """Whether it has a variable for each sample, where others have one for each feature."""

    is_dual: ClassVar[bool] = False
    """Whether its variables are the multipliers of the samples, and f is read off its optimality conditions."""

    model: KernelMachine[Any]
    extension: Extension
    _basis: Basis
    _shown: Shown
    _frozen = False

    name: ClassVar[str]
    """Name of the form."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Name the form."""
        super().__init_subclass__(**options)
        cls.name = cls.__name__

    def __setattr__(self, name: str, value: object) -> None:
        set_unless_frozen(self, name, value)

    def __init__(self, model: KernelMachine[Any]) -> None:
        basis = Basis(model.gram, tuple(model.absent.tolist()))
        vars(self).update(model=model, _basis=basis, extension=Extension(), _shown=Shown(), _frozen=True)

    # What a form says -----------------------------------------------------------------------------------------

    @abstractmethod
    def declare(self) -> cp.Problem:
        """State the problem as the textbook does, every constraint with a label."""

    @abstractmethod
    def read(self, answer: ConeAnswer, bounds: Bounds) -> Candidate:
        """Read an answer from the values of the solved problem.

        Parameters
        ----------
        answer
            The solved problem, whose variables hold the point found, and the multipliers of its matrices.
        """

    def write(self, answer: Candidate) -> Multipliers | None:
        """Write an answer to the variables, and return the multipliers of the constraints; None: it cannot be shown.

        A constraint that is left out has the multiplier that the solver of this form returned, or else none.
        """
        del answer
        return None

    @property
    def factor(self) -> float:
        """Its value in terms of the model's, which a certificate bounds; NaN where it is no multiple of it."""
        return 1.0

    @property
    def scale(self) -> Scale:
        """In which scale its objective counts; an extended form is another problem than its model."""
        objective = (
            ""
            if self.extension.objective is not None
            else objective_of(self.textbook, type(self.model), self.model.fit_intercept)
        )
        return (
            Scale(objective, float("nan")) if self.is_extended else Scale(objective, self.factor, self.factor_formula)
        )

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of this form where the values of the model are those of ``certificate``."""
        value = certificate.dual_value if self.is_dual else certificate.primal_value
        # Adding 0 takes the sign off a zero.
        return self.factor * value + 0.0

    def linear_system(self) -> LinearSystem | None:
        """State the form as a linear system of its own, or None if it is none."""
        return None

    def _from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of the linear system."""
        return self.model._from_system(point, intercept)

    def prepare(self) -> None:  # noqa: B027  most declarations need nothing of it
        """Compute what the declaration needs of the kernel matrix, so that its time is told apart."""

    def card(self) -> Card:
        """Return what ``print`` and notebooks show: the problem, extensions, the data."""
        return card_of_form(self)

    def __repr__(self) -> str:
        return line_of_form(self)

    # The problem ----------------------------------------------------------------------------------------------

    @cached_property
    def is_extended(self) -> bool:
        """Whether the user added to the textbook problem."""
        added = self.extension
        return bool(added.constraints) or added.objective is not None

    @property
    def cone_solver(self) -> str:
        """Name of the solver of cone programs that suits it: that of its model, unless other cones were added."""
        return "clarabel" if self.is_extended else self.model.entry.cone_solver

    @cached_property
    def stated(self) -> cp.Problem:
        """The textbook's problem in CVXPY, without extensions; its variables are theirs too."""
        return self.declare()

    @property
    def _declared(self) -> cp.Problem:
        self._basis.check(self)
        return self._assembled

    @cached_property
    def textbook_problem(self) -> cp.Problem:
        """The textbook's problem as the extensions need it: about functions that have a part of the points of these."""
        return self._textbook_of(self._with_extensions(self.stated))

    def _textbook_of(self, problem: cp.Problem) -> cp.Problem:
        """Return the textbook's problem, about all functions that ``problem``, the same with extensions, speaks of."""
        self._require_own(problem, ())
        return self.stated

    def _require_own(self, problem: cp.Problem, own: Iterable[cp.Variable]) -> None:
        """Refuse what other forms say of their functions at further points: their norms are not in this problem."""
        known = {each.id for each in own}
        if any(each.name() == OF_FURTHER_POINTS and each.id not in known for each in problem.variables()):
            raise ParameterError(
                f"a {self.name} is extended by expressions in its own function at further points, but form.g_at(...) "
                "of another form came, whose norm is not penalised here; state problems of several functions with "
                "Function and Machine."
            )

    def completed(self, answer: Candidate) -> Candidate:
        """Return an answer with what the textbook's f does not have of it."""
        return answer

    def _with_extensions(self, textbook: cp.Problem) -> cp.Problem:
        objective, added = textbook.objective, self.extension.objective
        expression = objective.args[0] if added is None else objective.args[0] + added
        return cp.Problem(type(objective)(expression), [*textbook.constraints, *self.extension.constraints])

    @cached_property
    def _assembled(self) -> cp.Problem:
        return self._with_extensions(self.textbook_problem) if self.is_extended else self.stated

    @property
    def problem(self) -> cp.Problem:
        """The CVXPY problem, extensions included; its variables and multipliers hold the last answer of the model."""
        if not self.is_extended:
            self._shown.show(self, self._declared)
        return self._declared

    def solved(self) -> None:
        """Remember that the last answer of the model came from this form, with multipliers of all constraints."""
        self._shown.own.answer = self.model._latest.answer

    def constraint(self, label: str) -> cp.Constraint:
        """Return the constraint of the problem with that label, its multiplier being that of the last answer.

        Raises
        ------
        ParameterError
            If there is none.
        """
        return constraint_of(self.problem, label)

    def dual_of(self, label: str) -> Vector:
        """Return the multipliers that the last solve left at the constraint with that label."""
        return np.asarray(constraint_of(self._assembled, label).dual_value)

    def multiplier_of_balance(self) -> float:
        """Return b of a dual: what the last solve left at ``balance``; 0 in a model without."""
        return float(self.dual_of("balance")) if self.model.fit_intercept else 0.0

    def extend(self, *constraints: cp.Constraint, objective: cp.Expression | float | None = None) -> Self:
        """Return this form with further CVXPY constraints, and a further term in its objective, on the same variables.

        The result is no KernelQP any more: cone solvers take it, and its certificate is the conic one. Variables and
        constraints are shared: they have the values and multipliers of whichever form was solved last. Where more than
        the model's own f + b decides then, the solution predicts nothing, and its errors say why.

        Parameters
        ----------
        constraints
            Of CVXPY, about the variables of the form; a primal has f + b at any points as ``form.g_at(points)``.
        objective
            A real scalar expression, or a number, to be added; None: nothing.

        Raises
        ------
        ParameterError
            If something else came.
        """
        self._declared  # noqa: B018  what is declared is shared with the result
        extension = self.extension.with_added(constraints, objective)
        extended = copy(self)
        del extended._assembled
        for name in ("is_extended", "textbook_problem"):
            vars(extended).pop(name, None)
        object.__setattr__(extended, "extension", extension)
        # Points of another form are refused here.
        extended.textbook_problem  # noqa: B018
        return extended

    def lower(self) -> Lowered:
        """Return the problem in matrices, with the way back."""
        self._check()
        return self._lowered()

    def _check(self) -> None:
        """Refuse a model that is another than it was when the form was stated, or has no such hyper-parameters."""
        self._basis.check(self)
        self.model._check_changes()

    def _lowered(self) -> Lowered:
        """Return the problem of a form that is checked in matrices, with the way back."""
        return lower(self._assembled, self.name)

    def matrices(self, structure: Structure = "textbook") -> ConeProgram:
        """Return the problem in matrices; a maximisation is the minimisation of its negative there."""
        return self.lower().matrices(structure)

    def export(self, path: str | Path, structure: Structure = "textbook") -> Path:
        """Write :meth:`matrices` to a file, in the format of its suffix, by :func:`qpkernels.files.write`."""
        return write(self.matrices(structure), path)

    @abstractmethod
    def solve_by(self, backend: Solver, request: SolveRequest, bounds: Bounds) -> Solution:
        """Solve the lowered problem and certify the answer, which the variables hold then."""


@dataclass(frozen=True, eq=False)
class Basis:
    """The data of a form beside parameters: the kernel matrix, and which samples have no cost."""

    gram: Gram
    absent: tuple[int, ...]

    def check(self, form: Statement) -> None:
        """Refuse a form whose model has another kernel, or other absent samples, than it had then.

        Raises
        ------
        ParameterError
            If so.
        """
        model, again = form.model, "take the form from the model again, and extend it anew"
        if self.gram is not model.gram:
            raise ParameterError(
                f"this {form.name} was stated with the kernel {self.gram.space}, and its model has "
                f"{model.gram.space} now; {again}. To keep both, make another model by with_kernel."
            )
        if self.absent != tuple(model.absent.tolist()):
            raise ParameterError(
                f"this {form.name} was stated with {len(self.absent)} samples of weight 0, and its model has others "
                f"now; {again}."
            )


@dataclass(frozen=True, eq=False)
class Extension:
    """The constraints and terms that a user added to a textbook problem."""

    constraints: tuple[cp.Constraint, ...] = ()
    objective: cp.Expression | None = None

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


@dataclass(eq=False)
class Shown:
    """The values of the variables of a form.

    Attributes
    ----------
    latest
        The answer of the model that was written to them last.
    own
        The last answer that came from this form, with multipliers of all its constraints.
    """

    latest: Latest = field(default_factory=Latest)
    own: Latest = field(default_factory=Latest)

    def show(self, form: Statement, problem: cp.Problem) -> None:
        """Write the last answer of the model to ``problem``, that of ``form``, unless it is there."""
        held = form.model._latest.answer
        if held is None or held is self.latest.answer:
            return
        self.latest.answer = held
        answer, current = held.answer, held.parameters == form.model._parameter_values()
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

    One without a label is "constraint k", as messages call it, counted from 1.

    Raises
    ------
    ParameterError
        If there is none.
    """
    labels = [constraint.label or f"constraint {k}" for k, constraint in enumerate(problem.constraints, start=1)]
    if not isinstance(label, str) or label not in labels:
        known = ", ".join(map(repr, labels)) or "none"
        raise ParameterError(
            f"no constraint is labelled {shown(label)}; the labels are {known}; constraint.set_label('low') gives one."
        )
    return problem.constraints[labels.index(label)]


def _forget_multipliers(problem: cp.Problem) -> None:
    for constraint in problem.constraints:
        for variable in constraint.dual_variables:
            variable.save_value(None)
