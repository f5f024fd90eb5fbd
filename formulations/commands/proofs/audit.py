# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels audit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from formulations.commands.options import Cost, JsonPath, Settings, TrainingOptions
from formulations.commands.output import command, end, report, waiting, write_json

__all__ = ["audit_command"]


@command
def audit_command(
    source: TrainingOptions,
    model: Annotated[Path, typer.Option("--model", help="A model of LIBSVM or LIBLINEAR.", rich_help_panel="Model")],
    cost: Cost = None,
    settings: Settings = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weight", metavar="CLASS=FACTOR", help="As -w of svm-train; may be repeated.", rich_help_panel="Model"
        ),
    ] = None,
    tol: Annotated[
        float, typer.Option("--tol", help="The relative gap that counts as proved.", rich_help_panel="Solving")
    ] = 1e-3,
    json_path: JsonPath = None,
) -> None:
    """Say how far from optimal a machine of svm-train or LIBLINEAR is, given the file that it was trained on.

    Model files do not hold the hyper-parameters: --C, --set nu=0.5 and so on are those it was trained with.
    """
    from formulations.commands.machines.training import class_factors
    from formulations.commands.stating.samples import read_set, scaled, scaling_of
    from formulations.commands.stating.statements import read_values
    from formulations.judging import audit

    dataset = read_set(source)
    scaling = scaling_of(source, dataset.X)
    X = dataset.X if scaling is None else scaled(scaling, dataset.X)
    with waiting(f"auditing {model}"):
        factors = class_factors(dataset.y, weights) if weights else None
        asked: dict[str, Any] = read_values(cost, settings)
        found = audit(model, X, dataset.y, tol=tol, sample_weight=factors, **asked)
    if json_path != "-":
        report(f"{source.data}: {X.shape[0]} samples, {X.shape[1]} features", found)
    if json_path is not None:
        write_json(json.loads(found.to_json()), json_path)
    end([found.status])
