# SPDX-License-Identifier: BSD-3-Clause
"""Samples that a machine is asked about: its columns, as many features, and targets where it can be held against any.

As with svm-predict, features that LIBSVM text leaves out are 0, in samples and in the machine. Columns of a table are
found by their names, that of the targets as well. Other files than LIBSVM text may lack the targets, which prediction
does not need.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from formulations.commands.options import NewOptions
from formulations.commands.output import hint
from formulations.commands.stating.samples import padded, ranged, read_set, scaled
from formulations.prediction import Predictor
from qpkernels.arrays import Samples, finite_samples, is_sparse
from qpkernels.arrays.archives import load_arrays
from qpkernels.datasets import BUNDLED_NAMES, Dataset
from qpkernels.datasets.delimited import first_fields
from qpkernels.datasets.text import COMPRESSIONS
from qpkernels.errors import FeatureNamesError, ParameterError, ShapeError

__all__ = ["read_new"]


def read_new(options: NewOptions, predictor: Predictor) -> tuple[Predictor, Samples, Dataset | None]:
    """Return samples for a machine, with their set where they have targets, and the machine with as many features.

    Raises
    ------
    ShapeError, FeatureNamesError
        If the samples have other features than the machine.
    ParameterError
        If the machine scales samples itself, and a range file as well.
    """
    if options.ranges is not None and predictor.preprocessing is not None:
        raise ParameterError("the machine keeps how its samples were scaled, and does it itself; leave --range out.")
    features = predictor.features
    if (unlabelled := _archive_without_targets(options.data)) is not None:
        _check_width(options.data, unlabelled, features)
        return predictor, _ranged(unlabelled, options.ranges, widen=False), None
    target = _known_target(options, predictor)
    dataset = read_set(options, target)
    X, with_targets = dataset.X, True
    if _kind(options.data) == "libsvm":
        X = _ranged(X, options.ranges, widen=True)
        if X.shape[1] > features:
            predictor, X = _widened(predictor, X)
        if X.shape[1] < features:
            hint(f"{_features(X.shape[1] + 1, features)} 0 in all samples of {options.data}.")
        X = padded(X, predictor.features)
    else:
        X, with_targets = _columns(options.data, dataset, predictor, stated=(options.target or target) is not None)
        _check_width(options.data, X, features)
        X = _ranged(X, options.ranges, widen=False)
    scaling = predictor.preprocessing
    if is_sparse(X) and not (predictor.functions.kernel.takes_sparse and (scaling is None or scaling.keeps_zeros)):
        X = X.toarray()
    return predictor, X, dataset if with_targets else None


def _ranged(X: Samples, ranges: Path | None, *, widen: bool) -> Samples:
    """Return samples scaled by a range file; ``widen`` takes features that they leave out for 0."""
    if ranges is None:
        return X
    scaling = ranged(ranges, X)
    if scaling.low.size > X.shape[1] and not widen:
        raise ShapeError(
            f"{ranges} has the ranges of {scaling.low.size} features, but the samples have {X.shape[1]}; take the file "
            "that belongs to them."
        )
    return scaled(scaling, X)


def _features(first: int, last: int) -> str:
    return f"feature {first} is" if first == last else f"features from {first} to {last} are"


def _kind(source: str) -> str:
    """Return what a source is: "bundled", "csv", "npz", or else "libsvm"."""
    if source in BUNDLED_NAMES:
        return "bundled"
    path = Path(source)
    suffix = Path(path.stem).suffix if path.suffix.lower() in COMPRESSIONS else path.suffix
    return suffix.lower().removeprefix(".") if suffix.lower() in (".csv", ".npz") else "libsvm"


def _archive_without_targets(source: str) -> Samples | None:
    """Return the samples of a .npz file that has no y; None of any other."""
    if not source.lower().endswith(".npz") or not Path(source).is_file():
        return None
    arrays = load_arrays(source, "an archive of samples X")
    return finite_samples(arrays["X"], "X") if "X" in arrays and "y" not in arrays else None


def _known_target(options: NewOptions, predictor: Predictor) -> str | int | None:
    """Return the column of targets that the machine knows of, if a table has it; None: the options name one."""
    known = predictor.target
    if known is None or options.target is not None or _kind(options.data) != "csv" or not Path(options.data).is_file():
        return None
    fields = first_fields(Path(options.data))
    there = known in fields if isinstance(known, str) else len(fields) == predictor.features + 1
    return known if there else None


def _columns(source: str, dataset: Dataset, predictor: Predictor, *, stated: bool) -> tuple[Samples, bool]:
    """Return the columns that the machine knows, by their names where it has some, and whether there are targets.

    Where nobody states which column has the targets, the last one was taken for it.
    """
    X, known, names = dataset.X, predictor.feature_names, dataset.feature_names
    is_number = dataset.y.dtype.kind in "fiu"
    if known is None or names is None:
        # The last column is a feature where the others are one too few.
        if not stated and is_number and X.shape[1] == predictor.features - 1:
            return np.column_stack([X, dataset.y]), False
        return X, True
    with_targets = stated or (predictor.target is None and dataset.target_name not in known)
    if not with_targets and is_number:
        X, names = np.column_stack([X, dataset.y]), (*names, str(dataset.target_name))
    # Of two columns of one name, the first.
    place = {name: number for number, name in reversed(list(enumerate(names)))}
    missing = [name for name in known if name not in place]
    if missing:
        raise FeatureNamesError(
            f"{source} must have the columns that the machine was fitted to, but it has no {', '.join(missing)}; "
            "add them."
        )
    return X[:, [place[name] for name in known]], with_targets


def _check_width(source: str, X: Samples, features: int) -> None:
    if X.shape[1] != features:
        raise ShapeError(
            f"the machine was fitted to samples with {features} features, but those of {source} have {X.shape[1]}; "
            "take the same columns."
        )


def _widened(predictor: Predictor, X: Samples) -> tuple[Predictor, Samples]:
    """Return machine and samples with as many features; those that a scaling does not know are left out."""
    functions, features = predictor.functions, predictor.features
    if predictor.preprocessing is not None:
        hint(f"features above {features} are left out, as by svm-scale: the training file has not got them.")
        return predictor, X[:, :features]
    hint(f"the samples have {X.shape[1]} features, and the machine was trained on {features}: the others were 0 there.")
    centers = padded(functions.centers, X.shape[1])
    return replace(predictor, functions=replace(functions, centers=centers)), X
