# SPDX-License-Identifier: BSD-3-Clause
"""Work on all processors, and BLAS held to one thread meanwhile."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from joblib import Parallel, delayed
from threadpoolctl import threadpool_info, threadpool_limits

from qpkernels import RBF
from qpkernels.arrays import threads as module
from qpkernels.arrays.threads import (
    blas_threads_for,
    blas_threads_worth,
    in_parts,
    in_this_thread,
    threads,
    with_all_processors,
    without_blas_threads,
)
from qpkernels.gram.panels.sums import add_kernel_sums


def test_parts_cover_everything_once() -> None:
    for size in (1, 63, 64, 65, 1000):
        seen = np.zeros(size, int)
        in_parts(lambda _, part, seen=seen: seen.__setitem__(part, seen[part] + 1), size, 64)
        assert (seen == 1).all()


@pytest.fixture
def eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process have eight processors, and BLAS as many threads."""
    monkeypatch.setattr(module, "_processors", lambda: 8)
    monkeypatch.setattr(module._blas_limit, "allowed", lambda: 8)


@pytest.mark.usefixtures("eight")
def test_work_has_the_processors_that_it_is_worth_and_that_are_asked_for() -> None:
    assert [threads(), threads(-2), threads(3), threads(20), threads(effort=1e6), threads(3, 1e6)] == [8, 7, 3, 8, 1, 1]
    with in_this_thread():
        assert [threads(), threads(3)] == [1, 1]
        with with_all_processors():
            assert threads() == 8
        assert threads() == 1


@pytest.mark.usefixtures("eight")
def test_a_worker_of_joblib_has_one_thread_unless_more_are_asked_for() -> None:
    def counts() -> tuple[int, int]:
        return threads(), threads(3)

    assert Parallel(n_jobs=2, backend="threading")(delayed(counts)() for _ in range(3)) == [(1, 3)] * 3
    assert threads() == 8


def _counts() -> tuple[int, int]:
    with with_all_processors():
        return threads(), module._processors()


def test_a_process_of_a_pool_has_one_thread_unless_it_works_alone() -> None:
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(threads).result(120) == 1
        alone, processors = pool.submit(_counts).result(120)
        assert alone == processors


def test_limits_of_blas_are_ours_too() -> None:
    with threadpool_limits(1, user_api="blas"):
        assert threads() == 1
    before = threads()
    with without_blas_threads():
        # Held by ourselves, so that our threads take the place of its own.
        assert threads() == before


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
        with blas_threads_worth(1e4 * order):
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
