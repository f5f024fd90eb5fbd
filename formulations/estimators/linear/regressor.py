# SPDX-License-Identifier: BSD-3-Clause
"""Linear regression by a tube, with the parameters, defaults and fitted attributes of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.linear_model._base import LinearModel
from sklearn.utils.validation import validate_data

from formulations.estimators.inputs.targets import check_targets
from formulations.estimators.inputs.weights import sample_weights
from formulations.estimators.linear.base import LinearMachine, weights_of
from formulations.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from formulations.modelling import Regression
from formulations.regression.residual_loss import ResidualLossRegression
from qpkernels.arrays import check_positive

__all__ = ["LinearSVR"]


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVR(RegressorMixin, LinearModel, LinearMachine):
    r"""A linear regression: :math:`\min \frac12 (\|w\|^2 + (b/s)^2) + \sum_i C w_i L(y_i - x_i'w - b)`.

    L(r) is max(0, |r| - epsilon), or its square.

    Parameters
    ----------
    epsilon
        At least 0, in the unit of y: the half width of the tube.
    loss
        "epsilon_insensitive" (D2) or "squared_epsilon_insensitive" (D6).
    C
        Above 0: the cost of a unit of loss.
    dual
        Which problem LIBLINEAR would solve. Both are proved here, so that it changes nothing; "epsilon_insensitive" has
        dual=True or "auto" only, as there.
    tol, solver, time_limit, strict, verbose
        As in :class:`~formulations.estimators.proved.ProvedEstimator`.
    fit_intercept, intercept_scaling, random_state, max_iter
        As in :class:`~formulations.estimators.linear.classifier.LinearSVC`.

    Attributes
    ----------
    model_, solution_, certificate_
        The model on the samples (x_i, s), its answer, and what is proved of it.
    coef_, intercept_
        Weights, shape (features,), and b, shape (1,); b is 0.0 without an intercept.
    n_iter_, fit_status_, n_features_in_, feature_names_in_
        Iterations of the solver; 0 if the answer is proved; the data.

    Examples
    --------
    >>> from formulations.estimators import LinearSVR
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]
    >>> regressor = LinearSVR(epsilon=0.2, C=10.0, tol=1e-6).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.coef_.round(3))
    True [0.8]
    """

    epsilon: float = 0.0
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive"

    if TYPE_CHECKING:
        model_: ResidualLossRegression = field(init=False)
        solution_: Regression = field(init=False)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the function, and prove how good it is.

        Parameters
        ----------
        X
            Samples, shape (m, features), dense or sparse.
        y
            Targets, shape (m,).
        sample_weight
            At least 0: how often each sample counts. One of weight 0 is absent.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError
            If the data or parameters are none of these.
        SolverFailedError
            If there is no answer, or with strict=True none that is proved.
        """
        self._check_parameters(("epsilon_insensitive", "squared_epsilon_insensitive"))
        check_targets(y)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C", accept_sparse="csr", y_numeric=True)
        targets = np.asarray(y, dtype=np.float64)
        weights = sample_weights(sample_weight, targets.size)
        rows = np.flatnonzero(weights)
        data = self._bound(X, rows)
        costs = check_positive(self.C, "C") * weights[rows]
        kind = EpsilonInsensitive if self.loss == "epsilon_insensitive" else SquaredEpsilonInsensitive
        self.model_ = ResidualLossRegression(
            data,
            targets[rows],
            loss=kind(self.epsilon),
            C=costs,
            fit_intercept=False,
        )
        self.solution_ = self.model_.solve(verbose=bool(self.verbose), **self._limits(data))
        self.coef_ = self._keep(weights_of(data, [self.solution_]), [self.solution_])[0]
        self._judge(self.solution_.status, self.solution_.message)
        return self
