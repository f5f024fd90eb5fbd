# SPDX-License-Identifier: BSD-3-Clause
"""Solvers, one file each; a back-end is imported when it is used."""

from qpkernels.solvers.interface import Answer, Claim, ConePoint, Outcome, Request, Solver
from qpkernels.solvers.registry import (
    SolverLike,
    find_solver,
    installed_solvers,
    register_solver,
    registered_solvers,
    unregister_solver,
)

__all__ = [
    "Answer",
    "Claim",
    "ConePoint",
    "Outcome",
    "Request",
    "Solver",
    "SolverLike",
    "find_solver",
    "installed_solvers",
    "register_solver",
    "registered_solvers",
    "unregister_solver",
]
