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
from formulations.modelling.machines import Scheme
from formulations.modelling.prediction import Decision, Labels
from formulations.modelling.prediction.decisions import Votes
from formulations.selection.fits import Selectable
from qpkernels.arrays import Indices, Matrix, Vector, is_integer, real_number, shown
from qpkernels.errors import LabelError, OneClassError, ParameterError

__all__ = [
    "Fold",
    "Folds",
    "Score",
    "Scoring",
    "check_classes",
    "checked_machine",
    "checked_model",
    "decision_of",
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


def checked_model(model: object, caller: str) -> Selectable:
    """Return ``model`` if it is one, or machines that tell several classes apart."""
    if not isinstance(model, Model | Scheme):
        raise ParameterError(
            f"{caller} takes a model first, such as SoftMargin(X, y, RBF(0.1)), of several classes OneVersusOne, but "
            f"{shown(model)} came; of estimators, take the tools of scikit-learn, such as GridSearchCV(SVC(), ...)."
        )
    return model


def checked_machine(model: object, caller: str) -> Model[Any]:
    """Return ``model`` if it is one, of a machine alone."""
    found = checked_model(model, caller)
    if isinstance(found, Scheme):
        raise ParameterError(
            f"{caller} takes one machine, but {shown(model)} came; take each of its own: model.model(pair), with a "
            "pair of model.pairs()."
        )
    return found


def truth(model: Selectable) -> NDArray[Any]:
    """Return the labels as they came, the targets, or of a model without either, ones."""
    if isinstance(model, Scheme):
        return model.y
    if model.classes is not None:
        y: NDArray[np.float64] = vars(model)["y"]
        return np.asarray(model.classes[(y > 0).astype(np.intp)])
    return np.asarray(vars(model).get("y", np.ones(len(model))))


def divide(model: Selectable, folds: Folds) -> tuple[Fold, ...]:
    """Return the folds of the samples of ``model``.

    A number of folds divides as scikit-learn does: without shuffling, and so that each has its share of each class.
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
                f"fold {number} must not hold out samples that it trains on, but sample {both[0]} is in both parts."
            )
        if model.classes is not None:
            _check_trained(model.classes, labels[fold.train], number)
        found.append(fold)
    if not found:
        raise ParameterError("folds must hold at least one pair (train, test), but none came.")
    return tuple(found)


def _check_trained(classes: NDArray[Any], labels: NDArray[Any], number: int) -> None:
    """Refuse a fold in which nothing is trained on samples of a class."""
    present = np.unique(labels)
    if present.size == classes.size:
        return
    advice = "shuffle the samples, or divide them by class (StratifiedKFold)."
    if classes.size == 2:
        raise OneClassError(
            f"fold {number} must leave samples of both classes to train on, but all {labels.size} are of "
            f"{present[0].item()!r}; {advice}"
        )
    raise OneClassError(
        f"fold {number} must leave samples of all {classes.size} classes to train on, but of its {labels.size} none is "
        f"of {np.setdiff1d(classes, present)[0].item()!r}; {advice}"
    )


def check_classes(model: Selectable, labels: NDArray[Any]) -> None:
    """Refuse a class with a single sample."""
    if model.classes is None:
        return
    values, counts = np.unique(labels, return_counts=True)
    if counts.min() < 2:
        raise LabelError(
            f"holding samples out needs two of each class, but there is one of {values[counts.argmin()].item()!r}; "
            "leave that class out, or add samples of it."
        )


def _pairs(model: Selectable, folds: Folds, labels: NDArray[Any]) -> Iterable[tuple[Any, Any]]:
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


Scoring: TypeAlias = str | Callable[[NDArray[Any], Any], float] | None
"""A scorer's name of scikit-learn, a function of (y, decision values), or None: accuracy, R^2 for real targets.

With several classes the values are one a class, shape (n, K), the largest of which decides.
"""

Score: TypeAlias = Callable[[NDArray[Any], Any], float]
"""(labels or targets, values of the function or of all machines) -> a number; the greater, the better."""


def decision_of(model: Selectable) -> Decision | None:
    """Return how values become labels; None of real targets."""
    if isinstance(model, Scheme):
        return model.votes
    return None if model.classes is None else Labels(model.classes)


def predicted(decision: Decision | None, values: Vector | Matrix) -> NDArray[Any]:
    """Return the labels that values stand for, or the values where there are no classes."""
    return values if decision is None else decision.predict(values.reshape(len(values), -1))


def _by_class(decision: Decision | None, values: Vector | Matrix) -> Vector | Matrix:
    """Return the values by which a score orders samples: one a class, and of two classes how much the second leads."""
    if not isinstance(decision, Votes):
        return values
    each = decision.by_class(values)
    return each if decision.classes.size > 2 else np.asarray(each[:, 1] - each[:, 0])


def scoring_name(model: Selectable, scoring: Scoring) -> str:
    """Return what a table calls the score."""
    if scoring is None:
        return "accuracy" if model.classes is not None else "r2"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def scorer(model: Selectable, scoring: Scoring) -> Score:
    """Return the score that ``scoring`` means for this model."""
    decision = decision_of(model)
    if scoring is None:
        if decision is not None:
            return partial(_accuracy, decision)
        if "y" not in vars(model):
            raise ParameterError(
                f"a {model.name} has no labels or targets to score its values by; pass scoring=, a function of "
                "(ones, decision values)."
            )
        return _r2
    if isinstance(scoring, str):
        score = _named(scoring, decision)
        if isinstance(decision, Votes):
            # Few scorers take several classes: those that do not say so before anything is computed.
            score(truth(model), np.zeros((len(model), len(decision.pairs))))
        return score
    if not callable(scoring):
        raise ParameterError(
            "scoring must be the name of a scorer of scikit-learn, a function of (y, decision values), or None, but "
            f"{shown(scoring)} came."
        )
    return partial(_checked, scoring, decision)


def _accuracy(decision: Decision, y: NDArray[Any], values: Any) -> float:
    return float(np.mean(predicted(decision, values) == y))


def _r2(y: NDArray[Any], values: Any) -> float:
    from sklearn.metrics import r2_score

    return float(r2_score(y, values))


def _checked(score: Score, decision: Decision | None, y: NDArray[Any], values: Any) -> float:
    return real_number(score(y, _by_class(decision, values)), "a score", "a number, the greater the better")


def _named(name: str, decision: Decision | None) -> Score:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.metrics import get_scorer, get_scorer_names

    if name not in get_scorer_names():
        raise ParameterError(f"scikit-learn has no scorer {name!r}; see sklearn.metrics.get_scorer_names().")
    score = get_scorer(name)

    class FittedRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
        """An adapter for scorers: predictions are the values themselves."""

        fitted_ = True

        def predict(self, X: Vector) -> Vector:
            return X

    class FittedClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """An adapter for scorers: labels by the sign, and the values."""

        fitted_, classes_ = True, None if decision is None else decision.classes

        def predict(self, X: Any) -> NDArray[Any]:
            return predicted(decision, X)

        def decision_function(self, X: Any) -> Any:
            return _by_class(decision, X)

    fitted = FittedRegressor() if decision is None else FittedClassifier()

    def scored(y: NDArray[Any], values: Any) -> float:
        try:
            return float(score(fitted, values, y))
        except AttributeError as error:
            raise ParameterError(
                f"the scorer {name!r} asks for more than decision values and predictions; take another, or a function "
                "of (y, decision values)."
            ) from error
        except ValueError as error:
            if not isinstance(decision, Votes):
                raise
            raise ParameterError(f"the scorer {name!r} does not score several classes: {error}") from error

    return scored
