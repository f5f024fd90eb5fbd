# SPDX-License-Identifier: BSD-3-Clause
"""The estimators of this package: they hold the models that they answered."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import _num_samples

from formulations.auditing.reading.machine import Machine, expansion
from formulations.auditing.reading.samples import sampled
from formulations.auditing.reading.settings import Settings
from formulations.classification.meta.multiclass import OneVersusOne
from formulations.inputs.fitted import require_rows
from formulations.modelling import Model, Solution
from qpkernels.arrays import Indices, is_sparse
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["read_own"]


def read_own(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[Machine]:
    """Read a fitted estimator: its certificates are made anew, of the models that it holds."""
    model, solution = estimator.model_, estimator.solution_
    gram = model.data.gram
    taken = sampled(_num_samples(X), y, weights)
    rows = taken.rows
    if len(gram) != rows.size:
        raise ShapeError(
            f"the estimator was fitted to {len(gram)} samples, but {rows.size} came with a weight above 0; pass the X "
            "and sample_weight that it was fitted to."
        )
    if is_sparse(gram.X) or (gram.X.ndim == 2 and gram.X.dtype.kind == "f"):
        require_rows(gram.kernel.samples(X), gram.X, rows)
    labels = None
    if hasattr(model, "y"):
        labels = taken.labels[rows]
        _require_labels(model, labels, getattr(estimator, "classes_", None), rows)
    if not isinstance(model, OneVersusOne):
        return [_machine(settings.what, model, solution, rows, labels)]
    assert labels is not None
    machines = []
    for pair, own in zip(solution.pairs, solution.solutions, strict=True):
        members = model.rows(pair)
        low, high = model.classes[list(pair)].tolist()
        machines.append(_machine(f"{high!r} against {low!r}", model.model(pair), own, rows[members], labels[members]))
    return machines


def _machine(name: str, model: Model[Any], solution: Solution, rows: Indices, labels: NDArray[Any] | None) -> Machine:
    answer = model.candidate(solution)
    if answer.is_expansion and answer.multipliers is None:
        answer = expansion(model, answer.beta, answer.intercept)
    return Machine(name, model, answer, rows, labels)


def _require_labels(model: Any, labels: NDArray[Any], classes: NDArray[Any] | None, rows: Indices) -> None:
    held = model.y
    if classes is not None and not isinstance(model, OneVersusOne):
        held = np.where(model.y > 0, classes[-1], classes[0])
    others = np.flatnonzero(held != labels)
    if others.size:
        first = others[0]
        raise ParameterError(
            f"sample {rows[first]} was {held.tolist()[first]!r} when the estimator was fitted, but y has "
            f"{labels.tolist()[first]!r}, and so {others.size} differ; pass the y that it was fitted to."
        )
