# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels grid``: what grid.py of LIBSVM does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
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
from formulations.commands.output import check_machine, command, end, show

if TYPE_CHECKING:
    from formulations.commands.stating.samples import Training
    from formulations.commands.stating.statements import Asked

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

    from formulations.commands.search.values import read_values
    from formulations.commands.stating import samples, statements
    from qpkernels.errors import ParameterError

    check_machine(output)
    asked = statements.ask(model)
    statements.require_model(asked)
    if asked.without_targets:
        raise ParameterError(f"{asked.name} looks at no labels that it could be scored by; take fit, or path.")
    read = samples.read_training(source, [asked], named=True)
    chosen = statements.choose_kernel(kernel, read.X)
    values = read_values(tries or [usual for usual in _USUAL if _has(asked, chosen, usual.partition("=")[0])])
    if not 2 <= folds <= read.y.size:
        raise ParameterError(f"--folds must be from 2 to the number of samples, {read.y.size}, but {folds} came.")
    split = (StratifiedKFold if asked.separates else KFold)(folds, shuffle=True, random_state=seed)
    if asked.separates and np.unique(read.y).size > 2:
        if scoring is not None or store is not None:
            raise ParameterError("--scoring and --store are for two classes, or values; leave them out.")
        found = _of_several(asked, read, chosen, values, split, tol, solver)
    else:
        stated = asked.model(read.X, read.y, chosen)
        found = _of_one(stated, split, values, scoring=scoring, tol=tol, solver=solver, store=store)
    best, statuses = dict(found.best), found.statuses
    record: dict[str, Any] = {"data": read.name, "best_params": best, "best_score": found.score, "points": found.rows}
    if output is not None:
        trained = _trained(asked, read, chosen, best, solver, tol)
        statuses = (*statuses, *trained.statuses)
        record["written"] = str(trained.predictor.save(output))
    show(found.shown, record, json_path)
    if output is not None and json_path != "-":
        print(f"written: {record['written']}")
    end(statuses)


@dataclass(frozen=True, eq=False)
class _Found:
    """What a search found: how it is shown, the best point with its score, all points, what is proved of the fits."""

    shown: Any
    best: Mapping[str, Any]
    score: float
    rows: list[dict[str, Any]]
    statuses: tuple[str, ...]


def _of_one(stated: Any, split: Any, values: dict[str, Any], **options: Any) -> _Found:
    from formulations.comparison.row import without_nan
    from formulations.selection import grid
    from formulations.selection.search.points import grid_points

    # Names are checked here: those of other arguments of grid would be taken for these.
    grid_points(stated, values)
    search = grid(stated, split, refit=False, **options, **values)
    statuses = tuple("failed" if fit is None else str(fit.status) for fits in search.fits for fit in fits)
    rows = [without_nan(row) for row in search.rows()]
    return _Found(search, search.best_params, search.best_score, rows, statuses)


def _of_several(asked: Asked, read: Training, kernel: Any, *options: Any) -> _Found:
    from formulations.commands.search.several import search_several

    search = search_several(asked, read, kernel, *options)
    return _Found(search, search.best.parameters, float(search.mean.max()), search.rows(), search.statuses)


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
