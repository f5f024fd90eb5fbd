# SPDX-License-Identifier: BSD-3-Clause
"""Features that are made as they are asked for give what features that are held give, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qpkernels import RBF, Polynomial
from qpkernels.gram.panels import streamed
from qpkernels.gram.panels.dense import DenseProduct
from qpkernels.gram.panels.making import make_product
from qpkernels.gram.panels.products import PANEL
from qpkernels.gram.panels.streamed import StreamedProduct

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
    monkeypatch.setattr(streamed, "_PIECE", PANEL)


def both(kernel: Any, dtype: type, parts: list[Any]) -> tuple[Any, Any]:
    form = kernel.product_form(X)
    products: tuple[Any, Any] = make_product(form, X, dtype), StreamedProduct(form, X, dtype)
    for part in parts:
        products = products[0].part(part), products[1].part(part)
    return products


every = pytest.mark.parametrize(
    ("kernel", "dtype"),
    [(RBF(0.5), np.float64), (RBF(0.5), np.float32), (Polynomial(2, 0.5, 1.0), np.float64)],
    ids=["rbf", "rbf in float32", "polynomial"],
)
every_part = pytest.mark.parametrize("parts", PARTS.values(), ids=PARTS)


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
