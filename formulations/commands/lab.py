# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels lab``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formulations.commands.options import KernelOptions, ModelOptions, Positive, TrainingOptions, in_data
from formulations.commands.output import command

if TYPE_CHECKING:
    from formulations.lab.settings import Setting

__all__ = ["lab_command"]

_NEEDED = ("starlette", "uvicorn", "websockets")


@command
def lab_command(
    data: Annotated[
        str | None,
        in_data("--data", help="Start with the samples of a file, or of a bundled set; default: with a few points."),
    ] = None,
    target: Annotated[
        str | None,
        in_data("--target", help="Target column of a CSV file: its name, or its number from 1; default: the last."),
    ] = None,
    positive: Positive = None,
    features: Annotated[
        str | None,
        in_data(
            "--features",
            help="The two features of classes, or the one of a regression, by number from 1 or by name: 1,3. Default: "
            "all, where there are no more.",
        ),
    ] = None,
    regression: Annotated[
        bool | None,
        in_data("--regression/--classification", help="How to read targets.", show_default=False),
    ] = None,
    standardise: Annotated[
        bool, in_data("--standardise", help="Give every feature, and targets of a regression, mean 0 and variance 1.")
    ] = False,
    link: Annotated[
        str | None,
        typer.Option("--link", help="Start with a setting that somebody linked: the address, or its part behind #."),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0 takes a free one.")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
) -> None:
    """Draw points on a page in the browser: every machine answers at once, with its proof. Ctrl-C ends it."""
    from qpkernels.errors import ParameterError

    _require_packages()
    from formulations.lab.app import end_process, serve

    if data is not None and link is not None:
        raise ParameterError(
            "--data and --link exclude each other, since each states what the page starts with; keep one."
        )
    of_data = {"target": target, "positive": positive, "features": features, "regression": regression}
    if data is None and (given := [name for name, value in of_data.items() if value is not None]):
        raise ParameterError(f"--{given[0]} says how --data is read, which is missing; name a file, or leave it out.")
    if data is None and standardise:
        raise ParameterError("--standardise is for --data, which is missing; name a file, or leave it out.")
    start = None
    if data is not None:
        _require_few_lines(data)
        source = TrainingOptions(data, target, dense=True, positive=positive)
        start = _start(source, features, regression, standardise)
    serve(port, browser, start, "" if link is None else _fragment(link), _say)
    end_process()


def _require_packages() -> None:
    """Refuse to start without the packages of the server."""
    from qpkernels.errors import MissingPackageError

    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingPackageError(f"the lab needs {', '.join(missing)}: pip install {' '.join(missing)}.")


def _say(line: str) -> None:
    # Whoever reads it from a pipe waits for the address.
    print(line, flush=True)


def _require_few_lines(data: str) -> None:
    """Refuse a text file with far too many samples before it is read, which may take a minute."""
    from formulations.lab.settings import MOST_POINTS
    from qpkernels.errors import ParameterError

    path = Path(data)
    if not path.is_file():
        return
    with path.open("rb") as file:
        if b"\0" in file.peek(4096):
            return
        lines = sum(part.count(b"\n") for part in iter(lambda: file.read(1 << 20), b""))
    if lines > 10 * MOST_POINTS:
        raise ParameterError(
            f"{data} has {lines} lines, and a page has at most {MOST_POINTS} points; take some of them: "
            f"head -n {MOST_POINTS} writes its first."
        )


def _start(source: TrainingOptions, features: str | None, regression: bool | None, standardise: bool) -> Setting:
    """Return the setting of a file of samples."""
    from formulations.commands import samples, statements
    from formulations.lab.settings import setting_of
    from formulations.modelling.inputs.samples import two_classes
    from qpkernels.errors import ParameterError

    if regression and source.positive is not None:
        raise ParameterError(
            "--positive names a class, but a regression has no classes; keep one of --positive and --regression."
        )
    dataset = samples.read_set(source)
    if regression is None:
        # As the targets look: numbers without names of classes, too many to be labels.
        numbers = dataset.class_names is None and dataset.y.dtype.kind in "fiu"
        regression = source.positive is None and numbers and samples.looks_like_values(dataset.y)
    if not regression and dataset.X.shape[1] < 2:
        raise ParameterError(
            f"{dataset.name} has 1 feature, and classes are drawn along 2; take a file with two features, or let its "
            "targets be values: --regression."
        )
    asked = statements.ask(ModelOptions("soft-tube" if regression else "soft-margin"), KernelOptions())
    training = samples.training_of(dataset, source, [asked], named=not regression)
    samples.require_two_classes(training, [asked])
    X = training.X[:, list(samples.chosen_features(features, training, 1 if regression else 2))]
    if regression:
        return setting_of(X, training.y.astype(float), training.name, standardise=standardise)
    if training.signed is None:
        y, classes = two_classes(training.labels, len(X))
    else:
        y, classes = training.y, training.signed
    start = setting_of(X, y, training.name, standardise=standardise)
    _say(f"class -1: {samples.word(classes[0])}; class 1: {samples.word(classes[1])}")
    return start


def _fragment(link: str) -> str:
    """Return the part of an address behind # that states a setting, as a page writes it."""
    import json
    from urllib.parse import unquote

    from formulations.lab.settings import read_setting
    from formulations.lab.views import VIEWS
    from qpkernels.arrays import shown
    from qpkernels.errors import ParameterError

    try:
        stated = json.loads(unquote(link.rpartition("#")[2], errors="strict"))
    except (ValueError, RecursionError):
        raise ParameterError(
            f"--link must be the address of a setting, or its part behind #, but {shown(link)} came; copy it from the "
            "page whole."
        ) from None
    return read_setting(stated, VIEWS).fragment().removeprefix("#")
