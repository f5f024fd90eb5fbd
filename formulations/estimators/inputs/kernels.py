# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as the parameters of an estimator name them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from formulations.estimators.inputs.spaces import OfKernel, OfLowRank, Space, by_function, by_matrix
from formulations.inputs.fitted import named_kernel
from qpkernels.arrays import Samples, Vector, check_positive, is_scalar, is_sparse, shown
from qpkernels.errors import ParameterError
from qpkernels.kernels import FunctionKernel, Kernel

__all__ = ["KernelLike", "space_of", "space_of_function"]

KernelLike: TypeAlias = str | Kernel | Callable[[Any, Any], Any]
"""A name, a kernel, or a function of two lists of samples that returns the matrix of kernel values."""

_NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def space_of(
    kernel: KernelLike,
    X: Any,
    weights: Vector,
    *,
    gamma: float | str | None,
    degree: int,
    coef0: float,
    rank: int | None = None,
) -> Space:
    """Return the space of a kernel given by name, as an object, by a function, or by its matrix in place of X.

    Parameters
    ----------
    kernel
        "linear", "poly", "rbf", "sigmoid", "precomputed", a Kernel, or a function of two lists of samples.
    X
        The samples, or the matrix.
    weights
        How often each sample counts in the variance.
    gamma, degree, coef0
        Those of scikit-learn's named kernels; gamma "scale" is 1 / (features * variance), "auto" 1 / features.
    rank
        That of the matrix in place of the kernel's own; None: its own.

    Raises
    ------
    ParameterError, ShapeError
        If there is no such kernel, or the matrix is none.
    """
    if isinstance(kernel, Kernel):
        return _of_kernel(kernel, X, rank)
    if rank is not None and (callable(kernel) or kernel == "precomputed"):
        raise ParameterError(
            "a rank is for a kernel by name or a Kernel object, whose columns are made as they are needed; leave rank "
            "out, or write the function as a Kernel."
        )
    if callable(kernel):
        return by_function(kernel, X)
    if isinstance(kernel, str) and kernel == "precomputed":
        return by_matrix(X)
    named = None
    if isinstance(kernel, str) and kernel in _NAMES:
        named = named_kernel(kernel, lambda: _gamma(gamma, X, weights), degree, coef0)
    if named is None:
        raise ParameterError(
            f"kernel must be one of {', '.join(_NAMES)}, a Kernel such as RBF(gamma=0.1), or a function of two lists "
            f"of samples, but {shown(kernel)} came."
        )
    return _of_kernel(named, X, rank)


def _of_kernel(kernel: Kernel, X: Samples, rank: int | None) -> Space:
    return OfKernel(kernel, X) if rank is None else OfLowRank(kernel, X, rank)


def space_of_function(function: Callable[[Any, Any], Any], X: Any) -> Space:
    """Return the space of a function of two lists of samples that returns the matrix of their kernel values."""
    kernel = FunctionKernel(function)
    return OfKernel(kernel, kernel.samples(X))


def _gamma(gamma: float | str | None, X: Samples, weights: Vector) -> float:
    """Return gamma as a number."""
    features = int(X.shape[1])
    if not is_scalar(gamma):
        raise ParameterError(f"gamma must be 'scale', 'auto' or a number above 0, but {shown(gamma)} came.")
    if gamma == "auto":
        return 1.0 / features
    if gamma == "scale":
        with np.errstate(over="ignore", invalid="ignore"):
            variance = _variance(X, weights)
        if not np.isfinite(features * variance):
            raise ParameterError(
                f"gamma='scale' is 1 / (features * variance of X), and that variance is {variance:g} in float64. The "
                "dual coefficients or intercepts are not finite with such samples; scale them, as StandardScaler does."
            )
        return 1.0 / (features * variance) if variance > 0 else 1.0
    if gamma is None or isinstance(gamma, str):
        raise ParameterError(f"gamma must be 'scale', 'auto' or a number above 0, but {shown(gamma)} came.")
    return check_positive(gamma, "gamma")


def _variance(X: Samples, weights: Vector) -> float:
    """Return the variance of all entries, each counted as often as its sample."""
    if not is_sparse(X) and not np.ptp(weights):
        return float(X.var())
    entries = float(weights.sum()) * X.shape[1]
    mean = float((weights @ X).sum()) / entries
    if is_sparse(X):
        squares = X.multiply(X)
        return float((weights @ squares).sum() / entries - mean**2)
    return float((weights @ (X - mean) ** 2).sum() / entries)
