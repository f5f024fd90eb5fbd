# SPDX-License-Identifier: BSD-3-Clause
"""How good decision values at samples held out are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from formulations.modelling import Model
from qpkernels.arrays import Vector, real_number, shown
from qpkernels.errors import ParameterError

__all__ = ["Score", "Scoring", "predicted", "scorer", "scoring_name"]

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
    """Return the score that ``scoring`` means for this model.

    Raises
    ------
    ParameterError
        If scikit-learn has no scorer of that name, or nothing is said of a model that has neither labels nor targets.
    """
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
    if classes is None:

        class Fitted(RegressorMixin, BaseEstimator):  # type: ignore[misc]
            """What a scorer asks: predictions are the values themselves."""

            fitted_ = True

            def predict(self, X: Vector) -> Vector:
                return X

    else:

        class Fitted(ClassifierMixin, BaseEstimator):  # type: ignore[misc, no-redef]
            """What a scorer asks: labels by the sign, and the values."""

            fitted_, classes_ = True, classes

            def predict(self, X: Vector) -> NDArray[Any]:
                return predicted(classes, X)

            def decision_function(self, X: Vector) -> Vector:
                return X

    def scored(y: NDArray[Any], decision: Vector) -> float:
        try:
            return float(score(Fitted(), decision, y))
        except AttributeError as error:
            raise ParameterError(
                f"the scorer {name!r} asks for more than decision values and predictions; take another, or a function "
                "of (y, decision values)."
            ) from error

    return scored
