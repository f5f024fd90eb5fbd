# SPDX-License-Identifier: BSD-3-Clause
"""Two-class labels made of several classes."""

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Vector, finite_vector, read_array, real_number, shown
from qpkernels.datasets.text import read_number
from qpkernels.errors import LabelError, ParameterError, ShapeError

__all__ = ["one_versus_rest"]


def one_versus_rest(y: ArrayLike, positive: str | float) -> Vector:
    """Map y_i to +1.0 where y_i equals the class ``positive``, which must occur in y, and to -1.0 elsewhere.

    Where y is numeric, the comparison is numeric, also for a class given as text: ``"1"``, ``"1.0"`` and 1 are the
    same class. Where y is text, the comparison is of text.

    Parameters
    ----------
    y
        Labels of any kind, shape (m,).
    positive
        The class that becomes +1.0.

    Examples
    --------
    >>> from qpkernels.datasets import one_versus_rest
    >>> print(one_versus_rest(["a", "b", "c", "a"], "a"))
    [ 1. -1. -1.  1.]
    """
    classes = read_array(y, "y")
    if classes.ndim != 1:
        raise ShapeError(f"y must have one dimension, but its shape is {classes.shape}; flatten it first.")
    if classes.dtype.kind in "fiub":
        classes = finite_vector(classes, "y")
        wanted = read_number(positive.strip()) if isinstance(positive, str) else _number(positive)
        # NaN equals nothing: a text that is no number is no class of numbers.
        is_positive = classes == (np.nan if wanted is None else wanted)
    elif classes.dtype.kind not in "USO":
        raise LabelError(f"y must hold numbers or text, but labels of type {classes.dtype} came; convert them first.")
    else:
        classes = classes.astype(np.str_)
        is_positive = classes == str(positive)
    if not is_positive.any():
        distinct = [repr(label).removesuffix(".0") for label in np.unique(classes).tolist()]
        more = f", ... ({len(distinct)} in all)" if len(distinct) > 20 else ""
        expected = f"The positive class must be one of the classes {', '.join(distinct[:20]) or 'of y, which is empty'}"
        raise LabelError(f"{expected}{more}, but {shown(positive)} came; choose one of these.")
    return np.where(is_positive, 1.0, -1.0)


def _number(positive: object) -> float | None:
    """Return a class as a number, or None: it is no class of numbers."""
    try:
        return float(positive) if isinstance(positive, bool | np.bool_) else real_number(positive, "positive")
    except ParameterError:
        return None
