# SPDX-License-Identifier: BSD-3-Clause
"""The command ``qpkernels scale``: what svm-scale does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from formulations.commands.options import JsonPath, SamplesOptions
from formulations.commands.output import check_output, command, facts, show

__all__ = ["scale_command"]


@command
def scale_command(
    source: SamplesOptions,
    path: Annotated[Path, typer.Argument(help="The LIBSVM text to write.", metavar="FILE")],
    lower: Annotated[float, typer.Option("--lower", "-l", help="Where the least value of a feature goes.")] = -1.0,
    upper: Annotated[float, typer.Option("--upper", "-u", help="Where its largest value goes.")] = 1.0,
    save_range: Annotated[
        Path | None, typer.Option("--save-range", "-s", help="Write the range of every feature to this file.")
    ] = None,
    ranges: Annotated[
        Path | None, typer.Option("--range", "-r", help="Take the ranges of this file, not those of the data.")
    ] = None,
    json_path: JsonPath = None,
) -> None:
    """Map every feature of a file to a range, as svm-scale does, and write it as LIBSVM text.

    fit --scale needs no scaled files: the machine keeps the ranges.
    """
    from sklearn.datasets import dump_svmlight_file

    from formulations.commands.stating.samples import ranged, read_set, scaled
    from qpkernels.arrays import is_sparse
    from qpkernels.datasets import Scaling
    from qpkernels.errors import LabelError, ParameterError
    from qpkernels.files import write_libsvm_range

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
