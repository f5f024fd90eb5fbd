# SPDX-License-Identifier: BSD-3-Clause
"""Inner products and distances of dense and sparse samples."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, random_array
from scipy.spatial.distance import cdist

from qpkernels import RBF, Gram, Kernel, Linear, Matern
from sparse_samples import assert_close, with_zeros


@pytest.mark.parametrize("distance", [1e8, 1e10, 1e14])
def test_near_pairs_of_far_clusters(distance: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[::2] += distance
    assert RBF(0.5)(X) == pytest.approx(np.exp(-0.5 * cdist(X, X, "sqeuclidean")), abs=1e-11)


@given(
    m=st.integers(1, 12),
    n=st.integers(1, 12),
    d=st.integers(1, 40),
    share=st.floats(0.0, 1.0),
    scale=st.sampled_from([1e-8, 1.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_sparse_samples(m: int, n: int, d: int, share: float, scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, Z = (scale * random_array((rows, d), density=share, rng=rng, format="csr") for rows in (m, n))
    for kernel in (Linear(), RBF(0.1 / scale**2), RBF(3.0), Matern(scale, 0.5)):
        K, expected = kernel(X, Z), kernel(X.toarray(), Z.toarray())
        np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-12 * scale**2 * isinstance(kernel, Linear))


def test_products_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X = with_zeros(40, d=30, seed=1, share=0.2)
    # Close to samples from all blocks, so that distances in all of them are computed anew.
    Z = X[7:] + 1e-4 * with_zeros(33, d=30, seed=2, share=0.2)
    kernels = (Linear(), RBF(0.1), RBF(1e6), Matern())
    expected = [kernel(X, Z) for kernel in kernels]
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 70)
    for share in (0.0, 1.1):
        monkeypatch.setattr("qpkernels.kernels.products._SPARSE", share)
        for kernel, K in zip(kernels, expected, strict=True):
            for left, right in ((csr_array(X), csr_array(Z)), (csr_array(X), Z), (X, csr_array(Z))):
                assert_close(kernel(left, right), K)


@pytest.mark.parametrize(
    ("kernel", "m", "entries", "limit"),
    [(Linear(), 300, 200, 4.0), (Linear(), 600, 20, 4.5), (RBF(1.0), 300, 60, 6.0), (Matern(), 300, 60, 6.0)],
)
def test_memory_beyond_the_result_stays_bounded(
    kernel: Kernel, m: int, entries: int, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 2**18)
    rng = np.random.default_rng(0)
    columns = np.sort(rng.permutation(4_000)[:entries])
    # Close to each other and far from 0, so that every distance is computed anew.
    data = 1e3 + 1e-2 * rng.normal(size=m * entries)
    X = csr_array((data, np.tile(columns, m), entries * np.arange(m + 1)), shape=(m, 4_000))
    samples = kernel.samples(X)
    tracemalloc.start()
    try:
        kernel.matrix(samples, samples.copy())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # In MiB. Dense, the samples take 9 or 18, and the result 0.7 or 2.7; distances have intermediate results as large.
    assert peak < limit * 2**20


def test_the_ways_to_multiply_are_chosen_by_the_share_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    import qpkernels.kernels.products as products

    calls: list[tuple[int, ...]] = []
    monkeypatch.setattr(products, "_multiply", lambda *arguments: calls.append(arguments[1].shape))
    rng = np.random.default_rng(0)
    thin, thick = (random_array((20, 1000), density=share, rng=rng, format="csr") for share in (0.01, 0.05))
    Linear().matrix(thin, thin)
    assert calls == []
    Linear().matrix(thick, thick[:5])
    Linear().matrix(thick[:5], thick)
    # The side with fewer samples is the one made dense.
    assert calls == [(5, 1000), (5, 1000)]


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
@pytest.mark.usefixtures("either_product")
def test_distances_keep_their_digits_where_the_samples_are_far_from_0(scale: float) -> None:
    rng = np.random.default_rng(5)
    X = scale * with_zeros(20, d=8, seed=6)
    Z = X[:12] + rng.normal(size=(12, 8)) * (X[:12] != 0)
    exact = ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    weights = np.linspace(0.0, 0.7, 8)
    weighted = (weights * (X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    for left, right in ((csr_array(X), csr_array(Z)), (csr_array(X), Z), (X, csr_array(Z))):
        np.testing.assert_allclose(RBF(0.3)(left, right), np.exp(-0.3 * exact), rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(RBF(tuple(weights))(left, right), np.exp(-weighted), rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(Matern(2.0, 0.5)(left, right), np.exp(-np.sqrt(exact) / 2), rtol=1e-8, atol=1e-300)


def test_no_class_but_itself_is_summed_in_panels() -> None:
    class Doubled(RBF):
        def matrix(self, X: Any, Z: Any) -> np.ndarray:
            return 2.0 * super().matrix(X, Z)

        def diagonal(self, X: Any) -> np.ndarray:
            return np.full(X.shape[0], 2.0)

    X = np.random.default_rng(0).normal(size=(800, 3))
    assert Gram(Doubled(0.5), X).product(np.ones(800)) == pytest.approx(2.0 * RBF(0.5)(X).sum(axis=1), rel=1e-12)
