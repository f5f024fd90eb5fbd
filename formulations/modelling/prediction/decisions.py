# SPDX-License-Identifier: BSD-3-Clause
"""How decision values become answers: targets, labels of two or more classes, or inliers and outliers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from formulations.modelling.inputs.samples import checked_labels, real_targets
from formulations.modelling.prediction.rules import Ballot, Largest, Rule, Thresholds
from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.files import sized
from qpkernels.arrays.intervals import down
from qpkernels.errors import ParameterError, ShapeError

__all__ = ["Decision", "Inliers", "Labels", "Ordered", "Sigmoids", "Targets", "Votes", "probabilities"]

_LEAST = 1e-7
"""Probability of a pair that none is taken to be below, as LIBSVM has it: with 0, the system may be singular."""

_ROUNDING = 1e-12
"""Share of the level of a one-class machine within which a decision value is 0 but for rounding."""


@dataclass(frozen=True, eq=False)
class Sigmoids:
    """For each function, s -> 1 / (1 + exp(-(A s + B))): the probability of the class of its positive values.

    Attributes
    ----------
    A, B
        Shape (number of functions,).
    """

    A: Vector
    B: Vector

    @classmethod
    def of_log_odds(cls, functions: int = 1) -> Sigmoids:
        """Return the sigmoids of functions whose values are log-odds.

        Parameters
        ----------
        functions
            Their number.
        """
        return cls(np.ones(functions), np.zeros(functions))

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], functions: int) -> Sigmoids | None:
        """Return the sigmoids that a file holds for the given number of functions, or None.

        Parameters
        ----------
        arrays
            The arrays of the file by name.
        functions
            Number of the functions.
        """
        if "A" not in arrays:
            return None
        return cls(sized(arrays["A"], "A", functions), sized(arrays["B"], "B", functions))

    def __call__(self, values: Matrix) -> Matrix:
        """Return the probabilities, shape (number of samples, number of functions).

        Parameters
        ----------
        values
            f(x) + b, shape (n, number of functions).
        """
        with np.errstate(over="ignore"):
            return np.asarray(scipy.special.expit(self.A * values + self.B))


class Decision(ABC):
    """The answer for each of n samples that follows from the values of a machine's functions, shape (n, functions).

    Notes
    -----
    Arguments of the methods:

    values
        Decision values f(x) + b, shape (n,) or (n, functions).
    predicted, y
        Predicted answers, and the true labels or targets, shape (n,).
    """

    classes: NDArray[Any] | None
    """The labels, sorted but for those that values order, as of two that of negative values first; None: no labels."""

    @abstractmethod
    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return one answer for each sample, shape (n,), or one of several targets, shape (n, targets)."""

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probability of each class, shape (n, classes).

        Raises
        ------
        ParameterError
            If the machine has no probabilities.
        """
        del values
        raise ParameterError(
            "this machine has no classes, and so no probabilities of classes."
            if self.classes is None
            else "the values of this machine are no log-odds; calibrate it (calibrate, or probability=True of an "
            "estimator), or take a model of probabilities, such as Logistic."
        )

    def rule(self) -> Rule | None:
        """Return how labels follow from values, by comparisons that any program can make, or None without labels."""
        return None

    @abstractmethod
    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return how good predictions are, given the true answers; 1 is the best score."""

    def to_contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the contents of its file: entries of the header, and arrays."""
        return {}, {}

    @classmethod
    @abstractmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Decision:
        """Return the decision that a file holds, for the given number of functions.

        Parameters
        ----------
        header, arrays
            What the file holds, as by :meth:`to_contents`.
        functions
            Number of the functions.

        Raises
        ------
        KeyError, ValueError, TypeError, ShapeError
            If the file holds no decision. The reader of the file turns these into a FileFormatError.
        """


@dataclass(frozen=True, eq=False)
class Targets(Decision):
    """The value itself is predicted. The score is R^2, the coefficient of determination, or the mean of several."""

    classes = None

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return f(x) + b, of several functions one a column."""
        return values[:, 0] if values.shape[1] == 1 else values

    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return R^2 = 1 - sum (y - g)^2 / sum (y - mean y)^2."""
        from sklearn.metrics import r2_score

        if predicted.ndim == 1:
            return float(r2_score(real_targets(_given(y), len(predicted)), predicted))
        columns = np.asarray(_given(y)).T
        if columns.ndim != 2 or len(columns) != predicted.shape[1]:
            raise ShapeError(
                f"y must hold {predicted.shape[1]} targets of each sample, one a column, but its shape is "
                f"{columns.shape[::-1]}."
            )
        return float(r2_score(np.column_stack([real_targets(each, len(predicted)) for each in columns]), predicted))

    @classmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Targets:
        """Return it: a file holds nothing of it."""
        del header, arrays, functions
        return cls()


@dataclass(frozen=True, eq=False)
class Inliers(Decision):
    """+1 at and above 0, for samples like those of the fit, and -1 below; the score is the share of +1.

    Attributes
    ----------
    level
        rho, which was subtracted from the values, so that they are 0 within its rounding.
    """

    level: float

    classes = None

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return +1 or -1."""
        return np.where(values[:, 0] >= -_ROUNDING * abs(self.level), 1, -1)

    def rule(self) -> Rule:
        """Return the threshold: the float below the least value of an inlier."""
        return Thresholds(np.array([-1, 1]), down([-_ROUNDING * abs(self.level)]))

    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return the share of +1, or with y = +1 or -1 for each sample the share of correct answers."""
        return float((predicted == (1 if y is None else checked_labels(y, len(predicted)))).mean())

    def to_contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the level."""
        return {"level": self.level}, {}

    @classmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Inliers:
        """Return the decision with the level that a file holds."""
        del arrays, functions
        return cls(float(header["level"]))


