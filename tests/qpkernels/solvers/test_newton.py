# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method on penalised risks with smooth losses, beside solvers of cone programs and software of others."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from formulations import Logistic, ResidualLossRegression
from formulations.losses import LogisticResidual
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NonFiniteError, UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Linear, Polynomial, Precomputed
from qpkernels.problems import Status
from qpkernels.solvers import Claim

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
LABELS = np.where(X[:, 0] + 0.7 * RNG.normal(size=90) > 0, 1.0, -1.0)
TARGETS = np.sin(2 * X[:, 0]) + 0.2 * RNG.standard_t(2, size=90)

MODELS: dict[str, Any] = {
    **{f"logistic, C {C:g}": lambda kernel, C=C: Logistic(X, LABELS, kernel, C=C) for C in (1e-4, 1.0, 1e5)},
    "logistic, a C for each sample": lambda kernel: Logistic(X, LABELS, kernel, C=np.linspace(0.1, 9.0, 90)),
    "logistic without intercept": lambda kernel: Logistic(X, LABELS, kernel, fit_intercept=False),
    "logistic residual": lambda kernel: ResidualLossRegression(X, TARGETS, kernel, loss=LogisticResidual(), C=5.0),
    "around an offset": lambda kernel: ResidualLossRegression(X, TARGETS + 1e5, kernel, loss=LogisticResidual()),
}
every_model = pytest.mark.parametrize("name", MODELS)


@every_model
@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=["features", "kernel"])
def test_the_optimum_is_that_of_a_cone_solver(name: str, kernel: Any) -> None:
    optimum = MODELS[name](kernel).primal.solve("clarabel", tol=1e-7).certificate
    for tol in (1e-3, 1e-10):
        solution = MODELS[name](kernel).solve("newton", tol=tol)
        assert (solution.status, solution.claim) == (Status.OPTIMAL, Claim.OPTIMAL)
        assert solution.certificate.primal_value == pytest.approx(optimum.primal_value, rel=tol + optimum.relative_gap)


@pytest.mark.parametrize("C", [0.1, 100.0])
def test_scikit_learn_finds_the_same_function(C: float) -> None:
    solution = Logistic(X, LABELS, C=C).solve(tol=1e-12)
    peer = LogisticRegression(C=C, tol=1e-12, max_iter=10_000).fit(X, LABELS)
    np.testing.assert_allclose(solution.beta @ X, peer.coef_[0], rtol=1e-4)
    assert solution.intercept == pytest.approx(peer.intercept_[0], abs=1e-4)


def test_a_matrix_and_its_features_give_the_same() -> None:
    values = [
        Logistic(*given, C=10.0).solve("newton", tol=1e-12).certificate.primal_value
        for given in ((X, LABELS), (np.arange(90)[:, None], LABELS, Precomputed(X @ X.T)))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-11)


def test_separable_classes_at_an_immense_cost() -> None:
    """Exponentially flat losses: each step moves the margins by about 1, until the penalty ends it."""
    solution = Logistic(X, np.sign(X[:, 0]), C=1e9).solve("newton", tol=1e-9)
    assert solution.status is Status.OPTIMAL
    assert solution.iterations <= 60


def test_a_solution_is_a_start() -> None:
    cold = Logistic(X, LABELS, RBF(0.5), C=100.0).solve("newton", tol=1e-9)
    warm = Logistic(X, LABELS, RBF(0.5), C=110.0).solve("newton", tol=1e-9, warm_start=cold)
    again = Logistic(X, LABELS, RBF(0.5), C=100.0).solve("newton", tol=1e-9, warm_start=cold.beta)
    assert warm.status is again.status is Status.OPTIMAL
    assert again.iterations == 0 < warm.iterations < cold.iterations


def test_limits_end_it_with_the_best_so_far(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    model = Logistic(X, LABELS, RBF(0.5), C=1e5)
    stopped = model.solve("newton", tol=1e-10, max_iter=2, verbose=True)
    assert (stopped.status, stopped.iterations) == (Status.STOPPED, 2)
    assert stopped.message.startswith("limit of iterations; relative gap ")
    assert sum(line.startswith("newton: ") for line in caplog.messages) == 2
    late = model.solve("newton", tol=1e-10, time_limit=1e-9)
    assert late.message.startswith("limit of time; ")


def test_an_interruption_returns_the_iterate(monkeypatch: pytest.MonkeyPatch) -> None:
    import qpkernels.solvers.newton as module

    real, calls = module._Iterate.advance, count()

    def interrupted(iterate: Any) -> float:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(iterate)

    monkeypatch.setattr(module._Iterate, "advance", interrupted)
    solution = Logistic(X, LABELS, RBF(0.5), C=1e5).solve("newton", tol=1e-10)
    assert (solution.claim, solution.iterations) == (Claim.INTERRUPTED, 2)


def test_what_rounding_leaves_is_said() -> None:
    """In units of 1e5 a quadratic kernel at C = 1e5 has more digits than float64."""
    solution = Logistic(1e5 * X, LABELS, Polynomial(degree=2), C=1e5).solve("newton", tol=1e-12)
    assert solution.status is not Status.OPTIMAL


def test_refusals() -> None:
    model = Logistic(X, LABELS, RBF(0.5))
    with pytest.raises(UnsupportedOptionError, match="solver 'newton' has no option 'bogus'; it has max_iter"):
        model.solve("newton", bogus=1)
    with pytest.raises(NonFiniteError, match=r"warm_start\[0\] is nan"):
        model.solve("newton", warm_start=np.full(90, np.nan))
    indefinite = Precomputed(np.diag(np.where(np.arange(90) % 2, 1.0, -1.0)))
    with pytest.raises(IndefiniteKernelError):
        Logistic(np.arange(90)[:, None], LABELS, indefinite).solve("newton")
    small = Gram(RBF(0.5), X, memory_limit=90 * 90 * 4)
    with pytest.raises(GramTooLargeError):
        Logistic(small, LABELS).solve("newton")
