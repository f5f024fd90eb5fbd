# SPDX-License-Identifier: BSD-3-Clause
"""The commands that use a machine: ``qpkernels predict``, ``qpkernels evaluate`` and ``qpkernels export-machine``."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Group
from rich.table import Table

from formulations.commands.options import MACHINE, JsonPath, MachinePath, NewOptions, Positive, Seed
from formulations.commands.output import Ending, check_output, command, facts, show, waiting, write_json

if TYPE_CHECKING:
    from formulations.commands.measures import Classified, ConfidenceInterval
    from formulations.modelling.prediction import Predictor

__all__ = ["evaluate_command", "export_machine_command", "predict_command"]


@command
def predict_command(
    source: NewOptions,
    model: MachinePath = MACHINE,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Write to this file, as CSV if its suffix is .csv; default: standard output."
        ),
    ] = None,
    probability: Annotated[
        bool, typer.Option("--probability", help="Add the probability of each class, as svm-predict -b 1 does.")
    ] = False,
    decision: Annotated[bool, typer.Option("--decision", help="Add the decision values, as CSV.")] = False,
    json_path: JsonPath = None,
) -> None:
    """Predict a class or a value for every sample, one line each, in the format of svm-predict or as CSV.

    Targets in the file are ignored, and only LIBSVM text must have them. Names of classes with spaces are written as
    CSV if other columns follow.
    """
    from formulations.commands.machines_in_files import read_machine, read_new
    from qpkernels.arrays.files import replacing

    machine = read_machine(model, scaled=source.ranges is not None, probability=probability)
    predictor, X, _ = read_new(source, machine)
    with waiting(f"predicting {X.shape[0]} samples"):
        columns = _columns(predictor, X, probability, decision)
    if json_path != "-":
        as_csv = decision or (output is not None and output.suffix.lower() == ".csv")
        text = _csv(columns) if as_csv or not _fits_in_fields(columns) else _of_svm_predict(columns)
        if output is None:
            print(text, end="")
        else:
            with replacing(output, "utf-8") as file:
                file.write(text)
    if json_path is not None:
        write_json(columns, json_path)


_PROBABILITY = "probability "


def _columns(predictor: Predictor, X: Any, probability: bool, decision: bool) -> dict[str, list[Any]]:
    """Return what is predicted by the name of its column; of two classes that of positive values is the first."""
    from formulations.commands.samples import word
    from qpkernels.errors import ParameterError

    if not probability:
        columns: dict[str, list[Any]] = {"predicted": predictor.predict(X).tolist()}
    else:
        if predictor.classes is None or vars(predictor.decision).get("sigmoids") is None:
            raise ParameterError(
                "this machine has no probabilities; fit it with --probability (svm-train: -b 1), or take a model that "
                "has them, such as --model logistic."
            )
        probabilities = predictor.predict_proba(X)
        # As in svm-predict -b 1 the most probable class, where the votes of several machines may be for another.
        columns = {"predicted": predictor.classes[probabilities.argmax(axis=1)].tolist()}
        shares = zip(predictor.classes.tolist(), probabilities.T, strict=True)
        ordered = reversed(list(shares)) if predictor.classes.size == 2 else shares
        columns |= {f"{_PROBABILITY}{word(label)}": column.tolist() for label, column in ordered}
    if decision:
        values = predictor.values(X)
        names = ["decision"] if values.shape[1] == 1 else [f"decision {k}" for k in range(1, values.shape[1] + 1)]
        columns |= {name: column.tolist() for name, column in zip(names, values.T, strict=True)}
    return columns


def _fits_in_fields(columns: dict[str, list[Any]]) -> bool:
    """Return whether spaces separate the columns: there is one alone, or no name of a class has any."""
    names = [name.removeprefix(_PROBABILITY) for name in columns]
    return len(columns) == 1 or not any(len(name.split()) > 1 for name in names)


def _of_svm_predict(columns: dict[str, list[Any]]) -> str:
    from formulations.commands.samples import word

    labels = [name.removeprefix(_PROBABILITY) for name in columns if name.startswith(_PROBABILITY)]
    head = [["labels", *labels]] if labels else []
    rows = [list(map(word, row)) for row in zip(*columns.values(), strict=True)]
    return "".join(" ".join(fields) + "\n" for fields in [*head, *rows])


def _csv(columns: dict[str, list[Any]]) -> str:
    from formulations.commands.samples import word

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(word, row) for row in zip(*columns.values(), strict=True))
    return file.getvalue()


@command
def evaluate_command(
    source: NewOptions,
    model: MachinePath = MACHINE,
    positive: Positive = None,
    confidence: Annotated[float, typer.Option(help="Level of the error bars, above 0 and below 1.")] = 0.95,
    seed: Seed = 0,
    json_path: JsonPath = None,
) -> None:
    """Compare predictions with the targets of a file, and print the test error with error bars.

    For classes these are accuracy, confusion, precision and recall with Wilson's intervals. For values they are R^2 and
    mean errors with bootstrap intervals.
    """
    from formulations.commands.machines_in_files import read_machine, read_new
    from formulations.commands.measures import check_labels, classified, inlying, true_labels, valued
    from formulations.modelling.prediction.decisions import Inliers
    from qpkernels.display.tables import without_nan
    from qpkernels.errors import LabelError, ParameterError

    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"--confidence must be above 0 and below 1, but {confidence:g} came.")
    predictor, X, dataset = read_new(source, read_machine(model, scaled=source.ranges is not None))
    if dataset is None:
        column = "a column" if predictor.target is None else f"the column {predictor.target}"
        raise LabelError(
            f"{source.data} has no targets to hold predictions against; add {column}, name another by --target, or use "
            "predict."
        )
    y = true_labels(predictor, dataset, positive)
    known = check_labels(predictor, y, source.data)
    with waiting(f"predicting {X.shape[0]} samples"):
        predicted = predictor.predict(X)
    record: dict[str, Any] = {"model": str(model), "data": source.data, "samples": X.shape[0]}
    tables: list[Table | str] = []
    if known is not None:
        found = classified(y, predicted, known, confidence)
        measures, tables, details = {"accuracy": found.accuracy}, _tables(found), asdict(found)
    else:
        by_inliers = isinstance(predictor.decision, Inliers)
        measures = inlying(predicted, confidence) if by_inliers else valued(y, predicted, confidence, seed)
        details = {name: without_nan(asdict(each)) for name, each in measures.items()}
    told = {_NAMES.get(name, name): str(value) for name, value in (record | measures).items()}
    table = facts(told | {"error bars": f"{100 * confidence:g} % intervals"})
    show(Group(table, *tables), record | {"confidence": confidence} | details, json_path)


_NAMES = {"r2": "R^2", "mae": "mean absolute error", "rmse": "root of mean squared error"}

_MOST_COLUMNS = 10
"""Classes whose confusion fits into a terminal; of more, the most frequent errors are shown."""


def _tables(found: Classified) -> list[Table | str]:
    each = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    each.add_column("class", no_wrap=True)
    for heading in ("precision", "recall", "samples"):
        each.add_column(heading, justify="right", no_wrap=True)
    for one in found.classes:
        each.add_row(one.label, _cell(one.precision), _cell(one.recall), str(one.samples))
    if len(found.labels) <= _MOST_COLUMNS:
        return [_confusion(found), each]
    return ["the most frequent errors; --json has all:", _errors(found), each]


def _confusion(found: Classified) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("true, predicted as:", no_wrap=True)
    for label in found.labels:
        table.add_column(label, justify="right", no_wrap=True)
    for label, counts in zip(found.labels, found.confusion, strict=True):
        table.add_row(label, *map(str, counts))
    return table


def _errors(found: Classified) -> Table:
    table = Table("true", "predicted as", "samples", box=box.SIMPLE_HEAD, pad_edge=False)
    counts = [
        (count, true, predicted)
        for true, row in zip(found.labels, found.confusion, strict=True)
        for predicted, count in zip(found.labels, row, strict=True)
        if true != predicted and count
    ]
    for count, true, predicted in sorted(counts, key=lambda error: -error[0])[:_MOST_COLUMNS]:
        table.add_row(true, predicted, str(count))
    return table


def _cell(interval: ConfidenceInterval | None) -> str:
    return "" if interval is None else str(interval)


@command
def export_machine_command(
    machine: Annotated[
        Path, typer.Argument(help="The machine: a file that fit wrote, or a model of LIBSVM.", metavar="MACHINE")
    ],
    path: Annotated[Path, typer.Argument(help="The file to write: .c, .onnx or .json.", metavar="FILE")],
    check: Annotated[
        str | None,
        typer.Option(
            "--check", metavar="DATA", help="Samples at which labels and values are proved to be those of predict."
        ),
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Write a machine as a program, in C99 without dependencies, ONNX or JSON, and prove that it predicts the same.

    The exit status is 3 where the label of a sample is not proved to be the same.
    """
    from formulations.commands.machines_in_files import read_machine, read_new
    from formulations.modelling.prediction.exporting import FORMATS, export

    check_output(path, "a program", FORMATS)
    # What a program is given are samples as the machine takes them.
    predictor = read_machine(machine, scaled=True, probability=True)
    samples = None
    if check is not None:
        predictor, samples, _ = read_new(NewOptions(check), predictor)
    program = export(predictor, path)
    record: dict[str, Any] = {
        "written": str(path),
        "arithmetic": program.program.floats.name,
        "bytes": path.stat().st_size,
    }
    told = {name: str(value) for name, value in record.items()}
    uncertain: list[int] = []
    if samples is not None:
        with waiting(f"proving {samples.shape[0]} samples"):
            found = program.check(samples)
        told |= {each.name: str(each.value) for each in found.card().facts}
        uncertain = found.uncertain.tolist()
        record |= {"samples": samples.shape[0], "bound": found.largest, "uncertain": uncertain}
    show(facts(told), record, json_path)
    if uncertain:
        raise typer.Exit(Ending.NOT_PROVED)
