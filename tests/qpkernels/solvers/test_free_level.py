# SPDX-License-Identifier: BSD-3-Clause
"""The level of a nu-machine is found along with it, as the multiplier of an equation."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from formulations import NuMargin, NuTube
from qpkernels.errors import ParameterError, UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Linear
from qpkernels.problems import LevelQP, Status
from qpkernels.solvers import Claim, find_solver
from qpkernels.solvers.automatic import relay
from qpkernels.solvers.automatic.work import FirstOrder
from qpkernels.solvers.smo import descent, rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
LABELS = np.where(X[:, 0] + 0.8 * RNG.normal(size=120) > 0, 1.0, -1.0)
TARGETS = np.sin(2 * X[:, 0]) + 0.2 * RNG.normal(size=120)

MODELS: dict[str, Any] = {
    **{f"margin {nu:g}": (NuMargin, LABELS, {"nu": nu}) for nu in (0.02, 0.3, 0.7)},
    "margin, largest nu": (NuMargin, LABELS, {"nu": 2.0 * min((LABELS > 0).mean(), (LABELS < 0).mean())}),
    **{f"tube {nu:g}, C {C:g}": (NuTube, TARGETS, {"nu": nu, "C": C}) for nu in (0.05, 0.5, 1.0) for C in (0.01, 10.0)},
    "tube without intercept": (NuTube, TARGETS, {"nu": 0.4, "fit_intercept": False}),
    "tube around a large offset": (NuTube, TARGETS + 1e4, {"nu": 0.4}),
}
SOLVERS = ("interior-point", "smo")
every_model = pytest.mark.parametrize("name", MODELS)


def state(name: str, kernel: Any = None) -> Any:
    family, y, parameters = MODELS[name]
    return family(X, y, RBF(0.5) if kernel is None else kernel, **parameters)


@cache
def optimum(name: str) -> float:
    """Return the optimal value by a cone solver."""
    return float(state(name).dual.solve("clarabel", tol=1e-9).certificate.primal_value)


@every_model
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_optimum_is_that_of_a_cone_solver(name: str, tol: float, solver: str) -> None:
    model = state(name)
    solution = model.solve(solver, tol=tol)
    assert (solution.status, solution.claim) == (Status.OPTIMAL, Claim.OPTIMAL)
    assert solution.certificate.primal_value == pytest.approx(optimum(name), rel=2 * tol, abs=1e-14)
    if not name.startswith("tube 1"):
        assert np.abs(solution.beta).sum() == pytest.approx(model.bounds().budget, rel=1e-6)


@every_model
def test_features_give_the_same(name: str) -> None:
    model = state(name, Linear())
    solution = model.solve(tol=1e-6)
    assert (solution.status, solution.solver) == (Status.OPTIMAL, "interior-point")
    best = model.primal.solve("clarabel", tol=1e-9).certificate.primal_value
    assert solution.certificate.primal_value == pytest.approx(best, rel=2e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tube_of_width_0_leaves_its_budget(solver: str) -> None:
    """Targets that a weak penalty lets the function meet: all residuals are 0 before the budget is spent."""
    model = NuTube(X, X @ [1.0, 2.0, 3.0], Linear(), nu=0.9, C=1e3)
    solution = model.solve(solver, tol=1e-6)
    assert solution.status is Status.OPTIMAL
    assert np.abs(solution.beta).sum() < 0.5 * model.bounds().budget
    assert model.tube_width(model.residuals(model.candidate(solution))) == pytest.approx(0.0, abs=1e-6)


def test_targets_that_are_all_equal() -> None:
    solution = NuTube(X, np.full(len(X), 7.0), RBF(0.5), nu=0.4).solve("smo")
    assert solution.status is Status.OPTIMAL
    assert solution.intercept == pytest.approx(7.0)


def test_a_margin_of_0_is_left_to_others() -> None:
    """Every sample with both labels: the reduced hulls meet, and the optimum is 0."""
    twice, labels = np.vstack([X[:20], X[:20]]), np.repeat([1.0, -1.0], 20)
    solution = NuMargin(twice, labels, RBF(0.5), nu=0.4).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.primal_value == pytest.approx(0.0, abs=1e-12)


def test_the_budget_at_a_level() -> None:
    """1'|beta| falls as the level rises, for tubes and margins."""
    for name in ("margin 0.3", "tube 0.5, C 10"):
        program = state(name).bounds().program
        width = max(program.highest, 0.2)
        levels = np.linspace(-width, -0.01 * width, 8) if program.least else np.linspace(0.0, 0.9 * width, 8)
        spent = [
            np.abs(find_solver("smo").solve(program.at_level(float(level)), tol=1e-6).point).sum() for level in levels
        ]
        assert np.all(np.diff(spent) < 1e-3 * max(spent))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solution_is_a_start(solver: str) -> None:
    model = state("tube 0.5, C 10")
    cold = model.solve(solver, tol=1e-6)
    warm = model.solve(solver, tol=1e-6, warm_start=cold)
    assert warm.status is Status.OPTIMAL
    if solver == "interior-point":
        assert warm.iterations == 0
    assert model.solve(solver, tol=1e-6, warm_start=cold.beta).status is Status.OPTIMAL


