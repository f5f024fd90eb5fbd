# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values are those of the matrix; in float32 they are within their bounds, which say something."""

from __future__ import annotations

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from exact import exact_function, exact_kernel, exact_matrix
from qpkernels import RBF, Kernel, Linear, Polynomial
from qpkernels.arrays.compiled import compiled, vectorised
from qpkernels.gram.panels import sums
from qpkernels.gram.panels.loops import exp2
from qpkernels.gram.panels.products import EXP2_ERROR
from qpkernels.gram.panels.sums import (
    ROWS,
    DoubleSums,
    SingleSums,
    Taken,
    add_kernel_sums,
    add_sums_where,
    add_symmetric_sums,
    taken_by_panels,
)
from together import together

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
@together("count, total", [(1, 1), (3, 700), (600, 2), (1100, 1300)])
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


@together("offset", [0.0, 1e3, 1e8])
@together("spread", [1e-8, 1.0, 1e3])
@together("kind", ["dense", "sparse"])
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


RNG = np.random.default_rng(0)
CLOSE = RNG.normal(size=(30, 1)) + 1e-4 * RNG.normal(size=(30, 6))

DATA: dict[str, Any] = {
    "normal": RNG.normal(size=(30, 6)),
    "zeros and ones": RNG.integers(0, 2, size=(30, 40)).astype(float),
    "one decimal, which rounds one way": np.full((30, 200), 0.1) * RNG.integers(0, 2, size=(30, 1)),
    "in units of their own": RNG.normal(size=(30, 6)) * np.logspace(-6, 2, 6),
    "nearly equal": np.vstack([CLOSE, CLOSE])[::2],
    "far from the origin": 1e6 + RNG.normal(size=(30, 6)),
    "far apart": 20.0 * RNG.normal(size=(30, 6)),
    "one feature": RNG.normal(size=(30, 1)),
    "many features": RNG.normal(size=(30, 400)) / 20,
}


COEFFICIENTS = [np.ones(20), RNG.normal(size=20), -1e4 * RNG.random(20)]


@pytest.mark.parametrize("name", DATA)
def test_the_exact_sums_are_within_the_bounds(name: str) -> None:
    X, kernel = DATA[name], RBF(0.3)
    K = exact_matrix(exact_kernel(kernel), X[20:], X[:20])
    for held in (X, csr_array(X)):
        for coefficients in COEFFICIENTS:
            sums = SingleSums(kernel.product_form(held[:20]), held[:20], coefficients)
            values, error = sums(held[20:], np.empty(ROWS * 512, np.float32))
            true = exact_function(K, coefficients)
            assert all(abs(mp.mpf(float(v)) - t) <= e for v, t, e in zip(values, true, error, strict=True))


def test_the_bound_is_small_where_data_are_tame() -> None:
    X = DATA["normal"]
    sums = SingleSums(RBF(0.1).product_form(X), X, np.ones(30))
    _, error = sums(X, np.empty(ROWS * 512, np.float32))
    assert sums.usable
    assert error.max() < 2e-5 * 30


def test_what_float32_cannot_tell_is_not_usable() -> None:
    X = 1e4 * DATA["normal"]
    assert not SingleSums(RBF(0.3).product_form(X), X, np.ones(30)).usable


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 1.0])
def test_float64_makes_what_float32_does_not_suffice_for(
    monkeypatch: pytest.MonkeyPatch, share: float, sparse: bool
) -> None:
    monkeypatch.setattr(sums, "_WORTH", 0)
    monkeypatch.setattr(sums, "COLUMNS", 100)
    rng = np.random.default_rng(1)
    X: Any = rng.normal(size=(900, 5))
    kernel, coefficients, enough = RBF(0.3), rng.normal(size=80), rng.random(900) < share
    matrix = kernel.matrix(X, X[:80])
    X = csr_array(X) if sparse else X
    values, error, wanted = np.zeros(900), np.zeros(900), np.arange(80, 900)
    asked = []

    def suffices(samples: Any, some: np.ndarray, errors: np.ndarray) -> Any:
        asked.append(samples)
        assert (np.abs(some - matrix[samples] @ coefficients) <= errors).all()
        return enough[samples]

    add_sums_where(Taken(kernel.product_form(X[:80]), X[:80], X), coefficients, wanted, suffices, values, error)
    assert asked
    assert (error[~enough] == 0).all()
    assert share < 0.5 or (error[80:] > 0).tolist() == enough[80:].tolist()
    assert (np.abs(values - matrix @ coefficients)[80:] <= error[80:] + 1e-12).all()
    assert not values[:80].any()


def test_kernels_without_an_exponential_are_summed_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "_WORTH", 0)
    X, kernel = DATA["normal"], Polynomial(3, 0.5, 1.0)
    values, error = np.zeros(30), np.zeros(30)
    taken = Taken(kernel.product_form(X), X, X)
    add_sums_where(taken, np.ones(30), np.arange(30), lambda *_: np.ones(30, bool), values, error)
    assert values == pytest.approx(kernel.matrix(X, X).sum(axis=1), rel=1e-12)
    assert not error.any()


@pytest.mark.parametrize("kernel", [RBF(0.4), RBF((0.3, 0.0, 1.1)), Polynomial(2, 0.5, 1.0)], ids=str)
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("count", [1, 2, 255, 256, 257, 1300])
def test_sums_at_the_centers_themselves(kernel: Any, sparse: bool, count: int) -> None:
    X, c = np.random.default_rng(3).normal(size=(count, 3)), np.random.default_rng(4).normal(size=count)
    held: Any = csr_array(X) if sparse else X
    values = np.ones(count)
    add_symmetric_sums(Taken(kernel.product_form(held), held, held), c, values)
    K = kernel.matrix(X, X)
    assert (np.abs(values - 1 - K @ c) <= 1e-13 * (np.abs(K) @ np.abs(c) + 1)).all()
    again = DoubleSums(kernel.product_form(held), held, c)(held, np.empty(ROWS * 512))
    assert values - 1 == pytest.approx(again, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("compiler", [compiled, vectorised])
def test_powers_of_two_are_within_their_bound(compiler: Any) -> None:
    def powers(x: Any, out: Any) -> None:
        for k in range(x.size):
            out[k] = exp2(x[k])

    loop = compiler(powers)
    # What the nearest integer leaves takes all its values between -3/2 and -1/4 but those near 0.
    for start, stop, step in [(-1.5, -0.25, 1), (-0.25, -(2.0**-14), 11), (-126.0, -125.0, 3)]:
        first, last = (int(np.float32(end).view(np.int32)) for end in (stop, start))
        x = np.arange(first, last + 1, step, dtype=np.int64).astype(np.int32).view(np.float32)
        out = np.empty_like(x)
        loop(x, out)
        assert np.abs(out / np.exp2(x.astype(np.float64)) - 1).max() < 0.9 * EXP2_ERROR
