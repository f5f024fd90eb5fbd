# SPDX-License-Identifier: BSD-3-Clause
"""How good predictions are, with error bars: Wilson's interval for proportions, and the bootstrap's for other numbers.

Wilson's interval of a share p = k / n at the confidence 1 - a holds all shares q with |p - q| <= z sqrt(q (1 - q) / n),
where z is the normal quantile of 1 - a / 2. The bootstrap draws the samples anew with replacement, and takes the
quantiles of the numbers that are measured on each draw. Sources: Wilson (1927); Efron (1979).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from formulations.commands.output import hint
from formulations.commands.samples import named_labels, others_than, word
from formulations.modelling import Model, Solution
from formulations.modelling.prediction import Predictor
from formulations.modelling.prediction.decisions import Inliers
from formulations.selection.folds import scorer, scoring_name, truth
from qpkernels.arrays import Vector
from qpkernels.arrays.files import read_number
from qpkernels.errors import LabelError
from qpkernels.files import Dataset
from qpkernels.files.datasets import one_versus_rest

__all__ = [
    "Classified",
    "ConfidenceInterval",
    "Measures",
    "check_labels",
    "classified",
    "inlying",
    "training_score",
    "true_labels",
    "valued",
]

_DRAWS = 1000

_POSITIVE = ", or name the class that is 1 by --positive"


@dataclass(frozen=True)
class ConfidenceInterval:
    """A number that was measured, and the ends of its confidence interval."""

    value: float
    lower: float
    upper: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.lower:.4g} to {self.upper:.4g})"


@dataclass(frozen=True)
class ClassMeasures:
    """For one class, precision is the share of its predictions that are right, and recall is the share found.

    A share is None where there are no such samples.
    """

    label: str
    precision: ConfidenceInterval | None
    recall: ConfidenceInterval | None
    samples: int


@dataclass(frozen=True)
class Classified:
    """How good predicted classes are.

    Attributes
    ----------
    accuracy
        The share of correct predictions.
    labels
        The classes in sorted order: those of the machine, and those of the samples.
    confusion
        The number of samples of class i that were predicted to be of class j, shape (classes, classes).
    classes
        Precision and recall for each label.
    """

    accuracy: ConfidenceInterval
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[ClassMeasures, ...]


Measures: TypeAlias = dict[str, ConfidenceInterval]
"""How good predictions are, by the name of the measure."""


def true_labels(predictor: Predictor, dataset: Dataset, positive: str | None) -> NDArray[Any]:
    """Return the targets of a set in the words of the machine, by its numbers of classes or by their names.

    To a machine of +1 and -1, as LIBSVM has them, ``positive`` is the class that is +1; others know its name.
    """
    known, names = predictor.classes, named_labels(dataset)
    if known is None or known.size > 2 or np.isin(known, [-1, 1]).all():
        if positive is not None:
            return one_versus_rest(dataset.y if read_number(positive) is not None else names, positive)
    elif positive not in (None, word(known[1])):
        raise LabelError(
            f"the machine separates {word(known[1])} from {word(known[0])}, but --positive {positive} came; leave it "
            "out."
        )
    if known is None or known.dtype.kind != "U":
        return dataset.y if known is not None and np.isin(known, dataset.y).all() else names
    if known.size == 2 and known[0] == others_than(known[1]):
        return known[np.array([word(label) == known[1] for label in names.tolist()], dtype=np.intp)]
    return names


def check_labels(predictor: Predictor, y: NDArray[Any], source: str) -> NDArray[Any] | None:
    """Return the classes that y is held against; None where a machine predicts values, or y says nothing of inliers."""
    is_text, told = y.dtype.kind == "U", np.unique(y)
    if isinstance(predictor.decision, Inliers):
        return np.array([-1, 1]) if not is_text and np.isin(told, [-1, 1]).all() else None
    known = predictor.classes
    if known is None:
        if is_text:
            raise LabelError(
                f"the machine predicts numbers, but the targets of {source} are classes such as {str(y[0])!r}."
            )
        return None
    strange = np.setdiff1d(told, known) if is_text == (known.dtype.kind == "U") else told
    classes = ", ".join(map(word, known[:10].tolist()))
    if strange.size == told.size:
        plain = np.isin(known, [-1, 1]).all()
        raise LabelError(
            f"the machine knows the classes {classes}, but no target of {source} is one of them: "
            f"{word(strange.tolist()[0])} came; take the machine of these data{_POSITIVE if plain else ''}."
        )
    if strange.size:
        others = ", ".join(map(word, strange[:5].tolist()))
        hint(f"the machine knows the classes {classes}; samples of {others} count as wrong.")
    return known


def classified(y: NDArray[Any], predicted: NDArray[Any], known: NDArray[Any], confidence: float) -> Classified:
    """Measure predicted labels, of the classes that can be predicted."""
    from sklearn.metrics import confusion_matrix

    labels = np.unique(np.concatenate([known, y]))
    table = confusion_matrix(y, predicted, labels=labels)
    right, of_class, called = table.diagonal(), table.sum(axis=1), table.sum(axis=0)
    classes = tuple(
        ClassMeasures(
            word(label),
            _wilson(right[k], called[k], confidence) if called[k] else None,
            _wilson(right[k], of_class[k], confidence) if of_class[k] else None,
            int(of_class[k]),
        )
        for k, label in enumerate(labels)
    )
    rows = tuple(tuple(int(count) for count in row) for row in table)
    return Classified(_wilson(right.sum(), y.size, confidence), tuple(map(word, labels)), rows, classes)


def valued(y: Vector, predicted: Vector, confidence: float, seed: int) -> Measures:
    """Measure predicted values, shape (n,) as y; the draws of the bootstrap follow from the seed.

    R^2 is NaN where all targets are equal.
    """
    measures = {"r2": _r2, "mae": _mean_absolute, "rmse": _root_mean_square}
    return {name: _bootstrap(each, y, predicted, confidence, seed) for name, each in measures.items()}


def _r2(y: Vector, predicted: Vector) -> float:
    spread = float(np.square(y - y.mean()).sum())
    return 1.0 - float(np.square(y - predicted).sum()) / spread if spread > 0 else float("nan")


def _mean_absolute(y: Vector, predicted: Vector) -> float:
    return float(np.abs(y - predicted).mean())


def _root_mean_square(y: Vector, predicted: Vector) -> float:
    return float(np.sqrt(np.square(y - predicted).mean()))


def inlying(predicted: NDArray[Any], confidence: float) -> Measures:
    """Measure the share of +1 in predictions of +1 and -1, which is that of samples like those of the training."""
    return {"inliers": _wilson(int((predicted > 0).sum()), predicted.size, confidence)}


def training_score(model: Model[Any], solution: Solution) -> dict[str, float]:
    """Return, by its name, the score of a machine on the samples it was trained on."""
    if "y" not in vars(model):
        return {"training_inliers": float((solution.decision >= 0).mean())}
    score = scorer(model, None)(truth(model), solution.decision)
    return {f"training_{scoring_name(model, None)}": float(score)}


def _wilson(count: int, of: int, confidence: float) -> ConfidenceInterval:
    ends = scipy.stats.binomtest(int(count), int(of)).proportion_ci(confidence, method="wilson")
    return ConfidenceInterval(float(count) / float(of), float(ends.low), float(ends.high))


def _bootstrap(
    measure: Callable[[Vector, Vector], float], y: Vector, predicted: Vector, confidence: float, seed: int
) -> ConfidenceInterval:
    rng = np.random.default_rng(seed)
    drawn = [measure(y[rows], predicted[rows]) for rows in (rng.integers(y.size, size=y.size) for _ in range(_DRAWS))]
    defined = [value for value in drawn if not np.isnan(value)]
    low, high = np.quantile(defined or [np.nan], [0.5 - confidence / 2, 0.5 + confidence / 2])
    return ConfidenceInterval(float(measure(y, predicted)), float(low), float(high))
