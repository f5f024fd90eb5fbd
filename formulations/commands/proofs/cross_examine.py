# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels cross-examine``."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from formulations.commands.options import (
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    Picture,
    SolverNames,
    TrainingOptions,
)
from formulations.commands.output import check_picture, command, end, report, write_json, write_picture

__all__ = ["cross_examine_command"]


@command
def cross_examine_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    form: FormName = None,
    solver: SolverNames = None,
    tol: Annotated[
        list[float] | None,
        typer.Option(
            "--tol", help="A tolerance; may be repeated. Default: 1e-3, 1e-6 and 1e-9.", rich_help_panel="Solving"
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds for each answer.", rich_help_panel="Solving")
    ] = 60.0,
    picture: Picture = None,
    json_path: JsonPath = None,
) -> None:
    """Ask every solver for several tolerances: what it claims, what is proved, and how long that takes."""
    from formulations.commands.stating import samples, statements
    from formulations.judging import cross_examine
    from formulations.judging.compare import find_solvers

    # Before the samples are read.
    find_solvers(solver or "all")
    check_picture(picture)
    asked = statements.ask(model, kernel, form)
    training = samples.read_training(source, [asked])
    samples.require_two_classes(training, [asked])
    function = statements.choose_kernel(kernel, training.X)
    stated = asked.statement(asked.model(training.X, training.y, function))
    examination = cross_examine(stated, solver or "all", tol or (1e-3, 1e-6, 1e-9), time_limit=time_limit)
    if json_path != "-":
        heading = statements.heading_of(training.name, training.X, function, asked.values)
        console = report(heading, examination)
        if picture is not None:
            from formulations.plots import CrossExaminationDisplay

            write_picture(CrossExaminationDisplay.from_examination(examination), picture, heading, console)
    if json_path is not None:
        write_json(json.loads(examination.to_json()), json_path)
    if examination.warnings:
        end(["uncertified"])
    if not examination.reference:
        end([trial.row.status for trial in examination])
