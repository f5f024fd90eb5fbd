# SPDX-License-Identifier: BSD-3-Clause
"""Samples and factors that stay with the workers of Dask: processes of their own, of which some are killed."""

import os
import signal
import sys
from collections.abc import Iterator
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from scipy.sparse import csr_array

from formulations import Logistic, SoftMargin, SoftTube
from qpkernels import RBF, Gram, Linear, LowRank
from qpkernels.errors import (
    GramTooLargeError,
    MissingPackageError,
    NonFiniteError,
    ParameterError,
    ShapeError,
    WorkersLostError,
)
from qpkernels.gram.features import Features
from qpkernels.gram.low_rank import workers
from qpkernels.gram.low_rank.workers import FeaturesOnWorkers
from qpkernels.problems import Status
from qpkernels.problems.rounding import expansion_error, expansion_vanishes

_RNG = np.random.default_rng(3)
M = 24_000
X = _RNG.normal(size=(M, 4))
Y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * _RNG.normal(size=M) > 0, 1, -1)
KERNEL = RBF(0.2)
FEW = 600


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    settings = {"distributed.scheduler.allowed-failures": 1, "distributed.worker.memory.terminate": False}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def on_workers(samples: Any = X, rows: int = 5_000) -> Any:
    return da.from_array(samples, chunks=(rows, 2))


@pytest.fixture(scope="module")
def grams(client: Client) -> tuple[LowRank, LowRank]:
    """The factor with workers, and the same in memory."""
    del client
    return LowRank(KERNEL, on_workers(), 40), LowRank(KERNEL, X, 40)


@pytest.fixture(scope="module")
def few(client: Client) -> tuple[LowRank, LowRank]:
    del client
    return LowRank(KERNEL, on_workers(X[:FEW], 250), 20), LowRank(KERNEL, X[:FEW], 20)


def test_the_factor_is_that_in_memory(grams: tuple[LowRank, LowRank]) -> None:
    ours, local = grams
    np.testing.assert_array_equal(ours.pivots, local.pivots)
    np.testing.assert_allclose(ours.features, local.features, atol=1e-11)
    np.testing.assert_allclose(ours.residual, local.residual, atol=1e-11)
    np.testing.assert_allclose(ours.diagonal, local.diagonal, atol=1e-11)
    np.testing.assert_allclose(ours.radii, local.radii, atol=1e-11)
    assert ours.trace_error == pytest.approx(local.trace_error, rel=1e-9)
    assert "24000 samples, rank 40" in str(ours.card())


@pytest.mark.parametrize(
    "options",
    [{"rank": 15, "method": "greedy"}, {"rank": 30, "method": "fourier"}, {"landmarks": X[:20]}, {"trace_error": 0.05}],
    ids=["greedy", "fourier", "landmarks", "trace error"],
)
def test_every_method(client: Client, options: dict[str, Any]) -> None:
    del client
    ours, local = LowRank(KERNEL, on_workers(X[:FEW], 250), **options), LowRank(KERNEL, X[:FEW], **options)
    np.testing.assert_allclose(ours.features, local.features, atol=1e-10)
    np.testing.assert_allclose(ours.residual, local.residual, atol=1e-10)


def test_sparse_blocks_and_empty_ones(client: Client) -> None:
    del client
    sparse = on_workers(X[:FEW], 250).rechunk({1: -1}).map_blocks(csr_array)
    np.testing.assert_allclose(
        LowRank(KERNEL, sparse, 20).features, LowRank(KERNEL, csr_array(X[:FEW]), 20).features, atol=1e-10
    )
    gaps = da.concatenate([da.zeros((0, 4)), on_workers(X[:FEW], 250)])
    np.testing.assert_allclose(LowRank(KERNEL, gaps, 20).features, LowRank(KERNEL, X[:FEW], 20).features, atol=1e-10)


