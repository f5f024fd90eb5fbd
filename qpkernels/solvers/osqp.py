# SPDX-License-Identifier: BSD-3-Clause
"""OSQP: operator splitting for quadratic programs (Stellato et al., 2020)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_matrix, triu

from qpkernels.programs import ConeProgram, Nonnegative, Zero
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

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


class OSQP(Solver):
    """OSQP, with ``tol`` as its absolute and relative tolerance."""

    name = "osqp"
    cones: ClassVar = (Zero, Nonnegative)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "osqp"
    install = "pip install osqp"

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Write the rows as l <= Ax <= u; the multipliers of both forms are the same."""
        import osqp

        equal = program.equations()
        settings: dict[str, Any] = {"eps_abs": request.tol, "eps_rel": request.tol, "verbose": request.verbose}
        # A claim of infeasibility has to pass as a proof, which its default of 1e-4 does not.
        settings |= {"eps_prim_inf": 1e-8, "eps_dual_inf": 1e-8}
        if request.max_iter is not None:
            settings["max_iter"] = int(request.max_iter)
        if request.time_limit is not None:
            settings["time_limit"] = request.time_limit
        solver = osqp.OSQP()
        solver.setup(
            P=csc_matrix(triu(program.P)),
            q=program.q,
            A=csc_matrix(program.A),
            l=np.where(equal, program.b, -np.inf),
            u=program.b,
            **(settings | options),
        )
        if request.warm_start is not None:
            solver.warm_start(x=np.asarray(request.warm_start, dtype=float))
        result = solver.solve(raise_error=False)
        message = str(result.info.status)
        claim = _CLAIMS.get(message, Claim.FAILED)
        point = result.dual_inf_cert if claim is Claim.UNBOUNDED else result.x
        multipliers = result.prim_inf_cert if claim is Claim.INFEASIBLE else result.y
        return Answer(np.array(point), np.array(multipliers), claim, message, int(result.info.iter))
