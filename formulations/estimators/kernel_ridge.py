# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression, with the parameters, defaults and fitted attributes of scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.validation import _num_samples, check_array, check_is_fitted, validate_data

from formulations.estimators.kernel_machine import KernelEstimator, ProvedEstimator, leaving, weakest
from formulations.estimators.parameters import (
    Functions,
    Indefinite,
    KernelLike,
    OfKernel,
    Space,
    check_targets,
    sample_weights,
    space_of,
    space_of_function,
)
from formulations.losses import Squared
from formulations.modelling import Regression
from formulations.modelling.batch import coefficients_of, solve_systems
from formulations.modelling.inputs.samples import BoundSamples
from formulations.models.regression.regression_model import RegressionModel
from formulations.models.regression.residual_loss import ResidualLossRegression
from formulations.models.regression.ridge.interpolation import Interpolation
from formulations.models.regression.ridge.kernel_ridge import KernelRidge as KernelRidgeModel
from qpkernels.arrays import Vector, check_positive, finite_vector, is_scalar, shown
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel, Laplacian

__all__ = ["KernelRidge"]

_OURS = {"linear": "linear", "poly": "poly", "polynomial": "poly", "rbf": "rbf", "sigmoid": "sigmoid"}
"""Names in scikit-learn's pairwise kernels of those that are objects here."""


