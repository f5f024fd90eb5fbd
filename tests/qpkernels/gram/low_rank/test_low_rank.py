# SPDX-License-Identifier: BSD-3-Clause
"""Kernel matrices of low rank: how near they are, from where the samples come, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pytest
from scipy.sparse import csr_array

from formulations import SoftMargin, SoftTube
from qpkernels import RBF, Gram, Linear, LowRank, Sigmoid
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, ParameterError, ShapeError
from qpkernels.kernels import Matern
from qpkernels.problems import Status

_RNG = np.random.default_rng(5)
X = _RNG.normal(size=(400, 3))
Y = np.where(X[:, 0] + np.sin(2 * X[:, 1]) > 0, 1, -1)
KERNEL = RBF(0.3)


def blocks(size: int = 90) -> Iterator[np.ndarray]:
    for start in range(0, len(X), size):
        yield X[start : start + size]


@pytest.mark.parametrize("method", ["random", "greedy"])
@pytest.mark.parametrize("rank", [1, 7, 60])
def test_pivots_meet_their_rows_and_leave_a_residual(method: Any, rank: int) -> None:
    gram, K = LowRank(KERNEL, X, rank, method=method, seed=3), KERNEL(X)
    rest = K - gram.features @ gram.features.T
    assert gram.rank == rank == len(set(gram.pivots.tolist()))
    np.testing.assert_allclose(rest[gram.pivots], 0.0, atol=1e-10)
    np.testing.assert_allclose(np.diag(rest), gram.residual, atol=1e-10)
    assert np.linalg.eigvalsh(rest).min() > -1e-10
    assert gram.trace_error == pytest.approx(np.trace(rest) / np.trace(K), abs=1e-10)
    np.testing.assert_allclose(gram.kernel.features(X), gram.features, atol=1e-7)


def test_greedy_pivots_are_the_largest_one_by_one() -> None:
    # Without ties.
    kernel = KERNEL + 0.1 * Linear()
    gram, rest = LowRank(kernel, X, 25, method="greedy"), kernel(X)
    for _ in range(25):
        i = int(np.argmax(rest.diagonal()))
        rest = rest - np.outer(rest[:, i], rest[i]) / rest[i, i]
    np.testing.assert_allclose(gram.residual.max(), rest.diagonal().max(), atol=1e-8)


def test_of_equal_residuals_the_first_sample_is_the_pivot() -> None:
    # Beyond its range the kernel matrix is the identity: every residual is 1 until its sample is a pivot.
    far = 1e3 * np.arange(40.0)[:, None]
    assert LowRank(RBF(1.0), far, 7, method="greedy").pivots.tolist() == [0, 1, 2, 3, 4, 5, 6]


def test_random_pivots_are_near_the_best_approximation() -> None:
    eigenvalues = np.linalg.eigvalsh(KERNEL(X))[::-1]
    best = eigenvalues[30:].sum() / eigenvalues.sum()
    errors = [LowRank(KERNEL, X, 30, seed=seed).trace_error for seed in range(10)]
    assert best < np.mean(errors) < 4 * best
    assert len(set(errors)) == 10
    assert LowRank(KERNEL, X, 30, seed=4).trace_error == errors[4]


def test_a_trace_error_is_met_and_an_exhausted_kernel_ends() -> None:
    gram = LowRank(KERNEL, X, trace_error=1e-3)
    assert gram.trace_error <= 1e-3
    assert gram.rank < 200
    few = LowRank(KERNEL, np.repeat(X[:5], 20, axis=0), 50)
    assert few.rank == 5
    assert few.trace_error < 1e-12


@pytest.mark.parametrize("kernel", [KERNEL, Matern(1.0, 2.5)], ids=repr)
def test_the_source_of_the_samples_does_not_matter(kernel: Any, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    expected = LowRank(kernel, X, 40).features
    for source in (np.load(tmp_path / "x.npy", mmap_mode="r"), csr_array(X), blocks):
        np.testing.assert_allclose(LowRank(kernel, source, 40).features, expected, atol=1e-6)


def test_landmarks_of_ones_own_and_those_that_add_nothing() -> None:
    gram = LowRank(KERNEL, X, landmarks=np.vstack([X[:20], X[:20]]))
    assert gram.rank == 20
    np.testing.assert_allclose(gram.dense, KERNEL(X, X[:20]) @ np.linalg.solve(KERNEL(X[:20]), KERNEL(X[:20], X)))
    assert gram.residual[20:].min() > 0


def test_fourier_features() -> None:
    gram = LowRank(KERNEL, X, 300, method="fourier")
    assert gram.rank == 300
    assert np.isnan(gram.trace_error)
    assert np.abs(gram.dense - KERNEL(X)).max() < 0.5


def test_models_take_it_and_their_function_is_one_over_the_landmarks() -> None:
    gram = LowRank(KERNEL, X, 50)
    solution = SoftMargin(gram, Y, C=2.0).solve(tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.function.centers.shape == (50, 3)
    np.testing.assert_allclose(
        solution.function(X), gram.features @ (gram.features.T @ solution.beta) + solution.intercept
    )
    # The landmarks' own kernel gives the same function, and its norm.
    exact = KERNEL(X, solution.function.centers) @ solution.function.coefficients + solution.intercept
    np.testing.assert_allclose(solution.function(X), exact, atol=1e-7)


def test_a_factor_of_full_rank_is_the_exact_machine() -> None:
    exact = SoftTube(X, Y + 0.1 * X[:, 2], KERNEL, C=1.0, epsilon=0.1).solve(tol=1e-9)
    whole = SoftTube(LowRank(KERNEL, X, 400), Y + 0.1 * X[:, 2], C=1.0, epsilon=0.1).solve(tol=1e-9)
    assert whole.certificate.primal_value == pytest.approx(exact.certificate.primal_value, rel=1e-6)


def test_a_stream_keeps_no_samples_and_still_answers() -> None:
    gram = LowRank(KERNEL, blocks, 50)
    solution = SoftMargin(gram, Y, C=2.0).solve()
    assert solution.status is Status.OPTIMAL
    np.testing.assert_allclose(
        solution.function(X), SoftMargin(LowRank(KERNEL, X, 50), Y, C=2.0).solve().function(X), atol=1e-3
    )
    with pytest.raises(ParameterError, match="came as a stream"):
        gram.X  # noqa: B018


def test_what_is_settled_of_a_stream_is_settled_of_its_parts() -> None:
    # Of matrices above the limit, some entries would be looked at, for which the samples are gone.
    part = LowRank(KERNEL, blocks, 20, memory_limit=100_000).part(np.arange(300)).part(np.arange(200))
    assert part.indefiniteness(np.ones(200)) == 0.0


class TestCvxpy:
    def test_the_factor_enters_and_no_matrix(self) -> None:
        lowered = SoftMargin(LowRank(KERNEL, X, 20), Y, C=1.0).dual.lower().program
        assert lowered.P.nnz + lowered.A.nnz < 20 * 400 + 5 * 400 + 100

    def test_the_same_optimum(self) -> None:
        model = SoftMargin(LowRank(KERNEL, X, 20), Y, C=1.0)
        own, cone = model.solve(tol=1e-9), model.dual.solve("clarabel", tol=1e-8)
        assert cone.certificate.primal_value == pytest.approx(own.certificate.primal_value, rel=1e-7)


class TestBadInput:
    def test_ranks(self) -> None:
        with pytest.raises(ParameterError, match="at most the number of samples, 400, but 401 came"):
            LowRank(KERNEL, X, 401)
        with pytest.raises(ParameterError, match="needs a rank, or a trace_error, or landmarks"):
            LowRank(KERNEL, X)
        with pytest.raises(ParameterError, match="leave out rank"):
            LowRank(KERNEL, X, 3, landmarks=X[:4])
        with pytest.raises(ParameterError, match="made by rank"):
            LowRank(KERNEL, X, trace_error=0.1, method="fourier")

    def test_memory(self) -> None:
        with pytest.raises(GramTooLargeError, match=r"rank 100 takes 0\.00 GiB, above the limit"):
            LowRank(KERNEL, X, 100, memory_limit=1000)
        with pytest.raises(GramTooLargeError, match="the caller does not work on the factor"):
            LowRank(KERNEL, X, 10, memory_limit=100_000).dense  # noqa: B018

    @pytest.mark.parametrize("options", [{"rank": 30}, {"landmarks": X[:30]}], ids=["pivots", "landmarks"])
    def test_a_kernel_that_has_no_factor(self, options: dict[str, Any]) -> None:
        with pytest.raises(IndefiniteKernelError, match="has no factor of low rank"):
            LowRank(Sigmoid(1.0, -1.0), X, **options)

    def test_streams(self) -> None:
        with pytest.raises(ParameterError, match="visited more than once"):
            LowRank(KERNEL, blocks(), 10)
        once = blocks()
        with pytest.raises(ShapeError, match="brought 400 at first, and then 0"):
            LowRank(KERNEL, lambda: once, 10)
        with pytest.raises(ShapeError, match=r"samples of shape \(2,\) came after sample 90, and of shape \(3,\)"):
            LowRank(KERNEL, lambda: [X[:90], X[:90, :2]], 10)
        with pytest.raises(ShapeError, match="at least one, but it brought none"):
            LowRank(KERNEL, list, 10)
        sizes = iter([90, 100, 100, 100, 100])
        with pytest.raises(ShapeError, match="brought 90 at first, and then more"):
            LowRank(KERNEL, lambda: [X[: next(sizes)]], 10)

    def test_the_kernel_comes_first(self) -> None:
        with pytest.raises(ParameterError, match="takes a Kernel first"):
            LowRank(X, KERNEL, 3)  # type: ignore[arg-type]


def test_it_shows_itself() -> None:
    assert repr(LowRank(KERNEL, X, 10)) == "LowRank(RBF(gamma=0.3), 400 samples, rank=10)"
    assert len(Gram(KERNEL, X)) == len(LowRank(KERNEL, X, 10))


def test_samples_of_dask_need_a_client() -> None:
    with pytest.raises(ParameterError, match=r"^samples of Dask.*there is no client; start one first: from dask\."):
        LowRank(RBF(1.0), da.from_array(np.eye(20)), 5)
