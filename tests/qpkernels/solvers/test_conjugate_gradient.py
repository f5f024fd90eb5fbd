# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients beside SciPy's and scikit-learn's solutions, alone and many at a time, and where they end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy
from sklearn.kernel_ridge import KernelRidge as Theirs

from qpkernels.errors import IndefiniteKernelError, SolverFailedError, UnsupportedOptionError
from qpkernels.gram import Gram, LowRank
from qpkernels.kernels import RBF, Linear, Matern, Polynomial, Precomputed, Sigmoid
from qpkernels.kernels.kernel import Kernel
from qpkernels.problems import KernelQP, LinearSystem, certify_kernel_qp
from qpkernels.problems.linear_system import RidgedGram
from qpkernels.solvers import Claim, Outcome, find_solver
from qpkernels.solvers.conjugate_gradient import ConjugateGradient, Progress

BORDERS = pytest.mark.parametrize("bordered", [False, True], ids=["without b", "with b"])


def system(
    m: int = 300,
    ridge: Any = 0.1,
    *,
    bordered: bool = False,
    kernel: Kernel | None = None,
    memory: float = 2**32,
    seed: int = 4,
) -> LinearSystem:
    """A system whose right-hand side is a function of the samples and noise, around 5."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=m) + 5.0
    gram = Gram(RBF(0.3) if kernel is None else kernel, X, memory)
    return LinearSystem(RidgedGram(gram, np.broadcast_to(ridge, m).astype(float)), y, bordered, "ridge")


def iterated(program: LinearSystem, tol: float = 1e-10, **options: Any) -> Outcome:
    return find_solver("conjugate-gradient").solve(program, tol=tol, **options)


def exact(program: LinearSystem) -> tuple[np.ndarray, float]:
    H, n = program.matrix.dense() if program.is_expansion else program.matrix, program.rhs.size
    if not program.bordered:
        return scipy.linalg.solve(H, program.rhs, assume_a="pos"), 0.0
    both = scipy.linalg.solve(np.block([[np.zeros((1, 1)), np.ones((1, n))], [np.ones((n, 1)), H]]), [0, *program.rhs])
    return both[1:], float(both[0])


def assert_proved(program: LinearSystem, outcome: Outcome, tol: float) -> None:
    """What is claimed is proved by the certificate of the quadratic program of these equations."""
    assert outcome.claim is Claim.OPTIMAL, outcome.message
    total = 0.0 if program.bordered else None
    qp = KernelQP(program.matrix.gram, program.rhs, -np.inf, np.inf, total, ridge=program.matrix.ridge)
    b = float(outcome.multipliers[0]) if program.bordered else 0.0
    proof = certify_kernel_qp(qp, outcome.point, b)
    assert proof.holds(tol), proof
    said = float(outcome.message.split(",")[0].split()[-1])
    assert said == pytest.approx(abs(proof.primal_value - proof.dual_value) / proof.primal_value, rel=0.1, abs=1e-12)
    np.testing.assert_allclose(outcome.values, program.matrix.gram.product(outcome.point), atol=1e-9)


@BORDERS
@pytest.mark.parametrize("ridge", [100.0, 1e-4])
@pytest.mark.parametrize("rank", [None, 0, 5, 300])
def test_the_solution_is_that_of_scipy(rank: int | None, ridge: float, bordered: bool) -> None:
    program = system(ridge=ridge, bordered=bordered)
    outcome, (x, b) = iterated(program, 1e-12, rank=rank), exact(program)
    assert_proved(program, outcome, 1e-9)
    np.testing.assert_allclose(outcome.point, x, atol=1e-4 * np.abs(x).max())
    np.testing.assert_allclose(outcome.multipliers, [b] if bordered else [], rtol=1e-5)
    assert abs(outcome.point.sum()) <= (1e-12 * np.abs(outcome.point).sum() if bordered else np.inf)


def test_the_coefficients_are_those_of_scikit_learn() -> None:
    program = system(ridge=0.5)
    theirs = Theirs(alpha=0.5, kernel="rbf", gamma=0.3).fit(program.matrix.gram.X, program.rhs)
    np.testing.assert_allclose(iterated(program, 1e-14).point, theirs.dual_coef_, atol=1e-6)


@BORDERS
def test_a_ridge_for_each_sample(bordered: bool) -> None:
    program = system(ridge=np.random.default_rng(1).uniform(1e-4, 10.0, 300), bordered=bordered)
    outcome = iterated(program, 1e-12)
    assert_proved(program, outcome, 1e-11)
    np.testing.assert_allclose(outcome.point, exact(program)[0], atol=1e-4)


@pytest.mark.parametrize(
    "kernel",
    [Linear(), Polynomial(2, coef0=1.0), Matern(1.0, 1.5), RBF(0.1) * Linear()],
    ids=lambda kernel: repr(kernel),
)
@BORDERS
def test_kernels_with_features_and_without(kernel: Kernel, bordered: bool) -> None:
    program = system(kernel=kernel, bordered=bordered)
    assert_proved(program, iterated(program), 1e-9)


def test_explicit_features_leave_nothing_to_iterate() -> None:
    for gram in (Gram(Linear(), system().matrix.gram.X), LowRank(RBF(0.3), system().matrix.gram.X, rank=50)):
        program = replace(system(), matrix=RidgedGram(gram, np.full(300, 1e-3)))
        outcome = iterated(program)
        assert_proved(program, outcome, 1e-9)
        assert outcome.iterations <= 3
        assert outcome.message.endswith(f"preconditioned by rank {gram.features.shape[1]}")


def test_a_matrix_that_does_not_fit_in_memory_is_never_formed() -> None:
    program, whole = system(500, memory=1e5), system(500)
    outcome = iterated(program)
    assert not program.matrix.gram.is_formed
    assert_proved(program, outcome, 1e-9)
    np.testing.assert_allclose(outcome.point, iterated(whole).point, atol=1e-5)


def test_corrected_and_precomputed_matrices() -> None:
    X = system().matrix.gram.X
    shifted = Gram(Sigmoid(1.0, -1.0), X, indefinite="shift")
    given = Gram(Precomputed(RBF(0.3)(X, X)), np.arange(300))
    for gram in (shifted, given, system(600).matrix.gram.part(np.arange(0, 600, 2))):
        program = replace(system(), matrix=RidgedGram(gram, np.full(300, 0.1)))
        assert_proved(program, iterated(program), 1e-9)


def test_a_larger_rank_saves_iterations() -> None:
    program = system(ridge=1e-4)
    counts = [iterated(program, 1e-8, rank=rank).iterations for rank in (0, 20, 100, 300)]
    assert sorted(counts, reverse=True) == counts
    assert counts[0] > 10 * counts[-1]


def test_pivots_end_where_the_residual_is_small_beside_the_ridge() -> None:
    ranks = [int(iterated(system(ridge=ridge), 1e-6).message.split()[-1]) for ridge in (10.0, 1e-3)]
    assert ranks[0] < ranks[1]


def test_equal_seeds_give_equal_answers() -> None:
    first, again, other = (iterated(system(ridge=1e-3), 1e-6, rank=30, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first.point, again.point)
    assert not np.array_equal(first.point, other.point)


# --- several systems together ---


def test_systems_together_are_solved_as_they_are_alone() -> None:
    one = system(500, memory=1e5)
    rng = np.random.default_rng(3)
    ridges = [0.1, 0.1, 1e-3, 10.0]
    together = [
        replace(one, matrix=RidgedGram(one.matrix.gram, np.full(500, ridge)), rhs=rng.normal(size=500), bordered=k > 1)
        for k, ridge in enumerate(ridges)
    ]
    solver = ConjugateGradient(together=together)
    outcomes = [solver.solve(program, tol=1e-9) for program in together]
    for program, outcome in zip(together, outcomes, strict=True):
        assert_proved(program, outcome, 1e-8)
        alone = iterated(program, 1e-9)
        np.testing.assert_allclose(outcome.point, alone.point, atol=1e-3 * np.abs(alone.point).max())
    assert len({outcome.iterations for outcome in outcomes}) > 1


def test_each_kernel_value_is_made_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    products = Gram.products
    monkeypatch.setattr(Gram, "products", lambda gram, V: made.append(V.shape[1]) or products(gram, V))
    together = [replace(system(), rhs=rhs) for rhs in np.random.default_rng(5).normal(size=(6, 300))]
    together = [replace(each, matrix=together[0].matrix) for each in together]
    solver = ConjugateGradient(together=together)
    outcomes = [solver.solve(program, tol=1e-8) for program in together]
    assert len(made) <= max(outcome.iterations for outcome in outcomes) + 2
    assert made[0] == 6


def test_a_system_that_is_none_of_those_together_is_solved_alone() -> None:
    solver = ConjugateGradient(together=[system(), system(seed=5)])
    assert_proved(system(seed=6), solver.solve(system(seed=6), tol=1e-9), 1e-8)


# --- where it starts and ends ---


@BORDERS
def test_a_warm_start_takes_fewer_iterations(bordered: bool) -> None:
    cold = iterated(system(ridge=1e-3, bordered=bordered), 1e-9, rank=30)
    near = system(ridge=1.01e-3, bordered=bordered)
    warm = iterated(near, 1e-9, rank=30, warm_start=cold.point + 1e-6)
    assert_proved(near, warm, 1e-8)
    assert warm.iterations < iterated(near, 1e-9, rank=30).iterations
    assert iterated(system(ridge=1e-3, bordered=bordered), 1e-8, rank=30, warm_start=cold.point).iterations == 0


@pytest.mark.parametrize(("limit", "words"), [({"max_iter": 3}, "iterations"), ({"time_limit": 1e-9}, "time")])
@BORDERS
def test_a_limit_returns_the_point_so_far(limit: dict[str, Any], words: str, bordered: bool) -> None:
    outcome = iterated(system(ridge=1e-5, bordered=bordered), rank=0, **limit)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith(f"limit of {words}; relative gap ")
    assert outcome.iterations == limit.get("max_iter", 0)
    np.testing.assert_allclose(outcome.point.sum() if bordered else 0.0, 0.0, atol=1e-9)


def test_who_watches_is_told_what_is_expected_and_may_end_it() -> None:
    seen: list[Progress] = []

    def watch(point: Progress) -> bool:
        seen.append(point)
        return point.iterations == 2

    outcome = iterated(system(ridge=1e-4), rank=10, watch=watch)
    assert outcome.message.startswith("gave up after 2 iterations")
    assert [point.iterations for point in seen] == [0, 1, 2]
    assert seen[0].expected > 10
    refused = iterated(system(ridge=1e-4, bordered=True), rank=10, watch=lambda point: point.expected > 1)
    assert refused.message.startswith("gave up, since about ")
    assert (refused.claim, refused.iterations, refused.multipliers.size) == (Claim.STOPPED, 0, 1)


@pytest.mark.parametrize("ridge", [1e-1, 1e-3, 1e-5])
def test_about_as_many_iterations_are_expected_as_there_are(ridge: float) -> None:
    seen: list[Progress] = []
    outcome = iterated(system(1000, ridge, kernel=RBF(2.0)), 1e-6, rank=100, watch=lambda at: bool(seen.append(at)))
    assert 0.3 <= outcome.iterations / seen[0].expected <= 3.0


def test_an_interruption_returns_the_point_so_far() -> None:
    def interrupt(point: Progress) -> bool:
        if point.iterations == 2:
            raise KeyboardInterrupt
        return False

    outcome = iterated(system(ridge=1e-4), rank=10, watch=interrupt)
    assert outcome.claim is Claim.INTERRUPTED
    assert outcome.iterations == 2


def test_a_tolerance_beyond_rounding_is_said_so() -> None:
    outcome = iterated(system(ridge=1e-12, kernel=RBF(1e-3)), 1e-13)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("no step improves in float64; relative gap ")


def test_a_right_hand_side_of_zeros() -> None:
    for bordered in (False, True):
        outcome = iterated(replace(system(bordered=bordered), rhs=np.full(300, 3.0 * bordered)))
        assert outcome.claim is Claim.OPTIMAL
        assert outcome.iterations == 0
        assert not outcome.point.any()
        np.testing.assert_allclose(outcome.multipliers, [3.0] * bordered)


def test_without_a_ridge_every_target_is_met() -> None:
    program = system(80, 0.0, kernel=Matern(1.0, 0.5))
    outcome = iterated(program, 1e-9)
    assert_proved(program, outcome, 1e-8)
    np.testing.assert_allclose(outcome.values, program.rhs, atol=1e-8)


@BORDERS
def test_a_matrix_that_is_given_as_it_is(bordered: bool) -> None:
    A = np.random.default_rng(7).normal(size=(200, 150))
    program = LinearSystem(A.T @ A, np.arange(150.0), bordered)
    outcome, (x, b) = iterated(program, rank=20), exact(program)
    assert outcome.claim is Claim.OPTIMAL
    np.testing.assert_allclose(outcome.point, x, atol=1e-6 * np.abs(x).max())
    np.testing.assert_allclose(outcome.multipliers, [b] if bordered else [])


def test_equal_samples_need_a_ridge() -> None:
    twice = Gram(RBF(0.3), np.array([[1.0], [1.0]]))
    without = LinearSystem(RidgedGram(twice, np.zeros(2)), np.array([1.0, -1.0]))
    with pytest.raises(SolverFailedError, match="not positive definite beyond rounding: two samples are equal"):
        iterated(without, rank=0)
    ridged = replace(without, matrix=RidgedGram(twice, np.full(2, 0.1)))
    assert_proved(ridged, iterated(ridged), 1e-9)


def test_an_indefinite_matrix_is_refused() -> None:
    with pytest.raises(IndefiniteKernelError, match="not positive semidefinite"):
        iterated(LinearSystem(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([1.0, -1.0])), rank=0)


def test_refusals() -> None:
    with pytest.raises(UnsupportedOptionError, match="has no option 'colour'; it has max_iter, rank, seed, "):
        iterated(system(), colour="blue")
    indefinite = Gram(Sigmoid(1.0, -1.0), system().matrix.gram.X)
    with pytest.raises(IndefiniteKernelError, match="not positive semidefinite"):
        iterated(replace(system(), matrix=RidgedGram(indefinite, np.full(300, 1e-3))))


def test_it_says_how_it_goes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    outcome = iterated(system(), verbose=True)
    out = caplog.messages
    assert out[0].startswith("conjugate-gradient:     0 iterations, relative gap ")
    # That of the last one is told where residuals are followed, unless it is small enough.
    assert len(out) == outcome.iterations
