# SPDX-License-Identifier: BSD-3-Clause
"""Kernel ridge regression beside scikit-learn's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes
from sklearn.kernel_ridge import KernelRidge as Theirs
from sklearn.model_selection import GridSearchCV

import qpkernels.solvers.linear as linear_algebra
from formulations import KernelRidge as Model
from formulations.estimators import KernelRidge
from qpkernels.errors import IndefiniteKernelError, ParameterError
from qpkernels.kernels import RBF

X, Y = (part[:120] for part in load_diabetes(return_X_y=True))
TARGETS = np.column_stack([Y, 100.0 * X[:, 0], np.sin(Y)])
WEIGHTS = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
POSITIVE = np.abs(X)


@pytest.mark.parametrize("alpha", [0.5, [1.0, 0.1, 10.0]], ids=["one", "each"])
@pytest.mark.parametrize("weights", [None, WEIGHTS, 2.0], ids=["none", "some", "equal"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "polynomial", "rbf", "laplacian", "cosine"])
def test_the_functions_are_those_of_scikit_learn(kernel: str, weights: Any, alpha: Any) -> None:
    ours, theirs = (kind(alpha, kernel=kernel).fit(X, TARGETS, weights) for kind in (KernelRidge, Theirs))
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(ours.X_fit_, theirs.X_fit_)
    assert len(ours.solution_) == 3
    assert ours.certificate_.holds(1e-6)


def test_kernels_of_other_kinds() -> None:
    def function(a: np.ndarray, b: np.ndarray, c: float) -> float:
        return float(a @ b + c)

    for settings in (
        {"kernel": "chi2", "gamma": 0.5},
        {"kernel": function, "kernel_params": {"c": 2.0}},
    ):
        ours, theirs = (kind(**settings).fit(POSITIVE[:40], Y[:40]) for kind in (KernelRidge, Theirs))
        np.testing.assert_allclose(ours.predict(POSITIVE), theirs.predict(POSITIVE), rtol=1e-6)
    by_name, by_object = KernelRidge(kernel="rbf", gamma=2.0).fit(X, Y), KernelRidge(kernel=RBF(2.0)).fit(X, Y)
    np.testing.assert_allclose(by_name.predict(X), by_object.predict(X))
    by_values = KernelRidge(kernel="precomputed").fit(RBF(2.0)(X, X), Y)
    np.testing.assert_allclose(by_values.predict(RBF(2.0)(X[:5], X)), by_name.predict(X[:5]), rtol=1e-6)
    assert isinstance(by_name.model_, Model)


def test_sparse_samples() -> None:
    dense, sparse = KernelRidge(kernel="rbf").fit(X, Y), KernelRidge(kernel="rbf").fit(csr_array(X), Y)
    np.testing.assert_allclose(sparse.predict(csr_array(X)), dense.predict(X), rtol=1e-6)


def test_several_targets_share_a_factorisation(monkeypatch: pytest.MonkeyPatch) -> None:
    factored, factor = [], linear_algebra.cho_factor

    def counted(matrix: Any, **options: Any) -> Any:
        factored.append(len(matrix))
        return factor(matrix, **options)

    monkeypatch.setattr(linear_algebra, "cho_factor", counted)
    KernelRidge(kernel="rbf").fit(X, TARGETS)
    assert factored == [120]
    KernelRidge([1.0, 1.0, 2.0], kernel="rbf").fit(X, TARGETS, WEIGHTS)
    assert len(factored) == 3


def test_several_targets_of_many_samples_are_iterated_together() -> None:
    rng = np.random.default_rng(2)
    samples = rng.normal(size=(2100, 3))
    targets = np.column_stack([np.sin(samples[:, 0]), samples[:, 1] ** 2, rng.normal(size=2100)])
    settings = {"alpha": [3.0, 3.0, 30.0], "kernel": "rbf", "gamma": 0.1}
    ours, theirs = KernelRidge(**settings, tol=1e-8).fit(samples, targets), Theirs(**settings).fit(samples, targets)
    assert [solution.solver for solution in ours.solution_] == ["conjugate-gradient"] * 3
    assert ours.certificate_.holds(1e-8)
    np.testing.assert_allclose(ours.predict(samples[:50]), theirs.predict(samples[:50]), atol=1e-3)


def test_without_a_penalty_it_interpolates() -> None:
    fitted = KernelRidge(0.0, kernel="laplacian", gamma=5.0).fit(X, Y)
    np.testing.assert_allclose(fitted.predict(X), Y)


def test_a_search_over_the_kernel() -> None:
    grid = {"alpha": [0.1, 1.0], "kernel__gamma": [0.1, 10.0]}
    best = GridSearchCV(KernelRidge(kernel=RBF(1.0)), grid, cv=3).fit(X, Y).best_params_
    theirs = GridSearchCV(Theirs(kernel="rbf"), {"alpha": [0.1, 1.0], "gamma": [0.1, 10.0]}, cv=3).fit(X, Y)
    assert (best["alpha"], best["kernel__gamma"]) == (theirs.best_params_["alpha"], theirs.best_params_["gamma"])


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"alpha": [1.0, 2.0]}, ParameterError, "alpha must be a number, or hold one for each of the 3 targets, but 2"),
        ({"alpha": -1.0}, ParameterError, "alpha must be finite and above 0, but -1 came"),
        ({"kernel": "rbv"}, ParameterError, "kernel must be one of additive_chi2, chi2, .*, but 'rbv' came"),
        ({"kernel": "rbf", "gamma": -1.0}, ParameterError, "gamma must be"),
        ({"kernel": "sigmoid", "gamma": 5.0, "coef0": -1.0}, IndefiniteKernelError, "not positive semidefinite"),
    ],
)
def test_refusals(settings: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        KernelRidge(**settings).fit(X, TARGETS)
