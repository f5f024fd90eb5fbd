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
        float, typer.Option("--tol", help="What every certificate must show.", rich_help_panel="Solving")
    ] = 1e-3,
    store: Store = None,
    json_path: JsonPath = None,
) -> None:
    """Solve a model along the values of one hyper-parameter, each fit from the one before, and prove every answer.

    Without --try: C=log10:-2,3,1.
    """
    from formulations.commands.search.values import read_values
    from formulations.commands.stating import samples, statements
    from formulations.comparison.row import without_nan
    from formulations.selection import path
    from formulations.selection.search.points import grid_points
    from qpkernels.errors import ParameterError

    asked = statements.ask(model, kernel)
    statements.require_model(asked)
    values = read_values(tries or ("C=log10:-2,3,1",))
    if len(values) > 1:
        raise ParameterError(f"path takes one --try, but {len(values)} came; several make a grid: qpkernels grid.")
    training = samples.read_training(source, [asked])
    samples.require_two_classes(training, [asked])
    stated = asked.model(training.X, training.y, statements.choose_kernel(kernel, training.X))
    # Names are checked here: those of other arguments of path would be taken for these.
    grid_points(stated, values)
    found = path(stated, tol=tol, solver=solver, store=store, **values)
    show(found, [without_nan(row) for row in found.rows()], json_path)
    end("failed" if fit is None else str(fit.status) for fit in found.fits)
