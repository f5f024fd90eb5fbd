# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels plot``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import (
    JsonPath,
    KernelOptions,
    ModelOptions,
    SolverName,
    Tolerance,
    TrainingOptions,
    in_output,
)
from formulations.commands.output import check_picture, command, end, facts, show

if TYPE_CHECKING:
    from formulations.plots.display import Display

__all__ = ["plot_command"]

_KINDS = ("regions", "tube", "kkt", "certificate", "gram")


@command
def plot_command(
    source: TrainingOptions,
    path: Annotated[Path, typer.Argument(help="The picture to write: .png, .pdf or .svg.", metavar="FILE")],
    kernel: KernelOptions,
    model: ModelOptions,
    kind: Annotated[
        str | None,
        in_output(
            "--show",
            help="regions of classes, tube of a regression, kkt: the optimality of each sample, certificate, or gram: "
            "the kernel matrix; default: regions or tube.",
        ),
    ] = None,
    features: Annotated[
        str | None,
        in_output(
            "--features",
            help="The two features of regions, or the one of a tube, by number from 1 or by name: 1,3; others are at "
            "their median. Default: all, where there are no more.",
        ),
    ] = None,
    solver: SolverName = None,
    tol: Tolerance = 1e-6,
    json_path: JsonPath = None,
) -> None:
    """Train a machine on a file, and draw it, its optimality, or its kernel matrix."""
    from formulations.commands import samples, statements
    from formulations.commands.training import stated
    from formulations.modelling import Form

    check_picture(path)
    asked = statements.ask(model, kernel)
    chosen = _checked_kind(kind, values=not (asked.separates or asked.without_targets))
    training = samples.read_training(source, [asked], named=True)
    along = samples.chosen_features(features, training, {"regions": 2, "tube": 1}.get(chosen, 0))
    if chosen in ("kkt", "certificate"):
        samples.require_two_classes(training, [asked])
    statement = stated(asked, training, statements.choose_kernel(kernel, training.X))
    solution = statement.solve(solver, tol=tol)
    display = _display(chosen, solution, statement.model if isinstance(statement, Form) else statement, along)
    if training.feature_names is not None:
        for axis, number in zip(("xlabel", "ylabel"), along, strict=False):
            setattr(display, axis, training.feature_names[number])
    display.plot().figure_.savefig(path, dpi=150)
    record = {"data": training.name, "model": asked.name, "status": str(solution.status), "picture": str(path)}
    show(facts(record), record, json_path)
    end([solution.status])


def _checked_kind(kind: str | None, *, values: bool) -> str:
    from qpkernels.errors import ParameterError

    usual = "tube" if values else "regions"
    if kind not in (None, *_KINDS):
        raise ParameterError(f"--show must be one of {', '.join(_KINDS)}, but {kind!r} came.")
    if kind in ("regions", "tube") and kind != usual:
        raise ParameterError(f"--show {kind} is not for this model; take {usual}, kkt, certificate or gram.")
    return kind or usual


def _display(kind: str, solution: Any, model: Any, along: tuple[int, ...]) -> Display:
    from formulations import plots

    match kind:
        case "regions":
            return plots.DecisionRegionDisplay.from_solution(solution, model, features=(along[0], along[1]))
        case "tube":
            return plots.TubeDisplay.from_solution(solution, model, feature=along[0])
        case "kkt":
            return plots.KKTDisplay.from_solution(solution, model)
        case "gram":
            return plots.GramDisplay.from_model(model)
    return plots.CertificateDisplay.from_solution(solution)
