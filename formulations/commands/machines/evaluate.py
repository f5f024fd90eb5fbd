# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich import box
from rich.console import Group
from rich.table import Table

from formulations.commands.options import MACHINE, JsonPath, MachinePath, NewOptions, Positive, Seed
from formulations.commands.output import command, facts, show, waiting

if TYPE_CHECKING:
    from formulations.commands.machines.measures import Classified, Interval, Measured

__all__ = ["evaluate_command"]


@command
def evaluate_command(
    source: NewOptions,
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
    from formulations.commands.machines.measures import check_labels, classified, inlying, true_labels, valued
    from formulations.commands.machines.new_samples import read_new
    from formulations.prediction import Inliers
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


def _cell(interval: Interval | None) -> str:
    return "" if interval is None else str(interval)
