# SPDX-License-Identifier: BSD-3-Clause
"""What decides between classes, read off an answer of this project or off any fitted estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.classification.base import TwoClassModel
from formulations.classification.meta.multiclass import OneVersusOne, OneVersusRest
from formulations.classification.meta.multiclass_solution import MulticlassSolution
from formulations.classification.one_class import OneClass
from formulations.modelling import Classification, Novelty
from formulations.relevance import RelevanceClassification, RelevanceSolution
from qpkernels.arrays import Indices, Matrix, Vector, check_choice, read_array
from qpkernels.errors import LabelError, ParameterError, ShapeError
from qpkernels.gram import Gram

__all__ = [
    "ClassModel",
    "ClassSolution",
    "Decision",
    "ResponseMethod",
    "decision_of_estimator",
    "decision_of_solution",
    "gram_of",
]

ClassModel: TypeAlias = TwoClassModel | OneClass | OneVersusOne | OneVersusRest | RelevanceClassification
ClassSolution: TypeAlias = Classification | Novelty | MulticlassSolution | RelevanceSolution

ResponseMethod: TypeAlias = Literal["decision_function", "predict_proba"]
"""What is drawn: decision values, or probabilities."""

_METHODS = ("decision_function", "predict_proba")

_HINGES = ("hinge", "squared_hinge")
"""Losses of linear machines whose margin is where the decision values are -1 and +1."""

_BOUNDARY = 1e-3
"""Share of the largest decision value of one class within which a sample lies on the boundary of the picture."""


@dataclass(frozen=True, eq=False)
class Decision:
    """How samples are told apart.

    Attributes
    ----------
    function
        Samples to a score, shape (n,), above ``boundary`` for the second of two classes or for what is not novel; or to
        a score of each of several classes, shape (n, classes), where the largest decides.
    classes
        The labels; None of one class.
    codes
        Number of the class of each sample, shape (m,); of one class 1 for the outliers, else 0.
    marked
        Training samples, as rows, that carry the function; None where all of them do, or nobody knows.
    mark
        What these are called.
    boundary
        The score that decides between two classes.
    margins
        Further scores whose level lines say how sure the decision is.
    score
        What the score is called, in TeX.
    """

    function: Callable[[Any], NDArray[np.float64]]
    classes: NDArray[Any] | None
    codes: Indices
    marked: Matrix | None = None
    mark: str = "support vector"
    boundary: float = 0.0
    margins: tuple[float, ...] = ()
    score: str = "g"


def gram_of(model: ClassModel) -> Gram:
    """Return the kernel matrix of a model, with its samples.

    Raises
    ------
    ParameterError
        If it is no model of classes.
    """
    if isinstance(model, OneVersusOne | OneVersusRest):
        return model.data.gram
    if isinstance(model, TwoClassModel | OneClass | RelevanceClassification):
        return model.gram
    raise ParameterError(f"regions are drawn of a model of classes, but {type(model).__name__} came.")


def decision_of_solution(solution: ClassSolution, model: ClassModel, X: Matrix, method: ResponseMethod) -> Decision:
    """Read the answer to a model of one class, of two or of several, whose samples are X.

    Raises
    ------
    ParameterError
        If the two do not belong together.
    """
    if isinstance(solution, RelevanceSolution) and isinstance(model, RelevanceClassification):
        return _decision(
            solution, model.classes, _signs(model.y), X[solution.relevance], (), method, "relevance vector"
        )
    if isinstance(solution, Classification) and isinstance(model, TwoClassModel):
        margins = (-solution.margin_level, solution.margin_level) if solution.sparse else ()
        carrying = X[solution.support.indices] if solution.sparse else None
        return _decision(solution, model.classes, _signs(model.y), carrying, margins, method)
    if isinstance(solution, Novelty) and isinstance(model, OneClass):
        outside = np.isin(np.arange(len(model)), solution.outliers).astype(np.intp)
        return _decision(solution, None, outside, X[solution.support.indices], (), method)
    if isinstance(solution, MulticlassSolution) and isinstance(model, OneVersusOne | OneVersusRest):
        codes = np.searchsorted(model.classes, model.y)
        return _decision(solution, model.classes, codes, X[_support_of_all(solution, model)], (), method)
    raise ParameterError(
        "regions are drawn of the answer to a model of classes, given with that model, but "
        f"{type(solution).__name__} and {type(model).__name__} came."
    )


def decision_of_estimator(estimator: Any, X: Any, y: ArrayLike | None, method: ResponseMethod) -> Decision:
    """Read a fitted estimator: of one class where no labels of the samples X come, else of those it knows, or in y.

    Raises
    ------
    ParameterError
        If the estimator has no such method.
    ShapeError, LabelError
        If y are not as many labels, or some that the estimator does not know.
    """
    if not hasattr(estimator, check_choice(method, "response_method", _METHODS)):
        raise ParameterError(
            f"the estimator must have {method}, but a {type(estimator).__name__} has not; fit it, or choose another "
            "response_method."
        )
    machine, as_given = _unwrapped(estimator)
    carrying = _support_vectors(machine)
    # Those within a pipeline are samples that its other steps have changed.
    marked = carrying if as_given else None
    if y is None:
        values = np.asarray(estimator.decision_function(X))
        outside = (values < -_BOUNDARY * np.abs(values).max()).astype(np.intp)
        return _decision(estimator, None, outside, marked, (), method)
    classes, codes = _codes(estimator, y, len(X))
    has_margin = carrying is not None or getattr(machine, "loss", None) in _HINGES
    return _decision(estimator, classes, codes, marked, (-1.0, 1.0) if has_margin else (), method)


def _decision(
    machine: Any,
    classes: NDArray[Any] | None,
    codes: Indices,
    marked: Matrix | None,
    margins: tuple[float, ...],
    method: ResponseMethod,
    mark: str = "support vector",
) -> Decision:
    """Return the decision of a machine, with the methods of scikit-learn's estimators."""
    own = (classes, codes, marked, mark)
    probable = check_choice(method, "response_method", _METHODS) == "predict_proba"
    if classes is None and probable:
        raise ParameterError("a machine of one class has no probabilities; draw its decision_function.")
    if classes is not None and classes.size > 2:
        return Decision(_scores(machine, method, classes), *own)
    if probable:
        return Decision(lambda X: machine.predict_proba(X)[:, 1], *own, boundary=0.5, margins=(0.1, 0.9), score="P")
    return Decision(lambda X: _single(machine.decision_function(X)), *own, margins=margins)


