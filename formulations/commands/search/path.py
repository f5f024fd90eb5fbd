# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels path``."""

from __future__ import annotations

from typing import Annotated

import typer

from formulations.commands.options import (
    JsonPath,
    KernelOptions,
    ModelOptions,
    SolverName,
    Store,
    TrainingOptions,
    Tries,
)
from formulations.commands.output import command, end, show

__all__ = ["path_command"]


@command
def path_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    tries: Tries = None,
    solver: SolverName = None,
    tol: Annotated[
        float | None,
        typer.Option(
            "--tol",
            help="What every certificate must show; default: 1e-3, with --exact 1e-9.",
            rich_help_panel="Solving",
        ),
    ] = None,
    store: Store = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Between two values, follow every change of the support vectors, and prove each breakpoint: "
            "--try C=0.01,100.",
            rich_help_panel="Solving",
        ),
    ] = False,
    json_path: JsonPath = None,
) -> None:
    """Solve a model along the values of one hyper-parameter, each fit from the one before, and prove every answer.

    Without --try: C=log10:-2,3,1; with --exact: C=0.01,100.
    """
    from formulations.commands.search.values import read_values
    from formulations.commands.stating import samples, statements
    from formulations.selection import exact_path, path
    from formulations.selection.search.points import grid_points
    from qpkernels.display import without_nan
    from qpkernels.errors import ParameterError, UnsupportedOptionError

    if exact and (solver is not None or store is not None):
        raise UnsupportedOptionError(
            "--exact takes neither --solver nor --store: an exact path is followed, and not kept."
        )
    asked = statements.ask(model, kernel)
    statements.require_model(asked)
    values = read_values(tries or ("C=0.01,100" if exact else "C=log10:-2,3,1",))
    if len(values) > 1:
        raise ParameterError(f"path takes one --try, but {len(values)} came; several make a grid: qpkernels grid.")
    training = samples.read_training(source, [asked])
    samples.require_two_classes(training, [asked])
    stated = asked.model(training.X, training.y, statements.choose_kernel(kernel, training.X))
    # Names are checked here: those of other arguments of path would be taken for these.
    grid_points(stated, values)
    if exact:
        followed = exact_path(stated, tol=1e-9 if tol is None else tol, **values)
        show(followed, [without_nan(row) for row in followed.rows()], json_path)
        end(row["status"] for row in followed.rows())
        return
    found = path(stated, tol=1e-3 if tol is None else tol, solver=solver, store=store, **values)
    show(found, [without_nan(row) for row in found.rows()], json_path)
    end("failed" if fit is None else str(fit.status) for fit in found.fits)
