# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression: kernels by name, by function and by their matrix, outputs, weights, other data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from audit_data import targets, weights
from formulations import audit
from qpkernels.errors import ParameterError, ShapeError


@pytest.mark.parametrize(
    "estimator",
    [
        KernelRidge(alpha=0.3),
        KernelRidge(alpha=0.3, kernel="rbf"),
        KernelRidge(alpha=0.3, kernel="rbf", gamma=0.05),
        KernelRidge(alpha=0.3, kernel="poly", degree=2, coef0=0.5),
        KernelRidge(alpha=0.3, kernel="polynomial", gamma=0.1),
        KernelRidge(alpha=0.3, kernel="laplacian", gamma=0.1),
        KernelRidge(alpha=0.3, kernel="cosine"),
        KernelRidge(alpha=0.3, kernel=lambda x, z, scale: float(x @ z) ** 2 / scale, kernel_params={"scale": 2.0}),
    ],
    ids=lambda each: each.kernel if isinstance(each.kernel, str) else "function",
)
def test_kernels(estimator: Any) -> None:
    X, y = targets()
    found = audit(estimator.fit(X, y), X, y, tol=1e-6)
    assert found.status == "optimal"
    assert found[0].decision == pytest.approx(estimator.predict(X), abs=1e-8)
    assert audit(estimator, X, y, tol=1e-6, alpha=0.6).status == "uncertified"


def test_a_matrix() -> None:
    X, y = targets()
    K = rbf_kernel(X, gamma=0.1)
    machine = KernelRidge(kernel="precomputed", alpha=0.2).fit(K, y)
    assert audit(machine, K, y, tol=1e-8).status == "optimal"


@pytest.mark.parametrize("counted", [False, True])
def test_outputs_and_weights(counted: bool) -> None:
    X, y = targets()
    several = np.column_stack([y, X[:, 0] ** 2])
    times = np.maximum(weights(len(y)), 0.1) if counted else None
    machine = KernelRidge(alpha=[0.5, 2.0], kernel="rbf").fit(X, several, sample_weight=times)
    found = audit(machine, X, several, tol=1e-8, sample_weight=times)
    assert found.status == "optimal"
    assert [each.machine.name for each in found] == ["output 0", "output 1"]
    machine.dual_coef_[7, 1] += 0.5
    changed = audit(machine, X, several, sample_weight=times)
    assert [each.status for each in changed] == ["optimal", "uncertified"]
    assert changed[1].row.worst[0].sample == 7


def test_other_data() -> None:
    X, y = targets()
    machine = KernelRidge(kernel="rbf").fit(X, y)
    with pytest.raises(ShapeError, match=r"was fitted to 150 samples, but X has 100"):
        audit(machine, X[:100], y[:100])
    with pytest.raises(ParameterError, match=r"sample 0 of X is not the one"):
        audit(machine, X[::-1], y[::-1])
    with pytest.raises(ParameterError, match=r"has 1 outputs, but y has 2"):
        audit(machine, X, np.column_stack([y, y]))
    with pytest.raises(ParameterError, match=r"a sample of weight 0 has a coefficient"):
        audit(machine, X, y, sample_weight=weights(len(y)))
    (found,) = audit(machine, X, y[::-1])
    assert found.status == "uncertified"
