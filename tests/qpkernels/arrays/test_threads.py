# SPDX-License-Identifier: BSD-3-Clause
"""Work on all processors, and BLAS held to one thread meanwhile."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from qpkernels import RBF
from qpkernels.arrays.threads import blas_threads_for, in_parts, in_this_thread, threads, without_blas_threads
from qpkernels.gram.panels.sums import add_kernel_sums


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
