# SPDX-License-Identifier: BSD-3-Clause
"""Learning on from samples that arrive one after the other: scikit-learn's ``partial_fit``, each answer certified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from formulations.estimators.kernel_machine import Training
from formulations.estimators.parameters import OfKernel, one_column, sample_weights, weighted
from formulations.modelling import Model
from formulations.modelling.batch import Trained
from formulations.modelling.incremental import Incremental, names_per_sample
from formulations.modelling.inputs.samples import BoundSamples
from qpkernels.arrays import Vector, check_count, shown_label
from qpkernels.errors import LabelError, ParameterError
from qpkernels.gram.changing import joined
from qpkernels.kernels import Kernel

__all__ = ["Stream", "learn_on"]


@dataclass(frozen=True, eq=False)
class Stream:
    """The samples that ``partial_fit`` has kept.

    Attributes
    ----------
    X, y, weights
        The samples, their labels or targets, and how often each counts.
    classes
        The labels that there may be; None: targets.
    settings
        The parameters of the estimator that they were fitted with.
    machine
        The single machine that follows them with its kernel values; None: all is fitted anew.
    """

    X: Any
    y: NDArray[Any]
    weights: Vector
    classes: NDArray[Any] | None
    settings: str
    machine: Incremental[Any] | None = None


def learn_on(estimator: Any, X: Any, y: Any, classes: ArrayLike | None, sample_weight: ArrayLike | None) -> None:
    """Fit an estimator to the samples that it has kept and to further ones; where it fails, it stays as it was.

    A machine of two classes, or of real targets, goes on from its answer and its kernel values. Several machines, those
    of a solver that is named, and those of a matrix that is corrected or of low rank, are fitted anew.

    Raises
    ------
    ParameterError, LabelError
        If labels are none of ``classes``, or the estimator has parameters that new samples would change for old ones.
    OneClassError
        If the samples that are kept are of one class.
    """
    window = None if estimator.window is None else check_count(estimator.window, "window")
    _check_parameters(estimator)
    left = dict(vars(estimator))
    before: Stream | None = left.get("_stream")
    try:
        X, y = estimator._samples(X, y, reset=before is None)
        y = one_column(y)
        weights = sample_weights(sample_weight, len(y))
        known = _classes(estimator, classes, y, before)
        rows = np.flatnonzero(weights)
        new = Stream(X[rows], y[rows], weights[rows], known, repr(sorted(estimator.get_params().items())))
        stream = new if before is None else _after(before, new)
        stream = stream if window is None else _cut(stream, window)
        machine = None if before is None else _follow(estimator, before, new, window)
        if machine is None:
            estimator.fit(stream.X, stream.y, stream.weights)
        else:
            _finish(estimator, machine, stream)
        estimator._stream = Stream(stream.X, stream.y, stream.weights, known, new.settings, machine)
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(left)
        raise


def _check_parameters(estimator: Any) -> None:
    if not isinstance(estimator.kernel, Kernel) and (callable(estimator.kernel) or estimator.kernel == "precomputed"):
        raise ParameterError(
            "partial_fit computes kernel values of new samples with old ones: kernel must be a name or a Kernel, such "
            "as RBF(1.0)."
        )
    if isinstance(getattr(estimator, "class_weight", None), str):
        raise ParameterError(
            "class_weight='balanced' would change the weights of old samples with each new one, so partial_fit does "
            "not take it; pass a dictionary of weights."
        )


def _classes(estimator: Any, classes: ArrayLike | None, y: NDArray[Any], before: Stream | None) -> Any:
    """Return the labels that there may be."""
    if not is_classifier(estimator):
        return None
    if classes is None and before is None:
        # Those of a fit before.
        classes = vars(estimator).get("classes_")
    if classes is None and before is None:
        raise ParameterError("classes must be passed on the first call to partial_fit: all labels that there will be.")
    known: NDArray[Any] = np.unique(np.asarray(classes)) if before is None else np.asarray(before.classes)
    if before is not None and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
        raise ParameterError(
            f"classes must be those of the first call to partial_fit, {known.tolist()}, but "
            f"{np.asarray(classes).tolist()} came."
        )
    other = y[~np.isin(y, known)]
    if other.size:
        raise LabelError(f"y must hold labels of classes, {known.tolist()}, but {shown_label(other.tolist()[0])} came.")
    return known


def _after(before: Stream, new: Stream) -> Stream:
    weights = np.append(before.weights, new.weights)
    return Stream(joined(before.X, new.X), np.append(before.y, new.y), weights, new.classes, new.settings)


def _cut(stream: Stream, window: int) -> Stream:
    """Return the latest samples."""
    X, y, weights = stream.X[-window:], stream.y[-window:], stream.weights[-window:]
    return Stream(X, y, weights, stream.classes, stream.settings)


def _follow(estimator: Any, before: Stream, new: Stream, window: int | None) -> Incremental[Any] | None:
    """Return the single machine after the new samples; None where all is to be fitted anew."""
    plain = estimator.solver is None and estimator.rank is None and estimator.indefinite == "refuse"
    single = isinstance(estimator.model_, Model) and estimator.max_iter == -1
    if not plain or not single or before.settings != new.settings or new.y.size == 0:
        return None
    if new.classes is not None and not np.isin(new.y, estimator.classes_).all():
        return None
    machine = before.machine
    if machine is None:
        machine = Incremental(estimator.model_, tol=estimator.tol, time_limit=estimator.time_limit, window=window)
    kind, parameters = estimator._machine()
    costs = new.weights
    if new.classes is not None:
        costs = costs * estimator.class_weight_[np.searchsorted(estimator.classes_, new.y)]
    values = weighted(kind, parameters, costs)
    machine.add(new.X, new.y, **{name: values[name] for name in names_per_sample(machine.model)})
    return machine


def _finish(estimator: Any, machine: Incremental[Any], stream: Stream) -> None:
    """Read off the attributes that a fit leaves."""
    estimator.model_, gram = machine.model, machine.model.gram
    estimator.shape_fit_ = stream.X.shape
    vars(estimator).pop("solution_", None)
    codes = None if stream.classes is None else np.searchsorted(estimator.classes_, stream.y)
    every = np.arange(stream.y.size)
    space = OfKernel(gram.kernel, stream.X)
    training = Training(space, BoundSamples(gram, explicit=False), every, stream.weights, stream.X, codes)
    estimator._finish(training, [Trained.of(machine.model, machine.solution)])
