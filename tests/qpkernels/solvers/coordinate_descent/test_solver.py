# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent: its optima beside those of LIBLINEAR and of other solvers, its limits and its order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.svm import LinearSVC, LinearSVR

from builders import every_family, manufacture
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Linear, Sigmoid
from qpkernels.problems import Certificate, KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim, Outcome, find_solver

M, D = 300, 400
"""More features than samples, so that they are no few dense ones."""


def samples(seed: int = 0) -> tuple[Any, Any]:
    """Sparse samples, and labels that follow a few of their features."""
    rng = np.random.default_rng(seed)
    X = csr_array(random_array((M, D), density=0.03, rng=rng))
    return X, np.where(X @ rng.normal(size=D) + 0.3 * rng.normal(size=M) > 0, 1.0, -1.0)


def program(loss: str, C: float, total: float | None = None, seed: int = 0) -> KernelQP:
    """Return the machine of a loss of LIBLINEAR, with a free intercept or none."""
    X, y = samples(seed)
    inf = np.inf
    parts: dict[str, dict[str, Any]] = {
        "hinge": {"lower": np.where(y > 0, 0.0, -C), "upper": np.where(y > 0, C, 0.0)},
        "squared_hinge": {
            "lower": np.where(y > 0, 0.0, -inf),
            "upper": np.where(y > 0, inf, 0.0),
            "ridge": 0.5 / C,
        },
        "epsilon_insensitive": {"lower": -C, "upper": C, "epsilon": 0.2},
        "squared_epsilon_insensitive": {"lower": -inf, "upper": inf, "epsilon": 0.2, "ridge": 0.5 / C},
    }
    return KernelQP(Gram(Linear(), X), y, total=total, **parts[loss])


def solve(stated: KernelQP, **options: Any) -> Outcome:
    return find_solver("coordinate-descent").solve(stated, **options)


def certificate(stated: KernelQP, outcome: Outcome) -> Certificate:
    b = float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0
    return certify_kernel_qp(stated, outcome.point, b)


LOSSES = ("hinge", "squared_hinge", "epsilon_insensitive", "squared_epsilon_insensitive")
every_loss = pytest.mark.parametrize("loss", LOSSES)


@every_loss
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("total", [None, 0.0], ids=["no intercept", "free intercept"])
def test_an_optimum_is_proved_at_the_gap_that_was_asked_for(loss: str, C: float, total: float | None) -> None:
    stated = program(loss, C, total)
    outcome = solve(stated, tol=1e-8)
    assert outcome.claim is Claim.OPTIMAL
    assert certificate(stated, outcome).holds(1e-8)
    np.testing.assert_allclose(outcome.values, stated.gram.dense @ outcome.point, atol=1e-9 * C)


@every_loss
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_no_function_of_liblinear_has_a_lower_risk(loss: str, C: float) -> None:
    X, y = samples()
    options: dict[str, Any] = {"loss": loss, "C": C, "tol": 1e-10, "max_iter": 10**6, "fit_intercept": False}
    peer = LinearSVC(**options) if "hinge" in loss else LinearSVR(epsilon=0.2, **options)
    w = np.ravel(peer.fit(X, y).coef_)
    stated = program(loss, C)
    r = np.abs(y - X @ w) - 0.2 if "insensitive" in loss else 1.0 - y * (X @ w)
    risk = 0.5 * w @ w + C * float((np.maximum(r, 0.0) ** (2 if "squared" in loss else 1)).sum())
    ours = certificate(stated, solve(stated, tol=1e-9))
    assert ours.holds(1e-9)
    assert ours.dual_value <= risk * (1 + 1e-12)
    assert risk == pytest.approx(ours.primal_value, rel=1e-6)


@every_family
def test_other_kernels_have_the_factor_of_their_matrix(name: str) -> None:
    made = manufacture(name, 3, m=30)
    outcome = solve(made.program, tol=1e-9)
    np.testing.assert_allclose(outcome.point, made.beta, atol=1e-3)
    assert certificate(made.program, outcome).holds(1e-8)


@pytest.mark.parametrize("loss", ["hinge", "squared_epsilon_insensitive"])
def test_dense_samples_give_the_optimum_of_sparse_ones(loss: str) -> None:
    stated = program(loss, 1.0, 0.0)
    dense = KernelQP(
        Gram(Linear(), stated.gram.X.toarray()),
        stated.target,
        stated.lower,
        stated.upper,
        0.0,
        stated.epsilon,
        stated.ridge,
    )
    values = [certificate(each, solve(each, tol=1e-9)).primal_value for each in (stated, dense)]
    assert values[0] == pytest.approx(values[1], rel=1e-8)


