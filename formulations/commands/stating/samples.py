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
from qpkernels.arrays import FeatureNames, Samples, finite_samples, is_sparse
from qpkernels.arrays.archives import load_arrays
from qpkernels.datasets import BUNDLED_NAMES, Dataset, Scaling, load_dataset, one_versus_rest
from qpkernels.datasets.text import COMPRESSIONS, read_number
from qpkernels.errors import FeatureNamesError, LabelError, ParameterError, ShapeError
from qpkernels.files import read_libsvm_range

if TYPE_CHECKING:
    from formulations.commands.stating.statements import Asked
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
    "scaling_of",
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
    feature_names
        The columns of a CSV file with a header, without the target; else None.
    scaling
        What was done to the samples; None: nothing.
    """

    name: str
    X: Samples = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    labels: NDArray[Any] = field(repr=False)
    scaling: Scaling | None
    feature_names: FeatureNames = None


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
    check_unique_names(options.data, dataset.feature_names)
    y = labels_of(dataset, options.positive, named=named)
    for asked in models:
        _check_targets(options.data, asked, y)
    scaling = scaling_of(options, dataset.X)
    X = dataset.X if scaling is None else scaled(scaling, dataset.X)
    labels = labels_of(dataset, options.positive, named=True)
    return Training(options.data, X, y, labels, scaling, dataset.feature_names)


def check_unique_names(source: str, names: FeatureNames) -> None:
    """Refuse a table with two columns of one name, which no new table could be held against.

    Raises
    ------
    FeatureNamesError
        With the name.
    """
    twice = [name for k, name in enumerate(names or ()) if name in (names or ())[:k]]
    if twice:
        raise FeatureNamesError(f"the column {twice[0]!r} of {source} occurs twice; give each its own name.")


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

    As with svm-predict, features that LIBSVM text leaves out are 0, in samples and in the machine. Columns of a table
    are found by their names. Other files than LIBSVM text may lack the targets, which prediction does not need.

    Raises
    ------
    ShapeError
        If the samples have other features than the machine.
    """
    features = predictor.functions.centers.shape[1]
    if (unlabelled := _archive_without_targets(options.data)) is not None:
        _check_width(options.data, unlabelled, features)
        return predictor, unlabelled, None
    dataset = read_set(options)
    X, with_targets = dataset.X, True
    if _is_libsvm(options.data):
        if X.shape[1] > features:
            predictor, X = _widened(predictor, X)
        if X.shape[1] < features:
            hint(f"features from {X.shape[1] + 1} to {features} are 0 in all samples of {options.data}.")
        X = padded(X, predictor.functions.centers.shape[1])
    else:
        X, with_targets = _columns(options, dataset, predictor)
        _check_width(options.data, X, features)
    scaling = predictor.preprocessing
    if is_sparse(X) and not (predictor.functions.kernel.takes_sparse and (scaling is None or scaling.keeps_zeros)):
        X = X.toarray()
    return predictor, X, dataset if with_targets else None


def _archive_without_targets(source: str) -> Samples | None:
    """Return the samples of a .npz file that has no y; None of any other."""
    if not source.lower().endswith(".npz") or not Path(source).is_file():
        return None
    arrays = load_arrays(source, "an archive of samples X")
    return finite_samples(arrays["X"], "X") if "X" in arrays and "y" not in arrays else None


def _columns(options: SamplesOptions, dataset: Dataset, predictor: Predictor) -> tuple[Samples, bool]:
    """Return the columns that the machine knows, by their names where it has some, and whether there are targets."""
    X, known, names = dataset.X, predictor.feature_names, dataset.feature_names
    is_feature = options.target is None and dataset.y.dtype.kind in "fiu"
    if known is None or names is None:
        # The last column is a feature where the others are one too few.
        if is_feature and X.shape[1] == predictor.functions.centers.shape[1] - 1:
            return np.column_stack([X, dataset.y]), False
        return X, True
    with_targets = not (is_feature and dataset.target_name in known)
    if not with_targets:
        X, names = np.column_stack([X, dataset.y]), (*names, str(dataset.target_name))
    missing = [name for name in known if name not in names]
    if missing:
        raise FeatureNamesError(
            f"{options.data} must have the columns that the machine was fitted to, but it has no {', '.join(missing)}; "
            "add them."
        )
    return X[:, [names.index(name) for name in known]], with_targets


def _check_width(source: str, X: Samples, features: int) -> None:
    if X.shape[1] != features:
        raise ShapeError(
            f"the machine was fitted to samples with {features} features, but those of {source} have {X.shape[1]}; "
            "take the same columns."
        )


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


def scaling_of(options: TrainingOptions, X: Samples) -> Scaling | None:
    """Return what the options say is done to samples; None: nothing."""
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
    hint(f"the samples have {X.shape[1]} features, and the machine was trained on {features}: the others were 0 there.")
    centers = padded(functions.centers, X.shape[1])
    return replace(predictor, functions=replace(functions, centers=centers)), X


def _word(label: Any) -> str:
    return str(label).removesuffix(".0")
