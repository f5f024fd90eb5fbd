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

__all__ = [
    "ClassModel",
    "ClassSolution",
    "Decision",
    "ResponseMethod",
    "decision_of_estimator",
    "decision_of_solution",
    "samples_of",
]

ClassModel: TypeAlias = TwoClassModel | OneClass | OneVersusOne | OneVersusRest | RelevanceClassification
ClassSolution: TypeAlias = Classification | Novelty | MulticlassSolution | RelevanceSolution

ResponseMethod: TypeAlias = Literal["decision_function", "predict_proba"]
"""What is drawn: decision values, or probabilities."""

_METHODS = ("decision_function", "predict_proba")


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


def samples_of(model: ClassModel) -> Any:
    """Return the samples of a model.

    Raises
    ------
    ParameterError
        If it is no model of classes.
    """
    if isinstance(model, OneVersusOne | OneVersusRest):
        return model.data.gram.X
    if isinstance(model, TwoClassModel | OneClass | RelevanceClassification):
        return model.gram.X
    raise ParameterError(f"regions are drawn of a model of classes, but {type(model).__name__} came.")


def decision_of_solution(solution: ClassSolution, model: ClassModel, X: Matrix, method: ResponseMethod) -> Decision:
    """Read the answer to a model of one class, of two or of several, whose samples are X.

    Raises
    ------
    ParameterError
        If there is no such answer, or it has no probabilities where these are asked for.
    """
    check_choice(method, "response_method", _METHODS)
    if isinstance(solution, RelevanceSolution) and isinstance(model, RelevanceClassification):
        return _of_relevance(solution, model, X, method)
    if method == "predict_proba":
        raise ParameterError(
            f"a {type(solution).__name__} has no probabilities; draw its decision_function, or those of a calibrated "
            "estimator by from_estimator."
        )
    if isinstance(solution, Classification) and isinstance(model, TwoClassModel):
        level = (-solution.margin_level, solution.margin_level) if solution.sparse else ()
        codes = (model.y > 0).astype(np.intp)
        marked = X[solution.support.indices] if solution.sparse else None
        return Decision(solution.function, model.classes, codes, marked, margins=level)
    if isinstance(solution, Novelty) and isinstance(model, OneClass):
        outside = np.isin(np.arange(len(model)), solution.outliers).astype(np.intp)
        return Decision(solution.function, None, outside, X[solution.support.indices])
    if isinstance(solution, MulticlassSolution) and isinstance(model, OneVersusOne | OneVersusRest):
        codes = np.searchsorted(model.classes, model.y)
        scores = solution if isinstance(model, OneVersusRest) else _votes(solution.predict, model.classes)
        return Decision(scores, model.classes, codes, X[_support_of_all(solution, model)])
    raise ParameterError(
        "regions are drawn of the answer to a model of classes, given with that model, but "
        f"{type(solution).__name__} and {type(model).__name__} came."
    )


def _of_relevance(
    solution: RelevanceSolution, model: RelevanceClassification, X: Matrix, method: ResponseMethod
) -> Decision:
    codes, marked, mark = (model.y > 0).astype(np.intp), X[solution.relevance], "relevance vector"
    if method == "predict_proba":
        return _probable(solution.probability, model.classes, codes, marked, mark)
    return Decision(solution.mean, model.classes, codes, marked, mark)


def _probable(
    function: Callable[[Any], Vector],
    classes: NDArray[Any] | None,
    codes: Indices,
    marked: Matrix | None,
    mark: str = "support vector",
) -> Decision:
    """Return the decision between two classes by the probability of the second one."""
    return Decision(function, classes, codes, marked, mark, boundary=0.5, margins=(0.1, 0.9), score="P")


def _support_of_all(solution: MulticlassSolution, model: OneVersusOne | OneVersusRest) -> Indices:
    """Return the numbers of the samples that are support vectors of some machine."""
    rows = [
        model.rows(pair)[each.support.indices] for pair, each in zip(solution.pairs, solution.solutions, strict=True)
    ]
    return np.unique(np.concatenate(rows))


def _votes(predict: Callable[[Any], NDArray[Any]], classes: NDArray[Any]) -> Callable[[Any], Matrix]:
    """Return the function that gives 1 to the class decided for and 0 to the others."""
    return lambda X: np.asarray(np.equal.outer(np.asarray(predict(X)), classes), dtype=np.float64)


def decision_of_estimator(estimator: Any, X: Any, y: ArrayLike | None, method: ResponseMethod) -> Decision:
    """Read a fitted estimator: of one class where no labels of the samples X come, else of those it knows, or in y.

    Raises
    ------
    ParameterError
        If the estimator has no such method.
    ShapeError, LabelError
        If y are not as many labels, or some that the estimator does not know.
    """
    check_choice(method, "response_method", _METHODS)
    if not hasattr(estimator, method):
        raise ParameterError(
            f"the estimator must have {method}, but a {type(estimator).__name__} has not; fit it, or choose another "
            "response_method."
        )
    marked = _support_vectors(estimator)
    if y is None:
        outside = np.asarray(estimator.decision_function(X) < 0.0, dtype=np.intp)
        return Decision(estimator.decision_function, None, outside, marked)
    classes, codes = _codes(estimator, y, len(X))
    if classes.size > 2:
        return Decision(_scores(estimator, method, classes), classes, codes, marked)
    if method == "predict_proba":
        return _probable(lambda X: estimator.predict_proba(X)[:, 1], classes, codes, marked)
    margins = () if marked is None else (-1.0, 1.0)
    return Decision(estimator.decision_function, classes, codes, marked, margins=margins)


def _codes(estimator: Any, y: ArrayLike, count: int) -> tuple[NDArray[Any], Indices]:
    labels = read_array(y, "y")
    if labels.shape != (count,):
        raise ShapeError(f"y must hold a label for each of the {count} samples, but an array {labels.shape} came.")
    known = getattr(estimator, "classes_", None)
    classes = np.unique(labels) if known is None else np.asarray(known)
    if not np.isin(labels, classes).all():
        raise LabelError(f"the estimator knows the classes {classes.tolist()}, but y holds others.")
    return classes, np.searchsorted(classes, labels)


def _support_vectors(estimator: Any) -> Matrix | None:
    """Return the support vectors that an estimator shows; None where every sample is one."""
    found = getattr(estimator, "support_vectors_", None)
    dense = not getattr(getattr(estimator, "solution_", None), "sparse", True)
    if found is None or dense:
        return None
    vectors = np.asarray(found.toarray() if hasattr(found, "toarray") else found)
    return vectors if vectors.ndim == 2 and vectors.size else None


def _scores(estimator: Any, method: ResponseMethod, classes: NDArray[Any]) -> Callable[[Any], Matrix]:
    """Return the scores of several classes, where their largest is what the estimator decides for, else its votes."""
    votes = _votes(estimator.predict, classes)

    def scores(X: Any) -> Matrix:
        values, decided = np.asarray(getattr(estimator, method)(X)), votes(X)
        agree = values.shape == decided.shape and np.array_equal(values.argmax(axis=1), decided.argmax(axis=1))
        return values if agree else decided

    return scores
