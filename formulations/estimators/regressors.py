# SPDX-License-Identifier: BSD-3-Clause
"""Regressors, with the parameters, defaults and fitted attributes of scikit-learn where it has them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from formulations.estimators.kernel_machine import MachineEstimator, Share, Training
from formulations.estimators.parameters import (
    check_targets,
    given_model,
    is_infinite,
    named_loss,
    one_column,
    sample_weights,
    weighted,
)
from formulations.losses import AbsolutePower, EpsilonInsensitive, ResidualLoss, Squared
from formulations.losses import Huber as HuberLoss
from formulations.modelling import Model, Regression
from formulations.modelling.batch import Trained
from formulations.modelling.inputs.hyperparameters import TAU
from formulations.models.regression.huber import Huber
from formulations.models.regression.quantile import Quantile
from formulations.models.regression.regression_model import RegressionModel
from formulations.models.regression.residual_loss import ResidualLossRegression
from formulations.models.regression.tubes.hard import HardTube
from formulations.models.regression.tubes.nu import NuTube
from formulations.models.regression.tubes.soft import SoftTube
from formulations.models.regression.tubes.sparse_approximation import SparseApproximation as SparseApproximationModel

__all__ = ["LSSVR", "SVR", "HuberSVR", "KernelRegressor", "NuSVR", "QuantileSVR", "SparseApproximation"]


@dataclass(kw_only=True, eq=False, repr=False)
class SingleRegressor(RegressorMixin, MachineEstimator):
    """One function of the samples."""

    if TYPE_CHECKING:
        model_: Model[Regression] = field(init=False)
        solution_: Regression = field(init=False)

    @abstractmethod
    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        """Return the model, with its hyper-parameters for samples that count once."""

    def _state(self, X: Any, y: Any, sample_weight: ArrayLike | None, share: Share | None = None) -> Training:
        check_targets(y)
        X, y = self._samples(X, y, reset=True)
        targets = one_column(y).astype(np.float64, copy=False)
        training = self._train_on(X, sample_weights(sample_weight, len(targets)), share=share)
        model, parameters = self._machine()
        parameters = weighted(model, parameters, training.weights)
        self.model_ = model(training.data, targets[training.rows], **parameters)
        return training

    def _finish(self, training: Training, answers: Sequence[Trained[Regression]]) -> None:
        (answer,) = answers
        self._keep_function(training, answer, 1.0)
        self._judge(answer.status, answer.certificate, self._message, callers=2)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) + b, shape (n,)."""
        return self._values(X)[:, 0]


@dataclass(kw_only=True, eq=False, repr=False)
class StreamingRegressor(SingleRegressor):
    """A regressor whose machine goes on from its last answer when samples are added.

    Parameters
    ----------
    window
        How many of the latest samples ``partial_fit`` keeps; None: all. ``fit`` takes all that it is given.
    """

    window: int | None = None

    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to the samples of earlier calls and to these, from the last answer on, and prove how good that is.

        The first call after ``fit`` begins anew, and so does one of an estimator out of a pickle, which holds no
        samples. Where a call fails, everything stays as it was. With gamma="scale", the variance is that of the first
        call.

        Parameters
        ----------
        X
            Further samples, shape (n, features).
        y
            Their targets, shape (n,).
        sample_weight
            At least 0: how often each sample counts.
        """
        from formulations.estimators.streaming import learn_on

        learn_on(self, X, y, None, sample_weight)
        return self


@dataclass(kw_only=True, eq=False, repr=False)
class SVR(StreamingRegressor):
    r"""The soft tube: :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \max(0, |y_i - f(x_i) - b| - \epsilon)`.

    Parameters
    ----------
    C
        Above 0: the cost of a unit of residual beyond the tube. An infinite cost gives the hard tube.
    epsilon
        At least 0: the half width of the tube.

    Attributes
    ----------
    model_, solution_, certificate_
        The model, its answer, and its certificate.
    support_, support_vectors_, n_support_
        Numbers of the support vectors, these samples, and their count, shape (1,).
    dual_coef_, intercept_, coef_
        Coefficients beta, shape (1, support vectors), b, shape (1,), and for kernel="linear" the weights w.
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
        Iterations of the solver; 0 if the answer is proved; the shape and features of the data.

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
    """The tube whose width is found along with f, from the share of samples outside.

    Parameters
    ----------
    nu
        Above 0 and at most 1: a bound on the share of samples outside the tube.
    C
        Above 0: the cost of a unit of residual beyond the tube.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`SVR`; ``solution_.epsilon`` is the half width that was found.

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
class SparseApproximation(StreamingRegressor):
    """The flattest function near the targets, without b and with few coefficients; there is slack where C is finite.

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: how far f may be from the targets at no cost.
    C
        Above 0: the cost of a unit of residual beyond epsilon. If it is infinite, f must stay within epsilon of all
        targets.

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


_LOSSES: dict[str, ResidualLoss] = {
    "squared_error": Squared(),
    "absolute_error": AbsolutePower(1.0),
    "huber": HuberLoss(1.0),
    "epsilon_insensitive": EpsilonInsensitive(0.1),
}


_QUANTILE = replace(TAU, name="quantile")


@dataclass(kw_only=True, eq=False, repr=False)
class LSSVR(StreamingRegressor):
    r"""Least squares with an intercept: :math:`\min \frac12 \|f\|^2 + \frac12 \sum_i C w_i (y_i - f(x_i) - b)^2`.

    Parameters
    ----------
    C
        Above 0: the cost of half a squared residual.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.SVR`.

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
class HuberSVR(StreamingRegressor):
    r"""Huber's robust regression: half squares up to delta, and linear beyond.

    Parameters
    ----------
    delta
        Above 0, in the unit of y: the size from which a residual counts as an outlier.
    C
        Above 0: the cost of half a squared residual.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.SVR`.

    Examples
    --------
    >>> from formulations.estimators import HuberSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 9.0]
    >>> regressor = HuberSVR(delta=0.5, C=10.0, kernel="linear", tol=1e-9).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-9), regressor.predict([[5.0]]).round(3))
    True [5.914]
    """

    delta: float = 1.0
    C: float = 1.0

    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        return Huber, {"delta": self.delta, "C": self.C}


@dataclass(kw_only=True, eq=False, repr=False)
class QuantileSVR(StreamingRegressor):
    r"""Quantile regression: a unit of residual costs tau above 0, and 1 - tau below.

    Parameters
    ----------
    quantile
        Between 0 and 1: the share of targets below the function; 0.5 is the median.
    C
        Above 0: the cost of a residual.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.SVR`.

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
        epsilon = 0.1), a loss psi of :mod:`formulations.losses`, or your own loss, which may be a function of a CVXPY
        variable: :math:`\min \frac12 \|f\|^2 + \sum_i C w_i \psi(y_i - f(x_i) - b)`.
    C
        Above 0: the weight of a loss.
    model
        A model of real targets in place of loss and C, such as SoftTube.
    parameters
        Its hyper-parameters by name.

    Attributes
    ----------
    model_, solution_, certificate_, support_, ...
        As in :class:`~formulations.estimators.regressors.SVR`.

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