def test_an_offset_of_dense_samples_and_targets_changes_b_alone() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=200)
    near, far = (KernelQP(Gram(Linear(), X + at), y + at, -1.0, 1.0, 0.0, epsilon=0.1) for at in (0.0, 1e4))
    outcomes = [solve(each, tol=1e-8) for each in (near, far)]
    assert certificate(far, outcomes[1]).holds(1e-7)
    w = [outcome.point @ X for outcome in outcomes]
    np.testing.assert_allclose(w[0], w[1], rtol=1e-3)
    moved = outcomes[1].multipliers[0] - outcomes[0].multipliers[0]
    assert moved == pytest.approx(1e4 * (1.0 - w[1].sum()), rel=1e-3)


def test_the_order_is_settled_by_the_seed_and_the_optimum_is_not() -> None:
    stated = program("hinge", 1.0, 0.0)
    one, same, other = (solve(stated, tol=1e-7, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.point, same.point)
    assert not np.array_equal(one.point, other.point)
    values = [certificate(stated, outcome).primal_value for outcome in (one, other)]
    assert values[0] == pytest.approx(values[1], rel=1e-6)
    with pytest.raises(ParameterError, match="random_state must be an integer of at least 0"):
        solve(stated, random_state=-1)


def test_shrinking_spares_visits() -> None:
    stated = program("hinge", 1.0)
    shrunk, whole = (solve(stated, tol=1e-6, shrinking=shrinking) for shrinking in (True, False))
    assert certificate(stated, whole).holds(1e-6)
    assert shrunk.iterations is not None
    assert whole.iterations is not None
    assert shrunk.iterations < whole.iterations


@pytest.mark.parametrize("total", [None, 0.0])
def test_from_an_optimum_little_is_left_to_do(total: float | None) -> None:
    stated = program("squared_hinge", 1.0, total)
    cold = solve(stated, tol=1e-8)
    warm = solve(stated, tol=1e-6, warm_start=cold.point)
    assert cold.iterations is not None
    assert warm.iterations is not None
    assert warm.iterations < 0.2 * cold.iterations


def test_limits_are_kept_and_told() -> None:
    stated = program("hinge", 100.0, 0.0)
    few = solve(stated, tol=1e-10, max_iter=2 * M)
    assert (few.claim, few.iterations) == (Claim.STOPPED, 2 * M)
    assert few.message.startswith("limit of iterations; relative gap ")
    late = solve(stated, tol=1e-10, time_limit=1e-9)
    assert late.message.startswith("limit of time; relative gap ")
    assert certificate(stated, few).dual_residual <= 1e-14


def test_who_watches_may_end_it() -> None:
    seen: list[float] = []

    def watch(point: Any) -> bool:
        seen.append(point.gap.shortfall)
        return len(seen) == 3

    outcome = solve(program("hinge", 10.0), tol=1e-12, watch=watch)
    assert outcome.claim is Claim.STOPPED
    assert outcome.message.startswith("gave up after ")
    assert len(seen) == 3


def test_an_interruption_leaves_the_last_point_that_was_measured() -> None:
    def watch(point: Any) -> bool:
        if point.gap.shortfall < 1e-2:
            raise KeyboardInterrupt
        return False

    stated = program("hinge", 1.0, 0.0)
    outcome = solve(stated, tol=1e-12, watch=watch)
    assert outcome.claim is Claim.INTERRUPTED
    assert certificate(stated, outcome).relative_gap < 1.0


def test_progress_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    solve(program("hinge", 1.0), verbose=True)
    assert caplog.messages[0].startswith("coordinate-descent: ")


def test_classes_that_no_function_separates_have_no_hard_margin() -> None:
    X = csr_array(np.array([[1.0], [-1.0], [2.0], [-2.0]]))
    y = np.array([1.0, 1.0, -1.0, -1.0])
    stated = KernelQP(Gram(Linear(), X), y, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0), 0.0)
    assert solve(stated, max_iter=10**6).claim is not Claim.OPTIMAL


def test_a_sample_of_zeros_is_at_the_end_that_its_target_asks_for() -> None:
    X = csr_array(np.array([[0.0], [0.0], [1.0]]))
    stated = KernelQP(Gram(Linear(), X), np.array([1.0, -1.0, 1.0]), -2.0, 2.0, None, epsilon=0.1)
    np.testing.assert_allclose(solve(stated, tol=1e-9).point, [2.0, -2.0, 0.9])


def test_the_rows_of_a_matrix_are_never_made(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = program("hinge", 1.0, 0.0)

    def refuse(*_: Any) -> Any:
        raise AssertionError("a row of K was made")

    monkeypatch.setattr(Linear, "matrix", refuse)
    monkeypatch.setattr("qpkernels.gram.gram.streamed_product", refuse)
    assert certificate(stated, solve(stated)).holds(1e-6)


def test_a_matrix_that_was_corrected_counts_as_it_is() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    gram = Gram(Sigmoid(1.0, -1.0), X, indefinite="clip")
    assert gram.correction is not None
    stated = KernelQP(gram, np.sign(X[:, 0]), -1.0, 1.0, 0.0)
    assert certificate(stated, solve(stated)).holds(1e-6)
