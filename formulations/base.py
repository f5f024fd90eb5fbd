# SPDX-License-Identifier: BSD-3-Clause
"""What every formulation is: a textbook problem in CVXPY that any solver solves and a certificate judges."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, cast

from numpy.typing import ArrayLike

from formulations.lowering import Lowered
from formulations.routes import solve_cone_program, solve_structured, starting_point
from formulations.solution import Candidate, Solution
from formulations.statement import Statement
from qpkernels.arrays import Vector
from qpkernels.certificates import Certificate, certify_cone_program
from qpkernels.errors import (
    ExtendedModelError,
    InfeasibleError,
    SolverFailedError,
    UnboundedError,
    UnsupportedOptionError,
    UnsupportedProgramError,
)
from qpkernels.programs import ConeProgram, KernelQP, LeastSquares, LinearSystem, Program
from qpkernels.solvers import Solver, find_solver
from qpkernels.solvers.smo.blocks import forms_matrix

__all__ = ["Answered", "Formulation"]

Answered = TypeVar("Answered", bound=Solution, covariant=True)
"""What solving a model of a kind returns."""


class Formulation(Statement, Generic[Answered]):
    """A model on data: declared in CVXPY, solved by any solver, certified without it.

    A subclass declares the problem, and says how an answer is read from the solved problem and how one from elsewhere
    is written to it. A model is frozen; only its hyper-parameters change, being CVXPY parameters.
    """

    catalogue: ClassVar[str]
    """Id of the problem in the catalogue of models."""

    # What a subclass gives ------------------------------------------------------------------------------------

    @abstractmethod
    def recover(self, lowered: Lowered, z: Vector) -> Candidate:
        """Read an answer from the values of the solved problem; ``z`` are the multipliers of its lowered rows."""

    @abstractmethod
    def interpret(self, candidate: Candidate, certificate: Certificate, **facts: Any) -> Answered:
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
    def state_partner(self) -> Formulation[Any]:
        """State the dual of a primal form, the primal of a dual, on the same data and hyper-parameters."""

    def kernel_qp(self) -> KernelQP | None:
        """Return the model as a KernelQP, or None if it is none."""
        return None

    def system(self) -> LinearSystem | LeastSquares | None:
        """Return the model as a problem of linear algebra, or None if it is none."""
        return None

    def from_system(self, point: Vector, intercept: float) -> Candidate:
        """Read an answer from the solution of :meth:`system`."""
        return self.candidate((point, intercept))

    def objective_of(self, certificate: Certificate) -> float:
        """Return the value of this form where the values of the problem it comes from are those of ``certificate``."""
        return certificate.primal_value

    def explain_infeasible(self, certificate: Certificate, multipliers: Vector, words: str) -> Exception:
        """Return the error to raise when no point satisfies the constraints."""
        return InfeasibleError(
            f"the constraints of this {self.name} contradict each other ({words}): {certificate.worst}; relax it.",
            certificate,
            multipliers,
        )

    def explain_unbounded(self, certificate: Certificate, words: str) -> Exception:
        """Return the error to raise when the objective is proved to be unbounded below."""
        return UnboundedError(
            f"the objective of this {self.name} is unbounded below ({words}): {certificate.worst}; bound it.",
            certificate,
        )

    def explain_failure(self, words: str) -> Exception:
        """Return the error to raise when a solver gives no point, or none that its claim would need."""
        return SolverFailedError(f"{words}, for this {self.name}; try another solver, or a larger max_iter.")

    # What a user calls ----------------------------------------------------------------------------------------

    @cached_property
    def partner(self) -> Formulation[Any]:
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
    ) -> Answered:
        """Solve the problem and certify the answer.

        Parameters
        ----------
        solver
            Name of a registered solver (``qpkernels solvers`` lists them). None: linear where the model is a linear
            system, smo where it is another KernelQP, else clarabel.
        tol
            Above 0: the relative duality gap and residuals that the certificate must show for ``optimal``.
        max_iter, time_limit
            Limits, in the solver's iterations and in seconds; the best point so far comes back with its certificate.
        warm_start
            A solution, or beta, to start ``smo`` from. A solution is rescaled so that what was at its bound is at the
            bound of this problem, which is another where C is; any beta is projected to the feasible set.
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
            If the objective is unbounded below, which an extension can do.
        SolverFailedError
            If the solver gives no answer.
        """
        self.check_parameters()
        structures = self._structures()
        backend = find_solver(_best_solver(structures) if solver is None else solver)
        limits: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "time_limit": time_limit, "verbose": verbose}
        program = _first_taken(structures, backend)
        if isinstance(program, KernelQP):
            limits["warm_start"] = starting_point(program, warm_start)
        elif warm_start is not None:
            raise UnsupportedOptionError(
                f"a {self.name} starts warm with smo only, not with {backend.name!r}; "
                "hand a point of the lowered program to the solver itself: model.lower().program."
            )
        if program is not None:
            return cast(Answered, solve_structured(self, program, backend, limits | options))
        if ConeProgram not in backend.programs:
            raise UnsupportedProgramError(f"{self.refusal(backend)}; choose a cone solver such as clarabel.")
        return cast(Answered, solve_cone_program(self, backend, limits | options))

    def refusal(self, solver: Solver) -> str | None:
        """Return why ``solver`` does not take this model, or None if it does."""
        program = _first_taken(self._structures(), solver)
        if program is None and ConeProgram in solver.programs:
            program = self.lower().program
        if program is not None:
            return solver.refusal(program)
        kinds = " or a ".join(kind.__name__ for kind in solver.programs)
        why = "it was extended" if self.is_extended else "its textbook problem is another"
        return f"solver {solver.name!r} takes a {kinds}, and this {self.name} is none, since {why}"

    def _structures(self) -> tuple[Program, ...]:
        """Return the programs beside the lowered one that the model is, the most special first; extended it is none."""
        if self.is_extended:
            return ()
        return tuple(program for program in (self.system(), self.kernel_qp()) if program is not None)

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
        self.check_parameters()
        return self.certify_candidate(self.candidate(candidate))

    @abstractmethod
    def candidate(self, answer: Any) -> Candidate:
        """Read an answer from outside in the terms of the model."""

    # Shared machinery -----------------------------------------------------------------------------------------

    def prepare_structure(self, program: Program) -> None:
        """Compute what the structured program needs of the kernel matrix, so that its time is told apart."""
        if isinstance(program, KernelQP) and forms_matrix(program):
            program.gram.dense  # noqa: B018  formed when first asked for

    def prepare(self) -> None:
        """Compute the kernel matrix if the declaration needs it, so that its time is told apart."""


def _first_taken(structures: tuple[Program, ...], solver: Solver) -> Program | None:
    """Return the first of the structured programs that ``solver`` takes; None: it is given the lowered one."""
    return next((program for program in structures if isinstance(program, solver.programs)), None)


def _best_solver(structures: tuple[Program, ...]) -> str:
    if not structures:
        return "clarabel"
    return "smo" if isinstance(structures[0], KernelQP) else "linear"