def _single(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values for the second of two classes, where each has a machine of its own their difference."""
    return values if values.ndim == 1 else values[:, 1] - values[:, 0]


def _signs(y: Vector) -> Indices:
    return (y > 0).astype(np.intp)


def _support_of_all(solution: MulticlassSolution, model: OneVersusOne | OneVersusRest) -> Indices:
    """Return the numbers of the samples that are support vectors of some machine."""
    rows = [
        model.rows(pair)[each.support.indices] for pair, each in zip(solution.pairs, solution.solutions, strict=True)
    ]
    return np.unique(np.concatenate(rows))


def _codes(estimator: Any, y: ArrayLike, count: int) -> tuple[NDArray[Any], Indices]:
    labels = read_array(y, "y")
    if labels.shape != (count,):
        raise ShapeError(f"y must hold a label for each of the {count} samples, but an array {labels.shape} came.")
    known = getattr(estimator, "classes_", None)
    classes = np.unique(labels) if known is None else np.asarray(known)
    if not np.isin(labels, classes).all():
        raise LabelError(f"the estimator knows the classes {classes.tolist()}, but y holds others.")
    return classes, np.searchsorted(classes, labels)


def _unwrapped(estimator: Any) -> tuple[Any, bool]:
    """Return the machine within searches and pipelines, and whether it takes the samples as they come."""
    if hasattr(estimator, "best_estimator_"):
        return _unwrapped(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return _unwrapped(estimator.steps[-1][1])[0], False
    return estimator, True


def _support_vectors(estimator: Any) -> Matrix | None:
    """Return the support vectors that an estimator shows; None where every sample is one."""
    found = getattr(estimator, "support_vectors_", None)
    dense = not getattr(getattr(estimator, "solution_", None), "sparse", True)
    if found is None or dense:
        return None
    vectors = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return vectors if vectors.ndim == 2 and vectors.size else None


def _scores(machine: Any, method: ResponseMethod, classes: NDArray[Any]) -> Callable[[Any], Matrix]:
    """Return the scores of several classes, where their largest is what the machine decides for, else its votes."""

    def scores(X: Any) -> Matrix:
        values = np.asarray(getattr(machine, method)(X))
        votes = np.equal.outer(np.asarray(machine.predict(X)), classes).astype(np.float64)
        agree = values.shape == votes.shape and np.array_equal(values.argmax(axis=1), votes.argmax(axis=1))
        return values if agree else votes

    return scores
