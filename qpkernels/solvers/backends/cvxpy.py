# SPDX-License-Identifier: BSD-3-Clause
"""Anything that CVXPY can call, as ``cvxpy:NAME``; CVXPY gets matrices here and is a back-end like any other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from qpkernels.errors import SolverNotInstalledError
from qpkernels.programs import (
    Cone,
    ConeProgram,
    Exponential,
    Nonnegative,
    Power,
    SecondOrder,
    Zero,
)
from qpkernels.solvers.answer import Answer, Claim, Request
from qpkernels.solvers.interface import Solver

__all__ = ["CVXPYBackend"]

_PREFIX = "cvxpy:"

_CLAIMS = {
    "optimal": Claim.OPTIMAL,
    "infeasible": Claim.INFEASIBLE,
    "unbounded": Claim.UNBOUNDED,
    "optimal_inaccurate": Claim.STOPPED,
    "user_limit": Claim.STOPPED,
}


class CVXPYBackend(Solver):
    """A solver of CVXPY at its own default accuracy: CVXPY has no common name for a tolerance, so pass the solver's."""

    cones: ClassVar = (Zero, Nonnegative, SecondOrder, Exponential, Power)
    module = "cvxpy"
    install = "pip install cvxpy"

    def __init__(self, name: str) -> None:
        self.name = name
        self.backend = name.removeprefix(_PREFIX).upper()

    @classmethod
    def instances(cls) -> Iterable[Solver]:
        """Return none: a name with the prefix calls one."""
        return ()

    @classmethod
    def named(cls, name: str) -> Solver | None:
        """Return the back-end for ``cvxpy:NAME``."""
        return cls(name) if name.startswith(_PREFIX) else None

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
        problem.solve(solver=self.backend, verbose=request.verbose, **options)
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
