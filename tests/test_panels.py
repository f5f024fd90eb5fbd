# SPDX-License-Identifier: BSD-3-Clause
"""Sums over kernel values in panels are those of the kernel's own matrix; and the threads that make them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from threadpoolctl import threadpool_info, threadpool_limits

import qpkernels.gram.panels.sums as sums
from qpkernels import RBF, Kernel, Linear, Polynomial
from qpkernels.gram.panels.sums import add_kernel_sums
from qpkernels.gram.panels.threads import blas_threads_for, in_parts, in_this_thread, threads, without_blas_threads

KERNELS = (RBF(0.4), RBF((0.3, 0.0, 1.1, 0.2, 2.0)), Polynomial(3, 0.5, 1.0), Polynomial(1, 2.0, 0.5), Linear())


@pytest.fixture(autouse=True)
def however_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "_FEW", 0)


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


def test_parts_cover_everything_once() -> None:
    for size in (1, 63, 64, 65, 1000):
        seen = np.zeros(size, int)
        in_parts(lambda _, part, seen=seen: seen.__setitem__(part, seen[part] + 1), size, 64)
        assert (seen == 1).all()
    with in_this_thread():
        assert threads() == 1
    assert threads() >= 1


def test_an_error_in_a_part_is_told() -> None:
    def work(number: int, part: slice) -> None:
        raise ValueError(f"part {number} of {part}")

    with pytest.raises(ValueError, match="part"):
        in_parts(work, 1000, 10)


def test_blas_gets_its_threads_back() -> None:
    def counts() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    before = counts()
    X = np.random.default_rng(0).normal(size=(300, 5))

    def work(_: int) -> None:
        with without_blas_threads():
            add_kernel_sums(RBF(1.0), X, np.ones(300), X, np.zeros(300))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(40)))
    assert counts() == before
    with without_blas_threads():
        assert set(counts()) == {1}
    assert counts() == before


@pytest.mark.parametrize(("order", "alone"), [(1, True), (1000, True), (1001, False)])
def test_small_matrices_are_left_to_one_thread(order: int, alone: bool) -> None:
    def counts() -> list[int]:
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = counts()
        with blas_threads_for(order):
            assert counts() == ([1] * len(before) if alone else before)
        assert counts() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    X = np.random.default_rng(0).normal(size=(3000, 5))

    def total() -> float:
        values = np.zeros(3000)
        add_kernel_sums(RBF(1.0), X, np.ones(3000), X, values)
        return float(values.sum())

    expected = total()
    process = get_context("fork").Process(target=lambda: os._exit(0 if total() == expected else 1))
    process.start()
    process.join(60)
    hung = process.is_alive()
    process.kill()
    assert not hung
    assert process.exitcode == 0
