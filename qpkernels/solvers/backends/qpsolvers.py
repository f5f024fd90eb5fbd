# SPDX-License-Identifier: BSD-3-Clause
"""Every quadratic-programming solver that the qpsolvers package finds, under its name there (Caron et al.)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, csc_matrix

from qpkernels.arrays import Vector, shown
from qpkernels.errors import ParameterError
from qpkernels.problems import ConeProgram, Nonnegative, Zero
from qpkernels.problems.cone_program.program import QuadraticProgram
from qpkernels.solvers.interface import Answer, Claim, Request, Solver, attributes
from qpkernels.solvers.isolation import silent

__all__ = ["HIGHS_ITERATIONS", "QPSolversBackend"]

_OURS = frozenset({"clarabel", "osqp", "scs"})
"""Reached by their own adapters, without the detour."""

_MODULES = {"piqp": "piqp", "daqp": "daqp", "proxqp": "proxsuite", "highs": "highspy"}
"""The solvers of the extra ``solvers``: they are listed also where it is missing."""


HIGHS_ITERATIONS = tuple(f"{method}_iteration_limit" for method in ("simplex", "ipm", "pdlp", "qp"))
"""HiGHS's names for the limits of its methods; it chooses the method."""

_DAQP = (
    *("abs_subopt", "cycle_tol", "dual_tol", "eps_prox", "eq_reduction", "eta_prox", "fval_bound", "iter_limit"),
    *("pivot_tol", "presolve", "primal_tol", "progress_tol", "refactor_tol", "rel_subopt", "rho_soft", "sing_tol"),
    *("time_limit", "zero_tol"),
)
_PROXQP = (
    *("eps_abs", "eps_duality_gap_abs", "eps_duality_gap_rel", "eps_rel", "mu_eq", "mu_in", "rho"),
    "default_H_eigenvalue_estimate",
)
_PROXQP_FLAGS = ("check_duality_gap", "compute_preconditioner", "compute_timings", "primal_infeasibility_solving")
"""Options of functions in C++, which tell them in their documentation alone."""


@dataclass(frozen=True)
class _Options:
    """A solver's names for the options that mean the same for all; empty where it has none.

    Attributes
    ----------
    least
        The smallest tolerance that it takes.
    warm_start
        Whether it goes on from a point and multipliers.
    """

    tol: tuple[str, ...] = ()
    max_iter: tuple[str, ...] = ()
    time_limit: tuple[str, ...] = ()
    least: float = 0.0
    warm_start: bool = False


_OPTIONS = {
    "cvxopt": _Options(("abstol", "reltol", "feastol"), ("maxiters",)),
    "daqp": _Options(("primal_tol", "dual_tol"), ("iter_limit",), ("time_limit",)),
    "ecos": _Options(("abstol", "reltol", "feastol"), ("max_iters",)),
    "highs": _Options(
        ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), HIGHS_ITERATIONS, ("time_limit",), least=1e-10
    ),
    "piqp": _Options(("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"), ("max_iter",)),
    "proxqp": _Options(("eps_abs", "eps_rel"), ("max_iter",), warm_start=True),
    "qpalm": _Options(("eps_abs", "eps_rel"), ("max_iter",), ("time_limit",)),
}
"""The solvers not named here run at their own accuracy and within their own limits."""

_SETTINGS: dict[str, dict[str, Any]] = {
    # HiGHS refuses a matrix with larger entries; qpsolvers runs it all the same, on nothing, which ends the process.
    # Smaller entries it takes for zero: by default those up to 1e-9, here those up to the least that may be asked for.
    "highs": {"large_matrix_value": 1e300, "small_matrix_value": 1e-12},
}
"""The options that a solver is given in all cases."""

_HUGE = 1e15
"""Entries from which HiGHS, left as it is, refuses a matrix; with larger ones it solves some, and aborts on others."""

_MOST = 2**31 - 1
"""The largest limit of iterations that HiGHS takes."""

_BACKEND: dict[str, Any] = {"backend": ""}
"""How PIQP and ProxQP are told, by qpsolvers, to use dense or sparse algebra."""

_DENSE_ABOVE = 0.2
"""Share of nonzeros in P from which a solver with both kinds of algebra is given dense matrices."""


