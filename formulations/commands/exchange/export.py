# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from formulations.commands.options import FormName, JsonPath, KernelOptions, ModelOptions, TrainingOptions
from formulations.commands.output import check_output, command, show

__all__ = ["export_command"]


@command
def export_command(
    source: TrainingOptions,
    path: Annotated[
        Path,
        typer.Argument(
            help="The file to write: .npz, .mat, .mps, .qps or .json; without a suffix, .npz is added.", metavar="FILE"
        ),
    ],
    kernel: KernelOptions,
    model: ModelOptions,
    form: FormName = None,
    structure: Annotated[
        str,
        typer.Option(
            help="textbook: in the variables of the declaration, P = YKY in a dual; lowered: as solvers get it.",
            rich_help_panel="Model",
        ),
    ] = "textbook",
    json_path: JsonPath = None,
) -> None:
    """Write the matrices of a form, every block named, in the format that the suffix of the file names."""
    from formulations.commands.stating import samples, statements
    from qpkernels.display import count
    from qpkernels.files import FORMATS, write

    check_output(path, "a program", ("", *FORMATS))
    asked = statements.ask(model, kernel, form)
    training = samples.read_training(source, [asked])
    samples.require_two_classes(training, [asked])
    stated = asked.model(training.X, training.y, statements.choose_kernel(kernel, training.X))
    chosen = stated.forms[asked.form or next(iter(stated.forms))]
    program = chosen.matrices(structure)
    written = write(program, path)
    record: dict[str, Any] = {
        "path": str(written),
        "structure": structure,
        "variables": {block.name: block.stop - block.start for block in program.variables},
        "rows": {block.name: block.stop - block.start for block in program.rows},
    }
    title = (
        f"{chosen.name} in {written}: {structure}, {count(program.q.size, 'variable')}, {count(program.b.size, 'row')}"
    )
    table = Table("kind", "block", "size", title=escape(title))
    for kind, blocks in (("variables", program.variables), ("rows", program.rows)):
        for block in blocks:
            table.add_row(kind, block.name, str(block.stop - block.start))
    show(table, record, json_path)