@dataclass(frozen=True, eq=False)
class _OfClasses(Decision):
    classes: NDArray[Any]

    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return the accuracy: the share of right labels."""
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(checked_labels(_given(y), len(predicted)), predicted))


@dataclass(frozen=True, eq=False)
class Labels(_OfClasses):
    """The second of two classes where the value is above 0, or its probability above 1/2.

    Attributes
    ----------
    classes
        The labels of negative and of positive values.
    sigmoids
        One sigmoid, where there are probabilities.
    by_probability
        Whether the probability decides the label; it may be above 1/2 at values that are not above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations.modelling.prediction import Labels
    >>> print(Labels(np.array(["no", "yes"])).predict(np.array([[-0.5], [2.0]])))
    ['no' 'yes']
    """

    sigmoids: Sigmoids | None = None
    by_probability: bool = False

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return the labels."""
        second = self.probabilities(values)[:, 1] > 0.5 if self.by_probability else values[:, 0] > 0
        return np.asarray(self.classes[second.astype(np.intp)])

    def rule(self) -> Rule:
        """Return the threshold 0, or the value at which the probability is 1/2."""
        if not self.by_probability:
            return Thresholds(self.classes, np.zeros(1))
        assert self.sigmoids is not None
        (A,), (B,) = self.sigmoids.A, self.sigmoids.B
        if A <= 0.0:
            raise ParameterError(
                "the probability of this machine does not rise with its value, so that its labels are not those of its "
                "values; calibrate it on samples that it separates."
            )
        return Thresholds(self.classes, np.array([-B / A]))

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probabilities of both classes."""
        if self.sigmoids is None:
            return super().probabilities(values)
        second = self.sigmoids(values)[:, 0]
        return np.column_stack([1.0 - second, second])

    def to_contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return classes and sigmoids, and how the label is chosen."""
        return {"by_probability": self.by_probability}, _arrays_of(self.classes, self.sigmoids)

    @classmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Labels:
        """Return the decision between the two classes that a file holds."""
        classes = arrays["classes"]
        if classes.shape != (2,) or functions != 1:
            raise ValueError(f"{classes.size} classes by {functions} functions")
        return cls(classes, Sigmoids.of_arrays(arrays, functions), bool(header["by_probability"]))