class QPSolversBackend(Solver):
    """One solver of qpsolvers, asked for a tenth of ``tol``; see ``qpsolvers.available_solvers``."""

    cones: ClassVar = (Zero, Nonnegative)

    def __init__(self, name: str) -> None:
        self.name, self.install = name, f'pip install "qpsolvers[{name}]"'
        self._names = _OPTIONS.get(name, _Options())
        common = ("tol", "max_iter", "time_limit", "warm_start")
        self.options = frozenset(option for option in common if getattr(self._names, option))
        self.module = _MODULES.get(name, "qpsolvers") if find_spec("qpsolvers") else "qpsolvers"

    @classmethod
    def instances(cls) -> Iterable[Solver]:
        """Return one solver for each name that qpsolvers finds, and for those that the extra would install."""
        names = set(_MODULES)
        if find_spec("qpsolvers"):
            import qpsolvers

            names |= set(qpsolvers.available_solvers)
        return [cls(name) for name in sorted(names - _OURS)]

    def load(self, program: Any = None) -> None:
        """Import the solver, and qpsolvers, which imports all that it finds."""
        super().load(program)
        if self.name == "highs":
            _greet_highs()
        import_module("qpsolvers")

    def may_abort(self, program: Any) -> bool:
        """Return whether HiGHS is given entries that are larger than it expects."""
        largest = max(float(np.abs(matrix.data).max(initial=0.0)) for matrix in (program.P, program.A))
        return self.name == "highs" and largest > _HUGE

    def settings(self) -> Mapping[str, Any] | None:
        """Return those of the solver; of one that the extra does not install they are not known."""
        match self.name:
            case "daqp":
                return dict.fromkeys(_DAQP, 0.0) | {"iter_limit": 0, "eq_reduction": 0, "presolve": 0}
            case "highs":
                import highspy

                return attributes(highspy.HighsOptions())
            case "piqp":
                import piqp

                return attributes(piqp.DenseSolver().settings) | _BACKEND
            case "proxqp":
                numbers, flags = dict.fromkeys(_PROXQP, 0.0), dict.fromkeys(_PROXQP_FLAGS, False)
                return numbers | flags | _BACKEND | {"initial_guess": None, "max_iter": 0, "sparse_backend": None}
        return None

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Solve in the form with inequalities and equations apart, and put the multipliers back in order."""
        import qpsolvers

        if self.name == "highs":
            _refuse_values_of_highs(options)
        dense = self.name in qpsolvers.dense_solvers and (
            self.name not in qpsolvers.sparse_solvers or program.P.nnz > _DENSE_ABOVE * program.q.size**2
        )
        settings = _SETTINGS.get(self.name, {}) | self._common(request) | _start(program, request) | options
        problem = _problem(qpsolvers, program.to_qp(), dense)
        with _threads_of_highs() if self.name == "highs" and "threads" in options else nullcontext():
            solution = qpsolvers.solve_problem(problem, solver=self.name, verbose=request.verbose, **settings)
        message = str(solution.extras.get("status", "found" if solution.found else "not found"))
        limited = request.max_iter is not None or request.time_limit is not None
        claim = Claim.OPTIMAL if solution.found else Claim.STOPPED if limited else Claim.FAILED
        point = np.full(program.q.size, np.nan) if solution.x is None else np.asarray(solution.x)
        return Answer(point, _multipliers(program, solution.y, solution.z), claim, message)

    def _common(self, request: Request) -> dict[str, Any]:
        """Return what the solver calls that which means the same for all."""
        names = self._names
        found: dict[str, Any] = dict.fromkeys(names.tol, max(request.tol / 10, names.least))
        if request.max_iter is not None:
            found |= dict.fromkeys(names.max_iter, min(request.max_iter, _MOST))
        if request.time_limit is not None:
            found |= dict.fromkeys(names.time_limit, request.time_limit)
        return found


def _start(program: ConeProgram, request: Request) -> dict[str, Any]:
    """Return the point to start from as ProxQP takes it."""
    if request.warm_start is None:
        return {}
    start, z = {"initvals": request.warm_start}, request.warm_multipliers
    if z is not None:
        equal = program.equations()
        start |= {"y": z[equal]} if equal.any() else {}
        start |= {"z": z[~equal]} if not equal.all() else {}
    return start


def _refuse_values_of_highs(options: Mapping[str, Any]) -> None:
    """Refuse values that HiGHS does not take; qpsolvers would leave its default in their place."""
    import highspy

    trial = highspy.Highs()
    trial.setOptionValue("output_flag", False)
    for option, value in options.items():
        if trial.setOptionValue(option, value) != highspy.HighsStatus.kOk:
            default = getattr(highspy.HighsOptions(), option)
            raise ParameterError(
                f"option {option!r} of solver 'highs' must be a value that HiGHS takes, but {shown(value)} came; its "
                f"default is {default!r}."
            )


@cache
def _greet_highs() -> None:
    """Make the first object of HiGHS, which prints its version before it can be told not to."""
    import highspy

    with silent():
        highspy.Highs()


@contextmanager
def _threads_of_highs() -> Iterator[None]:
    """End the threads that HiGHS keeps for the whole process: it refuses to run with another number of them."""
    import highspy

    highspy.Highs.resetGlobalScheduler(True)
    try:
        yield
    finally:
        highspy.Highs.resetGlobalScheduler(True)


def _problem(qpsolvers: Any, qp: QuadraticProgram, dense: bool) -> Any:
    def form(matrix: csc_array) -> Any:
        return matrix.toarray() if dense else csc_matrix(matrix)

    inequalities = (form(qp.G), qp.h) if qp.h.size else (None, None)
    equations = (form(qp.A), qp.b) if qp.b.size else (None, None)
    return qpsolvers.Problem(form(qp.P), qp.q, *inequalities, *equations)


def _multipliers(program: ConeProgram, y: Vector | None, z: Vector | None) -> Vector:
    equal = program.equations()
    multipliers = np.full(equal.size, np.nan)
    if y is not None and equal.any():
        multipliers[equal] = y
    if z is not None and not equal.all():
        multipliers[~equal] = z
    return multipliers
