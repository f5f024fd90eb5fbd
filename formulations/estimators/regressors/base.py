# SPDX-License-Identifier: BSD-3-Clause
"""Regressors of a single function."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from formulations.estimators.base import KernelMachine
from formulations.estimators.inputs.targets import check_targets
from formulations.estimators.inputs.weights import sample_weights, weighted
from formulations.modelling import Model, Regression
from formulations.regression.base import RegressionModel

__all__ = ["SingleRegressor"]


@dataclass(kw_only=True, eq=False, repr=False)
class SingleRegressor(RegressorMixin, KernelMachine):
    """One function of the samples."""

    if TYPE_CHECKING:
        model_: Model[Regression] = field(init=False)
        solution_: Regression = field(init=False)

    @abstractmethod
    def _machine(self) -> tuple[type[RegressionModel], dict[str, Any]]:
        """Return the model, with its hyper-parameters for samples that count once."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the function, and prove how good it is.

        Parameters
        ----------
        X
            Samples, shape (m, features); with kernel="precomputed" their kernel values, shape (m, m).
        y
            Targets, shape (m,).
        sample_weight
            At least 0: how often each sample counts. One of weight 0 is absent.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError
            If the data or parameters are none of these.
        IndefiniteKernelError
            If the kernel matrix has a negative eigenvalue, and indefinite="refuse".
        SolverFailedError
            If there is no answer, or with strict=True none that is proved.
        """
        limits = self._limits()
        check_targets(y)
        X, y = self._samples(X, y, reset=True)
        targets = column_or_1d(y, warn=True).astype(np.float64, copy=False)
        weights = sample_weights(sample_weight, len(targets))
        training = self._train_on(X, weights)
        model, parameters = self._machine()
        parameters = weighted(model, parameters, training.weights)
        self.model_ = model(training.data, targets[training.rows], **parameters)
        self.solution_ = self.model_.solve(verbose=bool(self.verbose), **limits)
        self._keep_function(training, X, self.solution_, 1.0)
        self._judge(self.solution_.status, self.solution_.message)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) + b, shape (n,)."""
        return self._values(X)[:, 0]
