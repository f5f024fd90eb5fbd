# SPDX-License-Identifier: BSD-3-Clause
"""What estimators with a kernel share: its parameters, which may be searched over, and samples as it takes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from formulations.estimators.inputs.kernels import KernelLike
from qpkernels.arrays import ChecksKeywords, check_feature_names, refuse_columns
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel
from qpkernels.kernels.kernel import parameters_of, with_parameters

__all__ = ["KernelEstimator"]


@dataclass(kw_only=True, eq=False, repr=False)
class KernelEstimator(BaseEstimator, metaclass=ChecksKeywords):
    """An estimator whose functions are sums of kernel values.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid", "precomputed" (X is then the matrix of kernel values), a Kernel object, or a
        function of two lists of samples that returns their matrix. Parameters of an object can be searched over:
        ``kernel__gamma``.
    gamma, degree, coef0
        Parameters of the named kernels: exp(-gamma ||x - z||^2), (gamma x'z + coef0)^degree, tanh(gamma x'z + coef0).
        gamma is a number above 0, "scale" for 1 / (features * variance of X), each sample counted by its weight, or
        "auto" for 1 / features.

    Notes
    -----
    Argument of the methods that predict:

    X
        Samples, shape (n, features); with kernel="precomputed" their kernel values with the samples of the fit, shape
        (n, m).
    """

    kernel: KernelLike = "rbf"
    degree: int = 3
    gamma: float | str | None = "scale"
    coef0: float = 0.0

    if TYPE_CHECKING:
        n_features_in_: int = field(init=False)

    def __sklearn_tags__(self) -> Any:
        """Return the tags: sparse samples are taken, and a matrix of kernel values is cut along both axes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags

    # Parameters -----------------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name.

        Parameters
        ----------
        deep
            Whether to return the parameters of a Kernel object, as kernel__NAME, as well.
        """
        own: dict[str, Any] = super().get_params(deep)
        if deep and isinstance(self.kernel, Kernel):
            own |= {f"kernel__{name}": value for name, value in parameters_of(self.kernel).items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; kernel__NAME puts a kernel with another value of NAME in the place of the kernel.

        Parameters
        ----------
        **params
            New values by the names of the constructor's parameters, and kernel__NAME where the kernel is an object.
        """
        nested = {name: params.pop(name) for name in list(params) if name.startswith("kernel__")}
        super().set_params(**params)
        changes = {name.removeprefix("kernel__"): value for name, value in nested.items()}
        if changes:
            if not isinstance(self.kernel, Kernel):
                raise ParameterError(
                    f"kernel__{next(iter(changes))} is a parameter of a Kernel object, but kernel is {self.kernel!r}; "
                    "the named kernels have gamma, degree and coef0."
                )
            self.kernel = with_parameters(self.kernel, changes)
        return self

    def _samples(self, X: Any, y: Any = "no_validation", *, reset: bool, **settings: Any) -> Any:
        """Return samples as the kernel takes them, their names and number of features being those of the fit.

        With a y, which a function or an object may take along with samples of any kind, return both. ``settings`` are
        those of scikit-learn's check.
        """
        if isinstance(self.kernel, str):
            refuse_columns(X, "X")
            if self.kernel == "precomputed" and issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported; pass the matrix as an array.")
            sparse = False if self.kernel == "precomputed" else "csr"
            return validate_data(self, X, y, reset=reset, dtype=np.float64, order="C", accept_sparse=sparse, **settings)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        if isinstance(self.kernel, Kernel):
            if reset or self.kernel.names is None or not hasattr(self, "feature_names_in_"):
                validate_data(self, X, reset=reset, skip_check_array=True)
            else:
                check_feature_names(X, tuple(self.feature_names_in_), self.kernel.names)
            X = self.kernel.samples(X)
        return X if isinstance(y, str) else (X, y)
