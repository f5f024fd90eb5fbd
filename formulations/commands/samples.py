# SPDX-License-Identifier: BSD-3-Clause
"""Samples as models are stated on them, scaled and with names for classes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from formulations.commands.options import SamplesOptions, TrainingOptions
from formulations.commands.output import hint
from qpkernels.arrays import FeatureNames, Samples, Vector, is_sparse
from qpkernels.arrays.containers import first_twice
from qpkernels.arrays.files import read_number
from qpkernels.display import count
from qpkernels.errors import FeatureNamesError, LabelError, ParameterError
from qpkernels.files import Dataset, Scaling, load_dataset, read_libsvm_range
from qpkernels.files.datasets import one_versus_rest

if TYPE_CHECKING:
    from formulations.commands.statements import Asked

__all__ = [
    "TrainingSamples",
    "chosen_features",
    "looks_like_values",
    "named_labels",
    "others_than",
    "padded",
    "ranged",
    "read_set",
    "read_training",
    "require_two_classes",
    "scaled",
    "scaling_of",
    "training_of",
    "word",
]

_MOST_CLASSES = 100
"""More different targets than this are taken to be the values of a regression."""

_LARGEST_INTEGER = 2.0**53
"""Below it, every integer is a float64."""


@dataclass(frozen=True, eq=False)
class TrainingSamples:
    """Samples that models are stated on.

    Attributes
    ----------
    name
        The name of the set.
    X
        The samples, scaled.
    y
        Labels or targets; +1 and -1 where one class is separated from the others.
    labels
        The targets, where classes are given by their names.
    signed
        The names of -1 and +1, where one class is separated from the others; otherwise None.
    feature_names
        The columns of a CSV file with a header, without the target; otherwise None.
    scaling
        The scaling of the samples; None: they were not scaled.
    target
        The column of the targets: its name, or the number from 1 that the options state; None: it is not known.
    """

    name: str
    X: Samples = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    labels: NDArray[Any] = field(repr=False)
    signed: NDArray[Any] | None
    scaling: Scaling | None
    feature_names: FeatureNames = None
    target: str | int | None = None


def read_set(options: SamplesOptions | TrainingOptions, target: str | int | None = None) -> Dataset:
    """Return the set that the options name, as it is; ``target`` is its column of targets where they name none."""
    column = _column(options.target) if options.target is not None else target
    with warnings.catch_warnings(record=True, action="always", category=RuntimeWarning) as told:
        dataset = load_dataset(options.data, target=column, sparse=False if options.dense else None)
    for each in told:
        hint(str(each.message))
    return _whole(dataset)


def _column(target: str) -> str | int:
    return int(target) if target.isdecimal() else target


def read_training(options: TrainingOptions, models: Iterable[Asked], *, named: bool = False) -> TrainingSamples:
    """Return the samples and targets of the set that the options name, as :func:`training_of` does."""
    return training_of(read_set(options), options, models, named=named)


def training_of(
    dataset: Dataset, options: TrainingOptions, models: Iterable[Asked], *, named: bool = False
) -> TrainingSamples:
    """Return the samples and targets of a set that was read, for these models; classes by name if ``named``."""
    check_unique_names(options.data, dataset.feature_names)
    labels = named_labels(dataset)
    y, signed = labels if named else dataset.y, None
    if options.positive is not None:
        y, signed = _against_others(dataset, options.positive)
        labels = signed[(y > 0).astype(np.intp)]
    for asked in models:
        _check_targets(options.data, asked, y, dataset.target_name)
    scaling = scaling_of(options, dataset.X)
    X = dataset.X if scaling is None else scaled(scaling, dataset.X)
    numbered = isinstance(column := _column(options.target or ""), int)
    target = dataset.target_name or (column if numbered else None)
    return TrainingSamples(options.data, X, y, labels, signed, scaling, dataset.feature_names, target)


def check_unique_names(source: str, names: FeatureNames) -> None:
    """Refuse a table with two columns of one name, which no new table could be held against."""
    if (twice := first_twice(names or ())) is not None:
        raise FeatureNamesError(f"the column {twice!r} of {source} occurs twice; give each its own name.")


def chosen_features(features: str | None, samples: TrainingSamples | Dataset, wanted: int) -> tuple[int, ...]:
    """Return the numbers, from 0, of the features to draw along, by their numbers from 1 or their names."""
    width, names = samples.X.shape[1], samples.feature_names or ()
    if features is None:
        if wanted in (0, width):
            return tuple(range(wanted))
        few = ",".join(str(k) for k in range(1, wanted + 1))
        drawn = "1 is" if wanted == 1 else f"{wanted} are"
        raise ParameterError(f"{samples.name} has {count(width, 'feature')}, and {drawn} drawn: --features {few}.")
    found = []
    for each in (text.strip() for text in features.split(",")):
        number = names.index(each) if each in names else int(each) - 1 if each.isdecimal() else -1
        if not 0 <= number < width:
            known = f" or one of {', '.join(names)}" if names else ""
            raise ParameterError(f"--features takes numbers from 1 to {width}{known}, but {each!r} came.")
        found.append(number)
    if len(found) != wanted:
        raise ParameterError(f"this picture is along {wanted} features, but --features {features} names {len(found)}.")
    return tuple(found)


def named_labels(dataset: Dataset) -> NDArray[Any]:
    """Return the targets, classes by their names, where those of a bundled set are numbers."""
    return dataset.y if dataset.class_names is None else np.array(dataset.class_names)[dataset.y]


def others_than(label: Any) -> str:
    """Return what several classes are called that one is told from."""
    return f"not {word(label)}"


def _against_others(dataset: Dataset, positive: str) -> tuple[Vector, NDArray[Any]]:
    """Return +1 for a class, by its name or number, and -1 for all others; and the names of -1 and +1."""
    names = named_labels(dataset)
    y = one_versus_rest(dataset.y if read_number(positive) is not None else names, positive)
    label, others = names[y > 0][0], np.unique(names[y < 0])
    if others.size == 1:
        return y, np.array([others[0], label])
    return y, np.array([others_than(label), word(label)])


def require_two_classes(training: TrainingSamples, models: Iterable[Asked]) -> None:
    """Refuse several classes where a model separates two."""
    classes = np.unique(training.labels)
    if classes.size > 2 and any(asked.separates for asked in models):
        raise ParameterError(
            f"{training.name} has {classes.size} different targets, and these models separate two classes; name the "
            f"one that is +1: --positive {word(classes[0])}. Several at once are for fit."
        )


def looks_like_values(y: NDArray[Any]) -> bool:
    """Whether targets are numbers as of a regression: fractions, or more different ones than there are classes."""
    classes = np.unique(y)
    fractions = classes.dtype.kind == "f" and classes.size > 2 and bool((classes % 1 != 0).any())
    return classes.size > _MOST_CLASSES or fractions


def _check_targets(source: str, asked: Asked, y: NDArray[Any], target: str | None) -> None:
    classes = np.unique(y)
    if asked.separates:
        if looks_like_values(classes):
            column, other = (
                ("", "") if target is None else (f" in the column {target!r}", "another column by --target, ")
            )
            raise ParameterError(
                f"{source} has {classes.size} different targets{column}, as for regression, and {asked.name} separates "
                f"classes; take {other}a data set of classes, or a regression model such as --model soft-tube."
            )
    elif not asked.without_targets and y.dtype.kind not in "fiub":
        raise LabelError(
            f"the targets of {source} are the classes {', '.join(map(str, classes[:5]))}, and {asked.name} predicts "
            "numbers; take another target, or a model of classes such as --model soft-margin."
        )


def scaling_of(options: TrainingOptions, X: Samples) -> Scaling | None:
    """Return the scaling that the options state, or None."""
    chosen = [
        name
        for name, given in (("scale", options.scale), ("standardise", options.standardise), ("range", options.ranges))
        if given
    ]
    if len(chosen) > 1:
        raise ParameterError(f"--{chosen[0]} and --{chosen[1]} exclude each other; keep one.")
    if options.ranges is not None:
        return ranged(options.ranges, X)
    if options.scale:
        return Scaling.to_range(X)
    return Scaling.standardise(X) if options.standardise else None


def ranged(path: Path, X: Samples) -> Scaling:
    """Return the scaling of a file of svm-scale for samples with as many features, and say which it does not know."""
    scaling = read_libsvm_range(path)
    known, more = scaling.low.size, X.shape[1] - scaling.low.size
    if more <= 0:
        return scaling
    hint(f"{path} has no features above {known}, so that those of the samples become 0, as with svm-scale.")
    return replace(scaling, low=np.pad(scaling.low, (0, more)), high=np.pad(scaling.high, (0, more)))


def scaled(scaling: Scaling, X: Samples) -> Samples:
    """Return samples mapped, as dense ones where 0 is mapped to another number."""
    whole = padded(X, scaling.low.size)
    return scaling.transform(whole.toarray() if is_sparse(whole) and not scaling.keeps_zeros else whole)


def padded(X: Samples, features: int) -> Samples:
    """Return samples with features that are 0 behind theirs."""
    m, stated = X.shape
    if stated == features:
        return X
    if is_sparse(X):
        return csr_array((X.data, X.indices, X.indptr), shape=(m, features))
    return np.hstack([X, np.zeros((m, features - stated))])


def word(label: Any) -> str:
    """Return a label as text; a whole number without its fraction."""
    return str(int(label)) if isinstance(label, float | np.floating) and float(label).is_integer() else str(label)


def _whole(dataset: Dataset) -> Dataset:
    """Return the set with targets that are integers where all are whole numbers, as the labels of a file are."""
    y = dataset.y
    whole = y.dtype.kind == "f" and bool((np.abs(y) < _LARGEST_INTEGER).all() and (y % 1 == 0).all())
    return replace(dataset, y=y.astype(np.int64)) if whole else dataset
