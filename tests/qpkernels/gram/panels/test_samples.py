# SPDX-License-Identifier: BSD-3-Clause
"""How the features of samples are kept changes how a product is made, not what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse, random_array

from qpkernels import RBF, Gram, Kernel, Laplacian, Polynomial
from qpkernels.arrays import frozen
from qpkernels.gram.panels import samples
from qpkernels.gram.panels.products import PANEL
from qpkernels.gram.panels.samples import DenseProduct, StreamedProduct, compressed, form_and_samples, make_product
from qpkernels.gram.panels.sums import add_kernel_sums
from smo_problems import soft, solve
from together import together


def zeros_mostly(density: float, count: int = 300, features: int = 40, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(random_array((count, features), density=density, rng=rng, dtype=np.float64).toarray())


@pytest.mark.parametrize("density", [0.0, 0.02, 0.2])
def test_samples_with_many_zeros_are_compressed(density: float) -> None:
    X = frozen(zeros_mostly(density))
    form, taken = form_and_samples(RBF(1.0), X)
    assert form is not None
    assert not form.origin.any()
    assert issparse(taken)
    np.testing.assert_array_equal(taken.toarray(), X)
    assert taken.nnz == np.count_nonzero(X)


@pytest.mark.parametrize(
    "X",
    [
        zeros_mostly(0.5),
        zeros_mostly(0.1, features=8),
        zeros_mostly(0.1) + np.where(np.arange(40) == 3, 1e6, 0.0),
        csr_array(zeros_mostly(0.1)),
    ],
    ids=["few zeros", "few features", "a feature far from 0", "sparse already"],
)
def test_others_are_taken_as_they_are(X: Any) -> None:
    assert form_and_samples(RBF(1.0), X)[1] is X


def test_a_kernel_without_a_product_takes_samples_of_any_kind() -> None:
    words = np.array(["one", "two"])
    assert form_and_samples(Laplacian(1.0), words) == (None, words)


@pytest.mark.parametrize("kernel", [RBF(0.4), RBF(tuple(np.linspace(0.1, 2.0, 40))), Polynomial(3, 0.5, 1.0)], ids=str)
def test_sums_over_compressed_samples_are_those_of_the_matrix(kernel: Kernel) -> None:
    centers, X = zeros_mostly(0.1, 600), zeros_mostly(0.6, 700, seed=1)
    coefficients, values = np.random.default_rng(2).normal(size=600), np.zeros(700)
    add_kernel_sums(kernel, centers, coefficients, X, values)
    np.testing.assert_allclose(values, kernel.matrix(X, centers) @ coefficients, rtol=1e-11, atol=1e-12)


def test_a_far_feature_costs_no_digits() -> None:
    X = zeros_mostly(0.1)
    far, values = X + np.where(np.arange(40) == 3, 1e8, 0.0), np.zeros(300)
    add_kernel_sums(RBF(0.3), far, np.ones(300), far, values)
    assert values == pytest.approx(RBF(0.3).matrix(far, far).sum(axis=1), rel=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("centers", "samples"), [(1, 1), (64, 17), (65, 600), (300, 513)])
def test_rows_blocks_and_kept_rows_of_sparse_samples(dtype: type, centers: int, samples: int) -> None:
    X = zeros_mostly(0.1, max(centers, samples))
    kernel, exact = RBF(0.2), 1e-6 if dtype is np.float32 else 1e-14
    product = make_product(kernel.product_form(compressed(X)), compressed(X), dtype)
    left, right = product.part(np.arange(centers)).centers(), product.part(slice(0, samples))
    matrix = kernel.matrix(X[:centers], X[:samples])
    delta, values = np.random.default_rng(1).normal(size=centers), np.ones(samples)
    # Every third row is kept, in slots of another order.
    slots = np.where(np.arange(centers) % 3 == 0, centers - 1 - np.arange(centers), -1)
    store = np.full((centers, samples + 2), np.nan, dtype)
    right.add_rows(left, delta, values, np.empty(centers * PANEL, dtype), store, slots, 2)
    np.testing.assert_allclose(values, 1.0 + delta @ matrix, atol=exact * np.abs(delta).sum())
    np.testing.assert_allclose(store[slots[::3], 2:], matrix[::3], atol=exact)
    assert np.isnan(np.delete(store, slots[::3], axis=0)).all()
    block = np.full((centers, samples), np.nan, dtype)
    product.part(np.arange(centers)).make_block(right.centers(), np.arange(centers)[::-1].copy(), block)
    np.testing.assert_allclose(block[::-1], matrix, atol=exact)


@pytest.mark.parametrize("empty", [[0], [5, 6], [9], list(range(10))], ids=str)
def test_sparse_samples_without_entries(empty: list[int]) -> None:
    X = np.random.default_rng(0).normal(size=(10, 4))
    X[empty] = 0.0
    product = make_product(RBF(0.5).product_form(csr_array(X)), csr_array(X), np.float64)
    block = np.empty((10, 10))
    product.make_block(product.centers(), np.arange(10), block)
    np.testing.assert_allclose(block, RBF(0.5).matrix(X, X), atol=1e-14)


def test_a_solve_of_many_zeros_is_that_of_the_same_samples_sparse() -> None:
    X = zeros_mostly(0.1, 1200)
    y = np.where(X[:, :5].sum(axis=1) > 0.2, 1.0, -1.0)
    dense, sparse = (soft(samples, y, 1.0) for samples in (X, csr_array(X)))
    np.testing.assert_allclose(solve(dense).point, solve(sparse).point, atol=1e-10)
    assert not issparse(dense.gram.X)
    assert Gram(RBF(1.0), X).product(y) == pytest.approx(sparse.gram.product(y), rel=1e-12)


X = np.random.default_rng(0).normal(size=(3 * PANEL + 100, 4))
ODD = np.random.default_rng(1).permutation(len(X))[: 2 * PANEL + 7]
FEW = np.array([5, 3, 1200, 4])

PARTS: dict[str, Any] = {
    "all": [],
    "a slice": [slice(10, 1500)],
    "a slice of a slice": [slice(10, 1500), slice(700, 4000)],
    "an empty slice": [slice(2000, 2000)],
    "some": [ODD],
    "some of a slice": [slice(20, None), ODD[ODD < 900]],
    "a slice of some": [ODD, slice(100, 900)],
    "some of some": [ODD, np.arange(1, 1000, 3)],
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "_PIECE", PANEL)


def both(kernel: Any, dtype: type, parts: list[Any]) -> tuple[Any, Any]:
    form = kernel.product_form(X)
    products: tuple[Any, Any] = make_product(form, X, dtype), StreamedProduct(form, X, dtype)
    for part in parts:
        products = products[0].part(part), products[1].part(part)
    return products


every = together(
    "kernel, dtype", [(RBF(0.5), np.float64), (RBF(0.5), np.float32), (Polynomial(2, 0.5, 1.0), np.float64)]
)
every_part = together("parts", PARTS.values())


@every
@every_part
def test_sums_of_rows_are_the_same(kernel: Any, dtype: type, parts: list[Any]) -> None:
    found = []
    for product in both(kernel, dtype, parts):
        left = make_product(kernel.product_form(X), X[FEW], dtype).centers()
        values, store = np.zeros(product.size), np.zeros((2, product.size + 3), dtype)
        slots, buffer = np.array([-1, 1, -1, 0]), np.empty(FEW.size * PANEL, dtype)
        product.add_rows(left, np.array([1.0, -2.0, 0.5, 3.0]), values, buffer, store, slots, 3)
        found.append((values, store, product.size, product.width, product.terms, product.dtype))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


@every
@every_part
def test_sums_on_both_sides_and_blocks_are_the_same(kernel: Any, dtype: type, parts: list[Any]) -> None:
    found = []
    for product in both(kernel, dtype, parts):
        left = make_product(kernel.product_form(X), X[FEW], dtype).centers()
        sums = np.zeros(FEW.size), np.zeros(product.size)
        weights = np.arange(1.0, 5.0), np.linspace(-1, 1, product.size)
        product.add_both(left, weights, sums, np.empty(FEW.size * PANEL, dtype))
        block = np.zeros((product.size + 2, FEW.size), dtype)
        product.make_block(left, np.arange(product.size) + 2, block)
        found.append((sums[1], block))
        np.testing.assert_allclose(sums[0], found[0][1][2:].T.astype(float) @ weights[1], rtol=1e-5, atol=1e-5)
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_lengths_and_the_largest_are_the_same() -> None:
    held, made = both(RBF(0.5), np.float32, [])
    np.testing.assert_array_equal(held.lengths, made.lengths)
    assert held.largest == made.largest


def test_few_samples_are_held() -> None:
    held, made = both(RBF(0.5), np.float64, [FEW])
    assert isinstance(made, DenseProduct)
    np.testing.assert_array_equal(held.centers().features, made.centers().features)