def test_the_serial_answer(grams: tuple[LowRank, LowRank]) -> None:
    """So many that it begins with some of them."""
    ours, local = (SoftMargin(gram, Y, C=1.0).solve(tol=1e-7) for gram in grams)
    assert ours.status is local.status is Status.OPTIMAL
    assert ours.solver == "semismooth-newton"
    assert ours.certificate.primal_value == pytest.approx(local.certificate.primal_value, rel=1e-9)
    assert ours.certificate.dual_value == pytest.approx(local.certificate.dual_value, rel=1e-9)
    np.testing.assert_allclose(ours.decision, local.decision, atol=1e-7)


def test_other_models_and_targets_with_workers(few: tuple[LowRank, LowRank]) -> None:
    assert SoftTube(few[0], da.from_array(X[:FEW, 0]), C=1.0, epsilon=0.1).solve(tol=1e-3).status is Status.OPTIMAL
    ours, local = (SoftMargin(gram, da.from_array(Y[:FEW]), C=1.0) for gram in few)
    assert "600 samples, rank 20" in str(ours)
    # What brings the factor here may, as long as it is small.
    assert ours.dual.solve("clarabel").certificate.primal_value == pytest.approx(
        local.dual.solve("clarabel").certificate.primal_value, rel=1e-6
    )
    assert Logistic(few[0], Y[:FEW], C=1.0).solve().status is Status.OPTIMAL


def test_an_offset_of_the_samples(client: Client) -> None:
    del client
    far = X[:FEW] + 1e3
    ours = LowRank(Linear(), on_workers(far, 250), landmarks=np.eye(4))
    local = Gram(Linear(), far)
    for gram in (ours, local):
        assert SoftMargin(gram, Y[:FEW], C=0.1).solve("semismooth-newton", tol=1e-5).status is Status.OPTIMAL


def test_bounds_of_rounding_are_those_in_memory(few: tuple[LowRank, LowRank]) -> None:
    # So large and balanced that lengths say little.
    beta = np.where(np.arange(FEW) % 2, 1e9, -1e9)
    errors = [expansion_error(gram, beta, gram.product(beta), balanced=True) for gram in few]
    np.testing.assert_allclose(errors[0].values, errors[1].values, rtol=1e-6)
    assert errors[0].half_norm == pytest.approx(errors[1].half_norm, rel=1e-6)
    assert not any(expansion_vanishes(gram, beta, balanced=True) for gram in few)


def test_answers_to_arrays_of_dask_are_such(few: tuple[LowRank, LowRank]) -> None:
    solution = SoftMargin(few[1], Y[:FEW], C=1.0).solve()
    new = on_workers(X[:FEW], 250)
    for answer in (solution, solution.predictor):
        predicted, values = answer.predict(new), answer.decision_function(new)
        assert isinstance(predicted, da.Array)
        assert predicted.dtype == Y.dtype
        assert predicted.chunks == ((250, 250, 100),)
        np.testing.assert_array_equal(predicted.compute(), answer.predict(X[:FEW]))
        np.testing.assert_allclose(values.compute(), answer.decision_function(X[:FEW]), atol=1e-12)
    assert solution.score(new, Y[:FEW]) == solution.score(X[:FEW], Y[:FEW])
    np.testing.assert_allclose(solution.function(new).compute(), solution.function(X[:FEW]), atol=1e-12)
    np.testing.assert_array_equal(solution.function.predict(new).compute(), solution.predict(X[:FEW]))
    chances = Logistic(X[:50], Y[:50], RBF(0.2), C=1.0).solve()
    np.testing.assert_allclose(chances.predict_proba(new).compute(), chances.predict_proba(X[:FEW]), atol=1e-12)


