# SPDX-License-Identifier: BSD-3-Clause
"""A form as people use it: solved by any solver, enclosed, and explained where it has no solution."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from formulations.modelling.form_solving import enclose_extended, refusal_of, solve_form, solve_lowered
from formulations.modelling.model import Model
from formulations.modelling.reasons import conflict_of, relaxation_of
from formulations.modelling.solution import Solution
from formulations.modelling.solving import SolveRequest
from formulations.modelling.statement import Statement
from qpkernels.diagnosis import Conflict, Relaxation
from qpkernels.problems import Bounds, Enclosure
from qpkernels.solvers import Request, Solver, SolverLike, find_solver

__all__ = [
    "Form",
]


class Form(Statement):
    """One statement of a model as a convex problem in CVXPY, solved by any solver and certified.

    ``model.dual`` is a form of ``model``; all forms of a model share its data, kernel matrix and hyper-parameters. A
    subclass declares the problem as on the blackboard, and says how an answer is read from its solution; what it says
    is a :class:`~formulations.modelling.statement.Statement`.

    Notes
    -----
    Arguments of the methods:

    backend, request
        A solver of cone programs, and what it is asked for.
    solver, tol
        As in :func:`qpkernels.diagnosis.find_conflict`.
    bounds
        The model as it was stated for this solve, see :meth:`formulations.modelling.model.Model.bounds`.
    """

    model: Model[Any]

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
        request = SolveRequest(solver, Request(tol, max_iter, time_limit, verbose=verbose), warm_start, options)
        self._check()
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
