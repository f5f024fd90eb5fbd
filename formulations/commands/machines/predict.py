# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels predict``: as text of svm-predict, as CSV, or as JSON.

svm-predict writes a label or a value in each line; with -b 1 a line ``labels 1 -1`` comes first, and each label is
followed by the probabilities of the classes in that order. CSV has a line of names, and quotes where they are needed.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import MACHINE, JsonPath, MachinePath, NewOptions
from formulations.commands.output import command, waiting, write_json

if TYPE_CHECKING:
    from formulations.prediction import Predictor

__all__ = ["predict_command"]


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
    """Predict a class or a value for every sample, one line each, as svm-predict writes them or as CSV.

    Targets in the file are not looked at; other files than LIBSVM text need none. Names of classes with spaces come as
    CSV where other columns follow.
    """
    from formulations.commands.machines.files import read_machine
    from formulations.commands.machines.new_samples import read_new
    from qpkernels.arrays.paths import replacing

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
    from formulations.commands.stating.samples import word
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
    from formulations.commands.stating.samples import word

    labels = [name.removeprefix(_PROBABILITY) for name in columns if name.startswith(_PROBABILITY)]
    head = [["labels", *labels]] if labels else []
    rows = [list(map(word, row)) for row in zip(*columns.values(), strict=True)]
    return "".join(" ".join(fields) + "\n" for fields in [*head, *rows])


def _csv(columns: dict[str, list[Any]]) -> str:
    from formulations.commands.stating.samples import word

    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(map(word, row) for row in zip(*columns.values(), strict=True))
    return file.getvalue()
