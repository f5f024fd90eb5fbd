# SPDX-License-Identifier: BSD-3-Clause
"""Every quadratic-programming solver that the qpsolvers package finds, under its name there (Caron et al.)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, csc_matrix

from qpkernels.arrays import Vector
from qpkernels.errors import UnsupportedOptionError
from qpkernels.programs import ConeProgram, Nonnegative, QuadraticProgram, Zero
from qpkernels.solvers.answer import Answer, Claim, Request
from qpkernels.solvers.interface import Solver

__all__ = ["QPSolversBackend"]

_OURS = frozenset({"clarabel", "osqp", "scs"})
"""Reached by their own adapters, without the detour."""

_MODULES = {"piqp": "piqp", "daqp": "daqp", "proxqp": "proxsuite", "highs": "highspy"}
"""What the extra ``solvers`` installs: listed also where it is missing."""


@dataclass(frozen=True)
class _Options:
    """What a solver calls the options that mean the same for all; None or empty: it has none."""

    tol: tuple[str, ...] = ()
    max_iter: str | None = None
    time_limit: str | None = None


_OPTIONS = {
    "cvxopt": _Options(("abstol", "reltol", "feastol"), "maxiters"),
    "daqp": _Options(("primal_tol", "dual_tol"), "iter_limit", "time_limit"),
    "ecos": _Options(("abstol", "reltol", "feastol"), "max_iters"),
    "highs": _Options(
        ("primal_feasibility_tolerance", "dual_feasibility_tolerance"), "qp_iteration_limit", "time_limit"
    ),
    "piqp": _Options(("eps_abs", "eps_rel", "eps_duality_gap_abs", "eps_duality_gap_rel"), "max_iter"),
    "proxqp": _Options(("eps_abs", "eps_rel"), "max_iter"),
    "qpalm": _Options(("eps_abs", "eps_rel"), "max_iter", "time_limit"),
}
"""The solvers not named here run at their own accuracy and within their own limits."""

_SETTINGS: dict[str, dict[str, Any]] = {
    # HiGHS refuses a matrix with larger entries; qpsolvers runs it all the same, on nothing, which ends the process.
    "highs": {"large_matrix_value": 1e300},
}
"""What a solver is told in all cases."""

_HUGE = 1e15
"""Entries from which HiGHS, left as it is, refuses a matrix; with larger ones it solves some, and aborts on others."""

_DENSE_ABOVE = 0.2
"""Share of nonzeros in P from which a solver with both kinds of algebra is given dense matrices."""


class QPSolversBackend(Solver):
    """One solver of qpsolvers, asked for a tenth of ``tol``; see ``qpsolvers.available_solvers``."""

    cones: ClassVar = (Zero, Nonnegative)
    install = 'pip install "qpkernels[solvers]"'

    def __init__(self, name: str) -> None:
        self.name = name
        self._names = _OPTIONS.get(name, _Options())
        self.options = frozenset(option for option in ("tol", "max_iter", "time_limit") if getattr(self._names, option))
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
        import_module("qpsolvers")

    def may_abort(self, program: Any) -> bool:
        """Return whether HiGHS is given entries that are larger than it expects."""
        largest = max(float(np.abs(matrix.data).max(initial=0.0)) for matrix in (program.P, program.A))
        return self.name == "highs" and largest > _HUGE

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Solve in the form with inequalities and equations apart, and put the multipliers back in order."""
        import qpsolvers

        _refuse_unknown(self.name, options)
        dense = self.name in qpsolvers.dense_solvers and (
            self.name not in qpsolvers.sparse_solvers or program.P.nnz > _DENSE_ABOVE * program.q.size**2
        )
        settings: dict[str, Any] = _SETTINGS.get(self.name, {}) | dict.fromkeys(self._names.tol, request.tol / 10)
        if self._names.max_iter and request.max_iter is not None:
            settings[self._names.max_iter] = int(request.max_iter)
        if self._names.time_limit and request.time_limit is not None:
            settings[self._names.time_limit] = request.time_limit
        problem = _problem(qpsolvers, program.to_qp(), dense)
        solution = qpsolvers.solve_problem(problem, solver=self.name, verbose=request.verbose, **(settings | options))
        message = str(solution.extras.get("status", "found" if solution.found else "not found"))
        limited = request.max_iter is not None or request.time_limit is not None
        claim = Claim.OPTIMAL if solution.found else Claim.STOPPED if limited else Claim.FAILED
        point = np.full(program.q.size, np.nan) if solution.x is None else np.asarray(solution.x)
        return Answer(point, _multipliers(program, solution.y, solution.z), claim, message)


def _refuse_unknown(name: str, options: dict[str, Any]) -> None:
    """Refuse options that PIQP or HiGHS do not have; through qpsolvers they would be ignored."""
    if name == "piqp":
        import piqp

        known: Any = piqp.DenseSolver().settings
    elif name == "highs":
        import highspy

        known = highspy.HighsOptions()
    else:
        return
    unknown = [option for option in options if option != "backend" and not hasattr(known, option)]
    if unknown:
        raise UnsupportedOptionError(f"{name} has no option {', '.join(unknown)}; see its manual for the names.")


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
