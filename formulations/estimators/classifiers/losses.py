# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers by a loss of the margins, and by any model of two classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from formulations.classification.base import TwoClassModel
from formulations.classification.least_squares import LeastSquaresClassifier
from formulations.classification.logistic import Logistic
from formulations.classification.margin_loss import MarginLossClassifier
from formulations.estimators.classifiers.base import PairwiseClassifier
from formulations.estimators.inputs.losses import given_model, named_loss
from formulations.losses import Hinge, LogisticLoss, MarginLoss, SquaredHinge
from formulations.prediction.decisions import probabilities

__all__ = ["LSSVC", "KernelClassifier", "KernelLogisticRegression"]

_LOSSES: dict[str, MarginLoss] = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "log_loss": LogisticLoss()}


@dataclass(kw_only=True, eq=False, repr=False)
class LSSVC(PairwiseClassifier):
    r"""Least squares of the margins: :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i (1 - y_i (f(x_i) + b))^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared slack.
    class_weight, decision_function_shape, break_ties, n_jobs
        As in :class:`~formulations.estimators.classifiers.margins.SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.margins.SVC`; all samples are support vectors.

    Examples
    --------
    >>> from formulations.estimators import LSSVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]
    >>> classifier = LSSVC(C=1.0, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.5], [3.5]]))
    True ['low' 'high']
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return LeastSquaresClassifier, {"C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelLogisticRegression(PairwiseClassifier):
    r"""Kernel logistic regression (C4): :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \log(1 + e^{-y_i (f(x_i) + b)})`.

    Of several classes, the probabilities of all pairs are coupled (Wu, Lin and Weng, 2004), and decide.

    Parameters
    ----------
    C
        Above 0: the weight of a loss against 1/2 ||f||^2.
    class_weight, decision_function_shape, break_ties, n_jobs
        As in :class:`~formulations.estimators.classifiers.margins.SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.margins.SVC`; all samples are support vectors.

    Examples
    --------
    >>> from formulations.estimators import KernelLogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = KernelLogisticRegression(C=1.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-6), classifier.predict_proba([[3.0]]).round(3))
    True [[0.336 0.664]]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return Logistic, {"C": self.C}

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, classes)."""
        values = self._values(X)
        return probabilities(
            scipy.special.expit(values if len(self._pairs) == 1 else -values), self._pairs, self.classes_.size
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of the most probable class."""
        most_probable = np.argmax(self.predict_proba(X), axis=1)
        return np.asarray(self.classes_[most_probable])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the log-odds of the second of two classes, shape (n,).

        Of more classes, with decision_function_shape="ovo" the values of all machines, shape (n, machines), above 0 for
        the first class of the pair; with "ovr" the logarithm of the probability of each class.
        """
        values = super().decision_function(X)
        if self.classes_.size > 2 and self.decision_function_shape == "ovr":
            return self.predict_log_proba(X)
        return values

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the probability of each class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


@dataclass(kw_only=True, eq=False, repr=False)
class KernelClassifier(PairwiseClassifier):
    r"""Any convex loss of the margins, or any model of two classes.

    Parameters
    ----------
    loss
        "hinge", "squared_hinge", "log_loss", a loss psi of :mod:`formulations.losses`, or one of your own,
        which may be a function of a CVXPY variable:
        :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \psi(y_i (f(x_i) + b))`.
    C
        Above 0: the weight of a loss.
    model
        A model of two classes in place of loss and C, such as SoftMargin.
    parameters
        Its hyper-parameters by name.
    class_weight, decision_function_shape, break_ties, n_jobs
        As in :class:`~formulations.estimators.classifiers.margins.SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.classifiers.margins.SVC`.

    Examples
    --------
    >>> from formulations.estimators import KernelClassifier
    >>> from formulations.losses import SquaredHinge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = KernelClassifier(loss=SquaredHinge(), C=1.0, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.0], [3.0]]))
    True ['no' 'yes']
    """

    loss: str | MarginLoss | Callable[[Any], Any] = "hinge"
    C: float = 1.0
    model: type[TwoClassModel] | None = None
    parameters: Mapping[str, Any] | None = None

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        given = given_model(self.model, self.parameters, TwoClassModel, "SoftMargin")
        return given or (MarginLossClassifier, {"loss": named_loss(self.loss, _LOSSES), "C": self.C})
