# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels``: solvers, models, solve, compare, cross-examine, export, testset.

What a command works with is imported when it runs, so that help is shown at once.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Table

from formulations.commands.cross_examine import cross_examine_command
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
    ModelNames,
    Positive,
    Scale,
    Settings,
    Target,
    TimeLimit,
    Tolerance,
)
from formulations.commands.output import report, reports_errors, show, write_json, write_picture

if TYPE_CHECKING:
    from formulations.modelling import Solution
    from formulations.testset import Member
    from qpkernels.solvers import Solver

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Kernel machines as convex optimisation problems: solved by any solver, and proved optimal.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import qpkernels

        print(f"qpkernels {qpkernels.__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """State kernel machines as convex problems, solve them by any solver, and prove the answers."""
    del version


@app.command()
@reports_errors
def solvers(json_path: JsonPath = None) -> None:
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


@app.command()
@reports_errors
def models(json_path: JsonPath = None) -> None:
    """List every model: its forms, the usual one first, and its hyper-parameters."""
    from formulations.commands.stating import MODELS
    from formulations.modelling import Stated

    table = Table("model", "forms", "hyper-parameters")
    records = []
    for name, model in MODELS.items():
        forms = [form for form, _ in Stated.of(model)]
        parameters = [parameter.name for parameter in model.hyperparameters]
        table.add_row(name, ", ".join(forms), ", ".join(parameters))
        records.append({"name": name, "forms": forms, "hyperparameters": parameters})
    show(table, records, json_path)


@app.command()
@reports_errors
def solve(
    data: Data,
    model: ModelName = SOFT_MARGIN,
    form: FormName = None,
    solver: Annotated[
        str | None,
        typer.Option(
            help="A name that 'qpkernels solvers' lists; default: by structure, and others until it is proved."
        ),
    ] = None,
    kernel: KernelName = "rbf",
    gamma: Gamma = None,
    degree: Degree = None,
    coef0: Coef0 = None,
    cost: Cost = None,
    settings: Settings = None,
    scale: Scale = False,
    positive: Positive = None,
    target: Target = None,
    tol: Tolerance = 1e-6,
    time_limit: TimeLimit = None,
    save: Annotated[Path | None, typer.Option(help="Write the function found to this .npz file.")] = None,
    json_path: JsonPath = None,
) -> None:
    """Solve one model by one solver, and say how well the answer is proved."""
    from formulations.commands import stating
    from qpkernels.errors import InfeasibleError

    values = stating.hyperparameters(cost, settings, [model])
    X, y = stating.read_data(data, scale, positive, target, [model])
    stated = stating.state_model(model, X, y, stating.choose_kernel(kernel, X, gamma, degree, coef0), values)
    asked = stated if form is None else stating.state_form(stated, form)
    try:
        solution = asked.solve(solver, tol=tol, time_limit=time_limit)
    except InfeasibleError as error:
        if json_path is not None:
            write_json({"formulation": asked.name, "status": "infeasible", "reason": str(error)}, json_path)
        raise
    table = Table(show_header=False)
    record = _record(solution)
    for name, value in record.items():
        if not isinstance(value, list):
            table.add_row(name.replace("_", " "), f"{value:.12g}" if isinstance(value, float) else escape(str(value)))
    if save is not None:
        record["saved"] = str(solution.save(save))
        table.add_row("saved", escape(record["saved"]))
    show(table, record, json_path)


@app.command(name="compare")
@reports_errors
def compare_command(
    data: Data,
    models: ModelNames = [SOFT_MARGIN],  # noqa: B006  typer reads it, and nobody changes it
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
    tol: Tolerance = 1e-6,
    time_limit: Annotated[float, typer.Option(help="Seconds for each pair.")] = 10.0,
    picture: Annotated[Path | None, typer.Option(help="Draw seconds against certified gaps into this file.")] = None,
    json_path: JsonPath = None,
) -> None:
    """Solve all forms of a model by several solvers, to see who agrees and who is proved."""
    from formulations.commands import stating
    from formulations.comparison import compare

    values = stating.hyperparameters(cost, settings, models)
    X, y = stating.read_data(data, scale, positive, target, models)
    function = stating.choose_kernel(kernel, X, gamma, degree, coef0)
    stated = [stating.state_model(model, X, y, function, values) for model in models]
    comparison = compare(stated, solver or "all", tol=tol, time_limit=time_limit)
    if json_path != "-":
        heading = stating.heading_of(data, X, function, values)
        console = report(heading, comparison)
        if picture is not None:
            from formulations.displays import ComparisonDisplay

            write_picture(ComparisonDisplay.from_comparison(comparison), picture, heading, console)
    if json_path is not None:
        write_json(json.loads(comparison.to_json()), json_path)


app.command(name="cross-examine")(cross_examine_command)


@app.command()
@reports_errors
def export(
    data: Data,
    path: Annotated[Path, typer.Argument(help="The file to write: .npz, .mat, .mps, .qps or .json.")],
    model: ModelName = SOFT_MARGIN,
    form: FormName = None,
    structure: Annotated[
        str,
        typer.Option(help="lowered: as solvers get it; textbook: without auxiliary variables, P = YKY in a dual."),
    ] = "lowered",
    kernel: KernelName = "rbf",
    gamma: Gamma = None,
    degree: Degree = None,
    coef0: Coef0 = None,
    cost: Cost = None,
    settings: Settings = None,
    scale: Scale = False,
    positive: Positive = None,
    target: Target = None,
    json_path: JsonPath = None,
) -> None:
    """Write the matrices of a form, every block named, in the format that the suffix of the file names."""
    from formulations.commands import stating
    from qpkernels.files import write

    values = stating.hyperparameters(cost, settings, [model])
    X, y = stating.read_data(data, scale, positive, target, [model])
    stated = stating.state_form(
        stating.state_model(model, X, y, stating.choose_kernel(kernel, X, gamma, degree, coef0), values), form
    )
    program = stated.lower().matrices(structure)
    written = write(program, path)
    record: dict[str, Any] = {
        "path": str(written),
        "variables": {block.name: block.stop - block.start for block in program.variables},
        "rows": {block.name: block.stop - block.start for block in program.rows},
    }
    table = Table("kind", "block", "size", title=escape(f"{stated.name} in {written}"))
    for kind in ("variables", "rows"):
        for name, size in record[kind].items():
            table.add_row(kind, name, str(size))
    show(table, record, json_path)


@app.command(name="testset")
@reports_errors
def write_set(
    folder: Annotated[Path, typer.Argument(help="The folder to write to; it is made where it is not there.")],
    max_variables: Annotated[int, typer.Option(help="Leave out problems with more variables than that.")] = 5000,
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="A suffix beside .mat, such as .mps; may be repeated.")
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Write the kernel-machine QP set: files, proved optimal values, and what the benchmarks of others read it with."""
    from formulations.testset import entries, write_test_set

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("problem", no_wrap=True)
    for heading in ("variables", "rows", "status", "optimum", "width"):
        table.add_column(heading, justify="right")

    def add(member: Member) -> None:
        record = member.record()
        low, high = record["lower"], record["upper"]
        ends = ("", "") if low is None or high is None else (f"{low:.8g}", f"{high - low:.0e}")
        table.add_row(record["name"], str(record["variables"]), str(record["rows"]), record["status"], *ends)

    members = write_test_set(folder, entries(max_variables), formats or (), add)
    show(table, [member.record() for member in members], json_path)


def _takes(solver: Solver) -> list[str]:
    """Return the kinds of program, a ConeProgram by the cones it may have."""
    from qpkernels.programs import ConeProgram

    cones = [kind.__name__ for kind in solver.cones]
    return [*(kind.__name__ for kind in solver.programs if kind is not ConeProgram), *cones]


def _record(solution: Solution) -> dict[str, Any]:
    from formulations.comparison.row import without_nan

    record = {
        "formulation": solution.formulation,
        "solver": solution.solver,
        "status": str(solution.status),
        "objective": solution.objective,
        "intercept": solution.intercept,
        "n_support": solution.n_support,
        "n_bounded": int(solution.support.bounded.size),
        **asdict(solution.certificate),
        **{f"seconds_{phase}": value for phase, value in asdict(solution.seconds).items()},
        "iterations": solution.iterations,
        "message": solution.message,
        "support": solution.support.indices.tolist(),
        "beta": solution.beta[solution.support.indices].tolist(),
    }
    return without_nan(record)


if __name__ == "__main__":
    app()
