# SPDX-License-Identifier: BSD-3-Clause
"""Labels of classes, and real targets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from qpkernels.arrays import shown
from qpkernels.errors import LabelError, ParameterError

__all__ = ["check_labels", "check_targets"]

_DISCRETE = "biuUS"
"""Kinds of arrays that hold labels whatever is in them."""

_NUMBERS = "biufc"
"""Kinds of arrays that hold numbers; complex ones scikit-learn refuses itself."""


def check_labels(labels: NDArray[Any]) -> None:
    """Refuse targets that are no labels, such as fractions, or text beside numbers.

    Raises
    ------
    LabelError
        In the words of scikit-learn.
    """
    if labels.dtype.kind not in _DISCRETE:
        try:
            check_classification_targets(labels)
        except ValueError as error:
            raise LabelError(f"{error} y starts with {shown(labels[:3].tolist())}.") from error


def check_targets(y: Any) -> None:
    """Refuse real targets that are no numbers, such as text; None, which scikit-learn refuses itself, is left to it.

    Raises
    ------
    ParameterError
        With the first that is none.
    """
    if y is None or np.asarray(y).dtype.kind in _NUMBERS:
        return
    for place, target in enumerate(np.asarray(y, dtype=object).ravel()):
        try:
            float(target)
        except (TypeError, ValueError):
            raise ParameterError(
                f"y must hold real numbers, but target {place} is {shown(target)}; a classifier takes labels."
            ) from None
