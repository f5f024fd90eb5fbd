# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels compare``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from formulations.commands.options import (
    SOFT_MARGIN,
    Cost,
    JsonPath,
    KernelOptions,
    Picture,
    Settings,
    SolverNames,
    Tolerance,
    TrainingOptions,
)
from formulations.commands.output import check_picture, command, end, report, write_json, write_picture

if TYPE_CHECKING:
    from formulations.judging.comparison import Comparison

__all__ = ["compare_command"]


@command
def compare_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    models: Annotated[
        list[str],
        typer.Option(
            "--model", help="A model, for all its forms, or a form; may be repeated.", rich_help_panel="Model"
        ),
    ] = [SOFT_MARGIN],  # noqa: B006  typer reads it, and nobody changes it
    cost: Cost = None,
    settings: Settings = None,
    solver: SolverNames = None,
    tol: Tolerance = 1e-6,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds for each pair.", rich_help_panel="Solving")
    ] = 10.0,
    picture: Picture = None,
    json_path: JsonPath = None,
) -> None:
    """Solve all forms of a model by several solvers, to see who agrees and who is proved."""
    from formulations.commands.stating import samples, statements
    from formulations.judging import compare
    from formulations.judging.compare import find_solvers

    # Before the samples are read.
    find_solvers(solver or "all")
    check_picture(picture)
    asked = statements.ask_all(models, cost, settings, kernel)
    training = samples.read_training(source, asked)
    samples.require_two_classes(training, asked)
    function = statements.choose_kernel(kernel, training.X)
    stated = [each.statement(each.model(training.X, training.y, function)) for each in asked]
    comparison = compare(stated, solver or "all", tol=tol, time_limit=time_limit)
    if json_path != "-":
        values = {name: value for each in asked for name, value in each.values.items()}
        heading = statements.heading_of(training.name, training.X, function, values)
        console = report(heading, comparison)
        if picture is not None:
            from formulations.plots import ComparisonDisplay

            write_picture(ComparisonDisplay.from_comparison(comparison), picture, heading, console)
    if json_path is not None:
        write_json(json.loads(comparison.to_json()), json_path)
    end(_statuses(comparison))


def _statuses(comparison: Comparison) -> list[str]:
    """Return for each problem the status of its best answer: optimal if any is proved, and none contradicts it."""
    from qpkernels.problems import Status

    found = []
    for problem in comparison.problems:
        agreement = comparison.agreement(problem)
        own = [row.status for row in comparison if row.problem == problem]
        if agreement.proved:
            found.append(Status.OPTIMAL if agreement.holds else Status.UNCERTIFIED)
        else:
            answered = [status for status in own if status in (Status.UNCERTIFIED, Status.STOPPED)]
            found.append(Status(next(iter(answered or own), Status.FAILED)))
    return [str(status) for status in found]
