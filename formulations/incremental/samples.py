# SPDX-License-Identifier: BSD-3-Clause
"""What a user says of samples: their numbers, the samples themselves, and labels or targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from formulations.inputs.targets import real_targets
from formulations.inputs.two_classes import checked_labels
from formulations.modelling import Model
from qpkernels.arrays import Indices, Samples, Vector, check_feature_names, is_sparse, read_array, shown, shown_label
from qpkernels.errors import LabelError, OneClassError, ParameterError, ShapeError
from qpkernels.gram import Gram

__all__ = ["numbers_of", "read_samples", "read_targets", "require_classes"]


def numbers_of(i: ArrayLike, samples: int) -> Indices:
    """Return the number of a sample, or of several different ones.

    Raises
    ------
    ParameterError
        If they are no such numbers.
    """
    given = np.atleast_1d(read_array(i, "i"))
    if given.ndim != 1 or given.dtype.kind not in "iu" or given.size == 0:
        raise ParameterError(f"i must be the number of a sample, or a list of such, but {shown(i)} came.")
    outside = (given < 0) | (given >= samples)
    if outside.any():
        raise ParameterError(
            f"a sample has a number from 0 to {samples - 1}, but {int(given[outside][0])} came; they are numbered in "
            "their present order, without gaps."
        )
    if np.unique(given).size != given.size:
        raise ParameterError(f"i must name each sample once, but {shown(given.tolist())} came.")
    return given.astype(np.intp)


def read_samples(x: Any, gram: Gram) -> Samples:
    """Return one sample, or several, as those of ``gram``.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError, FeatureNamesError
        If the kernel does not take them, or they have other features.
    """
    fields: tuple[str, ...] | None = getattr(gram.X, "dtype", np.dtype(float)).names
    by_name = fields is not None and gram.kernel.names is not None
    check_feature_names(x, gram.feature_names, frozenset(fields or ()) if by_name else None)
    alone = not is_sparse(x) and np.ndim(x) == gram.X.ndim - 1
    X = gram.kernel.samples([x] if alone else x)
    if X.shape[1:] != gram.X.shape[1:]:
        raise ShapeError(
            f"a sample must have {gram.X.shape[1]} features, as those that are there, but {X.shape[1]} came."
        )
    return X[list(fields)] if by_name and fields is not None else X


def read_targets(model: Model[Any], y: Any, count: int) -> Vector | None:
    """Return labels as signs, or targets, of so many samples; None in a model without.

    Raises
    ------
    LabelError
        If a label is neither of the two of the model.
    ShapeError, NonFiniteError, ParameterError
        If they are no such labels or targets.
    """
    if not hasattr(model, "y"):
        if y is not None:
            raise ParameterError(f"a {model.name} has no labels and no targets, but y = {shown(y)} came; leave y out.")
        return None
    if y is None:
        raise ParameterError(f"each new sample of a {model.name} needs its y, which is missing.")
    values: Any = [y] if np.ndim(y) == 0 else y
    if model.classes is None:
        return real_targets(values, count)
    labels, (negative, positive) = checked_labels(values, count), model.classes
    new = (labels != negative) & (labels != positive)
    if np.any(new):
        raise LabelError(
            f"a label must be {' or '.join(map(shown_label, model.classes.tolist()))}, as those that are there, "
            f"but {shown_label(labels[new].tolist()[0])} came; a further class takes OneVersusRest or OneVersusOne."
        )
    return np.where(labels == positive, 1.0, -1.0)


def require_classes(model: Model[Any], y: Vector) -> None:
    """Refuse labels, as signs, that leave a class of the model without samples.

    Raises
    ------
    OneClassError
        With the class.
    """
    if model.classes is None:
        return
    for sign, label in zip((-1.0, 1.0), model.classes.tolist(), strict=True):
        if not (y == sign).any():
            raise OneClassError(
                f"class {shown_label(label)} would be left without samples, and there would be nothing to separate; "
                "add others of it first."
            )
