# SPDX-License-Identifier: BSD-3-Clause
"""Proved errors of kernel values hold against 60 digits, and are not much larger than need be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import xlog1py, xlogy

from exact import exact, exact_kernel, exact_matrix
from qpkernels.arrays.intervals import ELEMENTARY, UNDERFLOW
from qpkernels.errors import NoEnclosureError
from qpkernels.kernels import (
    RBF,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
    Spectrum,
    Subsequence,
)
from together import together

UNIT = 2.0**-53

KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(3, 0.5, 1.25),
    "power 7": Polynomial(7, 0.1, 0.3),
    "cancelling": Polynomial(2, 1.0, -1.5),
    "gaussian": RBF(0.7),
    "weighted": RBF((0.3, 0.0, 1.7)),
    "laplacian": Laplacian(0.4),
    "exponential": Matern(1.3, 0.5),
    "matern 3/2": Matern(1.3, 1.5),
    "matern 5/2": Matern(0.7, 2.5),
    "matern inf": Matern(0.7, np.inf),
    "sigmoid": Sigmoid(0.3, -0.2),
    "sum": RBF(0.4) + Linear(),
    "product": RBF(0.4) * Polynomial(2, 1.0, 0.5),
    "scaled": 0.1 * Linear(),
    "power": RBF(0.2) ** 3,
    "exponential of": (0.3 * Linear()).exp(),
    "polynomial of": RBF(0.4).polynomial([0.5, 0.0, 2.0]),
    "composed": Linear().compose(ScaledQuadraticMap()),
    "rank one": RankOne(lambda X: np.exp(X[:, 0])),
}


def cloud(m: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(m, 3))


def with_duplicates() -> np.ndarray:
    X = cloud(9, 4)
    X[3], X[5] = X[1], X[1] + 2.0**-40
    return X


SAMPLES = {
    "usual": cloud(8, 0),
    "offset": cloud(8, 1) + 1e5,
    "scales": cloud(8, 2) * np.array([1e-8, 1.0, 1e3]),
    "tiny": cloud(8, 3) * 1e-12,
    "duplicates": with_duplicates(),
    "outlier": np.vstack([cloud(7, 5), [[1e7, 0.0, 0.0]]]),
}


def errors_hold(enclosed: Any, K: Any) -> bool:
    values, errors = enclosed.values, enclosed.reach
    return all(
        abs(mp.mpf(values[i, j].item()) - K[i, j]) <= mp.mpf(errors[i, j].item())
        for i, j in np.ndindex(values.shape)
        if np.isfinite(errors[i, j])
    )


@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("name", KERNELS)
def test_errors_hold_the_exact_kernel(name: str, samples: str) -> None:
    kernel, X = KERNELS[name], SAMPLES[samples]
    if name in ("exponential of", "rank one") and samples in ("offset", "outlier", "scales"):
        pytest.skip("beyond float64")
    enclosed = kernel.enclosed(X, X)(slice(0, len(X)))
    assert errors_hold(enclosed, exact_matrix(exact_kernel(kernel), X))
    if samples == "usual":
        assert np.all(enclosed.reach <= 200 * UNIT * np.maximum(1.0, np.abs(enclosed.values)))


@together("name", KERNELS)
def test_rows_of_other_samples(name: str) -> None:
    kernel, X, Z = KERNELS[name], cloud(6, 7), cloud(4, 8) + 3.0
    K = exact_matrix(exact_kernel(kernel), X[2:5], Z)
    assert errors_hold(kernel.enclosed(X, Z)(slice(2, 5)), K)


@pytest.mark.parametrize("name", ["linear", "polynomial", "gaussian", "weighted", "sigmoid"])
def test_sparse_samples(name: str) -> None:
    kernel = KERNELS[name]
    X = cloud(8, 9) * (np.random.default_rng(1).random((8, 3)) < 0.6)
    enclosed = kernel.enclosed(csr_array(X), csr_array(X))(slice(0, 8))
    assert errors_hold(enclosed, exact_matrix(exact_kernel(kernel), X))
    assert np.all(enclosed.reach <= 500 * UNIT * np.maximum(1.0, np.abs(enclosed.values)))


def test_near_samples_cancel_without_a_loss() -> None:
    # Far from the origin, distances of 1e-3 have but 9 digits in ||x||^2 + ||z||^2 - 2 x'z.
    X = 1e3 + 1e-3 * cloud(8, 6)
    kernel = RBF(1e6)
    enclosed = kernel.enclosed(X, X)(slice(0, 8))
    assert errors_hold(enclosed, exact_matrix(exact_kernel(kernel), X))
    assert np.all(enclosed.reach <= 500 * UNIT)


def test_products_of_small_integers_are_exact() -> None:
    X = np.random.default_rng(2).integers(-50, 50, size=(20, 9)).astype(np.float64)
    enclosed = Linear().enclosed(X, X)(slice(0, 20))
    assert not enclosed.reach.any()
    assert np.array_equal(enclosed.values, X @ X.T)


def test_beyond_float64_nothing_is_known() -> None:
    X = np.array([[1e200], [1.0]])
    for kernel in (Linear(), RBF(1.0)):
        assert np.isinf(kernel.enclosed(X, X)(slice(0, 2)).reach).all()


def test_a_given_matrix_is_exact() -> None:
    root = cloud(6, 11)
    kernel = Precomputed(root @ root.T)
    enclosed = kernel.enclosed(np.arange(6), np.arange(6))(slice(1, 4))
    assert np.array_equal(enclosed.values, kernel.K[1:4])
    assert not enclosed.reach.any()


TEXTS = np.array(["abcab", "bcaab", "cc", "abababca"])


@pytest.mark.parametrize("normalise", [False, True])
def test_texts(normalise: bool) -> None:
    counts = [[sum(t[i : i + 2] == w for i in range(len(t) - 1)) for w in _words()] for t in TEXTS]
    K = exact_matrix(exact_kernel(Linear()), np.array(counts, dtype=float))
    enclosed = Spectrum(2, normalise=normalise).enclosed(TEXTS, TEXTS)(slice(0, 4))
    assert errors_hold(enclosed, _normalised(K) if normalise else K)
    assert normalise or not enclosed.reach.any()


@pytest.mark.parametrize("normalise", [False, True])
def test_gap_weighted_texts(normalise: bool) -> None:
    decay, K = mp.mpf(0.7), mp.matrix(4, 4)
    for i, x in enumerate(TEXTS):
        for j, z in enumerate(TEXTS):
            K[i, j] = mp.fsum(
                decay ** (b - a + d - c + 2)
                for a in range(len(x))
                for b in range(a + 1, len(x))
                for c in range(len(z))
                for d in range(c + 1, len(z))
                if x[a] == z[c] and x[b] == z[d]
            )
    enclosed = Subsequence(2, 0.7, normalise=normalise).enclosed(TEXTS, TEXTS)(slice(0, 4))
    assert errors_hold(enclosed, _normalised(K) if normalise else K)


def _words() -> list[str]:
    return [a + b for a in "abc" for b in "abc"]


def _normalised(K: Any) -> Any:
    return mp.matrix(
        [
            [K[i, j] / mp.sqrt(K[i, i] * K[j, j]) if K[i, i] and K[j, j] else mp.mpf(0) for j in range(K.cols)]
            for i in range(K.rows)
        ]
    )


@dataclass(frozen=True)
class Shifted(RBF):
    """Another function than its parent."""

    def matrix(self, X: Any, Z: Any) -> np.ndarray:
        return super().matrix(X, Z) + 1.0


@pytest.mark.parametrize("kernel", [Shifted(0.5), Matern(1.0, 2.2), Shifted(0.5) + Linear()], ids=str)
def test_without_known_errors_it_is_refused(kernel: Kernel) -> None:
    X = cloud(4, 12)
    with pytest.raises(NoEnclosureError, match="states no bound of its rounding errors"):
        kernel.enclosed(X, X)


GRID = np.concatenate([np.linspace(-40.0, 40.0, 3001), np.geomspace(1e-12, 1.0, 500), [-700.3, 700.1]])
INSIDE = np.concatenate([np.linspace(1e-9, 1 - 1e-9, 2001), np.geomspace(1e-300, 1e-9, 50)])

FUNCTIONS: dict[str, tuple[Any, Any, np.ndarray]] = {
    "exp": (np.exp, mp.exp, GRID),
    "expm1": (np.expm1, mp.expm1, GRID),
    "tanh": (np.tanh, mp.tanh, GRID),
    "sinh": (np.sinh, mp.sinh, GRID),
    "log": (np.log, mp.log, np.abs(GRID[GRID != 0])),
    "log1p": (np.log1p, mp.log1p, np.abs(GRID)),
    "power": (lambda x: x**1.37, lambda x: x ** mp.mpf(1.37), np.abs(GRID[GRID != 0])),
    "x log x": (lambda x: xlogy(x, x), lambda x: x * mp.log(x), INSIDE),
    "x log1p -x": (lambda x: xlog1py(x, -x), lambda x: x * mp.log1p(-x), INSIDE),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementary_functions_are_as_exact_as_is_assumed(name: str) -> None:
    computed, true, points = FUNCTIONS[name]
    for value, x in zip(exact(computed(points)), exact(points), strict=True):
        assert abs(value - true(x)) <= mp.mpf(ELEMENTARY) * abs(true(x)) + mp.mpf(UNDERFLOW)
