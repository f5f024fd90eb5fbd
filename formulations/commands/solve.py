# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels solve``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import (
    Checkpoint,
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    SolverName,
    TimeLimit,
    Tolerance,
    TrainingOptions,
)
from formulations.commands.output import check_machine, command, end, facts, number, show, waiting

if TYPE_CHECKING:
    from formulations.modelling import Model, Solution

__all__ = ["solve_command"]


@command
def solve_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    form: FormName = None,
    solver: SolverName = None,
    tol: Tolerance = 1e-6,
    time_limit: TimeLimit = None,
    checkpoint: Checkpoint = None,
    save: Annotated[
        Path | None, typer.Option(help="Write the machine found to this .npz file, for predict and evaluate.")
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Solve one model or form by one solver, and say how well the answer is proved."""
    from formulations.commands import samples, statements
    from formulations.commands.measures import training_score
    from formulations.commands.statements import Solving

    check_machine(save)
    asked = statements.ask(model, kernel, form)
    training = samples.read_training(source, [asked])
    samples.require_two_classes(training, [asked])
    stated = asked.model(training.X, training.y, statements.choose_kernel(kernel, training.X))
    with waiting(f"solving {asked.name}") as tell:
        solution = Solving(solver, tol, time_limit, checkpoint).solve(asked.statement(stated), tell)
    record = _record(solution) | training_score(stated, solution)
    if asked.rank is not None:
        record |= _with_exact_kernel(stated, solution)
    if save is not None:
        from formulations.commands.training import prepared

        record["saved"] = str(prepared(solution.predictor, training).save(save))
    shown = {name.replace("_", " "): _cell(name, value) for name, value in record.items() if name not in _LISTS}
    show(facts(shown), record, json_path)
    end([solution.status])


_LISTS = ("support", "beta")

_DIGITS = {"objective": 10, "factor": 4, "primal_value": 10, "dual_value": 10, "intercept": 7} | dict.fromkeys(
    ("training_accuracy", "training_r2", "training_inliers"), 4
)
"""Digits of the numbers that are more than an order of magnitude."""


def _cell(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return number(value, 3 if name.startswith("seconds") else _DIGITS.get(name, 2))


def _with_exact_kernel(model: Model[Any], solution: Solution) -> dict[str, Any]:
    """Say how far the answer is from the optimum with the exact kernel, of models that can tell without solving it."""
    from qpkernels.display import without_nan
    from qpkernels.problems import PenalisedBounds

    if not isinstance(model.bounds(), PenalisedBounds):
        return {}
    proof = model.certify_exact(solution)
    return without_nan({"with_exact_kernel": proof.verdict, "exact_suboptimality": proof.suboptimality})


def _record(solution: Solution) -> dict[str, Any]:
    from qpkernels.display import without_nan

    record = {
        "formulation": solution.formulation,
        "solver": solution.solver,
        "status": str(solution.status),
        "objective": solution.objective,
        "factor": solution.scale.factor,
        "scale": solution.scale.words,
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
