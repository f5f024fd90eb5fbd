# SPDX-License-Identifier: BSD-3-Clause
"""Labels of classes."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

__all__ = ["check_labels"]

_DISCRETE = "biuUS"
"""Kinds of arrays that hold labels whatever is in them."""


def check_labels(labels: NDArray[Any]) -> None:
    """Refuse targets that are no labels, such as fractions.

    Raises
    ------
    ValueError
        That of scikit-learn.
    """
    if labels.dtype.kind not in _DISCRETE:
        check_classification_targets(labels)