@dataclass(frozen=True, eq=False)
class Votes(_OfClasses):
    """For several machines, the largest value of one against the rest, or the most votes of one against one.

    A tie goes to the class with the largest sum of the machines' values, or to the first of the classes.

    Attributes
    ----------
    classes
        The K labels in sorted order.
    pairs
        For each machine, the numbers of the classes that its negative and its positive values stand for; -1: the rest.
    sigmoids
        A sigmoid for each machine, if there are probabilities.
    ties_to_first
        Whether ties go to the first class, as in LIBSVM and its estimators.
    """

    pairs: tuple[tuple[int, int], ...]
    sigmoids: Sigmoids | None = None
    ties_to_first: bool = False

    @property
    def against_rest(self) -> bool:
        """Whether each machine has one class against all others."""
        return all(negative < 0 for negative, _ in self.pairs)

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return the labels."""
        return np.asarray(self.classes[np.argmax(self.by_class(values), axis=1)])

    def rule(self) -> Rule:
        """Return the largest value, or the ballot."""
        return Largest(self.classes) if self.against_rest else Ballot(self.classes, self.pairs, self.ties_to_first)

    def by_class(self, values: Matrix) -> Matrix:
        """Return a value for each class, shape (n, K), the largest of which decides."""
        if self.against_rest:
            return values
        votes, favour = np.zeros((len(values), len(self.classes))), np.zeros((len(values), len(self.classes)))
        for (negative, positive), value in zip(self.pairs, values.T, strict=True):
            votes[:, positive] += value > 0
            votes[:, negative] += value <= 0
            favour[:, positive] += value
            favour[:, negative] -= value
        if self.ties_to_first:
            return votes
        # Squeezed into (-1/3, 1/3), what the machines say in sum orders ties without outweighing a vote.
        return np.asarray(votes + favour / (3.0 * (np.abs(favour) + 1.0)))

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the machines' probabilities, coupled for pairs, and scaled to the sum 1 for one against the rest."""
        if self.sigmoids is None:
            return super().probabilities(values)
        second = self.sigmoids(values)
        if not self.against_rest:
            return probabilities(second, np.array(self.pairs), self.classes.size)
        sums = second.sum(axis=1, keepdims=True)
        return np.where(sums > 0, second / np.where(sums > 0, sums, 1.0), 1.0 / self.classes.size)

    def to_contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return classes, sigmoids and pairs, and the rule for ties if it is not the usual one."""
        return {"ties_to_first": True} if self.ties_to_first else {}, _arrays_of(self.classes, self.sigmoids) | {
            "pairs": np.array(self.pairs)
        }

    @classmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Votes:
        """Return the votes on the pairs that a file holds."""
        classes = arrays["classes"]
        pairs = tuple((int(j), int(k)) for j, k in sized(arrays["pairs"], "pairs", functions, 2).astype(np.intp))
        if classes.ndim != 1 or not all(-1 <= j < classes.size and 0 <= k < classes.size for j, k in pairs):
            raise ValueError("its pairs are of classes that it does not have")
        return cls(classes, pairs, Sigmoids.of_arrays(arrays, functions), bool(header.get("ties_to_first", False)))


@dataclass(frozen=True, eq=False)
class Ordered(_OfClasses):
    """For ordered classes, the class of number k where the value is above k of the thresholds.

    Attributes
    ----------
    classes
        The K labels, beginning with that of the smallest values.
    thresholds
        Ascending, shape (K - 1,).
    """

    thresholds: Vector

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return the labels."""
        return np.asarray(self.classes[np.searchsorted(self.thresholds, values[:, 0])])

    def rule(self) -> Rule:
        """Return the thresholds."""
        return Thresholds(self.classes, self.thresholds)

    def to_contents(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return classes and thresholds."""
        return {}, _arrays_of(self.classes, None) | {"thresholds": self.thresholds}

    @classmethod
    def of_contents(cls, header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], functions: int) -> Ordered:
        """Return the decision among the classes that a file holds."""
        del header
        thresholds = sized(arrays["thresholds"], "thresholds", arrays["classes"].size - 1)
        if functions != 1 or not (np.isfinite(thresholds).all() and (np.diff(thresholds) >= 0).all()):
            raise ValueError("its thresholds do not ascend, or are of several functions")
        return cls(arrays["classes"], thresholds)


def _arrays_of(classes: NDArray[Any], sigmoids: Sigmoids | None) -> dict[str, Any]:
    # Objects would need pickle; labels of text arrive as such from tables.
    arrays: dict[str, Any] = {"classes": np.array(classes.tolist())}
    return arrays if sigmoids is None else arrays | {"A": sigmoids.A, "B": sigmoids.B}


def _given(y: ArrayLike | None) -> ArrayLike:
    if y is None:
        raise ParameterError("a score needs y, the true labels or targets of the samples, but none came.")
    return y


def probabilities(second: Matrix, pairs: Indices, classes: int) -> NDArray[np.float64]:
    """Return the probability of each class, shape (n, classes), from those of all pairs of classes.

    Let r_ij be the probability of class i if only i and j are possible. Those of all classes minimise

        min  sum over i, j of (r_ji p_i - r_ij p_j)^2    s.t.  1'p = 1,  p >= 0

    where the solution is positive and solves a linear system (T.-F. Wu, C.-J. Lin and R. C. Weng, J. Mach. Learn. Res.
    5, 2004, section 4, which LIBSVM follows).

    Parameters
    ----------
    second
        For each pair, the probability of the second of its classes, shape (n, pairs).
    pairs
        The numbers of the classes of each pair, shape (pairs, 2). A class that is in no pair has the probability 0.
    classes
        Their number.
    """
    if len(pairs) == 1:
        of_two = np.zeros((len(second), classes))
        of_two[:, pairs[0]] = np.column_stack([1.0 - second[:, 0], second[:, 0]])
        return of_two
    return _coupled(1.0 - second, pairs, classes)


def _coupled(first: Matrix, pairs: Indices, classes: int) -> NDArray[np.float64]:
    present = np.unique(pairs)
    i, j = np.searchsorted(present, pairs).T
    n, k = len(first), present.size
    r = np.zeros((n, k, k))
    r[:, i, j] = np.clip(first, _LEAST, 1.0 - _LEAST)
    r[:, j, i] = 1.0 - r[:, i, j]
    # Q_ii = sum_s r_si^2 and Q_ij = -r_ji r_ij; [Q, 1; 1', 0] [p; b] = [0; 1].
    system = np.zeros((n, k + 1, k + 1))
    system[:, :k, :k] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(k)
    system[:, diagonal, diagonal] = np.square(r).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((n, k + 1, 1))
    right[:, k] = 1.0
    shares = np.maximum(np.linalg.solve(system, right)[:, :k, 0], 0.0)
    found = np.zeros((n, classes))
    found[:, present] = shares / shares.sum(axis=1, keepdims=True)
    return found
