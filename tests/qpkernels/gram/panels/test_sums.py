# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values are those of the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from qpkernels import RBF, Kernel, Linear, Polynomial
from qpkernels.gram.panels.sums import add_kernel_sums, add_symmetric_sums, taken_by_panels

KERNELS = (RBF(0.4), RBF((0.3, 0.0, 1.1, 0.2, 2.0)), Polynomial(3, 0.5, 1.0), Polynomial(1, 2.0, 0.5), Linear())


def agrees(kernel: Kernel, centers: Any, coefficients: np.ndarray, X: Any) -> None:
    before = np.arange(X.shape[0], dtype=float)
    values = before.copy()
    add_kernel_sums(kernel, centers, coefficients, X, values)
    matrix = kernel.matrix(X, centers)
    scale = np.abs(matrix) @ np.abs(coefficients) + before + 1.0
    assert (np.abs(values - before - matrix @ coefficients) <= 1e-12 * scale).all()


def samples(kind: str, count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if kind == "sparse":
        return random_array((count, 5), density=0.4, format="csr", rng=rng, dtype=np.float64)
    return rng.normal(size=(count, 5))


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("kinds", [("dense", "dense"), ("sparse", "sparse"), ("dense", "sparse"), ("sparse", "dense")])
@pytest.mark.parametrize(("count", "total"), [(1, 1), (3, 700), (600, 2), (1100, 1300)])
def test_sums_are_those_of_the_matrix(kernel: Kernel, kinds: tuple[str, str], count: int, total: int) -> None:
    left, right = kinds
    coefficients = np.random.default_rng(2).normal(size=count)
    agrees(kernel, samples(left, count, 0), coefficients, samples(right, total, 1))


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=str)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("count", [449, 512, 1100])
def test_sums_over_both_sides_are_those_of_the_matrix(kernel: Kernel, kind: str, count: int) -> None:
    X, coefficients = samples(kind, count, 0), np.random.default_rng(2).normal(size=count)
    taken, values = taken_by_panels(kernel, X, X), np.arange(count, dtype=float)
    assert taken is not None
    add_symmetric_sums(taken, coefficients, values)
    matrix = kernel.matrix(X, X)
    scale = np.abs(matrix) @ np.abs(coefficients) + np.arange(count)
    assert (np.abs(values - np.arange(count) - matrix @ coefficients) <= 1e-12 * scale).all()


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("spread", [1e-8, 1.0, 1e3])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_sums_far_from_the_origin(offset: float, spread: float, kind: str) -> None:
    X = offset + spread * np.random.default_rng(0).normal(size=(60, 5))
    X = csr_array(X) if kind == "sparse" else X
    values = np.zeros(60)
    add_kernel_sums(RBF(0.3 / spread**2), X, np.ones(60), X, values)
    assert values == pytest.approx(RBF(0.3 / spread**2).matrix(X, X).sum(axis=1), rel=1e-10)


def test_nothing_to_add() -> None:
    values = np.ones(3)
    add_kernel_sums(RBF(1.0), np.empty((0, 2)), np.empty(0), np.ones((3, 2)), values)
    assert values.tolist() == [1.0, 1.0, 1.0]
