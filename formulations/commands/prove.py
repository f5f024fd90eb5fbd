# SPDX-License-Identifier: BSD-3-Clause
"""The commands about portable proofs: ``qpkernels prove``, which writes one, and ``verify``, which checks any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from formulations.commands.options import (
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    NewOptions,
    SolverName,
    TimeLimit,
    Tolerance,
    TrainingOptions,
    in_data,
    in_output,
    in_solving,
)
from formulations.commands.output import Ending, check_output, command, hint, show, waiting, write_json

if TYPE_CHECKING:
    from formulations.commands.samples import TrainingSamples
    from qpkernels.arrays import Samples

__all__ = ["prove_command", "verify_command"]

PROOF = Path("machine.proof")
"""Where prove writes a proof, and verify reads it, unless they are told otherwise."""


@command
def prove_command(
    source: TrainingOptions,
    kernel: KernelOptions,
    model: ModelOptions,
    form: FormName = None,
    at: Annotated[
        str | None,
        in_data("--at", metavar="DATA", help="Samples at which the optimal machine's values are proved as well."),
    ] = None,
    digits: Annotated[int, in_solving("--digits", help="Digits of the optimum that the proof determines.")] = 9,
    solver: SolverName = None,
    tol: Tolerance = 1e-6,
    time_limit: TimeLimit = None,
    output: Annotated[Path, in_output("--output", "-o", help="Write the proof here; FILE.gz is compressed.")] = PROOF,
    json_path: JsonPath = None,
) -> None:
    """Solve a model, and write a proof of its optimum that proofcheck checks without this library.

    Several classes are separated by a machine for each pair of them, and the file has a proof of each.

    The exit status is 3 where floats do not determine the digits asked for, or where the problem has no portable proof.
    """
    from formulations.commands import samples, statements, training
    from formulations.commands.statements import Solving
    from formulations.modelling import Form, Model
    from qpkernels.files.proofs import Bundle

    check_output(output, "a proof")
    asked = statements.ask(model, kernel, form)
    read = samples.read_training(source, [asked], named=True)
    statement = training.stated(asked, read, statements.choose_kernel(kernel, read.X))
    solving = Solving(solver, tol, time_limit)
    if isinstance(statement, Model | Form):
        with waiting(f"solving {asked.name}") as tell:
            solution = solving.solve(statement, tell)
    else:
        solution = solving.solve_several(statement)
    points = None if at is None else _points(at, solution, read)
    with waiting(f"proving {asked.name}"):
        proof = solution.prove(output, digits=digits, points=points)
    ends = (Column(name, no_wrap=True) for name in ("lower", "upper", "digits"))
    table, records = Table("problem", *ends), []
    for each in proof.proofs if isinstance(proof, Bundle) else (proof,):
        table.add_row(escape(each.words), repr(each.lower), repr(each.upper), str(each.digits))
        records.append(
            {
                "problem": each.words,
                "sha256": each.digest,
                "lower": each.lower,
                "upper": each.upper,
                "digits": each.digits,
            }
        )
    table.caption = f"written to {escape(str(output))}"
    show(table, {"written": str(output), "proofs": records}, json_path)
    if proof.digits < digits:
        hint(f"The proof has {proof.digits} digits, and {digits} were asked for.")
        raise typer.Exit(Ending.NOT_PROVED)


def _points(source: str, solution: Any, training: TrainingSamples) -> Samples:
    """Return new samples as the machine takes them, with its columns and scaled as its own samples were."""
    from formulations.commands.machines_in_files import read_new
    from formulations.commands.samples import scaled
    from formulations.commands.training import prepared

    _, X, _ = read_new(NewOptions(source), prepared(solution.predictor, training))
    return X if training.scaling is None else scaled(training.scaling, X)


@command
def verify_command(
    path: Annotated[Path, typer.Argument(help="The proof.", metavar="FILE")] = PROOF,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Give up after so long; default: a day.")] = None,
    json_path: JsonPath = None,
) -> None:
    """Check a proof by proofcheck, in an interpreter of its own that imports none of our packages.

    It prints what proofcheck prints, and ends as that does: with 0 where all is proved, 3 where a claim is not, and 2
    where the file cannot be read.
    """
    import proofcheck

    limit = [] if seconds is None else ["--seconds", str(seconds)]
    checked = subprocess.run(
        [sys.executable, "-I", proofcheck.__file__, *limit, str(path)], capture_output=True, text=True
    )
    if json_path != "-":
        print(checked.stdout, end="")
    print(checked.stderr, end="", file=sys.stderr)
    if json_path is not None:
        lines = checked.stdout.splitlines()
        write_json({"file": str(path), "proved": checked.returncode == 0, "lines": lines}, json_path)
    if checked.returncode:
        raise typer.Exit(checked.returncode)