@dataclass(eq=False, repr=False)
class KernelRidge(MultiOutputMixin, RegressorMixin, KernelEstimator, ProvedEstimator):
    r"""Kernel ridge regression: :math:`\min \alpha \|f\|^2 + \sum_i w_i (y_i - f(x_i))^2`, without an intercept.

    Each target has a problem and a proof of its own. All problems share the kernel values, and those with the same
    alpha share a factorisation.

    Parameters
    ----------
    alpha
        At least 0, one number or one for each target. With 0 it is interpolation of least norm.
    kernel
        A name in :data:`sklearn.metrics.pairwise.PAIRWISE_KERNEL_FUNCTIONS`, "precomputed", a Kernel object, or a
        function of two samples that returns their kernel value.
    gamma, degree, coef0
        Parameters of the named kernels; gamma is None for 1 / features, 1 for "chi2".
    kernel_params
        Further arguments of a function, by name.
    indefinite
        How to treat a kernel matrix with a negative eigenvalue: "refuse", "clip" or "shift" it; see Gram.

    Attributes
    ----------
    model_, solution_
        The model and its answer; with several targets, a list of each.
    certificate_
        The certificate; with several targets, the weakest one.
    dual_coef_
        Coefficients of the samples, shape (m,) or (m, targets).
    X_fit_
        The samples, or with kernel="precomputed" their kernel values. An unpickled estimator keeps only samples with a
        coefficient in it and in dual_coef_, and no kernel values.
    fit_status_, n_features_in_, feature_names_in_
        0 if all answers are proved; the features of the data.

    Examples
    --------
    >>> from formulations.estimators import KernelRidge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 0.8, 0.9, 0.1, -0.8]
    >>> regressor = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(X, y)
    >>> print(regressor.certificate_.holds(1e-6), regressor.predict([[1.5]]).round(3))
    True [0.919]
    """

    alpha: float | ArrayLike = 1.0
    _: KW_ONLY
    kernel: KernelLike = "linear"
    gamma: float | str | None = None
    coef0: float = 1.0
    kernel_params: Mapping[str, Any] | None = None
    indefinite: Indefinite = "refuse"
    tol: float = 1e-6

    if TYPE_CHECKING:
        model_: RegressionModel | list[RegressionModel] = field(init=False)
        solution_: Regression | list[Regression] = field(init=False)
        dual_coef_: NDArray[np.float64] = field(init=False)
        X_fit_: Any = field(init=False)
        _functions: Functions = field(init=False)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a function for each target, and prove how good it is."""
        request = self._request()
        check_targets(y)
        X, y = self._samples(X, y, reset=True, multi_output=True, y_numeric=True)
        targets = check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
        columns = targets.reshape(len(targets), -1)
        weights = sample_weights(sample_weight, len(columns))
        rows = np.flatnonzero(weights)
        space = self._space(X)
        gram = space.gram(None if rows.size == weights.size else rows, self.indefinite)
        data = BoundSamples(gram, explicit=False)
        models = [
            self._model(data, column[rows], alpha, weights[rows])
            for column, alpha in zip(columns.T, self._alphas(columns.shape[1]), strict=True)
        ]
        if len(models) > 1 and self.solver is None and self.time_limit is None:
            solutions = solve_systems(models, tol=self.tol)
        else:
            solutions = [model.solve(verbose=bool(self.verbose), **request) for model in models]
        coefficients = np.zeros(columns.shape)
        coefficients[rows] = np.column_stack([each.beta for each in solutions])
        # Those of the functions that are proved are others where the matrix was clipped, or weights were found.
        known = [coefficients_of(model, each) for model, each in zip(models, solutions, strict=True)]
        proved = [each for each in known if each is not None]
        if len(proved) < len(known):
            self._functions = space.others([each.function for each in solutions])
        else:
            own = np.column_stack(proved)
            used = np.flatnonzero(own.any(axis=1))
            self._functions = space.functions(rows[used], own[used])
        self.X_fit_ = X
        self.dual_coef_ = coefficients.reshape(targets.shape)
        self.model_ = models if targets.ndim > 1 else models[0]
        self.solution_ = solutions if targets.ndim > 1 else solutions[0]
        worst = next((each for each in solutions if each.status != "optimal"), solutions[0])
        self._judge(worst.status, weakest(solutions), worst.message)
        return self

    _left_behind: ClassVar[tuple[str, ...]] = (*ProvedEstimator._left_behind, "X_fit_")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: of the samples those with a coefficient."""
        state = super().__getstate__()
        if "X_fit_" not in vars(self) or self.kernel == "precomputed":
            return state
        used = self.dual_coef_.reshape(len(self.dual_coef_), -1).any(axis=1)
        state |= {"X_fit_": self.X_fit_[used], "dual_coef_": self.dual_coef_[used]}
        return leaving(state, "X_fit_")

    def _alphas(self, targets: int) -> Vector:
        if is_scalar(self.alpha):
            return np.full(targets, self._alpha(self.alpha))
        given = finite_vector(self.alpha, "alpha")
        if given.size not in (1, targets):
            raise ParameterError(
                f"alpha must be a number, or hold one for each of the {targets} targets, but {given.size} came."
            )
        return np.array([self._alpha(each) for each in np.broadcast_to(given, targets)])

    def _alpha(self, alpha: Any) -> float:
        return 0.0 if alpha == 0 else check_positive(alpha, "alpha")

    @staticmethod
    def _model(data: BoundSamples, y: Vector, alpha: float, weights: Vector) -> RegressionModel:
        """Return the model of a target; where weights differ, that of the costs w_i / alpha."""
        if alpha == 0.0:
            return Interpolation(data, y)
        if np.ptp(weights):
            return ResidualLossRegression(data, y, loss=Squared(), C=weights / alpha, fit_intercept=False)
        return KernelRidgeModel(data, y, regularisation=alpha / weights[0])

    def _samples(self, X: Any, y: Any = "no_validation", *, reset: bool, **settings: Any) -> Any:
        """Return samples with features also where the kernel is a function: it takes two of them at a time."""
        if callable(self.kernel) and not isinstance(self.kernel, Kernel):
            return validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", **settings)
        return super()._samples(X, y, reset=reset, **settings)

    def _space(self, X: Any) -> Space:
        """Return the space of the kernel."""
        kernel, gamma = self.kernel, "auto" if self.gamma is None else self.gamma
        weights = np.ones(_num_samples(X))
        if isinstance(kernel, Kernel) or kernel == "precomputed":
            return space_of(kernel, X, weights, gamma="auto", degree=3, coef0=0.0)
        if callable(kernel):
            return space_of_function(partial(_pairwise, metric=kernel, **(self.kernel_params or {})), X)
        if not isinstance(kernel, str) or kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            raise ParameterError(
                f"kernel must be one of {', '.join(sorted(PAIRWISE_KERNEL_FUNCTIONS))}, precomputed, a Kernel such as "
                f"RBF(gamma=0.1), or a function of two samples, but {shown(kernel)} came."
            )
        if kernel in _OURS:
            named = _OURS[kernel]
            return space_of(named, X, weights, gamma=gamma, degree=self.degree, coef0=self.coef0)
        if kernel == "laplacian":
            return OfKernel(
                Laplacian(check_positive(1.0 / X.shape[1] if self.gamma is None else self.gamma, "gamma")), X
            )
        parameters: dict[str, Any] = {} if self.gamma is None else {"gamma": self.gamma}
        return space_of_function(partial(_pairwise, metric=kernel, filter_params=True, **parameters), X)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return f(x), shape (n,) or (n, targets)."""
        check_is_fitted(self)
        values = self._functions(self._samples(X, reset=False))
        return values if self.dual_coef_.ndim > 1 else values[:, 0]


def _pairwise(A: Any, B: Any, **settings: Any) -> NDArray[np.float64]:
    """Return scikit-learn's kernel values; some of its kernels take no arrays that are read-only."""
    return np.asarray(pairwise_kernels(*(each.copy() for each in (A, B)), **settings))