def test_a_worker_is_killed_and_nothing_is_lost(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    samples, y = X[:3000], Y[:3000]
    gram, here = LowRank(KERNEL, on_workers(samples, 750), 30), LowRank(KERNEL, samples, 30)
    local = SoftMargin(here, y, C=1.0).solve(tol=1e-7)
    summed, seen, killed = FeaturesOnWorkers.summed, [], []

    def killing(self: Features, *arguments: Any) -> Any:
        seen.append(1)
        if len(seen) == 4:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)
        return summed(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(FeaturesOnWorkers, "summed", killing)
    solution = SoftMargin(gram, y, C=1.0).solve(tol=1e-7)
    assert killed
    assert len(seen) > 4
    assert killed[0] not in client.run(os.getpid).values()
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.primal_value == pytest.approx(local.certificate.primal_value, rel=1e-9)
    np.testing.assert_allclose(gram.features, here.features, atol=1e-11)


class TestBadInput:
    def test_blocks_that_say_nothing_of_their_samples(self, client: Client) -> None:
        del client
        some = on_workers(X[:FEW], 250)
        with pytest.raises(ShapeError, match=r"call X\.compute_chunk_sizes\(\)"):
            LowRank(KERNEL, some[some[:, 0] > 0], 10)
        with pytest.raises(ShapeError, match=r"two dimensions, samples and features, but its shape is \(600,\)"):
            LowRank(KERNEL, some[:, 0], 10)
        with pytest.raises(ShapeError, match="its blocks are empty"):
            LowRank(KERNEL, da.zeros((0, 4)), 10)

    def test_a_block_that_ends_early(self, client: Client) -> None:
        del client
        late = da.from_delayed(dask.delayed(X[:90]), (100, 4), X.dtype)
        with pytest.raises(ShapeError, match="samples 100 to 199 of X, a block of Dask, must be 100, but 90 came"):
            LowRank(KERNEL, da.concatenate([da.from_array(X[:100]), late]), 10)

    def test_a_block_with_a_hole(self, client: Client) -> None:
        del client
        holed = X[:FEW].copy()
        holed[300, 1] = np.nan
        with pytest.raises(NonFiniteError, match="in samples 250 to 499 of X, a block of Dask: X"):
            LowRank(KERNEL, on_workers(holed, 250), 10)

    def test_what_is_too_large_to_be_brought_here(
        self, few: tuple[LowRank, LowRank], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with pytest.raises(GramTooLargeError, match=r"rank 20 takes 0\.00 GiB, above the limit"):
            LowRank(KERNEL, on_workers(X[:FEW], 250), 20, memory_limit=1000)
        monkeypatch.setattr(FeaturesOnWorkers, "memory_limit", 1000.0)
        with pytest.raises(GramTooLargeError, match="600 of its rows were asked for here"):
            few[0].features  # noqa: B018
        with pytest.raises(ParameterError, match="in blocks of Dask, of which the factor alone is kept"):
            few[0].X  # noqa: B018

    def test_dask_without_its_workers(self, monkeypatch: pytest.MonkeyPatch) -> None:
        name = "qpkernels.gram.low_rank.workers"
        for module in [name, *(each for each in sys.modules if each.startswith(f"{name}."))]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(MissingPackageError, match=r"pip install \"dask\[distributed\]\""):
            LowRank(KERNEL, on_workers(X[:FEW], 250), 10)


class TestLost:
    def test_a_block_that_kills_its_workers(self, client: Client) -> None:
        del client
        deadly = da.from_delayed(dask.delayed(os._exit)(1), (100, 4), X.dtype)
        with pytest.raises(WorkersLostError, match="again and again at the same block, most likely for want of memory"):
            LowRank(KERNEL, deadly, 10)

    def test_no_worker_is_left(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workers, "_PATIENCE", 1.0)
        monkeypatch.setattr(workers, "_POLL", 0.2)
        with (
            LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            gram = LowRank(KERNEL, on_workers(X[:FEW], 250), 10)
            cluster.scale(0)
            client.sync(cluster._correct_state)
            with pytest.raises(WorkersLostError, match="no worker of Dask was left for 1 seconds"):
                SoftMargin(gram, Y[:FEW], C=1.0).solve()
            client.restart(wait_for_workers=False)
            with pytest.raises(WorkersLostError, match="no longer knows the request"):
                SoftMargin(gram, Y[:FEW], C=1.0).solve()
