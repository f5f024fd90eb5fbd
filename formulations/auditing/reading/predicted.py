# SPDX-License-Identifier: BSD-3-Clause
"""What an estimator says of its samples, beside what its coefficients say.

An estimator may keep what it predicts with in other attributes than those that it shows: scikit-learn's SVC of two
classes shows dual_coef_ and predicts with _dual_coef_.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from formulations.auditing.reading.machine import Machine, Predicted
from formulations.inputs.estimators import on_host
from qpkernels.arrays import Matrix, is_sparse
from qpkernels.errors import ParameterError

__all__ = ["with_predictions"]

_SAMPLES = 1000
"""How many samples an estimator is asked about: coefficients that differ do so at nearly all of them."""


def with_predictions(machines: Sequence[Machine], estimator: Any, X: Any) -> list[Machine]:
    """Return the machines with what the estimator says of their samples, where it says that machine by machine."""
    samples = _num_samples(X)
    numbers = np.unique(np.linspace(0, samples - 1, min(samples, _SAMPLES)).astype(np.intp))
    values = _values(estimator, _safe_indexing(X, numbers))
    if values is None or values.shape != (numbers.size, len(machines)):
        return list(machines)
    found = []
    for machine, sign, column in zip(machines, _signs(estimator, len(machines)), values.T, strict=True):
        places = np.flatnonzero(np.isin(machine.rows, numbers))
        own = sign * column[np.searchsorted(numbers, machine.rows[places])]
        found.append(replace(machine, predicted=Predicted(places, own)))
    return found


def _signs(estimator: Any, machines: int) -> list[float]:
    """Return 1 for each machine whose values are above 0 for the later one of its classes, -1 for the others.

    Of two classes all have the later one, and of each pair of several the first; ThunderSVM has the first always.
    """
    pairs = hasattr(estimator, "classes_") and hasattr(estimator, "dual_coef_")
    if not pairs or (machines == 1 and not hasattr(estimator, "n_binary_model")):
        return [1.0] * machines
    return [1.0 if first > second else -1.0 for first, second in combinations(on_host(estimator.classes_).tolist(), 2)]


def _values(estimator: Any, X: Any) -> Matrix | None:
    """Return a column for each machine; None where the estimator has no values of the kind."""
    if getattr(estimator, "decision_function_shape", "ovo") != "ovo":
        estimator = copy(estimator)
        estimator.decision_function_shape = "ovo"
    predict = getattr(estimator, "decision_function", None)
    if predict is None and not hasattr(estimator, "classes_"):
        predict = getattr(estimator, "predict", None)
    if predict is None:
        return None
    if is_sparse(X) and getattr(estimator, "_sparse", True) is False:
        X = X.toarray()
    try:
        values = on_host(predict(X)).astype(np.float64)
    except Exception as error:
        raise ParameterError(f"the estimator does not predict its own samples ({error}); fit it again.") from error
    return values[:, None] if values.ndim == 1 else values
