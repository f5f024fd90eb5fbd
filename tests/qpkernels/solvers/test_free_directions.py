# SPDX-License-Identifier: BSD-3-Clause
"""Free directions by Newton's method: the optimum of CVXPY, whatever is free, and in as many samples as there are."""

from collections.abc import Callable
from functools import partial

import cvxpy as cp
import numpy as np
import pytest

from qpkernels import RBF, Gram, Linear, Precomputed
from qpkernels.problems import SemiparametricQP
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers import Claim, find_solver, free_directions
from qpkernels.solvers.automatic import automatic_for
from qpkernels.solvers.smo import descent, mixed, rows
from together import together

RANDOM = np.random.default_rng(0)
M = 60
X = RANDOM.normal(size=(M, 3))
Y = np.sign(X[:, 0] * X[:, 1] + 0.3 * RANDOM.normal(size=M))
T = np.sin(X[:, 0]) + X[:, 1] + 0.1 * RANDOM.normal(size=M)
ZERO, GROUPS = np.zeros(M), np.repeat(np.eye(3), M // 3, axis=0)
HINGE = {"target": Y, "lower": np.minimum(Y, 0), "upper": np.maximum(Y, 0), "epsilon": ZERO, "ridge": ZERO}
TUBE = {"target": T, "lower": np.full(M, -2.0), "upper": np.full(M, 2.0), "epsilon": np.full(M, 0.1), "ridge": ZERO}
PINBALL = {**TUBE, "lower": np.full(M, -0.9), "upper": np.full(M, 0.1), "epsilon": ZERO}
HUBER = {**TUBE, "ridge": np.full(M, 0.5)}
SQUARES = {**TUBE, "lower": np.full(M, -np.inf), "upper": np.full(M, np.inf), "ridge": np.full(M, 0.5)}
# All but one see an intercept, and the last one is held within a tube of its own.
HELD = {
    **HINGE,
    "lower": np.append(HINGE["lower"][:-1], -np.inf),
    "upper": np.append(HINGE["upper"][:-1], np.inf),
    "epsilon": np.append(ZERO[:-1], 0.01),
}
DIRECTIONS = {
    "an intercept and a slope": np.column_stack([np.ones(M), X[:, 1]]),
    "an intercept that is a combination": np.column_stack([1.0 + X[:, 0], X[:, 0], X[:, 1] ** 2]),
    "no intercept": X[:, :2],
    "a level for each group": GROUPS,
}


def proved(program: SemiparametricQP, tol: float = 1e-9, **options: object) -> float:
    found = find_solver("free-directions").solve(program, tol=tol, **options)
    certificate = SemiparametricBounds(program).certify(found.point, found.multipliers)
    assert found.claim is Claim.OPTIMAL
    assert certificate.holds(tol)
    return certificate.dual_value


def value_of_cvxpy(program: SemiparametricQP) -> float:
    factor, beta = program.gram.factor, cp.Variable(len(program))
    smooth = cp.sum_squares(factor.T @ beta) + cp.sum_squares(cp.multiply(np.sqrt(program.ridge), beta))
    value = program.target @ beta - program.epsilon @ cp.abs(beta) - 0.5 * smooth
    low, high = np.isfinite(program.lower), np.isfinite(program.upper)
    rows = [beta[low] >= program.lower[low]] if low.any() else []
    rows += [beta[high] <= program.upper[high]] if high.any() else []
    problem = cp.Problem(cp.Maximize(value), [*rows, program.directions.T @ beta == program.totals])
    problem.solve("CLARABEL", tol_gap_abs=1e-9, tol_gap_rel=1e-9, tol_feas=1e-9)
    return float(problem.value)


@together("directions", DIRECTIONS.values())
@together("losses", [HINGE, TUBE, PINBALL, HUBER, SQUARES])
def test_the_optimum_is_that_of_cvxpy(directions: np.ndarray, losses: dict[str, np.ndarray]) -> None:
    totals = -0.1 * directions.sum(axis=0) if losses is not HINGE else np.zeros(directions.shape[1])
    program = SemiparametricQP(Gram(RBF(0.2), X), directions=directions, totals=totals, **losses)
    assert proved(program) == pytest.approx(value_of_cvxpy(program), rel=1e-6)


def test_a_functional_that_sees_no_direction_may_have_no_bound() -> None:
    directions = np.append(np.ones(M - 1), 0.0)[:, None]
    program = SemiparametricQP(Gram(RBF(0.2), X), directions=directions, totals=np.zeros(1), **HELD)
    assert proved(program) == pytest.approx(value_of_cvxpy(program), rel=1e-6)


def test_losses_that_leave_the_coefficients_no_curvature_are_followed_to_their_kinks() -> None:
    # Where all samples are far outside their tubes, none of the coefficients is free.
    losses = {**TUBE, "target": 50.0 + np.arange(M)}
    program = SemiparametricQP(Gram(RBF(0.2), X), directions=X[:, :2], totals=np.zeros(2), **losses)
    assert proved(program) == pytest.approx(value_of_cvxpy(program), rel=1e-6)


def test_any_start_leads_to_the_same_optimum() -> None:
    program = SemiparametricQP(
        Gram(RBF(0.2), X), directions=DIRECTIONS["an intercept and a slope"], totals=np.zeros(2), **HINGE
    )
    assert proved(program, warm_start=RANDOM.normal(size=M)) == pytest.approx(proved(program), rel=1e-9)


def test_limits_end_it_with_the_best_point() -> None:
    program = SemiparametricQP(Gram(RBF(2.0), X), directions=GROUPS, totals=np.zeros(3), **TUBE)
    found = find_solver("free-directions").solve(program, tol=1e-13, max_iter=1)
    assert found.claim is Claim.STOPPED
    assert "limit of iterations" in found.message
    assert np.isfinite(SemiparametricBounds(program).certify(found.point, found.multipliers).relative_gap)


@pytest.mark.parametrize("size", [160, 210])
def test_many_samples_begin_with_the_coefficients_of_some_and_are_proved_in_float64(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_directions, "FEW_FIRST", 150)
    for module in (mixed, rows, descent):
        monkeypatch.setattr(module, "ONE_BLOCK", 200)
    X = np.random.default_rng(1).normal(size=(size, 3))
    y = np.sign(X[:, 0] * X[:, 1] + 0.3 * X[:, 2])
    hinge = {"target": y, "lower": np.minimum(y, 0), "upper": np.maximum(y, 0)}
    zero = np.zeros(size)
    directions = np.column_stack([np.ones(size), X[:, :2]])
    program = SemiparametricQP(
        Gram(RBF(0.2), X), directions=directions, totals=np.zeros(3), epsilon=zero, ridge=zero, **hinge
    )
    other = find_solver("interior-point").solve(program, tol=1e-8)
    best = SemiparametricBounds(program).certify(other.point, other.multipliers).dual_value
    assert proved(program, tol=1e-8) == pytest.approx(best, rel=2e-8)


def test_steps_without_machine_code_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    program = SemiparametricQP(Gram(RBF(0.2), X), directions=GROUPS, totals=np.zeros(3), **TUBE)
    value = proved(program)
    monkeypatch.setattr("qpkernels.solvers.few_parameters.at_hand", lambda *_: False)
    assert proved(program) == pytest.approx(value, rel=1e-9)


def without_the_first(x: np.ndarray) -> Gram:
    """A kernel matrix in which the first of the samples has no value."""
    K = RBF(2.0).matrix(x, x)
    K[0], K[:, 0] = 0.0, 0.0
    return Gram(Precomputed(K), np.arange(len(x)))


@together(
    "size, gram, reach, first, solver",
    [
        (900, partial(Gram, RBF(2.0)), 5.0, np.inf, "free-directions"),
        (100, partial(Gram, RBF(2.0)), 5.0, 5.0, "interior-point"),
        (900, partial(Gram, RBF(2.0)), np.inf, np.inf, "interior-point"),
        (900, partial(Gram, Linear()), 5.0, 5.0, "interior-point"),
        (900, without_the_first, 5.0, np.inf, "interior-point"),
    ],
)
def test_size_bounds_features_and_curvature_decide_who_is_asked(
    size: int, gram: Callable[..., Gram], reach: float, first: float, solver: str
) -> None:
    x = np.linspace(0.0, 4.0, size)
    bound = np.append(first, np.full(size - 1, reach))
    program = SemiparametricQP(
        gram(x[:, None]),
        np.sin(3 * x),
        -bound,
        bound,
        np.vander(x, 3)[:, ::2],
        np.zeros(2),
        np.full(size, 0.1),
        np.zeros(size),
    )
    assert automatic_for(program).solve(program).solver == solver
