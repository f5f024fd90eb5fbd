# SPDX-License-Identifier: BSD-3-Clause
"""The commands that judge solvers and machines: ``qpkernels compare``, ``cross-examine`` and ``audit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from formulations.commands.options import (
    SOFT_MARGIN,
    Cost,
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    Picture,
    Settings,
    SolverNames,
    Tolerance,
    TrainingOptions,
    in_model,
    in_solving,
)
from formulations.commands.output import check_picture, command, end, report, waiting, write_json, write_picture

if TYPE_CHECKING:
    from formulations.judging.comparison import Comparison
    from formulations.judging.examination import CrossExamination

__all__ = ["audit_command", "compare_command", "cross_examine_command"]


@command
def compare_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    models: Annotated[
        list[str], in_model("--model", help="A model, for all its forms, or a form; may be repeated.")
    ] = [SOFT_MARGIN],  # noqa: B006  typer reads it, and nobody changes it
    cost: Cost = None,
    settings: Settings = None,
    solver: SolverNames = None,
    tol: Tolerance = 1e-6,
    time_limit: Annotated[float, in_solving("--time-limit", help="Seconds for each pair.")] = 10.0,
    picture: Picture = None,
    json_path: JsonPath = None,
) -> None:
    """Solve all forms of a model by several solvers, to see which answers agree and which are proved."""
    from formulations.commands import samples, statements
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
    values = {name: value for each in asked for name, value in each.values.items()}
    heading = statements.heading_of(training.name, training.X, function, values)
    _show(comparison, heading, picture, json_path)
    end(_statuses(comparison))


def _show(found: Comparison | CrossExamination, heading: str, picture: Path | None, json_path: str | None) -> None:
    """Print the results, draw them, and write them as JSON, as requested."""
    if json_path != "-":
        console = report(heading, found)
        if picture is not None:
            from formulations import plots
            from formulations.judging.examination import CrossExamination

            display = (
                plots.CrossExaminationDisplay.from_examination(found)
                if isinstance(found, CrossExamination)
                else plots.ComparisonDisplay.from_comparison(found)
            )
            write_picture(display, picture, heading, console)
    if json_path is not None:
        write_json(json.loads(found.to_json()), json_path)


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


@command
def cross_examine_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    form: FormName = None,
    solver: SolverNames = None,
    tol: Annotated[
        list[float] | None, in_solving("--tol", help="A tolerance; may be repeated. Default: 1e-3, 1e-6 and 1e-9.")
    ] = None,
    time_limit: Annotated[float, in_solving("--time-limit", help="Seconds for each answer.")] = 60.0,
    picture: Picture = None,
    json_path: JsonPath = None,
) -> None:
    """Ask every solver for several tolerances, and compare its claims with what is proved, and its times."""
    from formulations.commands import samples, statements
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
    heading = statements.heading_of(training.name, training.X, function, asked.values)
    _show(examination, heading, picture, json_path)
    if examination.warnings:
        end(["uncertified"])
    if not examination.reference:
        end([trial.row.status for trial in examination])


@command
def audit_command(
    source: TrainingOptions,
    model: Annotated[Path, in_model("--model", help="A model of LIBSVM or LIBLINEAR.")],
    cost: Cost = None,
    settings: Settings = None,
    weights: Annotated[
        list[str] | None, in_model("--weight", metavar="CLASS=FACTOR", help="As -w of svm-train; may be repeated.")
    ] = None,
    tol: Annotated[float, in_solving("--tol", help="The relative gap that counts as proved.")] = 1e-3,
    json_path: JsonPath = None,
) -> None:
    """Tell how far a machine of svm-train or LIBLINEAR is from optimal, given the file that it was trained on.

    Model files do not hold the hyper-parameters, so state those of the training by --C, --set nu=0.5 and so on.
    """
    from formulations.commands.samples import read_set, scaled, scaling_of
    from formulations.commands.statements import read_values
    from formulations.commands.training import class_factors
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
