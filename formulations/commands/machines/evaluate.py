# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Group
from rich.table import Table

from formulations.commands.options import MACHINE, JsonPath, MachinePath, Positive, SamplesOptions, Seed
from formulations.commands.output import command, facts, hint, show, waiting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from formulations.commands.machines.measures import Classified, Interval
    from formulations.prediction import Predictor

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
    from formulations.commands.machines.measures import classified, valued
    from formulations.commands.samples import labels_of, read_new
    from qpkernels.errors import LabelError, ParameterError

    if not 0.0 < confidence < 1.0:
        raise ParameterError(f"--confidence must be above 0 and below 1, but {confidence:g} came.")
    predictor, X, dataset = read_new(source, read_machine(model))
    if dataset is None:
        raise LabelError(f"{source.data} has no targets to hold predictions against; add a column, or use predict.")
    known = predictor.classes
    y = labels_of(dataset, positive, named=known is not None and known.dtype.kind == "U")
    known = _checked(predictor, y, source.data)
    with waiting(f"predicting {X.shape[0]} samples"):
        predicted = predictor.predict(X)
    record: dict[str, Any] = {"model": str(model), "data": source.data, "samples": X.shape[0]}
    heading = {name: str(value) for name, value in record.items()}
    bars = f"{100 * confidence:g} % intervals"
    if known is None:
        values = valued(y, predicted, confidence, seed)
        shown = {"R^2": values.r2, "mean absolute error": values.mae, "root of mean squared error": values.rmse}
        table: Any = facts(heading | {name: str(each) for name, each in shown.items()} | {"error bars": bars})
        show(table, record | {"confidence": confidence} | values.to_record(), json_path)
    else:
        found = classified(y, predicted, known, confidence)
        top = facts(heading | {"accuracy": str(found.accuracy), "error bars": bars})
        show(Group(top, *_tables(found)), record | {"confidence": confidence} | found.to_record(), json_path)


def _checked(predictor: Predictor, y: NDArray[Any], source: str) -> NDArray[Any] | None:
    """Return the classes that the machine predicts, None where it predicts values.

    Raises
    ------
    LabelError
        If the targets are of the other kind, or none of them is a class of the machine.
    """
    import numpy as np

    from formulations.commands.machines.measures import word
    from formulations.prediction import Inliers
    from qpkernels.errors import LabelError

    inliers = isinstance(predictor.decision, Inliers)
    known = np.array([-1, 1]) if inliers else predictor.classes
    if known is None:
        if y.dtype.kind == "U":
            raise LabelError(f"the machine predicts numbers, but the targets of {source} are classes such as {y[0]!r}.")
        return None
    comparable = (y.dtype.kind == "U") == (known.dtype.kind == "U")
    strange = np.setdiff1d(y, known) if comparable else np.unique(y)
    classes = ", ".join(map(word, known[:10]))
    if strange.size == np.unique(y).size:
        raise LabelError(
            f"the machine knows the classes {classes}, but no target of {source} is one of them: {word(strange[0])} "
            "came; take the data or the machine that belong together."
        )
    if strange.size:
        hint(f"the machine knows the classes {classes}; {', '.join(map(word, strange[:5]))} count as wrong.")
    return known


def _tables(found: Classified) -> list[Table]:
    confusion = Table(title="rows: true, columns: predicted", box=box.SIMPLE_HEAD, pad_edge=False)
    confusion.add_column("", no_wrap=True)
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
