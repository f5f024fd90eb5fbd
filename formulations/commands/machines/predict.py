# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels predict``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formulations.commands.options import MACHINE, JsonPath, MachinePath, SamplesOptions
from formulations.commands.output import command, waiting, write_json

if TYPE_CHECKING:
    from formulations.prediction import Predictor

__all__ = ["predict_command"]


@command
def predict_command(
    source: SamplesOptions,
    model: MachinePath = MACHINE,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the lines to this file; default: standard output.")
    ] = None,
    probability: Annotated[
        bool, typer.Option("--probability", help="Add the probability of each class, as svm-predict -b 1 does.")
    ] = False,
    decision: Annotated[bool, typer.Option("--decision", help="Add the decision values.")] = False,
    json_path: JsonPath = None,
) -> None:
    """Predict a class or a value for every sample, one line each.

    Targets in the file are not looked at; other files than LIBSVM text need none.
    """
    from formulations.commands.machines.files import read_machine
    from formulations.commands.machines.new_samples import read_new

    predictor, X, _ = read_new(source, read_machine(model))
    with waiting(f"predicting {X.shape[0]} samples"):
        columns = _columns(predictor, X, probability, decision)
    if json_path != "-":
        text = "\n".join(_lines(columns, plain=not (probability or decision))) + "\n"
        if output is None:
            print(text, end="")
        else:
            output.write_text(text, encoding="utf-8")
    if json_path is not None:
        write_json(columns, json_path)


def _columns(predictor: Predictor, X: Any, probability: bool, decision: bool) -> dict[str, list[Any]]:
    """Return what is predicted by the name of its column."""
    from formulations.commands.stating.samples import word
    from qpkernels.errors import ParameterError

    predicted = predictor.predict(X)
    columns = {"predicted": predicted.tolist()}
    if probability:
        if predictor.classes is None or vars(predictor.decision).get("sigmoids") is None:
            raise ParameterError(
                "this machine has no probabilities; fit it with --probability, or take a model that has them, such as "
                "--model logistic."
            )
        shares = predictor.predict_proba(X)
        columns |= {
            f"probability {word(label)}": column.tolist()
            for label, column in zip(predictor.classes.tolist(), shares.T, strict=True)
        }
    if decision:
        values = predictor.values(X)
        names = ["decision"] if values.shape[1] == 1 else [f"decision {k}" for k in range(1, values.shape[1] + 1)]
        columns |= {name: column.tolist() for name, column in zip(names, values.T, strict=True)}
    return columns


def _lines(columns: dict[str, list[Any]], plain: bool) -> Iterator[str]:
    """Yield the lines of a text with a column each, under their names where there are several."""
    from formulations.commands.stating.samples import word

    if not plain:
        yield " ".join(name.replace(" ", ":") for name in columns)
    for row in zip(*columns.values(), strict=True):
        yield " ".join(word(value) for value in row)
