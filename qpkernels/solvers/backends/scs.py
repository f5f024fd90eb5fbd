# SPDX-License-Identifier: BSD-3-Clause
"""SCS: operator splitting for cone programs (O'Donoghue et al., 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_matrix, csr_array

from qpkernels.arrays import Indices
from qpkernels.problems import Cone, ConeProgram, Exponential, Nonnegative, Power, SecondOrder, Zero
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

__all__ = ["SCS"]

_CLAIMS = {
    1: Claim.OPTIMAL,
    2: Claim.STOPPED,
    -1: Claim.UNBOUNDED,
    -2: Claim.INFEASIBLE,
    -6: Claim.UNBOUNDED,
    -7: Claim.INFEASIBLE,
}

_SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "acceleration_interval": 10,
        "acceleration_lookback": 10,
        "acceleration_regularization": 1e-8,
        "acceleration_relaxation": 1.0,
        "acceleration_type_1": True,
        "adaptive_diag_scale": True,
        "adaptive_scale": True,
        "alpha": 1.5,
        "eps_abs": 1e-4,
        "eps_infeas": 1e-7,
        "eps_rel": 1e-4,
        "linear_solver": None,
        "log_csv_filename": None,
        "max_iters": 100_000,
        "normalize": True,
        "rho_x": 1e-6,
        "scale": 0.1,
        "time_limit_secs": 0.0,
        "write_data_filename": None,
    }
)
"""Its options with their defaults, which it tells nobody."""


class SCS(Solver):
    """SCS, asked for a tenth of ``tol``, since it measures its residuals against larger terms.

    With exponential cones it is asked for ``tol``: their projection is not accurate enough for it to arrive at less.
    """

    name = "scs"
    cones: ClassVar = (Zero, Nonnegative, SecondOrder, Exponential, Power)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scs"
    install = "pip install scs"

    def settings(self) -> Mapping[str, Any]:
        """Return those of ``scs.SCS``."""
        return _SETTINGS

    def run(self, program: ConeProgram, request: Request, **options: Any) -> Answer:
        """Order the rows as SCS wants its cones, and put the multipliers back."""
        import scs

        order = _row_order(program)
        share = 1.0 if any(isinstance(cone, Exponential) for cone in program.cones) else 0.1
        settings: dict[str, Any] = dict.fromkeys(("eps_abs", "eps_rel"), share * request.tol)
        settings["verbose"] = request.verbose
        if request.max_iter is not None:
            settings["max_iters"] = int(request.max_iter)
        if request.time_limit is not None:
            settings["time_limit_secs"] = request.time_limit
        A, b, cones = csc_matrix(csr_array(program.A)[order]), program.b[order], _cones(program.cones)
        if not b.size:
            # SCS wants at least one row: 0 <= 1.
            A, b, cones = csc_matrix((1, program.q.size)), np.ones(1), {"l": 1}
        data = {"P": csc_matrix(program.upper_triangle()), "A": A, "b": b, "c": program.q}
        start = _start(program, request, order) if program.b.size else {}
        result = scs.SCS(data, cones, **(settings | options)).solve(**start)
        info = result["info"]
        multipliers = np.empty(program.b.size)
        multipliers[order] = result["y"][: order.size]
        claim = _CLAIMS.get(info["status_val"], Claim.FAILED)
        return Answer(np.array(result["x"]), multipliers, claim, str(info["status"]), int(info["iter"]))


def _start(program: ConeProgram, request: Request, order: Indices) -> dict[str, Any]:
    """Return what SCS is told of the point to start from: its slacks too, and multipliers of 0 where none are known."""
    if request.warm_start is None:
        return {}
    x, z = request.warm_start, request.warm_multipliers
    slacks = program.b - program.A @ x
    y = np.zeros(program.b.size) if z is None else z
    return {"warm_start": True, "x": x, "y": y[order], "s": slacks[order]}


def _row_order(program: ConeProgram) -> Indices:
    parts = sorted(program.parts(), key=lambda part: SCS.cones.index(type(part[0])))
    rows = [np.arange(rows.start, rows.stop) for _, rows in parts]
    return np.concatenate(rows) if rows else np.arange(0)


def _cones(cones: tuple[Cone, ...]) -> dict[str, Any]:
    return {
        "z": sum(cone.size for cone in cones if isinstance(cone, Zero)),
        "l": sum(cone.size for cone in cones if isinstance(cone, Nonnegative)),
        "q": [cone.size for cone in cones if isinstance(cone, SecondOrder)],
        "ep": sum(isinstance(cone, Exponential) for cone in cones),
        "p": [cone.alpha for cone in cones if isinstance(cone, Power)],
    }
