# SPDX-License-Identifier: BSD-3-Clause
"""The engine in blocks, as it solves large problems, held to small ones whose optimum is known."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

import qpkernels.solvers.smo.descent as descent
import qpkernels.solvers.smo.rows as rows
from builders import FAMILIES, manufacture, random_feasible, two_classes
from model_data import one_against_rest
from qpkernels import RBF, Gram, Kernel, Linear, Polynomial, Precomputed
from qpkernels.errors import ParameterError
from qpkernels.kernels import Laplacian, Spectrum
from qpkernels.problems import certify_kernel_qp
from qpkernels.solvers import Claim, find_solver
from qpkernels.solvers.smo.descent import PairDescent, minimise
from qpkernels.solvers.smo.iterate import Iterate
from qpkernels.solvers.smo.rows import Memory
from smo_problems import soft_margin
from together import together


@pytest.fixture(params=[8, 1024, None], ids=["small blocks", "large blocks", "one block"])
def in_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "SMALL", 0)
    if request.param is None:
        return
    monkeypatch.setattr(rows, "ONE_BLOCK", 0)
    begin = PairDescent._begin

    def begin_small(self: PairDescent, *point: np.ndarray) -> None:
        self._all_rows.block_size = min(self._all_rows.block_size, request.param)
        begin(self, *point)

    monkeypatch.setattr(PairDescent, "_begin", begin_small)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("seed", [0, 1])
@together("name", FAMILIES)
def test_every_member_of_the_family(name: str, seed: int) -> None:
    known = manufacture(name, seed, m=24 if name == "one class" else 48)
    final = minimise(known.program, 1e-10, 10**6)
    assert final.proves(1e-10)
    assert final.beta == pytest.approx(known.beta, abs=1e-4)
    assert final.intercept == pytest.approx(known.intercept, abs=1e-4)
    assert known.program.objective(final.beta) == pytest.approx(known.optimum, rel=1e-9)
    assert certify_kernel_qp(known.program, final.beta, final.intercept).holds(1e-9)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize(
    "kernel",
    [RBF(0.4), RBF((0.3, 0.0, 1.1)), Polynomial(3, 0.5, 1.0), Linear(), Laplacian(0.5), RBF(0.2) + Linear()],
    ids=str,
)
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_every_kind_of_rows(kernel: Kernel, sparse: bool) -> None:
    X, y = two_classes(120, shift=0.4, features=3)
    X[np.abs(X) < 0.3] = 0.0
    if sparse and not kernel.takes_sparse:
        kernel = RBF(0.3) ** 2
    program = soft_margin(Gram(kernel, csr_array(X) if sparse else X), y)
    whole = minimise(soft_margin(Gram(Precomputed(kernel(X)), np.arange(120)), y), 1e-11, 10**6)
    for tol in (1e-3, 1e-10):
        final = minimise(program, tol, 10**6)
        assert final.proves(tol)
        assert certify_kernel_qp(program, final.beta, final.intercept).holds(2 * tol)
        assert program.objective(final.beta) == pytest.approx(program.objective(whole.beta), rel=2 * tol)


@pytest.mark.usefixtures("in_blocks")
def test_sequences() -> None:
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab" if k % 2 else "abc"), 12)) for k in range(40)]
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    program = soft_margin(Gram(Spectrum(2), words), y, 0.1)
    final = minimise(program, 1e-9, 10**6)
    assert certify_kernel_qp(program, final.beta, final.intercept).holds(1e-8)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize(("C", "optimum"), [(1.0, -101.617809222902), (100.0, -2619.976614989408)])
def test_the_optimum_beyond_single_precision(C: float, optimum: float) -> None:
    X, y = one_against_rest("breast-cancer", 1)
    program = soft_margin(Gram(RBF(1 / 30), X), y.astype(float), C)
    final = minimise(program, 1e-10, 10**7)
    assert final.proves(1e-10)
    assert program.objective(final.beta) == pytest.approx(optimum, rel=1e-10)


@pytest.mark.usefixtures("in_blocks")
def test_a_start_and_a_limit() -> None:
    X, y = two_classes(300, shift=0.3, features=3)
    program = soft_margin(Gram(RBF(0.5), X), y, 5.0)
    best = minimise(program, 1e-9, 10**6)
    again = minimise(program, 1e-8, 10**6, start=best.beta)
    assert again.proves(1e-8)
    assert again.iterations <= best.iterations
    anywhere = minimise(program, 1e-9, 10**6, start=random_feasible(program, 3))
    assert program.objective(anywhere.beta) == pytest.approx(program.objective(best.beta), rel=1e-8)
    stopped = minimise(program, 1e-9, 20)
    assert stopped.iterations <= 20
    assert not stopped.proves(1e-9)
    assert program.objective(stopped.beta) < 0


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("cache", [1, 5000, 2**20])
def test_any_cache_gives_the_same_answer(cache: int) -> None:
    X, y = two_classes(200, shift=0.3, features=3)
    program = soft_margin(Gram(RBF(0.5), X), y, 5.0)
    final = minimise(program, 1e-9, 10**6, memory=Memory(cache))
    whole = minimise(program, 1e-9, 10**6)
    assert final.proves(1e-9)
    assert program.objective(final.beta) == pytest.approx(program.objective(whole.beta), rel=1e-8)


def test_two_runs_are_equal() -> None:
    X, y = two_classes(1600, shift=0.3, features=4)
    program = soft_margin(Gram(RBF(0.5), X), y, 2.0)
    one, other = minimise(program, 1e-6, 10**6), minimise(program, 1e-6, 10**6)
    assert one.proves(1e-6)
    assert not program.gram.is_formed
    assert np.array_equal(one.beta, other.beta)
    assert certify_kernel_qp(program, one.beta, one.intercept).holds(1e-5)


@pytest.mark.usefixtures("in_blocks")
@pytest.mark.parametrize("cut", [0, 1])
def test_an_interruption_returns_the_point_so_far(cut: int) -> None:
    X, y = two_classes(400, shift=0.3, features=3)
    program = soft_margin(Gram(RBF(0.5), X), y, 50.0)
    seen: list[Iterate] = []

    def interrupt(iterate: Iterate) -> None:
        seen.append(iterate)
        if len(seen) > cut:
            raise KeyboardInterrupt

    final = minimise(program, 1e-9, 10**6, report=interrupt)
    assert final.interrupted
    assert not final.proves(1e-9)
    assert np.array_equal(final.beta, seen[-1].beta)
    assert program.objective(final.beta) <= 0.0
    assert np.array_equal(program.project(final.beta), final.beta)
    assert minimise(program, 1e-9, 10**6, start=final.beta).proves(1e-9)


def test_a_time_limit_returns_a_point_with_its_certificate() -> None:
    X, y = two_classes(4000, shift=0.2, features=6)
    program = soft_margin(Gram(RBF(0.5), X), y, 100.0)
    outcome = find_solver("smo").solve(program, tol=1e-9, time_limit=1e-3)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("limit of time; relative gap")
    proof = certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0]))
    assert proof.relative_gap > 1e-9
    stopped = find_solver("smo").solve(program, tol=1e-9, max_iter=700)
    assert stopped.iterations == 700
    assert stopped.message.startswith("limit of iterations")


def test_progress_shows_the_gap_falling(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    X, y = two_classes(3000, shift=0.3, features=4)
    find_solver("smo").solve(soft_margin(Gram(RBF(0.5), X), y, 5.0), tol=1e-6, verbose=True)
    lines = caplog.messages
    gaps = [float(line.partition(",")[2].partition(",")[0].split()[-1]) for line in lines]
    assert len(gaps) > 3
    assert gaps[-1] <= 1e-6 < gaps[0]
    assert all(line.startswith("smo: ") and "relative gap" in line for line in lines)


@pytest.mark.parametrize("size", [-1, 0, float("nan"), "much"])
def test_a_cache_of_no_size_is_refused(size: Any) -> None:
    X, y = two_classes(20)
    with pytest.raises(ParameterError, match="cache_size must be"):
        find_solver("smo").solve(soft_margin(Gram(RBF(0.5), X), y), cache_size=size)


def test_memory_follows_the_cache() -> None:
    X, y = two_classes(3000, shift=0.3, features=600)
    program = soft_margin(Gram(RBF(1e-3), X), y)
    # Compiled code is loaded when it is first used, and would count.
    minimise(program, 1e-3, 10**6)
    peaks = []
    for size in (1, 20):
        tracemalloc.start()
        assert minimise(program, 1e-3, 10**6, memory=Memory(size * 2**20)).proves(1e-3)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert 15 * 2**20 < peaks[1] - peaks[0] < 20 * 2**20


@pytest.mark.parametrize("m", [2001, 2500, 4000, 7900])
def test_from_blocks_to_one_block(m: int) -> None:
    X, y = two_classes(m, shift=0.3, features=3)
    program = soft_margin(Gram(RBF(0.5), X), y)
    outcome = find_solver("smo").solve(program, tol=1e-8)
    assert outcome.claim is Claim.OPTIMAL
    assert certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0])).holds(2e-8)


def far_clusters(distance: float) -> tuple[np.ndarray, np.ndarray]:
    X, y = two_classes(2400, shift=0.3, features=3)
    X[np.arange(2400) % 4 < 2] += distance
    return X, y


@pytest.mark.parametrize(
    ("distance", "sparse"), [(1e2, False), (1e5, False), (3e6, False), (1e9, False), (1e2, True), (1e9, True)]
)
def test_what_cancels_in_an_exponent_is_not_claimed(distance: float, sparse: bool) -> None:
    X, y = far_clusters(distance)
    program = soft_margin(Gram(RBF(0.5), csr_array(X) if sparse else X), y)
    outcome = find_solver("smo").solve(program, tol=1e-6, time_limit=60.0)
    near = soft_margin(Gram(RBF(0.5), far_clusters(100.0)[0]), y)
    proof = certify_kernel_qp(near, outcome.point, float(outcome.multipliers[0]))
    assert outcome.claim is Claim.OPTIMAL
    # The clusters are too far from each other to matter; their own distances lose digits as they move away.
    assert proof.holds(max(2e-6, 1e-14 * distance))


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.01) + Linear()], ids=str)
def test_features_far_from_the_origin(kernel: Kernel) -> None:
    X, y = two_classes(2300, shift=0.3, features=4)
    program = soft_margin(Gram(kernel, X + 1e6), y)
    outcome = find_solver("smo").solve(program, tol=1e-8, max_iter=200_000)
    proof = certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0]))
    assert outcome.claim is not Claim.OPTIMAL or proof.holds(2e-8)


def test_a_matrix_that_is_only_checked_limits_the_claim() -> None:
    X, y = two_classes(900, shift=0.3, features=3)
    program = soft_margin(Gram(Precomputed(RBF(0.5)(X)), np.arange(900)), y)
    outcome = find_solver("smo").solve(program, tol=1e-12)
    assert outcome.claim is Claim.STOPPED
    assert "positive semidefinite only up to" in outcome.message


def test_an_interruption_before_the_first_iterate(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(descent, "_stages", interrupt)
    X, y = two_classes(100, shift=0.3, features=3)
    final = minimise(soft_margin(Gram(RBF(0.5), X), y), 1e-6, 1000)
    assert final.interrupted
    assert final.gap.relative == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kernel", "memory", "formed"),
    [(Laplacian(0.1), 2**32, True), (Laplacian(0.1), 2**20, False), (RBF(0.1), 2**32, False), (Linear(), 2**32, False)],
)
def test_rows_that_are_slow_to_make_are_made_once(kernel: Kernel, memory: float, formed: bool) -> None:
    X = np.random.default_rng(1).normal(size=(1200, 3))
    program = soft_margin(Gram(kernel, X, memory_limit=memory), np.sign(X[:, 0]))
    assert descent.forms_matrix(program) == formed
