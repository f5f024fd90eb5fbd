# SPDX-License-Identifier: BSD-3-Clause
"""OSQP: operator splitting for quadratic programs (Stellato et al., 2020).

A splitting method comes near the vertex of a linear program late or never, but it often knows early which constraints
are active there. So a rough point is polished, which solves the equations of those constraints, and judged by its
Karush-Kuhn-Tucker conditions; where they do not hold, the next stage goes on from there with a tenth of the tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_matrix

from qpkernels.arrays import Vector
from qpkernels.problems import ConeProgram, Nonnegative, Zero
from qpkernels.solvers.interface import Answer, Claim, Request, Solver, attributes

__all__ = ["OSQP"]

_CLAIMS = {
    "solved": Claim.OPTIMAL,
    "solved inaccurate": Claim.STOPPED,
    "primal infeasible": Claim.INFEASIBLE,
    "primal infeasible inaccurate": Claim.INFEASIBLE,
    "dual infeasible": Claim.UNBOUNDED,
    "dual infeasible inaccurate": Claim.UNBOUNDED,
    "maximum iterations reached": Claim.STOPPED,
    "run time limit reached": Claim.STOPPED,
}

_SETTINGS: dict[str, Any] = {
    # A claim of infeasibility has to pass as a proof, which its default of 1e-4 does not.
    "eps_prim_inf": 1e-8,
    "eps_dual_inf": 1e-8,
    # Where rho changes every few steps, linear programs go round in circles; this changes it after progress only.
    "adaptive_rho": 3,
    "polishing": True,
    "polish_refine_iter": 10,
}

_MAX_ITER = 50_000
"""Its default of 4000 ends most linear programs before their vertex is found; few others come near either number."""

_ROUGH = 1e-3
"""Tolerance of the first stage: the active constraints are often right long before the point is."""

_INSTANT = 1e-9
"""Seconds left when none are: 0 would mean no limit."""


class OSQP(Solver):
    """OSQP in stages, polished, until its conditions hold to a tenth of ``tol``.

    A given ``eps_abs`` or ``eps_rel`` is the accuracy of a single stage; any other option replaces the one used here.
    """

    name = "osqp"
    cones: ClassVar = (Zero, Nonnegative)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "osqp"
    install = "pip install osqp"

    def settings(self) -> Mapping[str, Any]:
        """Return those of ``osqp.OSQP.setup``."""
        import osqp

        library = osqp.OSQP().ext
        defaults = library.OSQPSettings()
        library.osqp_set_default_settings(defaults)
        return attributes(defaults)

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Write the rows as l <= Ax <= u; the multipliers of both forms are the same."""
        import osqp

        stages = [request.tol] if {"eps_abs", "eps_rel"} & options.keys() else _tolerances(request.tol)
        settings: dict[str, Any] = _SETTINGS | _at(stages[0]) | {"verbose": request.verbose}
        if request.time_limit is not None:
            settings["time_limit"] = request.time_limit
        left = _MAX_ITER if request.max_iter is None else int(request.max_iter)
        solver = osqp.OSQP()
        solver.setup(
            P=csc_matrix(program.upper_triangle()),
            q=program.q,
            A=csc_matrix(program.A),
            l=np.where(program.equations(), program.b, -np.inf),
            u=program.b,
            **(settings | {"max_iter": left} | options),
        )
        if request.warm_start is not None:
            solver.warm_start(x=request.warm_start, y=request.warm_multipliers)
        begin, iterations = perf_counter(), 0
        for stage, eps in enumerate(stages):
            if stage:
                limits: dict[str, Any] = {"max_iter": left - iterations}
                if request.time_limit is not None:
                    limits["time_limit"] = max(request.time_limit - (perf_counter() - begin), _INSTANT)
                solver.update_settings(**_at(eps), **limits)
            result = solver.solve(raise_error=False)
            iterations += int(result.info.iter)
            message = str(result.info.status)
            claim = _CLAIMS.get(message, Claim.FAILED)
            done = claim is not Claim.OPTIMAL or _error(program, result.x, result.y) <= 0.1 * request.tol
            if done or iterations >= left:
                break
        point = result.dual_inf_cert if claim is Claim.UNBOUNDED else result.x
        multipliers = result.prim_inf_cert if claim is Claim.INFEASIBLE else result.y
        return Answer(np.array(point), np.array(multipliers), claim, message, iterations)


def _tolerances(tol: float) -> list[float]:
    """Return the tolerances of the stages: from a rough one by tenths to a hundredth of ``tol``."""
    first = max(_ROUGH, tol)
    return [first * 0.1**stage for stage in range(3 + round(np.log10(first / tol)))]


def _at(eps: float) -> dict[str, float]:
    return {"eps_abs": eps, "eps_rel": eps}


def _error(program: ConeProgram, x: Vector, z: Vector) -> float:
    """Return the largest residual of Ax <= b, z >= 0, Px + q + A'z = 0 and z'(b - Ax) = 0, relative to their terms."""
    equal = program.equations()
    Ax, Px, Az = program.A @ x, program.P @ x, program.A.T @ z
    slack = program.b - Ax
    objective = (abs(x @ Px), abs(program.q @ x), abs(program.b @ z))
    return max(
        _relative(np.where(equal, np.abs(slack), -slack), Ax, program.b),
        _relative(np.where(equal, 0.0, -z), z),
        _relative(np.abs(Px + program.q + Az), Px, program.q, Az),
        _relative(np.array([np.abs(z) @ np.abs(slack)]), np.array(objective)),
    )


def _relative(amounts: Vector, *terms: Vector) -> float:
    """Return the largest amount above 0 as a share of the largest term; 0 / 0 = 0."""
    amount = float(amounts.max(initial=0.0))
    return amount / max(float(np.abs(term).max(initial=0.0)) for term in terms) if amount else 0.0