@pytest.mark.parametrize("name", ["margin 0.3", "tube 0.5, C 10"])
def test_samples_without_a_cost_are_left_out(name: str) -> None:
    family, y, parameters = MODELS[name]
    weights = np.where(np.arange(len(X)) < 80, 1.0, 0.0)
    parameters = {**parameters, "nu": 0.3}
    whole = family(X, y, RBF(0.5), sample_weight=weights, **parameters).solve("interior-point", tol=1e-8)
    part = family(X[:80], y[:80], RBF(0.5), **parameters).solve("interior-point", tol=1e-8)
    assert whole.status is Status.OPTIMAL
    assert whole.certificate.primal_value == pytest.approx(part.certificate.primal_value, rel=1e-7)
    assert not whole.beta[80:].any()


def test_many_samples_go_to_pair_steps_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "_FEW", 0)
    monkeypatch.setattr(relay, "first_order", lambda _: FirstOrder("smo", 0.0, 1.0))
    for steps, asked in ((10**6, ["smo"]), (5, ["smo", "interior-point"])):
        # Its steps may take what the other method is expected to.
        monkeypatch.setattr(relay, "step_work", lambda program, n=steps: relay.second_order_work(program) / n)
        # With a limit it is no array.
        solution = state("margin 0.3").solve(time_limit=1e3)
        assert solution.status is Status.OPTIMAL
        assert solution.solver.split(", ") == asked


def test_bounds_of_neither_tube_nor_margin_are_refused() -> None:
    gram, ones = Gram(RBF(1.0), X[:4]), np.ones(4)
    with pytest.raises(ParameterError, match="state a margin, or a tube"):
        LevelQP(gram, ones, -ones, 2.0 * ones, 0.0, 1.0, least=False)
    with pytest.raises(ParameterError, match="state a margin, or a tube"):
        LevelQP(gram, ones, -ones, ones, 0.0, 1.0, least=True)


def test_limits_end_the_descent_with_the_best_so_far(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    model = state("margin 0.02")
    stopped = model.solve("smo", tol=1e-10, max_iter=50, verbose=True)
    assert stopped.status is Status.STOPPED
    assert stopped.iterations <= 51
    assert "smo: " in caplog.text


@every_model
@pytest.mark.parametrize("shrinking", [True, False])
def test_working_sets_lead_to_the_same(name: str, shrinking: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a part of the samples, which are made row by row, as those of many samples are."""
    monkeypatch.setattr(rows, "ONE_BLOCK", 64)
    monkeypatch.setattr(descent, "SMALL", 64)
    monkeypatch.setattr(descent, "ONE_BLOCK", 64)
    solution = state(name).solve("smo", tol=1e-6, shrinking=shrinking)
    assert solution.status is Status.OPTIMAL
    assert solution.certificate.primal_value == pytest.approx(optimum(name), rel=2e-6, abs=1e-14)


def test_a_checkpoint_of_a_free_level_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedOptionError, match="whose level is given"):
        state("margin 0.3").solve("smo", checkpoint=tmp_path / "kept.npz")


def test_the_program_of_a_level() -> None:
    gram = Gram(RBF(1.0), X[:4])
    signs, zero = np.array([1.0, -1.0, 1.0, -1.0]), np.zeros(4)
    margin = LevelQP(gram, zero, np.minimum(signs, 0), np.maximum(signs, 0), 0.0, 1.0, least=True)
    assert margin.highest == 0.0
    np.testing.assert_array_equal(margin.at_level(-2.0).target, 2.0 * signs)
    tube = LevelQP(gram, np.array([0.0, 1.0, 2.0, 5.0]), -np.ones(4), np.ones(4), 0.0, 1.0, least=False)
    assert tube.highest == 2.5
    np.testing.assert_array_equal(tube.at_level(0.5).epsilon, np.full(4, 0.5))
    assert not find_solver("smo").solve(tube.at_level(tube.highest)).point.any()
    assert len(tube) == 4
