# SPDX-License-Identifier: BSD-3-Clause
"""Clarabel: interior point for all symmetric and the 3-dimensional cones (Goulart and Chen, 2024)."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.problems import Cone, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from qpkernels.solvers.interface import Answer, Claim, Request, Solver, attributes

__all__ = ["Clarabel"]

_CLAIMS = {
    "Solved": Claim.OPTIMAL,
    "AlmostSolved": Claim.STOPPED,
    "PrimalInfeasible": Claim.INFEASIBLE,
    "AlmostPrimalInfeasible": Claim.INFEASIBLE,
    "DualInfeasible": Claim.UNBOUNDED,
    "AlmostDualInfeasible": Claim.UNBOUNDED,
    "MaxIterations": Claim.STOPPED,
    "MaxTime": Claim.STOPPED,
    "InsufficientProgress": Claim.STOPPED,
}


class Clarabel(Solver):
    """Clarabel, asked for a hundredth of ``tol``, since it measures its residuals against larger terms."""

    name = "clarabel"
    cones: ClassVar = (Zero, Nonnegative, SecondOrder, PSDTriangle, Exponential, Power)
    options = frozenset({"tol", "max_iter", "time_limit"})
    module = "clarabel"
    install = "pip install clarabel"

    def settings(self) -> Mapping[str, Any]:
        """Return those of ``clarabel.DefaultSettings``."""
        import clarabel

        return attributes(clarabel.DefaultSettings())

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Hand over the program, which is in Clarabel's own form."""
        solution = self.own_solution(program, request, **options)
        message = str(solution.status)
        return Answer(
            np.array(solution.x), np.array(solution.z), _CLAIMS.get(message, Claim.FAILED), message, solution.iterations
        )

    def own_solution(self, program: ConeProgram, request: Request, **options: Any) -> Any:
        """Return Clarabel's ``DefaultSolution``, which has also the slacks ``s`` of Ax + s = b at its last iterate."""
        import clarabel

        settings = clarabel.DefaultSettings()
        settings.verbose = request.verbose
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = max(request.tol / 100, 1e-14)
        # A claim of infeasibility has to pass as a proof, which its default of 1e-8 does not always.
        settings.tol_infeas_abs = settings.tol_infeas_rel = max(request.tol / 1e4, 1e-12)
        if request.max_iter is not None:
            settings.max_iter = int(request.max_iter)
        if request.time_limit is not None:
            settings.time_limit = request.time_limit
        for option, value in options.items():
            setattr(settings, option, value)
        P = program.upper_triangle()
        cones = [_cone(clarabel, cone) for cone in program.cones]

        def solve() -> Any:
            return clarabel.DefaultSolver(P, program.q, program.A, program.b, cones, settings).solve()

        begun = perf_counter()
        solution = solve()
        size = max(abs(solution.obj_val), abs(solution.obj_val_dual))
        if str(solution.status) == "Solved" and not {"tol_gap_abs", "tol_gap_rel"} & options.keys() and 0 < size < 1:
            # Its gap is relative to 1 at least, which means little where the value itself is smaller.
            settings.tol_gap_abs = settings.tol_gap_rel = max(settings.tol_gap_rel * size, 1e-14)
            settings.time_limit = max(0.0, settings.time_limit - (perf_counter() - begun))
            again = solve()
            solution = again if str(again.status) == "Solved" else solution
        return solution


def _cone(clarabel: Any, cone: Cone) -> Any:
    match cone:
        case Zero():
            return clarabel.ZeroConeT(cone.size)
        case Nonnegative():
            return clarabel.NonnegativeConeT(cone.size)
        case SecondOrder():
            return clarabel.SecondOrderConeT(cone.size)
        case PSDTriangle():
            return clarabel.PSDTriangleConeT(cone.order)
        case Power():
            return clarabel.PowerConeT(cone.alpha)
        case _:
            return clarabel.ExponentialConeT()
