# SPDX-License-Identifier: BSD-3-Clause
"""Anything that CVXPY can call, as ``cvxpy:NAME``; CVXPY gets matrices here and is a back-end like any other."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from qpkernels.errors import SolverNotInstalledError
from qpkernels.problems import Cone, ConeProgram, Exponential, Nonnegative, Power, SecondOrder, Zero
from qpkernels.solvers.backends.clarabel import Clarabel
from qpkernels.solvers.backends.osqp import OSQP
from qpkernels.solvers.backends.qpsolvers import HIGHS_ITERATIONS, QPSolversBackend
from qpkernels.solvers.backends.scs import SCS
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = ["CVXPYBackend"]

_PREFIX = "cvxpy:"

_CLAIMS = {
    "optimal": Claim.OPTIMAL,
    "infeasible": Claim.INFEASIBLE,
    "unbounded": Claim.UNBOUNDED,
    "optimal_inaccurate": Claim.STOPPED,
    "user_limit": Claim.STOPPED,
}


@dataclass(frozen=True)
class _Limits:
    """A CVXPY solver's names for the limits of iterations and seconds; empty where it has none, or CVXPY drops it."""

    max_iter: tuple[str, ...] = ()
    time_limit: tuple[str, ...] = ()


_LIMITS = {
    "CLARABEL": _Limits(("max_iter",), ("time_limit",)),
    "COPT": _Limits((), ("TimeLimit",)),
    "CVXOPT": _Limits(("max_iters",)),
    "DAQP": _Limits(("iter_limit",)),
    "ECOS": _Limits(("max_iters",)),
    "GUROBI": _Limits(("IterationLimit", "BarIterLimit"), ("TimeLimit",)),
    "HIGHS": _Limits(HIGHS_ITERATIONS, ("time_limit",)),
    "OSQP": _Limits(("max_iter",), ("time_limit",)),
    "PIQP": _Limits(("max_iter",)),
    "PROXQP": _Limits(("max_iter",)),
    "QOCO": _Limits(("max_iters",)),
    "SCS": _Limits(("max_iters",), ("time_limit_secs",)),
}
"""Solvers that are not named here take a limit of iterations, if at all, among their own options."""

_ADAPTERS: dict[str, Callable[[], Solver]] = {
    "CLARABEL": Clarabel,
    "DAQP": partial(QPSolversBackend, "daqp"),
    "HIGHS": partial(QPSolversBackend, "highs"),
    "OSQP": OSQP,
    "PIQP": partial(QPSolversBackend, "piqp"),
    "SCS": SCS,
}
"""Who knows the options of a solver."""

_RENAMED: dict[str, dict[str, Any]] = {"HIGHS": {"highs_options": None}, "SCS": {"eps": 0.0, "use_indirect": False}}
"""The options of CVXPY beside them."""

_PROXQP = {**dict.fromkeys(("eps_abs", "eps_rel", "mu_eq", "mu_in", "rho"), 0.0), "backend": "", "max_iter": 0}
"""The options that CVXPY hands on to ProxQP: it drops all others."""


class CVXPYBackend(Solver):
    """A solver of CVXPY at its own default accuracy: CVXPY has no common name for a tolerance, so pass the solver's."""

    cones: ClassVar = (Zero, Nonnegative, SecondOrder, Exponential, Power)
    module = "cvxpy"
    install = "pip install cvxpy"

    def __init__(self, name: str) -> None:
        self.name = name
        self.backend = name.removeprefix(_PREFIX).upper()
        self._limits = _LIMITS.get(self.backend, _Limits())
        self.options = frozenset(option for option in ("max_iter", "time_limit") if getattr(self._limits, option))

    @classmethod
    def instances(cls) -> Iterable[Solver]:
        """Return none: a name with the prefix calls one."""
        return ()

    @classmethod
    def named(cls, name: str) -> Solver | None:
        """Return the back-end for ``cvxpy:NAME``."""
        return cls(name) if name.startswith(_PREFIX) else None

    def lacks(self, option: str) -> str:
        """Return in words that CVXPY hands no such option on to the solver, and to whom it does."""
        takers = ", ".join(name for name, limits in _LIMITS.items() if getattr(limits, option, ()))
        known = f" CVXPY's solvers that take it are {takers}." if takers else ""
        return f"{super().lacks(option)}{known}"

    def settings(self) -> Mapping[str, Any] | None:
        """Return those that CVXPY hands on to the solver; None of a solver that this package does not know itself."""
        if self.backend == "PROXQP":
            return _PROXQP
        adapter = _ADAPTERS.get(self.backend)
        if adapter is None:
            return None
        known = dict(adapter().settings() or {}) | _RENAMED.get(self.backend, {})
        if self.backend == "DAQP":
            from cvxpy.reductions.solvers.qp_solvers.daqp_qpif import DAQP

            return {name: known.get(name) for name in DAQP.ALLOWED_SOLVER_OPTS}
        return known

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """State the program in one variable and solve it by the named solver."""
        import cvxpy as cp

        if self.backend not in cp.installed_solvers():
            raise SolverNotInstalledError(
                f"CVXPY finds no solver {self.backend!r}; it finds {', '.join(cp.installed_solvers())}."
            )
        x = cp.Variable(program.q.size)
        s = program.b - program.A @ x
        constraints = [_constraint(cp, cone, s[rows]) for cone, rows in program.parts()]
        objective = 0.5 * cp.quad_form(x, cp.psd_wrap(program.P)) + program.q @ x if program.P.nnz else program.q @ x
        problem = cp.Problem(cp.Minimize(objective), constraints)
        limits: dict[str, Any] = {}
        for option in self.options:
            if (value := getattr(request, option)) is not None:
                limits |= dict.fromkeys(getattr(self._limits, option), value)
        with warnings.catch_warnings():
            # Its status says so as well.
            warnings.filterwarnings("ignore", message="Solution may be inaccurate")
            # Where a solver gave no point, it computes with NaN.
            warnings.simplefilter("ignore", RuntimeWarning)
            problem.solve(solver=self.backend, verbose=request.verbose, **(limits | options))
        point = np.full(program.q.size, np.nan) if x.value is None else np.asarray(x.value)
        duals = [_multipliers(cone, constraint) for cone, constraint in zip(program.cones, constraints, strict=True)]
        stats = problem.solver_stats
        return Answer(
            point,
            np.concatenate([np.zeros(0), *duals]),
            _CLAIMS.get(problem.status, Claim.FAILED),
            problem.status,
            None if stats is None else stats.num_iters,
        )


def _constraint(cp: Any, cone: Cone, s: Any) -> Any:
    match cone:
        case Zero():
            return -s == 0
        case Nonnegative():
            return s >= 0
        case SecondOrder():
            return cp.SOC(s[0], s[1:])
        case Power():
            return cp.PowCone3D(s[0], s[1], s[2], cone.alpha)
        case _:
            return cp.ExpCone(s[0], s[1], s[2])


def _multipliers(cone: Cone, constraint: Any) -> Any:
    value = constraint.dual_value
    if value is None:
        return np.full(cone.size, np.nan)
    parts = value if isinstance(value, list) else [value]
    return np.concatenate([np.ravel(part) for part in parts])
