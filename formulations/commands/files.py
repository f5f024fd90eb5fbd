# SPDX-License-Identifier: BSD-3-Clause
"""The commands that list solvers, models and kernels, and those that write files for others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.markup import escape
from rich.table import Column, Table

from formulations.commands.options import (
    FormName,
    JsonPath,
    KernelOptions,
    ModelOptions,
    SamplesOptions,
    TrainingOptions,
    in_model,
)
from formulations.commands.output import check_output, command, facts, show

if TYPE_CHECKING:
    from formulations.judging.testset import WrittenEntry
    from qpkernels.solvers import Solver

__all__ = ["export_command", "kernels_command", "models_command", "scale_command", "solvers_command", "write_testset"]


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
        in_model(help="textbook: in the variables of the declaration, P = YKY in a dual; lowered: as solvers get it."),
    ] = "textbook",
    json_path: JsonPath = None,
) -> None:
    """Write the matrices of a form, every block named, in the format that the suffix of the file names."""
    from formulations.commands import samples, statements
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


@command
def scale_command(
    source: SamplesOptions,
    path: Annotated[Path, typer.Argument(help="The LIBSVM text to write.", metavar="FILE")],
    lower: Annotated[float, typer.Option("--lower", "-l", help="The new smallest value of every feature.")] = -1.0,
    upper: Annotated[float, typer.Option("--upper", "-u", help="The new largest value of every feature.")] = 1.0,
    save_range: Annotated[
        Path | None, typer.Option("--save-range", "-s", help="Write the range of every feature to this file.")
    ] = None,
    ranges: Annotated[
        Path | None, typer.Option("--range", "-r", help="Take the ranges from this file, not from the data.")
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Map every feature of a file to a range, as svm-scale does, and write it as LIBSVM text.

    With fit --scale no scaled files are needed, since the machine keeps the ranges.
    """
    from sklearn.datasets import dump_svmlight_file

    from formulations.commands.samples import ranged, read_set, scaled
    from qpkernels.arrays import is_sparse
    from qpkernels.errors import LabelError, ParameterError
    from qpkernels.files import Scaling, write_libsvm_range

    check_output(path, "scaled samples")
    dataset = read_set(source)
    if dataset.y.dtype.kind == "U":
        raise LabelError(
            f"LIBSVM text has numbers for classes, but {source.data} has {str(dataset.y[0])!r}; number them."
        )
    if ranges is not None and save_range is not None:
        raise ParameterError("--range takes the ranges of a file, and --save-range writes new ones; keep one.")
    if ranges is None:
        X = dataset.X
        scaling = Scaling.to_range(X.toarray() if is_sparse(X) else X, lower, upper)
    else:
        scaling = ranged(ranges, dataset.X)
    dump_svmlight_file(scaled(scaling, dataset.X), dataset.y, str(path), zero_based=False)
    record = {"written": str(path), "samples": dataset.X.shape[0], "features": int(scaling.low.size)}
    if save_range is not None:
        record["range"] = str(write_libsvm_range(scaling, save_range))
    show(facts({name: str(value) for name, value in record.items()}), record, json_path)


@command
def write_testset(
    folder: Annotated[
        Path, typer.Argument(help="The folder to write to; it is made if it does not exist.", metavar="FOLDER")
    ],
    max_variables: Annotated[int, typer.Option(help="Leave out problems with more variables than this.")] = 5000,
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="A further suffix than .mat, such as .mps; may be repeated.")
    ] = None,
    added: Annotated[
        list[Path] | None,
        typer.Option("--add", help="A quadratic program in a file, to join the set and be proved; may be repeated."),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Write the kernel-machine QP set: files, optimal values with proofs, and loaders for the benchmarks of others."""
    from formulations.judging.testset import Entry, entries, write_test_set

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column("problem", overflow="fold")
    for heading in ("variables", "rows", "status", "optimum", "width", "digits"):
        table.add_column(heading, justify="right", no_wrap=True)

    def add(member: WrittenEntry) -> None:
        record = member.record()
        low, high = record["lower"], record["upper"]
        ends = ("", "") if low is None or high is None else (f"{low:.8g}", f"{high - low:.0e}")
        sizes, digits = (str(record["variables"]), str(record["rows"])), str(record["digits"] or "")
        table.add_row(record["name"], *sizes, record["status"], *ends, digits)

    chosen = [*entries(max_variables), *map(Entry.of_file, added or ())]
    members = write_test_set(folder, chosen, formats or (), add)
    show(table, [member.record() for member in members], json_path)


@command
def solvers_command(json_path: JsonPath = None) -> None:
    """List every solver: whether it is installed, which problems it takes, and how to get it."""
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


@command
def models_command(json_path: JsonPath = None) -> None:
    """List every model with its forms, beginning with the usual one, and its hyper-parameters."""
    from formulations.commands.options import models_by_name
    from formulations.modelling import Stated

    # Names are to be copied: where the terminal is narrow, the forms are broken into lines.
    table = Table(Column("model", no_wrap=True, min_width=max(map(len, models_by_name()))), "forms", "hyper-parameters")
    records = []
    for name, model in sorted(models_by_name().items()):
        forms = [form for form, _ in Stated.of(model)]
        parameters = list(model.entry.names)
        table.add_row(name, ", ".join(forms), ", ".join(parameters))
        records.append({"name": name, "forms": forms, "hyperparameters": parameters})
    show(table, records, json_path)


@command
def kernels_command(json_path: JsonPath = None) -> None:
    """List every kernel that an expression may name, with its other names and its parameters in order."""
    from qpkernels.kernels.catalogue import KERNELS

    table = Table(Column("kernel", no_wrap=True), "also", "parameters")
    records = []
    for name, kind in sorted(KERNELS.items()):
        entry = kind.entry
        if not entry.takes:
            others, parameters = list(entry.names[1:]), [parameter.name for parameter in entry.parameters]
            table.add_row(name, ", ".join(others), ", ".join(parameters))
            records.append({"name": name, "others": others, "parameters": parameters})
    show(table, records, json_path)


def _takes(solver: Solver) -> list[str]:
    """Return the kinds of program, a ConeProgram by the cones it may have."""
    from qpkernels.problems import ConeProgram

    cones = [kind.__name__ for kind in solver.cones]
    return [*(kind.__name__ for kind in solver.programs if kind is not ConeProgram), *cones]
