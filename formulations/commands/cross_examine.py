# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels cross-examine``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from formulations.commands.options import (
    SOFT_MARGIN,
    Coef0,
    Cost,
    Data,
    Degree,
    FormName,
    Gamma,
    JsonPath,
    KernelName,
    ModelName,
    Positive,
    Scale,
    Settings,
    Target,
)
from formulations.commands.output import report, reports_errors, write_json, write_picture

__all__ = ["cross_examine_command"]


@reports_errors
def cross_examine_command(
    data: Data,
    model: ModelName = SOFT_MARGIN,
    form: FormName = None,
    solver: Annotated[list[str] | None, typer.Option(help="A solver; may be repeated. Default: all.")] = None,
    kernel: KernelName = "rbf",
    gamma: Gamma = None,
    degree: Degree = None,
    coef0: Coef0 = None,
    cost: Cost = None,
    settings: Settings = None,
    scale: Scale = False,
    positive: Positive = None,
    target: Target = None,
    tol: Annotated[
        list[float] | None, typer.Option(help="A tolerance; may be repeated. Default: 1e-3, 1e-6 and 1e-9.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each answer.")] = 60.0,
    picture: Annotated[Path | None, typer.Option(help="Draw seconds against certified gaps into this file.")] = None,
    json_path: JsonPath = None,
) -> None:
    """Ask every solver for several tolerances: what it claims, what is proved, and how long that takes."""
    from formulations.commands import stating
    from formulations.comparison import cross_examine

    values = stating.hyperparameters(cost, settings, [model])
    X, y = stating.read_data(data, scale, positive, target, [model])
    function = stating.choose_kernel(kernel, X, gamma, degree, coef0)
    stated = stating.state_model(model, X, y, function, values)
    asked = stated if form is None else stating.state_form(stated, form)
    examination = cross_examine(asked, solver or "all", tol or (1e-3, 1e-6, 1e-9), time_limit=time_limit)
    if json_path != "-":
        heading = stating.heading_of(data, X, function, values)
        console = report(heading, examination)
        if picture is not None:
            from formulations.displays import CrossExaminationDisplay

            write_picture(CrossExaminationDisplay.from_examination(examination), picture, heading, console)
    if json_path is not None:
        write_json(json.loads(examination.to_json()), json_path)
