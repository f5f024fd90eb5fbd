# SPDX-License-Identifier: BSD-3-Clause
"""How decision values become answers: targets, labels of two or more classes, or inliers and outliers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from formulations.inputs.targets import real_targets
from formulations.inputs.two_classes import checked_labels
from formulations.prediction.coupling import probabilities
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import ParameterError

__all__ = ["Decision", "Inliers", "Labels", "Sigmoids", "Targets", "Votes"]

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
        """Return those of functions whose values are log-odds.

        Parameters
        ----------
        functions
            Their number.
        """
        return cls(np.ones(functions), np.zeros(functions))

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
    """What the values of the functions of a machine, shape (n, functions), say of each of n samples.

    Notes
    -----
    Arguments of the methods:

    values
        Decision values f(x) + b, shape (n,), or (n, functions).
    predicted, y
        Answers, and the labels or targets as they are, shape (n,).
    """

    classes: NDArray[Any] | None
    """The labels in sorted order, but of two that of negative values first; None where there are none."""

    @abstractmethod
    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return one answer for each sample, shape (n,)."""

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probability of each class, shape (n, classes).

        Raises
        ------
        ParameterError
            If the machine has none.
        """
        del values
        raise ParameterError(
            "this machine has no classes, and so no probabilities of classes."
            if self.classes is None
            else "the values of this machine are no log-odds; calibrate it (calibrate, or probability=True of an "
            "estimator), or take a model of probabilities, such as Logistic."
        )

    @abstractmethod
    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return how good predictions are, given what is true: 1 at best."""


@dataclass(frozen=True, eq=False)
class Targets(Decision):
    """The value itself is predicted; the score is R^2, the coefficient of determination."""

    classes = None

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return f(x) + b."""
        return values[:, 0]

    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return R^2 = 1 - sum (y - g)^2 / sum (y - mean y)^2."""
        from sklearn.metrics import r2_score

        return float(r2_score(real_targets(_given(y), len(predicted)), predicted))


@dataclass(frozen=True, eq=False)
class Inliers(Decision):
    """+1 at and above 0, for samples like those of the fit, and -1 below; the score is the share of +1.

    Attributes
    ----------
    level
        rho, which was taken off the values: what they are 0 within rounding of.
    """

    level: float

    classes = None

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return +1 or -1."""
        return np.where(values[:, 0] >= -_ROUNDING * abs(self.level), 1, -1)

    def score(self, predicted: NDArray[Any], y: ArrayLike | None) -> float:
        """Return the share of +1, or with y = +1 or -1 for each sample that of right answers."""
        return float((predicted == (1 if y is None else checked_labels(y, len(predicted)))).mean())


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
        One, where there are probabilities.
    by_probability
        Whether the label goes by the probability, which may be above 1/2 at values that are not above 0.
    """

    sigmoids: Sigmoids | None = None
    by_probability: bool = False

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return the labels."""
        second = self.probabilities(values)[:, 1] > 0.5 if self.by_probability else values[:, 0] > 0
        return np.asarray(self.classes[second.astype(np.intp)])

    def probabilities(self, values: Matrix) -> Matrix:
        """Return the probabilities of both."""
        if self.sigmoids is None:
            return super().probabilities(values)
        second = self.sigmoids(values)[:, 0]
        return np.column_stack([1.0 - second, second])


@dataclass(frozen=True, eq=False)
class Votes(_OfClasses):
    """Of several machines: the largest value of one against the rest, or most votes of one against one.

    Ties of votes go to the class that its machines favour most in sum.

    Attributes
    ----------
    classes
        The K labels in sorted order.
    pairs
        For each machine, the numbers of the classes that its negative and positive values speak for; -1: the rest.
    sigmoids
        One for each machine, where there are probabilities.
    """

    pairs: tuple[tuple[int, int], ...]
    sigmoids: Sigmoids | None = None

    @property
    def against_rest(self) -> bool:
        """Whether each machine has one class against all others."""
        return all(negative < 0 for negative, _ in self.pairs)

    def predict(self, values: Matrix) -> NDArray[Any]:
        """Return the labels."""
        if self.against_rest:
            return np.asarray(self.classes[np.argmax(values, axis=1)])
        votes, favour = np.zeros((len(values), len(self.classes))), np.zeros((len(values), len(self.classes)))
        for (negative, positive), value in zip(self.pairs, values.T, strict=True):
            votes[:, positive] += value > 0
            votes[:, negative] += value <= 0
            favour[:, positive] += value
            favour[:, negative] -= value
        # Squeezed into (-1/3, 1/3), what the machines say in sum orders ties without outweighing a vote.
        return np.asarray(self.classes[np.argmax(votes + favour / (3.0 * (np.abs(favour) + 1.0)), axis=1)])

    def probabilities(self, values: Matrix) -> Matrix:
        """Return those of the machines, coupled of pairs, and brought to the sum 1 of one against the rest."""
        if self.sigmoids is None:
            return super().probabilities(values)
        second = self.sigmoids(values)
        if not self.against_rest:
            return probabilities(second, list(self.pairs), self.classes.size)
        sums = second.sum(axis=1, keepdims=True)
        return np.where(sums > 0, second / np.where(sums > 0, sums, 1.0), 1.0 / self.classes.size)


def _given(y: ArrayLike | None) -> ArrayLike:
    if y is None:
        raise ParameterError("a score needs y, what is true of the samples, but none came.")
    return y
