# SPDX-License-Identifier: BSD-3-Clause
"""Regressors by a loss of the residuals, and by any model of real targets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from formulations.estimators.inputs.losses import given_model, named_loss
from formulations.estimators.regressors.base import SingleRegressor
from formulations.inputs.hyperparameters import TAU
from formulations.losses import AbsolutePower, EpsilonInsensitive, ResidualLoss, Squared
from formulations.losses import Huber as HuberLoss
from formulations.regression.base import RegressionModel
from formulations.regression.huber import Huber
from formulations.regression.quantile import Quantile
from formulations.regression.residual_loss import ResidualLossRegression

__all__ = ["LSSVR", "HuberSVR", "KernelRegressor", "QuantileSVR"]

_LOSSES: dict[str, ResidualLoss] = {
    "squared_error": Squared(),
    "absolute_error": AbsolutePower(1.0),
    "huber": HuberLoss(1.0),
    "epsilon_insensitive": EpsilonInsensitive(0.1),
}


_QUANTILE = replace(TAU, name="quantile")


@dataclass(kw_only=True, eq=False, repr=False)
class LSSVR(SingleRegressor):
    r"""Least squares with an intercept (E1): :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i (y_i - f(x_i) - b)^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared residual.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.tubes.SVR`.

    Examples
    --------
    >>> from formulations.estimators import LSSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> regressor = LSSVR(C=10.0, gamma=0.5).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-3), regressor.predict([[1.5]]).round(3))
    True [0.919]
    """

    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        return ResidualLossRegression, {"loss": Squared(), "C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class HuberSVR(SingleRegressor):
    r"""Huber's robust regression (D5): half squares up to delta, and linear beyond.

    Parameters
    ----------
    delta
        Above 0, in the unit of y: the size from which a residual counts as an outlier.
    C
        Above 0: the cost of half a squared residual.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.tubes.SVR`.

    Examples
    --------
    >>> from formulations.estimators import HuberSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> regressor = HuberSVR(delta=0.5, C=10.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[5.0]]).round(3))
    True [5.914]
    """

    delta: float = 1.0
    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        return Huber, {"delta": self.delta, "C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class QuantileSVR(SingleRegressor):
    r"""Quantile regression (D4): residuals above 0 cost tau, those below 1 - tau.

    Parameters
    ----------
    quantile
        Between 0 and 1: the share of targets below the function; 0.5 is the median.
    C
        Above 0: the cost of a residual.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.tubes.SVR`.

    Examples
    --------
    >>> from formulations.estimators import QuantileSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> regressor = QuantileSVR(quantile=0.5, C=100.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[5.0]]).round(3))
    True [5.]
    """

    quantile: float = 0.5
    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        _QUANTILE.checked(self.quantile, 1)
        return Quantile, {"tau": self.quantile, "C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class KernelRegressor(SingleRegressor):
    r"""Any convex loss of the residuals, or any model of real targets.

    Parameters
    ----------
    loss
        "squared_error", "absolute_error", "huber", "epsilon_insensitive" (with their usual parameters, delta = 1 and
        epsilon = 0.1), a loss psi of :mod:`formulations.losses`, or one of your
        own, which may be a function of a CVXPY variable:
        :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \psi(y_i - f(x_i) - b)`.
    C
        Above 0: the weight of a loss.
    model
        A model of real targets in place of loss and C, such as SoftTube.
    parameters
        Its hyper-parameters by name.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, max_iter, time_limit, solver, indefinite, strict, verbose
        As in :class:`~formulations.estimators.base.KernelMachine`.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.tubes.SVR`.

    Examples
    --------
    >>> from formulations.estimators import KernelRegressor
    >>> from formulations.losses import AbsolutePower
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> regressor = KernelRegressor(loss=AbsolutePower(1.5), C=10.0, kernel="linear", tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[4.0]]).round(3))
    True [3.85]
    """

    loss: str | ResidualLoss | Callable[[Any], Any] = "squared_error"
    C: float = 1.0
    model: type[RegressionModel] | None = None
    parameters: Mapping[str, Any] | None = None

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        given = given_model(self.model, self.parameters, RegressionModel, "SoftTube")
        return given or (ResidualLossRegression, {"loss": named_loss(self.loss, _LOSSES), "C": self.C})
