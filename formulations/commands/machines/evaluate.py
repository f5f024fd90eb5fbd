# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich import box
from rich.console import Group
from rich.table import Table

from formulations.commands.options import MACHINE, JsonPath, MachinePath, Positive, SamplesOptions, Seed
from formulations.commands.output import command, facts, show, waiting

if TYPE_CHECKING:
    from formulations.commands.machines.measures import Classified, Interval, Measured

__all__ = ["evaluate_command"]


@command
def evaluate_command(
    source: SamplesOptions,
    model: MachinePath = MACHINE,
    positive: Positive = None,
    confidence: Annotated[float, typer.Option(help="Of the error bars, above 0 and below 1.")] = 0.95,
    seed: Seed = 0,
    json_path: JsonPath = None,
) -> None:
    """Hold predictions against the targets of a file: the test error, with error bars.

    Classes: accuracy, confusion, precision and recall with Wilson's intervals. Values: R^2 and mean errors with those
    of the bootstrap.
    """
    from formulations.commands.machines.files import read_machine
    from formulations.commands.machines.measures import check_labels, classified, inlying, knows_numbers, valued
    from formulations.commands.samples import labels_of, read_new
    from formulations.prediction import Inliers
    from qpkernels.errors import LabelError, ParameterError

    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"--confidence must be above 0 and below 1, but {confidence:g} came.")
    predictor, X, dataset = read_new(source, read_machine(model))
    if dataset is None:
        raise LabelError(f"{source.data} has no targets to hold predictions against; add a column, or use predict.")
    y = labels_of(dataset, positive, named=not knows_numbers(predictor, dataset))
    known = check_labels(predictor, y, source.data)
    with waiting(f"predicting {X.shape[0]} samples"):
        predicted = predictor.predict(X)
    if known is not None:
        found: Measured = classified(y, predicted, known, confidence)
    elif isinstance(predictor.decision, Inliers):
        found = inlying(predicted, confidence)
    else:
        found = valued(y, predicted, confidence, seed)
    record: dict[str, Any] = {"model": str(model), "data": source.data, "samples": X.shape[0]}
    told = {name: str(value) for name, value in (record | found.headline()).items()}
    table = facts(told | {"error bars": f"{100 * confidence:g} % intervals"})
    shown = Group(table, *_tables(cast("Classified", found))) if known is not None else table
    show(shown, record | {"confidence": confidence} | found.to_record(), json_path)


def _tables(found: Classified) -> list[Table]:
    confusion = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    confusion.add_column("true, predicted as:", no_wrap=True)
    for label in found.labels:
        confusion.add_column(label, justify="right")
    for label, counts in zip(found.labels, found.confusion, strict=True):
        confusion.add_row(label, *map(str, counts))
    each = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    each.add_column("class", no_wrap=True)
    for heading in ("precision", "recall", "samples"):
        each.add_column(heading, justify="right")
    for one in found.classes:
        each.add_row(one.label, _cell(one.precision), _cell(one.recall), str(one.samples))
    return [confusion, each]


def _cell(interval: Interval | None) -> str:
    return "" if interval is None else str(interval)
