# SPDX-License-Identifier: BSD-3-Clause
"""Solvers: one file each; the back-ends are imported when they are used."""

from qpkernels.solvers.automatic import (
    OF_SMO,
    THEN,
    Automatic,
    AutomaticSystem,
    Budget,
    automatic_for,
    first_order,
    second_order_comes_first,
)
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
    "OF_SMO",
    "THEN",
    "Answer",
    "Automatic",
    "AutomaticSystem",
    "Budget",
    "Claim",
    "ConePoint",
    "Outcome",
    "Request",
    "Solver",
    "SolverLike",
    "automatic_for",
    "find_solver",
    "first_order",
    "installed_solvers",
    "register_solver",
    "registered_solvers",
    "second_order_comes_first",
    "unregister_solver",
]
