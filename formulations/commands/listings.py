# SPDX-License-Identifier: BSD-3-Clause
"""Commands that list what there is: ``qpkernels solvers`` and ``qpkernels models``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Column, Table

from formulations.commands.options import JsonPath
from formulations.commands.output import command, show

if TYPE_CHECKING:
    from qpkernels.solvers import Solver

__all__ = ["models_command", "solvers_command"]


@command
def solvers_command(json_path: JsonPath = None) -> None:
    """List every solver: whether it is installed, what it takes, and how to get it."""
    from qpkernels.solvers import registered_solvers

    known = registered_solvers()
    table = Table("solver", "installed", "takes", "options")
    for solver in known:
        state = "yes" if solver.installed else f"no: {solver.install}"
        table.add_row(solver.name, escape(state), ", ".join(_takes(solver)), ", ".join(sorted(solver.options)))
    records = [
        {
            "name": solver.name,
            "installed": solver.installed,
            "takes": _takes(solver),
            "options": sorted(solver.options),
            "install": solver.install,
        }
        for solver in known
    ]
    table.caption = "and cvxpy:NAME for every solver that CVXPY finds"
    show(table, records, json_path)


@command
def models_command(json_path: JsonPath = None) -> None:
    """List every model: its forms, the usual one first, and its hyper-parameters."""
    from formulations.commands.names import models_by_name
    from formulations.modelling import Stated

    # Names are to be copied: where the terminal is narrow, the forms are broken into lines.
    table = Table(Column("model", no_wrap=True, min_width=max(map(len, models_by_name()))), "forms", "hyper-parameters")
    records = []
    for name, model in sorted(models_by_name().items()):
        forms = [form for form, _ in Stated.of(model)]
        parameters = [parameter.name for parameter in model.hyperparameters]
        table.add_row(name, ", ".join(forms), ", ".join(parameters))
        records.append({"name": name, "forms": forms, "hyperparameters": parameters})
    show(table, records, json_path)


def _takes(solver: Solver) -> list[str]:
    """Return the kinds of program, a ConeProgram by the cones it may have."""
    from qpkernels.problems import ConeProgram

    cones = [kind.__name__ for kind in solver.cones]
    return [*(kind.__name__ for kind in solver.programs if kind is not ConeProgram), *cones]
