# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels grid``: what grid.py of LIBSVM does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import (
    JsonPath,
    KernelOptions,
    ModelOptions,
    Seed,
    SolverName,
    Store,
    TrainingOptions,
    Tries,
)
from formulations.commands.output import command, end, show

if TYPE_CHECKING:
    from formulations.commands.samples import Training
    from formulations.commands.stating import Asked

__all__ = ["grid_command"]

_USUAL = ("C=log2:-5,15,2", "gamma=log2:3,-15,-2")
"""What grid.py tries unless it is told otherwise."""


@command
def grid_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    tries: Tries = None,
    folds: Annotated[int, typer.Option(help="Parts, each of which is held out once.", rich_help_panel="Solving")] = 5,
    scoring: Annotated[
        str | None,
        typer.Option(help="A scorer of scikit-learn; default: accuracy, or R^2 of values.", rich_help_panel="Solving"),
    ] = None,
    solver: SolverName = None,
    tol: Annotated[
        float, typer.Option("--tol", help="What every certificate must show.", rich_help_panel="Solving")
    ] = 1e-3,
    seed: Seed = 0,
    store: Store = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Train at the best point, and write it.", rich_help_panel="Output"),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Cross-validate every combination of hyper-parameters, and say which is best; every fit is proved.

    Without --try, those of grid.py, as far as there are such: C=log2:-5,15,2 and gamma=log2:3,-15,-2.
    """
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    from formulations.commands import samples, stating
    from formulations.commands.search.values import read_values
    from qpkernels.errors import ParameterError

    asked = stating.ask(model)
    read = samples.read_training(source, [asked], named=True)
    chosen = stating.choose_kernel(kernel, read.X)
    values = read_values(tries or [usual for usual in _USUAL if _has(asked, chosen, usual.partition("=")[0])])
    if not 2 <= folds <= read.y.size:
        raise ParameterError(f"--folds must be from 2 to the number of samples, {read.y.size}, but {folds} came.")
    split = (StratifiedKFold if asked.separates else KFold)(folds, shuffle=True, random_state=seed)
    if asked.separates and np.unique(read.y).size > 2:
        if scoring is not None or store is not None:
            raise ParameterError("--scoring and --store are for two classes, or values; leave them out.")
        from formulations.commands.search.several import search_several

        several = search_several(asked, read, chosen, values, split, tol, solver)
        best, rows, statuses = several.best.parameters, several.rows(), several.statuses
        printed: Any = several
        best_score = float(several.mean.max())
    else:
        from formulations.comparison.row import without_nan
        from formulations.selection import grid
        from formulations.selection.search.points import grid_points

        stated = asked.model(read.X, read.y, chosen)
        # Names are checked here: those of other arguments of grid would be taken for these.
        grid_points(stated, values)
        search = grid(stated, split, scoring=scoring, refit=False, tol=tol, solver=solver, store=store, **values)
        best, printed, rows = search.best_params, search, [without_nan(row) for row in search.rows()]
        statuses = tuple("failed" if fit is None else str(fit.status) for fits in search.fits for fit in fits)
        best_score = search.best_score
    record: dict[str, Any] = {"data": read.name, "best_params": dict(best), "best_score": best_score, "points": rows}
    if output is not None:
        trained = _trained(asked, read, chosen, best, solver, tol)
        statuses = (*statuses, *trained.statuses)
        record["written"] = str(trained.predictor.save(output))
    show(printed, record, json_path)
    if output is not None and json_path != "-":
        print(f"written: {record['written']}")
    end(statuses)


def _has(asked: Asked, kernel: Any, name: str) -> bool:
    """Return whether the model, or its kernel, has a parameter of that name."""
    return name in [parameter.name for parameter in asked.kind.hyperparameters] or hasattr(kernel, name)


def _trained(asked: Asked, read: Training, kernel: Any, best: Mapping[str, Any], solver: str | None, tol: float) -> Any:
    """Train the machine of all samples at a point."""
    from formulations.commands.machines.training import train

    own = {parameter.name for parameter in asked.kind.hyperparameters}
    of_kernel = {name.removeprefix("kernel__"): value for name, value in best.items() if name not in own}
    there = replace(asked, values={**asked.values, **{name: best[name] for name in best if name in own}})
    at = replace(kernel, **of_kernel) if of_kernel else kernel
    return train(there, read, at, against_rest=False, solver=solver, tol=tol, time_limit=None)
