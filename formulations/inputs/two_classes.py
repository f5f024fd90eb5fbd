# SPDX-License-Identifier: BSD-3-Clause
"""Labels of two classes, or of several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Vector, frozen, read_array, shown, shown_label
from qpkernels.errors import LabelError, NonFiniteError, OneClassError, ShapeError

__all__ = ["checked_labels", "two_classes"]


def two_classes(y: ArrayLike, samples: int) -> tuple[Vector, NDArray[Any]]:
    """Return y as signs, and the pair of labels; the greater label (in sorted order) is +1.

    Raises
    ------
    ShapeError, NonFiniteError, LabelError
        If y is no vector of that many labels; see :func:`checked_labels`.
    OneClassError, LabelError
        If there are not exactly two different labels.
    """
    labels = checked_labels(y, samples)
    classes = _classes(labels)
    if classes.size == 1:
        raise OneClassError(
            f"y must hold two classes, but every label is {shown_label(classes.tolist()[0])}; there is nothing to "
            "separate."
        )
    if classes.size != 2:
        some = ", ".join(map(shown_label, classes[:6].tolist())) + (", ..." if classes.size > 6 else "")
        raise LabelError(
            f"y must hold two classes, but it holds {classes.size} ({some}); "
            "set one against the rest: np.where(y == label, 1, -1), or take OneVersusRest or OneVersusOne; of real "
            "targets take a regression, such as SoftTube."
        )
    return frozen(np.where(labels == classes[1], 1.0, -1.0)), classes


def _classes(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels in ascending order; two numbers, as most often, are found without a sort."""
    if labels.dtype.kind in "iuf":
        ends = labels.min(), labels.max()
        if ends[0] < ends[1] and ((labels == ends[0]) | (labels == ends[1])).all():
            return np.array(ends)
    return np.unique(labels)


def checked_labels(y: ArrayLike, samples: int) -> NDArray[Any]:
    """Return y as a vector of labels: numbers or text.

    Raises
    ------
    ShapeError
        If y is no vector of that many labels.
    NonFiniteError
        If a label is NaN or infinite.
    LabelError
        If the labels are neither numbers nor text.
    """
    labels = read_array(y, "y")
    given = labels.ravel().tolist() if labels.dtype == object else y
    if labels.dtype == object:
        # Text from a table arrives as objects; anything else there does not sort, or hides missing values.
        labels = read_array(labels.tolist(), "y")
    if labels.dtype.kind == "U" and isinstance(given, list | tuple):
        other = next((label for label in given if not isinstance(label, str)), None)
        if other is not None:
            raise LabelError(
                f"y must hold numbers or text, but both came, such as {shown(other)} and "
                f"{shown(next(label for label in given if isinstance(label, str)))}; convert them to one first."
            )
    if labels.dtype.kind not in "biufUS":
        raise LabelError(f"y must hold numbers or text, but labels of type {labels.dtype} came; convert them first.")
    if labels.ndim != 1:
        raise ShapeError(f"y must have one dimension, one label for each sample, but its shape is {labels.shape}.")
    if labels.size != samples:
        raise ShapeError(
            f"X and y must have the same length, but X has {samples} samples and y has {labels.size} labels."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        first = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise NonFiniteError(f"y must hold finite labels only, but y[{first}] is {labels[first]}; drop those samples.")
    return labels
