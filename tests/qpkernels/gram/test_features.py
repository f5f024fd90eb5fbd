# SPDX-License-Identifier: BSD-3-Clause
"""Sums through explicit features, sparse and dense, and the factor of a kernel matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from qpkernels import RBF, Gram
from qpkernels.gram.features import pivoted_cholesky
from qpkernels.gram.functions import Expansion
from qpkernels.kernels import Kernel, Linear
from qpkernels.problems.rounding import expansion_error

X = csr_array(random_array((50, 80), density=0.1, rng=np.random.default_rng(0)))
V = np.random.default_rng(1).normal(size=50)


@pytest.mark.parametrize("kernel", [Linear(), 3.0 * Linear()], ids=str)
def test_a_product_goes_through_the_weights(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    K = kernel(X.toarray(), X.toarray())
    gram, some = Gram(kernel, X), np.arange(0, 50, 2)

    def refuse(*_: Any) -> Any:
        raise AssertionError("a row of K was made")

    monkeypatch.setattr(Linear, "matrix", refuse)
    np.testing.assert_allclose(gram.product(V), K @ V, rtol=1e-12, atol=1e-12)
    bounded = gram.bounded_product(V, lambda samples, *_: np.zeros(samples.size, bool))
    np.testing.assert_allclose(bounded.values, K @ V, rtol=1e-12, atol=1e-12)
    assert not bounded.error.any()
    np.testing.assert_allclose(gram.part(some).product(V[some]), K[np.ix_(some, some)] @ V[some], atol=1e-12)
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    np.testing.assert_allclose(gram.radii**2, centred.diagonal(), rtol=1e-10)
    f = Expansion(kernel, X, V, 0.5)
    np.testing.assert_allclose(f(X), K @ V + 0.5, rtol=1e-12)
    np.testing.assert_allclose(f(X.toarray()), K @ V + 0.5, rtol=1e-12)
    assert f.squared_norm == pytest.approx(V @ K @ V, rel=1e-12)


@pytest.mark.parametrize(("features", "density", "dense"), [(40, 0.02, True), (400, 0.02, False), (400, 0.2, True)])
def test_sparse_samples_of_many_features_stay_sparse(features: int, density: float, dense: bool) -> None:
    samples = csr_array(random_array((500, features), density=density, rng=np.random.default_rng(0)))
    gram = Gram(Linear(), samples)
    assert (gram.explicit is not None) is dense
    np.testing.assert_allclose(
        gram.product(np.ones(500)), samples @ np.asarray(samples.sum(axis=0)).ravel(), rtol=1e-12
    )


def test_other_kernels_and_dense_samples_have_no_sparse_features() -> None:
    assert Gram(RBF(1.0), X).sparse_features is None
    assert Gram(Linear(), X.toarray()).sparse_features is None
    assert Gram(Linear(), X).features is None


@pytest.mark.parametrize("balanced", [True, False])
def test_the_bound_of_the_rounding_holds(balanced: bool) -> None:
    # Entries of very different size; what is exact is computed in long double.
    scaled = csr_array(X * 10.0 ** np.random.default_rng(2).integers(-4, 5, 80))
    beta = V - V.mean() if balanced else V
    gram = Gram(Linear(), scaled)
    exact = scaled.toarray().astype(np.longdouble)
    truth = exact @ (beta.astype(np.longdouble) @ exact)
    values = gram.product(beta)
    found = expansion_error(gram, beta, values, balanced=balanced)
    assert (np.abs(values - truth) <= found.values).all()
    assert found.values.max() < 1e-10 * np.abs(values).max()


def test_the_factor_has_as_many_columns_as_the_rank() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 4, axis=0)
    gram = Gram(RBF(1.0), X)
    assert gram.factor.shape == (20, 5)
    np.testing.assert_allclose(gram.factor @ gram.factor.T, gram.dense, atol=1e-14)


@pytest.mark.parametrize("gamma", [0.05, 0.5, 5.0])
def test_no_entry_is_a_remnant_of_cancellation(gamma: float) -> None:
    """Equal samples would be told apart by it: |L_ij| L_jj is 0 or above the rounding of K."""
    X = np.random.default_rng(23).normal(size=(30, 3))
    K = RBF(gamma)(np.vstack([X, X[:5]]))
    held = pivoted_cholesky(K, np.ones(35))
    shares = np.abs(held.factor) * np.diag(held.factor[held.pivots])
    assert shares[shares > 0].min() > 4 * np.finfo(float).eps
    assert held.factor @ held.factor.T == pytest.approx(K, abs=1e-13)
