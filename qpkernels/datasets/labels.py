# SPDX-License-Identifier: BSD-3-Clause
"""Two-class labels made of several classes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Vector, finite_vector
from qpkernels.datasets.number_text import read_number
from qpkernels.errors import LabelError, ShapeError

__all__ = ["one_versus_rest"]

_MOST_LISTED = 20


def one_versus_rest(y: ArrayLike, positive: str | float) -> Vector:
    """Map y_i to +1 where y_i equals the class ``positive`` and to -1 elsewhere.

    Parameters
    ----------
    y
        Array of shape (n,): numbers or class names.
    positive
        The class. Where y is numeric the comparison is numeric, also for a class given as text: ``"1"``,
        ``"1.0"`` and 1 are the same class. Where y is text, the comparison is of text.

    Returns
    -------
    Vector
        Array of shape (n,) with entries +1.0 and -1.0, at least one of them +1.0.

    Raises
    ------
    LabelError
        If no sample belongs to ``positive``; the message lists the classes there are.
    ShapeError
        If y is not one-dimensional.
    NonFiniteError
        If y is numeric and holds NaN or infinity.
    """
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ShapeError(f"y must have one dimension, but its shape is {labels.shape}; flatten it first.")
    classes: NDArray[Any]
    if labels.dtype.kind in "fiub":
        classes = finite_vector(labels, "y")
        # NaN equals nothing, so that a text which is no number is reported as an unknown class below.
        wanted: str | float | None = read_number(positive.strip()) if isinstance(positive, str) else float(positive)
        is_positive = classes == (np.nan if wanted is None else wanted)
    else:
        classes = labels.astype(np.str_)
        is_positive = classes == str(positive)
    if not is_positive.any():
        raise LabelError(
            f"The positive class must be one of the classes {_listed(classes)}, but {positive!r} came; "
            "choose one of these."
        )
    return np.where(is_positive, 1.0, -1.0)


def _listed(classes: NDArray[Any]) -> str:
    distinct = np.unique(classes).tolist()
    shown = [_spelled(label) for label in distinct[:_MOST_LISTED]]
    if len(distinct) > _MOST_LISTED:
        shown.append(f"... ({len(distinct)} in all)")
    return ", ".join(shown) or "of y, which is empty"


def _spelled(label: str | float) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else repr(label)
