# SPDX-License-Identifier: BSD-3-Clause
"""Which samples a model is trained on, and which are held out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Model
from formulations.modelling.inputs.restating import sample_numbers
from qpkernels.arrays import Indices, Vector, is_integer, real_number, shown
from qpkernels.errors import LabelError, OneClassError, ParameterError

__all__ = [
    "Fold",
    "Folds",
    "Score",
    "Scoring",
    "check_classes",
    "checked_model",
    "divide",
    "predicted",
    "scorer",
    "scoring_name",
    "truth",
]

Folds: TypeAlias = Any
"""A number of folds, a splitter of scikit-learn, or pairs (train, test) of sample numbers."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Numbers of the samples that a model is trained on, and of those held out."""

    train: Indices
    test: Indices


def checked_model(model: object, caller: str) -> Model[Any]:
    """Return ``model`` if it is one."""
    if not isinstance(model, Model):
        raise ParameterError(
            f"{caller} takes a model first, such as SoftMargin(X, y, RBF(0.1)), but {shown(model)} came; of several "
            "classes, and of estimators, take the tools of scikit-learn, such as GridSearchCV(SVC(), ...)."
        )
    return model


def truth(model: Model[Any]) -> NDArray[Any]:
    """Return the labels as they came, the targets, or of a model without either, ones."""
    if model.classes is not None:
        y: NDArray[np.float64] = vars(model)["y"]
        return np.asarray(model.classes[(y > 0).astype(np.intp)])
    return np.asarray(vars(model).get("y", np.ones(len(model))))


def divide(model: Model[Any], folds: Folds) -> tuple[Fold, ...]:
    """Return the folds of the samples of ``model``.

    A number of folds divides as scikit-learn does: without shuffling, and so that each has its share of both classes.
    """
    labels = truth(model)
    check_classes(model, labels)
    pairs = _pairs(model, folds, labels)
    found = []
    for number, (train, test) in enumerate(pairs, 1):
        fold = Fold(
            *(
                sample_numbers(rows, len(model), f"{name} of fold {number}")
                for name, rows in (("train", train), ("test", test))
            )
        )
        both = np.intersect1d(fold.train, fold.test)
        if both.size:
            raise ParameterError(
                f"fold {number} must not hold out what it trains on, but sample {both[0]} is in both of its parts."
            )
        if model.classes is not None and np.unique(labels[fold.train]).size < 2:
            raise OneClassError(
                f"fold {number} must leave samples of both classes to train on, but all {fold.train.size} are of "
                f"{labels[fold.train[0]].item()!r}; shuffle the samples, or divide them by class (StratifiedKFold)."
            )
        found.append(fold)
    if not found:
        raise ParameterError("folds must hold at least one pair (train, test), but none came.")
    return tuple(found)


def check_classes(model: Model[Any], labels: NDArray[Any]) -> None:
    """Refuse a class with a single sample."""
    if model.classes is None:
        return
    values, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        raise LabelError(
            f"holding samples out needs two of each class, but there is one of {values[counts.argmin()].item()!r}; "
            "leave that class out, or add samples of it."
        )


def _pairs(model: Model[Any], folds: Folds, labels: NDArray[Any]) -> Iterable[tuple[Any, Any]]:
    from sklearn.model_selection import check_cv

    samples = len(model)
    if isinstance(folds, int | np.integer):
        if not is_integer(folds) or not 2 <= folds <= samples:
            raise ParameterError(
                f"folds must be an integer from 2 to the number of samples, which is {samples}, "
                f"but {shown(folds)} came."
            )
        divided = check_cv(int(folds), labels, classifier=model.classes is not None).split(np.zeros(samples), labels)
    elif hasattr(folds, "split") and not isinstance(folds, str):
        divided = folds.split(np.zeros(samples), labels)
    else:
        try:
            divided = [(train, test) for train, test in folds]
        except (TypeError, ValueError):
            raise ParameterError(
                "folds must be their number, a splitter of scikit-learn, or a list of pairs (train, test) of sample "
                f"numbers, but {shown(folds)} came."
            ) from None
    return _divided(divided)


def _divided(divided: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    try:
        return list(divided)
    except ValueError as error:
        # Splitters say what they miss: groups, or more samples.
        raise ParameterError(f"the splitter does not divide these samples: {error}") from error


Scoring: TypeAlias = str | Callable[[NDArray[Any], Vector], float] | None
"""A scorer's name of scikit-learn, a function of (y, decision values), or None: accuracy, R^2 for real targets."""

Score: TypeAlias = Callable[[NDArray[Any], Vector], float]
"""(labels or targets, decision values) -> a number; the greater, the better."""


def predicted(classes: NDArray[Any] | None, decision: Vector) -> NDArray[Any]:
    """Return the labels of decision values, or the values where there are no classes."""
    return decision if classes is None else np.asarray(classes[(decision > 0).astype(np.intp)])


def scoring_name(model: Model[Any], scoring: Scoring) -> str:
    """Return what a table calls the score."""
    if scoring is None:
        return "accuracy" if model.classes is not None else "r2"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def scorer(model: Model[Any], scoring: Scoring) -> Score:
    """Return the score that ``scoring`` means for this model."""
    if scoring is None:
        if model.classes is not None:
            return partial(_accuracy, model.classes)
        if "y" not in vars(model):
            raise ParameterError(
                f"a {model.name} has no labels or targets to score its values by; pass scoring=, a function of "
                "(ones, decision values)."
            )
        return _r2
    if isinstance(scoring, str):
        return _named(scoring, model.classes)
    if not callable(scoring):
        raise ParameterError(
            "scoring must be the name of a scorer of scikit-learn, a function of (y, decision values), or None, but "
            f"{shown(scoring)} came."
        )
    return partial(_checked, scoring)


def _accuracy(classes: NDArray[Any], y: NDArray[Any], decision: Vector) -> float:
    return float(np.mean(predicted(classes, decision) == y))


def _r2(y: NDArray[Any], decision: Vector) -> float:
    from sklearn.metrics import r2_score

    return float(r2_score(y, decision))


def _checked(score: Score, y: NDArray[Any], decision: Vector) -> float:
    return real_number(score(y, decision), "a score", "a number, the greater the better")


def _named(name: str, classes: NDArray[Any] | None) -> Score:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        raise ParameterError(f"scikit-learn has no scorer {name!r}; see sklearn.metrics.get_scorer_names().")
    score = get_scorer(name)

    class FittedRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        """What a scorer asks: predictions are the values themselves."""

        fitted_ = True

        def predict(self, X: Vector) -> Vector:
            return X

    class FittedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """What a scorer asks: labels by the sign, and the values."""

        fitted_, classes_ = True, classes

        def predict(self, X: Vector) -> NDArray[Any]:
            return predicted(classes, X)

        def decision_function(self, X: Vector) -> Vector:
            return X

    fitted = FittedRegressor() if classes is None else FittedClassifier()

    def scored(y: NDArray[Any], decision: Vector) -> float:
        try:
            return float(score(fitted, decision, y))
        except AttributeError as error:
            raise ParameterError(
                f"the scorer {name!r} asks for more than decision values and predictions; take another, or a function "
                "of (y, decision values)."
            ) from error

    return scored
