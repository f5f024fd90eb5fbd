# SPDX-License-Identifier: BSD-3-Clause
"""What every form is: one statement of a model in CVXPY, that any solver solves and the user may extend."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

import formulations.cvx as cp
from formulations.inputs.hyperparameters import Frozen
from formulations.modelling.candidate import Candidate
from formulations.modelling.cards import card_of_form, line_of_form, objective_of
from formulations.modelling.form_solving import enclose_extended, refusal_of, solve_form, solve_lowered
from formulations.modelling.lowering import ConeAnswer, Lowered, Structure, lower
from formulations.modelling.model import Model
from formulations.modelling.reasons import conflict_of, relaxation_of
from formulations.modelling.showing import Shown, constraint_of
from formulations.modelling.solution import Scale, Solution
from formulations.modelling.solving import SolveRequest
from formulations.modelling.statement import Basis, Extension, Multipliers
from qpkernels.arrays import Vector
from qpkernels.diagnosis import Conflict, Relaxation
from qpkernels.display import Card, TextbookProblem, carded
from qpkernels.files import write
from qpkernels.problems import Bounds, Certificate, ConeProgram, Enclosure, LinearSystem
from qpkernels.solvers import Solver, SolverLike, find_solver

__all__ = [
    "Form",
]


@carded
class Form(Frozen, metaclass=ABCMeta):
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
    solver, tol
        As in :func:`qpkernels.diagnosis.find_conflict`.
    path
        Where to, with a suffix of :data:`qpkernels.files.FORMATS`; a file that is there is replaced.
    structure
        "textbook": in the variables of the declaration, those of epigraphs beside them, and a dual that is a linear
        system as that. "lowered": as solvers get it. See :data:`formulations.modelling.lowering.Structure`.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

    textbook: ClassVar[TextbookProblem | None] = None
    """The problem as the docstring writes it; None: the class does not say."""

    factor_formula: ClassVar[str] = ""
    """:attr:`factor` in the letters of the model; empty where it is the same whatever these are."""

    by_samples: ClassVar[bool] = False
    """Whether it has a variable for each sample, where others have one for each feature."""

    is_dual: ClassVar[bool] = False
    """Whether its variables are the multipliers of the samples, and f is read off its optimality conditions."""

    model: Model[Any]

    def __init__(self, model: Model[Any]) -> None:
        self.model = model
        self._basis = Basis(model.gram, tuple(model.absent.tolist()))
        self.extension = Extension()
        self._shown = Shown()
        self.freeze()

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
        """What its value is of the model's, which a certificate bounds; NaN where it is no multiple of it."""
        return 1.0

    @property
    def scale(self) -> Scale:
        """In which scale its objective counts; an extended form is another problem than its model."""
        objective = "" if self.extension.objective is not None else objective_of(self.model, self.textbook)
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

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of the linear system."""
        return self.model.from_system(point, intercept)

    def prepare(self) -> None:
        """Compute what the declaration needs of the kernel matrix, so that its time is told apart."""

    def card(self) -> Card:
        """Return what ``print`` and notebooks show: the problem, extensions, the data."""
        return card_of_form(self)

    def __repr__(self) -> str:
        return line_of_form(self)

    # The problem ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Name of the form."""
        return type(self).__name__

    @property
    def is_extended(self) -> bool:
        """Whether the user added to the textbook problem."""
        return bool(self.extension)

    @property
    def cone_solver(self) -> str:
        """Name of the solver of cone programs that suits it: that of its model, unless other cones were added."""
        return "clarabel" if self.is_extended else self.model.cone_solver

    @cached_property
    def stated(self) -> cp.Problem:
        """The textbook's problem in CVXPY, without extensions; its variables are theirs too."""
        return self.declare()

    @property
    def _declared(self) -> cp.Problem:
        self._basis.check(self.model, self.name)
        return self._assembled

    @cached_property
    def _assembled(self) -> cp.Problem:
        objective, added = self.stated.objective, self.extension.objective
        expression = objective.args[0] if added is None else objective.args[0] + added
        return cp.Problem(type(objective)(expression), [*self.stated.constraints, *self.extension.constraints])

    @property
    def problem(self) -> cp.Problem:
        """The CVXPY problem, extensions included; its variables and multipliers hold the last answer of the model."""
        if not self.is_extended:
            self._shown.show(self, self._declared)
        return self._declared

    def solved(self) -> None:
        """Remember that the last answer of the model came from this form, with multipliers of all constraints."""
        self._shown.own.answer = self.model.latest.answer

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
        return np.asarray(constraint_of(self._declared, label).dual_value)

    def multiplier_of_balance(self) -> float:
        """Return b of a dual: what the last solve left at ``balance``; 0 in a model without."""
        return float(self.dual_of("balance")) if self.model.fit_intercept else 0.0

    def extend(self, *constraints: cp.Constraint, objective: cp.Expression | float | None = None) -> Self:
        """Return this form with further CVXPY constraints, and a further term in its objective, on the same variables.

        The result is no KernelQP any more: cone solvers take it, and its certificate is the conic one. Variables and
        constraints are shared: they have the values and multipliers of whichever form was solved last. Where more than
        the model's own f + b decides then, the solution predicts nothing, and its ``left_out`` says why.

        Parameters
        ----------
        constraints
            Of CVXPY; f stays a function over the samples, also at other points.
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
        object.__setattr__(extended, "extension", extension)
        return extended

    def lower(self) -> Lowered:
        """Return the problem in matrices, with the way back."""
        self.model.check_parameters()
        return lower(self._declared, self.name)

    def matrices(self, structure: Structure = "textbook") -> ConeProgram:
        """Return the problem in matrices; a maximisation is the minimisation of its negative there."""
        return self.lower().matrices(structure)

    def export(self, path: str | Path, structure: Structure = "textbook") -> Path:
        """Write :meth:`matrices` to a file, in the format of its suffix, by :func:`qpkernels.files.write`."""
        return write(self.matrices(structure), path)

    # Solving --------------------------------------------------------------------------------------------------

    def solve(
        self,
        solver: SolverLike | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: Solution | ArrayLike | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Any:
        """Solve the problem and certify the answer.

        Solvers of the model as it is (smo, linear) solve the model, unless the form is extended; others its matrices.

        Parameters
        ----------
        solver, tol, max_iter, time_limit, warm_start, verbose, **options
            As in :meth:`formulations.modelling.model.Model.solve`.

        Raises
        ------
        UnboundedError
            If the objective is unbounded below, which an extension can make it; else as there.
        """
        request = SolveRequest(solver, tol, max_iter, time_limit, warm_start, verbose, options)
        self._basis.check(self.model, self.name)
        return solve_form(self, request)

    def refusal(self, solver: SolverLike) -> str | None:
        """Return why ``solver`` does not take this form, or None if it does."""
        return refusal_of(self, find_solver(solver))

    def solve_by(self, backend: Solver, request: SolveRequest, bounds: Bounds) -> Any:
        """Solve the lowered problem and certify the answer, which the variables hold then."""
        return solve_lowered(self, backend, request, bounds)

    def enclose(self, answer: Any) -> Enclosure:
        """Return an interval that holds the optimum in exact arithmetic, between the two values of a certificate.

        Of a textbook form it is that of the model, see :meth:`formulations.modelling.model.Model.enclose`. Of an
        extended form the problem is that of its matrices as they are in float64, where kernel values are rounded; see
        :func:`qpkernels.problems.enclose_cone_program`.

        Parameters
        ----------
        answer
            Of an extended form, its Solution: any is good for a proof, and the better it is, the narrower.

        Raises
        ------
        ParameterError, ShapeError
            If the answer is none of this form.
        NoEnclosureError, UnsupportedProgramError
            If nothing is known of the rounding errors of this kernel, loss or model, or the extension has cones of
            another kind than equations, inequalities and norms.
        """
        return enclose_extended(self.lower(), answer) if self.is_extended else self.model.enclose(answer)

    # Reasons --------------------------------------------------------------------------------------------------

    def conflict(self, solver: SolverLike = "clarabel", *, tol: float = 1e-6) -> Conflict | None:
        """Return what :func:`qpkernels.diagnosis.find_conflict` finds: an irreducible infeasible subset, or None."""
        return conflict_of(self.lower(), solver, tol)

    def relaxation(self, *labels: str, solver: SolverLike = "clarabel", tol: float = 1e-6) -> Relaxation:
        """Return the smallest total slack of a point, as :func:`qpkernels.diagnosis.find_relaxation` finds it.

        Parameters
        ----------
        labels
            Names of the constraints that may give way; none: the user's, or all of a textbook form.
        """
        return relaxation_of(self.lower(), labels, len(self.extension.constraints), solver, tol)
