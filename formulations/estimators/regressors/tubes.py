# SPDX-License-Identifier: BSD-3-Clause
"""Regressors by a tube, with the parameters, defaults and fitted attributes of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from formulations.estimators.inputs.weights import is_infinite
from formulations.estimators.regressors.base import SingleRegressor
from formulations.regression.base import RegressionModel
from formulations.regression.tubes.hard import HardTube
from formulations.regression.tubes.nu import NuTube
from formulations.regression.tubes.soft import SoftTube
from formulations.regression.tubes.sparse_approximation import SparseApproximation as SparseApproximationModel

__all__ = ["SVR", "NuSVR", "SparseApproximation"]


@dataclass(kw_only=True, eq=False, repr=False)
class SVR(SingleRegressor):
    r"""The soft tube (D2): :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \max(0, |y_i - f(x_i) - b| - \epsilon)`.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of residual beyond the tube. Infinite: the hard tube (D1).
    epsilon
        At least 0: the half width of the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_
        The model, its answer, and what is proved of it.
    support_, support_vectors_, n_support_
        Numbers of the support vectors, the samples, and how many there are, shape (1,).
    dual_coef_, intercept_, coef_
        Coefficients beta, shape (1, support vectors), b, shape (1,), and for kernel="linear" the weights w.
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        Iterations of the solver; 0 if the answer is proved; the data.

    Examples
    --------
    >>> from formulations.estimators import SVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> regressor = SVR(C=10.0, gamma=0.5, epsilon=0.1, tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.n_support_, regressor.predict([[1.5]]).round(2))
    True [5] [0.87]
    """

    C: float = 1.0
    epsilon: float = 0.1

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        if is_infinite(self.C):
            return HardTube, {"epsilon": self.epsilon}
        return SoftTube, {"C": self.C, "epsilon": self.epsilon}


@dataclass(kw_only=True, eq=False, repr=False)
class NuSVR(SingleRegressor):
    """The tube whose width is found along with it (D7), from the share of samples outside.

    Parameters
    ----------
    nu
        Above 0 and at most 1: a bound on the share of samples outside the tube.
    C
        Above 0: the cost of a unit of residual beyond the tube.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVR`; ``solution_.epsilon`` is the half width found.

    Examples
    --------
    >>> from formulations.estimators import NuSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> regressor = NuSVR(nu=0.5, C=10.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[4.0]]).round(3))
    True [4.]
    """

    nu: float = 0.5
    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        return NuTube, {"nu": self.nu, "C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class SparseApproximation(SingleRegressor):
    """The flattest function, without b, that is near the targets: few samples carry it (F1, and D2 where C is finite).

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: how far from the targets f may stay at no cost.
    C
        Above 0: the cost of a unit of residual beyond. Infinite: f must stay within epsilon of all targets.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVR`.

    Examples
    --------
    >>> import numpy as np
    >>> from formulations.estimators import SparseApproximation
    >>> X = np.linspace(-3.0, 3.0, 13)[:, None]
    >>> regressor = SparseApproximation(epsilon=0.1, C=np.inf, gamma=0.5, tol=1e-6).fit(X, np.sinc(X[:, 0]))
    >>> print(regressor.certificate_.holds(1e-6), f"{regressor.support_.size} of 13 coefficients are not 0")
    True 7 of 13 coefficients are not 0
    """

    epsilon: float = 0.1
    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        if is_infinite(self.C):
            return SparseApproximationModel, {"epsilon": self.epsilon}
        return SoftTube, {"C": self.C, "epsilon": self.epsilon, "fit_intercept": False}
