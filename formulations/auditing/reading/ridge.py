# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression of scikit-learn, and of all who name their attributes like it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.validation import _num_samples

from formulations.auditing.reading.machine import Machine, expansion
from formulations.auditing.reading.samples import parted, sampled, vectors
from formulations.auditing.reading.settings import Settings, numbers_of
from formulations.estimators.inputs.spaces import FunctionValues
from formulations.inputs.estimators import on_host
from formulations.inputs.fitted import named_kernel, require_rows
from formulations.inputs.samples import BoundSamples
from formulations.losses import AbsolutePower
from formulations.regression.residual_loss import ResidualLossRegression
from formulations.regression.ridge.kernel_ridge import KernelRidge
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Precomputed

__all__ = ["read_kernel_ridge"]


def read_kernel_ridge(estimator: Any, X: Any, y: Any, weights: Any, settings: Settings) -> list[Machine]:
    """Read a fitted KernelRidge, each output being a machine."""
    dual = numbers_of(estimator, "dual_coef_")
    coefficients = dual.reshape(len(dual), -1)
    if len(coefficients) != _num_samples(X):
        raise ShapeError(
            f"the estimator was fitted to {len(coefficients)} samples, but X has {_num_samples(X)}; pass the X that it "
            "was fitted to."
        )
    gram = _gram(estimator, X, settings)
    taken = sampled(len(gram), y, weights)
    rows = taken.rows
    if np.abs(coefficients[taken.weights == 0]).max(initial=0.0) > 0:
        raise ParameterError("a sample of weight 0 has a coefficient; pass the sample_weight that it was fitted with.")
    targets = taken.targets.reshape(len(gram), -1)[rows]
    if targets.shape[1] != coefficients.shape[1]:
        raise ParameterError(f"the estimator has {coefficients.shape[1]} outputs, but y has {targets.shape[1]}.")
    penalties = np.broadcast_to(np.asarray(on_host(settings("alpha")), dtype=np.float64), (targets.shape[1],))
    data, counts = parted(BoundSamples(gram, explicit=False), rows), taken.weights[rows]
    machines = []
    for number, penalty in enumerate(penalties.tolist()):
        model: KernelRidge | ResidualLossRegression
        if np.ptp(counts) == 0:
            model = KernelRidge(data, targets[:, number], regularisation=penalty / float(counts[0]))
        else:
            loss = AbsolutePower(2.0)
            costs = 0.5 * counts / penalty
            model = ResidualLossRegression(data, targets[:, number], loss=loss, C=costs, fit_intercept=False)
        name = settings.what if len(penalties) == 1 else f"output {number}"
        answer = expansion(model, coefficients[rows, number], 0.0)
        machines.append(Machine(name, model, answer, rows, targets[:, number]))
    return machines


def _gram(estimator: Any, X: Any, settings: Settings) -> Gram:
    name = settings("kernel")
    if name == "precomputed":
        return _of_matrix(np.asarray(X, dtype=np.float64), None)
    if callable(name):
        return _of_matrix(pairwise_kernels(X, metric=name, **(settings.default("kernel_params", None) or {})), name)
    samples = vectors(X, getattr(estimator, "n_features_in_", None))
    kept = getattr(estimator, "X_fit_", None)
    if kept is not None:
        require_rows(samples, vectors(kept), np.arange(samples.shape[0]))
    gamma = settings.default("gamma", None)
    width = 1.0 / samples.shape[1] if gamma is None else gamma
    kernel = named_kernel(name, lambda: width, settings("degree"), settings("coef0"))
    if kernel is None:
        options = {} if name == "cosine" or gamma is None else {"gamma": gamma}
        return _of_matrix(pairwise_kernels(samples, metric=name, **options), PAIRWISE_KERNEL_FUNCTIONS[name])
    return Gram(kernel, samples)


def _of_matrix(values: NDArray[np.float64], function: Callable[..., Any] | None) -> Gram:
    """Return the matrix of a function, which no file takes; None: of values that are all that is known."""
    kernel = Precomputed(values) if function is None else FunctionValues(values, function)
    return Gram(kernel, np.arange(len(values)))
