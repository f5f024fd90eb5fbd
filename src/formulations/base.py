# SPDX-License-Identifier: BSD-3-Clause
"""What every formulation is: a textbook problem in CVXPY that any solver solves and a certificate judges."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

import cvxpy as cp
import numpy as np
from cvxpy.reductions.solution import Solution as CVXPYSolution
from numpy.typing import ArrayLike

from formulations.lowering import Lowered, lower
from formulations.routes import solve_cone_program, solve_kernel_qp
from formulations.solution import Candidate, Solution
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, certify_cone_program
from qpkernels.errors import (
    ExtendedModelError,
    InfeasibleError,
    ParameterError,
    SolverFailedError,
    UnboundedError,
    UnsupportedOptionError,
)
from qpkernels.export import write_npz
from qpkernels.programs import KernelQP
from qpkernels.solvers import Solver, find_solver

__all__ = ["Formulation", "Multipliers"]

Multipliers: TypeAlias = dict[str, ArrayLike]
"""Values of multipliers by the label of their constraint."""


class Formulation(ABC):
    """A model on data: declared in CVXPY, solved by any solver, certified without it.

    A subclass declares the problem, and says how an answer is read from the solved problem and how one from elsewhere
    is written to it. A model is frozen; only its hyper-parameters change, being CVXPY parameters.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

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

    # What a subclass gives ------------------------------------------------------------------------------------

    @abstractmethod
    def declare(self) -> cp.Problem:
        """State the problem as the textbook does, every constraint with a label."""

    @abstractmethod
    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read an answer from the values of the solved problem; ``z`` are the multipliers of its lowered rows."""

    @abstractmethod
    def assign(self, candidate: Candidate) -> Multipliers:
        """Write an answer from elsewhere to the variables, and return the multipliers of the labelled constraints."""

    @abstractmethod
    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Solution:
        """Make a solution of an answer and its certificate; ``facts`` are the other fields of Solution."""

    def certify_answer(self, lowered: Lowered, x: Vector, z: Vector, candidate: Candidate) -> Certificate:
        """Judge the answer of a cone solver: the textbook's by its own bound, an extended one's by the conic one."""
        if self.is_extended:
            return certify_cone_program(lowered.program, x, z)
        return self.certify_candidate(candidate)

    @abstractmethod
    def certify_candidate(self, candidate: Candidate) -> Certificate:
        """Judge an answer of the textbook model from the data alone."""

    @abstractmethod
    def state_partner(self) -> Formulation:
        """State the dual of a primal form, the primal of a dual, on the same data and hyper-parameters."""

    def kernel_qp(self) -> KernelQP | None:
        """Return the model as a KernelQP, or None if it is none."""
        return None

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of this form where the KernelQP's primal value is that of ``certificate``."""
        return certificate.primal_value

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, words: str) -> Exception:
        """Return the error to raise when no point satisfies the constraints."""
        return InfeasibleError(
            f"the constraints of this {self.name} contradict each other ({words}): {certificate.worst}; relax it.",
            certificate,
            multipliers,
        )

    def explain_unbounded(self, certificate: Certificate, words: str) -> Exception:
        """Return the error to raise when the objective is proved to fall without end."""
        return UnboundedError(
            f"the objective of this {self.name} falls without end ({words}): {certificate.worst}; bound it.",
            certificate,
        )

    def explain_failure(self, words: str) -> Exception:
        """Return the error to raise when a solver gives no point, or none that its claim would need."""
        return SolverFailedError(f"{words}, for this {self.name}; try another solver, or a larger max_iter.")

    # What a user calls ----------------------------------------------------------------------------------------

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

    @cached_property
    def partner(self) -> Formulation:
        """The dual of a primal form, the primal of a dual; it shares data and hyper-parameters with this model.

        Raises
        ------
        ExtendedModelError
            If the model is extended: the textbook's partner is not that of the extended problem.
        """
        if self.is_extended:
            raise ExtendedModelError(
                f"an extended {self.name} has no stated partner: the added terms would be missing there; "
                "take the partner of the model without the extension."
            )
        return self.state_partner()

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

    def lower(self) -> Lowered:
        """Return the problem in matrices, with the way back."""
        self.check_parameters()
        return lower(self.problem, self.name)

    def export(self, path: str | Path) -> Path:
        """Write the lowered problem to a .npz file and return its path; see :func:`qpkernels.export.write_npz`."""
        return write_npz(self.lower().program, path)

    def solve(
        self,
        solver: str | None = None,
        *,
        tol: float = 1e-6,
        max_iter: int | None = None,
        time_limit: float | None = None,
        warm_start: Solution | ArrayLike | None = None,
        verbose: bool = False,
        **options: Any,
    ) -> Solution:
        """Solve the problem and certify the answer.

        Parameters
        ----------
        solver
            Name of a registered solver (``qpkernels solvers`` lists them). None: smo where the model is a KernelQP,
            else clarabel.
        tol
            Above 0: the relative duality gap and residuals that the certificate must show for ``optimal``.
        max_iter, time_limit
            Limits, in the solver's iterations and in seconds; the best point so far comes back with its certificate.
        warm_start
            A solution, or beta, to start ``smo`` from.
        verbose
            Let the solver print its progress.
        **options
            Handed to the back-end as they are.

        Raises
        ------
        UnknownSolverError, SolverNotInstalledError, UnsupportedProgramError, UnsupportedOptionError
            If the solver cannot be asked.
        InfeasibleError
            If no point satisfies the constraints.
        UnboundedError
            If the objective falls without end, which an extension can do.
        SolverFailedError
            If the solver gives no answer.
        """
        self.check_parameters()
        best = "clarabel" if self.kernel_qp() is None else "smo"
        backend = find_solver(best if solver is None else solver)
        limits: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "time_limit": time_limit, "verbose": verbose}
        if KernelQP in backend.programs:
            start = warm_start.beta if isinstance(warm_start, Solution) else warm_start
            return solve_kernel_qp(self, backend, limits | {"warm_start": start} | options)
        if warm_start is not None:
            raise UnsupportedOptionError(
                f"a {self.name} starts warm with smo only, not with {backend.name!r}; "
                "hand a point of the lowered program to the solver itself: model.lower().program."
            )
        return solve_cone_program(self, backend, limits | options)

    def refusal(self, solver: Solver) -> str | None:
        """Return why ``solver`` does not take this model, or None if it does."""
        program = self.kernel_qp() if KernelQP in solver.programs else self.lower().program
        if program is None:
            why = "it was extended" if self.is_extended else "its textbook problem is another"
            return f"solver {solver.name!r} takes a KernelQP, and this {self.name} is none, since {why}"
        return solver.refusal(program)

    def certify(self, candidate: Any) -> Certificate:
        """Certify an answer from anywhere: a Solution, a pair (beta, b), or a fitted SVC of scikit-learn.

        Raises
        ------
        ParameterError, ShapeError
            If it is none of these, or does not fit the data.
        ExtendedModelError
            If the model is extended: a proof then needs the multipliers of the extra constraints, which only
            solving gives.
        """
        if self.is_extended:
            raise ExtendedModelError(
                f"an answer from outside cannot be certified for an extended {self.name}: the multipliers of the "
                "added constraints are missing. Solve it, or certify against the model without the extension."
            )
        return self.certify_candidate(self.candidate(candidate))

    @abstractmethod
    def candidate(self, answer: Any) -> Candidate:
        """Read an answer from outside in the terms of the model."""

    # Shared machinery -----------------------------------------------------------------------------------------

    def check_parameters(self) -> None:  # noqa: B027  a model without hyper-parameters has nothing to refuse
        """Refuse hyper-parameters outside their range."""

    def constraint(self, label: str) -> cp.Constraint:
        """Return the constraint of the problem with that label."""
        return _constraint(self.problem, label)

    def write(self, candidate: Candidate, value: float, proved: bool) -> None:
        """Write an answer from elsewhere to the variables, and to the problem now or as soon as it is declared."""
        self.__dict__["_answer"] = (self.assign(candidate), value, proved)
        if "problem" in self.__dict__:
            self._write_to(self.problem)

    def _write_to(self, problem: cp.Problem) -> None:
        if "_answer" not in self.__dict__:
            return
        multipliers, value, proved = self.__dict__["_answer"]
        status = cp.OPTIMAL if proved else cp.OPTIMAL_INACCURATE
        primal = {variable.id: variable.value for variable in problem.variables()}
        dual = {_constraint(problem, label).id: np.asarray(vector) for label, vector in multipliers.items()}
        problem.unpack(CVXPYSolution(status, value, primal, dual, {}))

    def prepare(self) -> None:  # noqa: B027  most declarations need nothing computed before
        """Compute the kernel matrix if the declaration needs it, so that its time is told apart."""


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
    return next(constraint for constraint in problem.constraints if constraint.label == label)
