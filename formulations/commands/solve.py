# SPDX-License-Identifier: BSD-3-Clause
"""The commands that solve one model: ``qpkernels fit``, which writes a machine, and ``solve``, which looks closer."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import (
    MACHINE,
    Checkpoint,
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    Seed,
    SolverName,
    TimeLimit,
    Tolerance,
    TrainingOptions,
    in_model,
    in_output,
)
from formulations.commands.output import check_machine, check_output, command, end, facts, number, show, waiting

if TYPE_CHECKING:
    from formulations.commands.training import TrainedMachine
    from formulations.modelling import Model, Solution

__all__ = ["fit_command", "solve_command"]


@command
def fit_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    weights: Annotated[
        list[str] | None,
        in_model(
            "--weight", metavar="CLASS=FACTOR", help="Multiply the cost of the samples of a class; may be repeated."
        ),
    ] = None,
    against_rest: Annotated[
        bool,
        in_model(
            "--one-versus-rest", help="Several classes by one machine for each; default: one for each pair of classes."
        ),
    ] = False,
    probability: Annotated[
        bool, in_model("--probability", help="Calibrate probabilities by cross-validation, for predict --probability.")
    ] = False,
    solver: SolverName = None,
    tol: Tolerance = 1e-6,
    time_limit: TimeLimit = None,
    checkpoint: Checkpoint = None,
    seed: Seed = 0,
    output: Annotated[Path, in_output("--output", "-o", help="Write the machine to this .npz file.")] = MACHINE,
    libsvm_model: Annotated[
        Path | None,
        in_output(
            "--libsvm-model", help="Write it as a model of LIBSVM as well, beside FILE.range where samples were scaled."
        ),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Train a machine on a file, prove that it is optimal, and write it for predict and evaluate.

    Several classes are separated by a machine for each pair of them. The written machine keeps the scaling of its
    samples.
    """
    from formulations.commands import machines_in_files, samples, statements, training
    from formulations.commands.statements import Solving

    check_machine(output)
    if libsvm_model is not None:
        check_output(libsvm_model, "a model of LIBSVM")
    asked = statements.ask(model, kernel)
    read = samples.read_training(source, [asked], named=True)
    chosen = statements.choose_kernel(kernel, read.X)
    if libsvm_model is not None:
        machines_in_files.check_for_libsvm(asked, read, chosen, against_rest=against_rest)
    weighted = training.weighted(asked, read.labels, weights or [])
    solving = Solving(solver, tol, time_limit, checkpoint)
    trained = training.train(weighted, read, chosen, solving, against_rest=against_rest)
    if probability:
        trained = training.calibrated(trained, weighted, read, chosen, seed)
    record = _trained(trained, asked, statements.describe(chosen), read)
    record["written"] = [str(trained.predictor.save(output))]
    if libsvm_model is not None:
        record["written"] += [
            str(path) for path in machines_in_files.write_for_libsvm(trained, asked, read.X.shape[0], libsvm_model)
        ]
    show(facts(_shown(record)), record, json_path)
    end(trained.statuses)


def _trained(trained: TrainedMachine, asked: Any, kernel: str, read: Any) -> dict[str, Any]:
    from formulations.commands.samples import word

    classes = trained.predictor.classes
    return {
        "data": read.name,
        "model": asked.name,
        "kernel": kernel,
        "rank": asked.rank,
        "samples": read.X.shape[0],
        "features": read.X.shape[1],
        "classes": None if classes is None else [word(label) for label in classes],
        "machines": int(trained.predictor.functions.intercepts.size),
        "status": trained.status,
        "relative_gap": trained.relative_gap,
        "n_support" if asked.rank is None else "landmarks": int(trained.predictor.expansions.centers.shape[0]),
        **trained.score,
        "seconds": trained.seconds,
    }


_TRAINED_DIGITS = {"relative_gap": 2, "seconds": 3}

_NAMES = {"n_support": "support vectors", "training_r2": "training R^2"}


def _shown(record: dict[str, Any]) -> dict[str, str]:
    """Return the record as a table has it: no lines for nothing."""
    shown = {}
    for name, value in record.items():
        if isinstance(value, list):
            more = f", ... ({len(value)} in all)" if len(value) > 10 else ""
            text = ", ".join(value[:10]) + more
        else:
            text = number(value, _TRAINED_DIGITS.get(name, 4)) if isinstance(value, float) else str(value)
        if value is not None:
            shown[_NAMES.get(name, name.replace("_", " "))] = text
    return shown


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
    """Solve one model or form by one solver, and tell how well the answer is proved."""
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
    record = _solved(solution) | training_score(stated, solution)
    if asked.rank is not None:
        record |= _with_exact_kernel(stated, solution)
    if save is not None:
        from formulations.commands.training import prepared

        record["saved"] = str(prepared(solution.predictor, training).save(save))
    shown = {name.replace("_", " "): _cell(name, value) for name, value in record.items() if name not in _LISTS}
    show(facts(shown), record, json_path)
    end([solution.status])


_LISTS = ("support", "beta")

_SOLVED_DIGITS = {"objective": 10, "factor": 4, "primal_value": 10, "dual_value": 10, "intercept": 7} | dict.fromkeys(
    ("training_accuracy", "training_r2", "training_inliers"), 4
)
"""Digits of the numbers that are more than an order of magnitude."""


def _cell(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return "" if value is None else str(value)
    return number(value, 3 if name.startswith("seconds") else _SOLVED_DIGITS.get(name, 2))


def _with_exact_kernel(model: Model[Any], solution: Solution) -> dict[str, Any]:
    """Print how far the answer is from the optimum with the exact kernel, if the model can tell without solving it."""
    from qpkernels.display.tables import without_nan
    from qpkernels.problems.exact_kernel import PenalisedBounds

    if not isinstance(model.bounds(), PenalisedBounds):
        return {}
    proof = model.certify_exact(solution)
    return without_nan({"with_exact_kernel": proof.verdict, "exact_suboptimality": proof.suboptimality})


def _solved(solution: Solution) -> dict[str, Any]:
    from qpkernels.display.tables import without_nan

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
