# SPDX-License-Identifier: BSD-3-Clause
"""Classifiers by a margin, with the parameters, defaults and fitted attributes of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from formulations.classification.base import TwoClassModel
from formulations.classification.lp import LinearProgramMachine
from formulations.classification.margins.hard_margin import HardMargin
from formulations.classification.margins.nu_margin import NuMargin
from formulations.classification.margins.soft_margin import SoftMargin
from formulations.classification.margins.squared_hinge import SquaredHinge
from formulations.estimators.classifiers.base import PairwiseClassifier
from formulations.estimators.classifiers.calibrated import CalibratedClassifier
from formulations.estimators.inputs.weights import is_infinite
from formulations.modelling import Classification

__all__ = ["LPSVC", "SVC", "NuSVC", "SquaredHingeSVC"]


@dataclass(kw_only=True, eq=False, repr=False)
class SVC(CalibratedClassifier):
    r"""The soft margin (C2): :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \max(0, 1 - y_i (f(x_i) + b))`.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of slack. Infinite: the hard margin (C1).
    class_weight
        Label to weight, "balanced" or None: C is multiplied by the weight of the class.
    decision_function_shape
        Of several classes: "ovr" for a column for each class, "ovo" for one for each pair.
    break_ties
        Of several classes: ties of votes go to the largest decision value, with "ovr".
    probability, random_state
        Whether a sigmoid is fitted to decision values of five folds, each by the machine of the others, for
        ``predict_proba``; and the seed of their shuffle.
    n_jobs
        Number of threads for the machines of several classes; -1: one for each core.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_
        The model, or that of several classes; its answer; what is proved of it.
    support_, support_vectors_, n_support_
        Numbers of the support vectors, class by class; the samples; how many each class has.
    dual_coef_, intercept_, coef_
        Coefficients y_i a_i, shape (classes - 1, support vectors), b, and for kernel="linear" the weights w.
    classes_, class_weight_
        The labels in sorted order, and their weights.
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        Iterations of each machine; 0 if all are proved; the data.

    Examples
    --------
    >>> from formulations.estimators import SVC
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["same", "same", "other", "other"]
    >>> classifier = SVC(C=10.0, gamma=1.0, tol=1e-6).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-6), classifier.n_support_, classifier.predict([[0.1, 0.9]]))
    True [2 2] ['other']
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return (HardMargin, {}) if is_infinite(self.C) else (SoftMargin, {"C": self.C})


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVC(CalibratedClassifier):
    r"""The margin with nu (C8), scaled so that it lies at y (f + b) = 1, as LIBSVM's does.

    Parameters
    ----------
    nu
        Above 0 and at most 2 min(m+, m-) / m: a bound on the share of samples inside the margin.
    class_weight, decision_function_shape, break_ties, probability, random_state, n_jobs
        As in :class:`SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`; the solution is that of the margin rho, before it is divided by rho.

    Examples
    --------
    >>> from formulations.estimators import NuSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = NuSVC(nu=0.75, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.predict([[0.0], [3.0]]))
    True ['no' 'yes']
    """

    nu: float = 0.5

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return NuMargin, {"nu": self.nu}

    def _scale(self, solution: Classification) -> float:
        """Return 1 / rho; 1 where the reduced hulls meet and rho is 0."""
        return 1.0 / solution.margin_level if solution.margin_level > 0 else 1.0


@dataclass(kw_only=True, eq=False, repr=False)
class SquaredHingeSVC(PairwiseClassifier):
    r"""The squared hinge (C7): :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i \max(0, 1 - y_i (f(x_i) + b))^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared slack.
    class_weight, decision_function_shape, break_ties, n_jobs
        As in :class:`SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`.

    Examples
    --------
    >>> from formulations.estimators import SquaredHingeSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "no", "yes"]
    >>> classifier = SquaredHingeSVC(C=1.0, kernel="linear").fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.coef_.round(3), classifier.intercept_.round(3))
    True [[0.364]] [-0.545]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return SquaredHinge, {"C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class LPSVC(PairwiseClassifier):
    r"""The linear program machine (C3): :math:`\min \sum_j a_j + \sum_i C w_i \xi_i`, with few coefficients.

    Its kernel may be indefinite.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of slack.
    class_weight, decision_function_shape, break_ties, n_jobs
        As in :class:`SVC`.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVC`; support vectors are the samples with a coefficient.

    Examples
    --------
    >>> from formulations.estimators import LPSVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1, 1]
    >>> classifier = LPSVC(C=1.0, gamma=0.5).fit(X, y)
    >>> print(classifier.certificate_.holds(1e-3), classifier.support_.size, classifier.predict([[0.5], [4.5]]))
    True 2 [0 1]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[TwoClassModel], dict[str, Any]]:
        return LinearProgramMachine, {"C": self.C}
