# SPDX-License-Identifier: BSD-3-Clause
"""Samples as commands read them: with names for classes, scaled, and with as many features as a machine knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from formulations.commands.options import SamplesOptions, TrainingOptions
from formulations.commands.output import hint
from qpkernels.arrays import Samples, is_sparse
from qpkernels.datasets import BUNDLED_NAMES, Dataset, Scaling, load_dataset, one_versus_rest
from qpkernels.datasets.text import COMPRESSIONS, read_number
from qpkernels.errors import LabelError, ParameterError, ShapeError
from qpkernels.files import read_libsvm_range

if TYPE_CHECKING:
    from formulations.commands.stating import Asked
    from formulations.prediction import Predictor

__all__ = [
    "Training",
    "labels_of",
    "padded",
    "read_new",
    "read_set",
    "read_training",
    "require_two_classes",
    "scaled",
]

_MOST_CLASSES = 100
"""More different targets than this are taken for the values of a regression."""


@dataclass(frozen=True, eq=False)
class Training:
    """Samples that models are stated on.

    Attributes
    ----------
    name
        What the set is called.
    X
        The samples, scaled.
    y
        Labels or targets; classes that have names by these.
    labels
        The targets, classes by their names.
    scaling
        What was done to the samples; None: nothing.
    """

    name: str
    X: Samples = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    labels: NDArray[Any] = field(repr=False)
    scaling: Scaling | None


def read_set(options: SamplesOptions | TrainingOptions) -> Dataset:
    """Return the set that the options name, as it is."""
    target = options.target
    column: str | int | None = int(target) if target is not None and target.isdecimal() else target
    return load_dataset(options.data, target=column, sparse=False if options.dense else None)


def read_training(options: TrainingOptions, models: Iterable[Asked], *, named: bool = False) -> Training:
    """Return the samples and targets that the options name, for these models; classes by name if ``named``.

    Raises
    ------
    ParameterError, LabelError
        If the targets are no labels, or no values, as the models need them.
    """
    dataset = read_set(options)
    y = labels_of(dataset, options.positive, named=named)
    for asked in models:
        _check_targets(options.data, asked, y)
    scaling = _scaling(options, dataset.X)
    X = dataset.X if scaling is None else scaled(scaling, dataset.X)
    return Training(options.data, X, y, labels_of(dataset, options.positive, named=True), scaling)


def labels_of(dataset: Dataset, positive: str | None, *, named: bool) -> NDArray[Any]:
    """Return the targets; with ``positive``, a name or a number, +1 for this class and -1 for all others.

    Parameters
    ----------
    named
        Whether classes are told by their names, where those of a bundled set are numbers.
    """
    names = dataset.y if dataset.class_names is None else np.array(dataset.class_names)[dataset.y]
    if positive is None:
        return names if named else dataset.y
    return one_versus_rest(dataset.y if read_number(positive) is not None else names, positive)


def require_two_classes(training: Training, models: Iterable[Asked]) -> None:
    """Refuse several classes where a model separates two.

    Raises
    ------
    ParameterError
        It names a class that could be the positive one.
    """
    classes = np.unique(training.labels)
    if classes.size > 2 and any(asked.separates for asked in models):
        raise ParameterError(
            f"{training.name} has {classes.size} different targets, and these models separate two classes; name the "
            f"one that is +1: --positive {_word(classes[0])}. Several at once are for fit."
        )


def read_new(options: SamplesOptions, predictor: Predictor) -> tuple[Predictor, Samples, Dataset | None]:
    """Return samples for a machine, with their set where they have targets, and the machine with as many features.

    As with svm-predict, features that LIBSVM text leaves out are 0, in samples and in the machine. The last column of
    other files may be missing: the targets, which prediction does not need.

    Raises
    ------
    ShapeError
        If the samples have other features than the machine.
    """
    dataset = read_set(options)
    X, features = dataset.X, predictor.functions.centers.shape[1]
    with_targets: Dataset | None = dataset
    if _is_libsvm(options.data):
        if X.shape[1] > features:
            predictor, X = _widened(predictor, X)
        X = padded(X, predictor.functions.centers.shape[1])
    elif X.shape[1] == features - 1 and options.target is None and dataset.y.dtype.kind in "fiu":
        X, with_targets = np.column_stack([X, dataset.y]), None
    if X.shape[1] != features and not _is_libsvm(options.data):
        raise ShapeError(
            f"the machine was fitted to samples with {features} features, but those of {options.data} have "
            f"{X.shape[1]}; take the same columns."
        )
    scaling = predictor.preprocessing
    if is_sparse(X) and not (predictor.functions.kernel.takes_sparse and (scaling is None or scaling.keeps_zeros)):
        X = X.toarray()
    return predictor, X, with_targets


def _check_targets(source: str, asked: Asked, y: NDArray[Any]) -> None:
    classes = np.unique(y)
    if asked.separates:
        fractions = classes.dtype.kind == "f" and classes.size > 2 and bool((classes % 1 != 0).any())
        if classes.size > _MOST_CLASSES or fractions:
            raise ParameterError(
                f"{source} has {classes.size} different targets, as for regression, and {asked.name} separates "
                "classes; take a data set of classes, or a regression model such as --model soft-tube."
            )
    elif not asked.without_targets and y.dtype.kind not in "fiub":
        raise LabelError(
            f"the targets of {source} are the classes {', '.join(map(str, classes[:5]))}, and {asked.name} predicts "
            "numbers; take another target, or a model of classes such as --model soft-margin."
        )


def _scaling(options: TrainingOptions, X: Samples) -> Scaling | None:
    chosen = [
        name
        for name, given in (("scale", options.scale), ("standardise", options.standardise), ("range", options.ranges))
        if given
    ]
    if len(chosen) > 1:
        raise ParameterError(f"--{chosen[0]} and --{chosen[1]} exclude each other; keep one.")
    if options.ranges is not None:
        return read_libsvm_range(options.ranges, X.shape[1])
    if options.scale:
        return Scaling.to_range(X)
    return Scaling.standardise(X) if options.standardise else None


def scaled(scaling: Scaling, X: Samples) -> Samples:
    """Return samples mapped, as dense ones where 0 is mapped to another number."""
    whole = padded(X, scaling.low.size)
    return scaling.transform(whole.toarray() if is_sparse(whole) and not scaling.keeps_zeros else whole)


def _is_libsvm(source: str) -> bool:
    path = Path(source)
    name = path.stem if path.suffix.lower() in COMPRESSIONS else path.name
    return source not in BUNDLED_NAMES and not name.lower().endswith((".csv", ".npz"))


def padded(X: Samples, features: int) -> Samples:
    """Return samples with features that are 0 behind theirs."""
    m, stated = X.shape
    if stated == features:
        return X
    if is_sparse(X):
        return csr_array((X.data, X.indices, X.indptr), shape=(m, features))
    return np.hstack([X, np.zeros((m, features - stated))])


def _widened(predictor: Predictor, X: Samples) -> tuple[Predictor, Samples]:
    """Return machine and samples with as many features; those that a scaling does not know are left out."""
    functions, features = predictor.functions, predictor.functions.centers.shape[1]
    if predictor.preprocessing is not None:
        hint(f"features above {features} are left out, as by svm-scale: the training file has not got them.")
        return predictor, X[:, :features]
    centers = padded(functions.centers, X.shape[1])
    return replace(predictor, functions=replace(functions, centers=centers)), X


def _word(label: Any) -> str:
    return str(label).removesuffix(".0")
