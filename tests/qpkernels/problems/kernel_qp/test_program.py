# SPDX-License-Identifier: BSD-3-Clause
"""The KernelQP: its parts, objective, projection, slopes, and matrices."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import FAMILIES, SEEDS, manufacture, random_feasible, two_classes
from qpkernels import RBF, Gram
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.problems import KernelQP, Zero
from together import together

GRAM = Gram(RBF(1.0), np.arange(8.0).reshape(4, 2))


@together(
    "changes, error, words",
    [
        ({"target": np.ones(3)}, ShapeError, "target must have 4 entries"),
        ({"target": np.ones((4, 1))}, ShapeError, "target"),
        ({"target": [1, 2, np.nan, 4]}, NonFiniteError, r"target\[2\] is nan"),
        ({"target": np.inf}, NonFiniteError, "target"),
        ({"epsilon": np.ones(5)}, ShapeError, "epsilon must have 4"),
        ({"epsilon": -0.1}, ParameterError, "epsilon and ridge"),
        ({"ridge": [0, 0, 0, -1]}, ParameterError, "epsilon and ridge"),
        ({"ridge": np.inf}, NonFiniteError, "ridge"),
        ({"lower": np.zeros(2)}, ShapeError, "lower must have 4"),
        ({"lower": np.zeros((4, 1))}, ShapeError, "lower"),
        ({"upper": np.nan}, NonFiniteError, "upper must not hold NaN"),
        ({"lower": 0.1}, ParameterError, "enclose 0"),
        ({"upper": [1, 1, 1, -1]}, ParameterError, "enclose 0"),
        ({"total": 4.5}, ParameterError, "adds up to 4.5: the sums run from -4 to 4"),
        ({"total": -5}, ParameterError, "adds up to -5"),
        ({"total": np.nan}, ParameterError, "total must be a finite number"),
        ({"total": np.inf}, ParameterError, "total must be a finite number"),
        ({"total": np.inf, "upper": np.inf}, (ParameterError, NonFiniteError), "total|adds up"),
    ],
)
def test_kernel_qps_refuse_parts_that_do_not_fit(changes: Any, error: Any, words: str) -> None:
    parts: dict[str, Any] = {"gram": GRAM, "target": np.ones(4), "lower": -1.0, "upper": 1.0}
    with pytest.raises(error, match=words):
        KernelQP(**(parts | changes))


def test_numbers_are_repeated_for_each_sample() -> None:
    program = KernelQP(GRAM, 2.0, -1.0, np.inf, None, 0.5, 0.25)
    for name, value in {"target": 2.0, "lower": -1.0, "upper": np.inf, "epsilon": 0.5, "ridge": 0.25}.items():
        np.testing.assert_array_equal(getattr(program, name), np.full(4, value))
        with pytest.raises(ValueError, match="read-only"):
            getattr(program, name)[0] = 0.0
    assert len(program) == 4


@together("name", FAMILIES)
def test_the_objective_against_its_formula(name: str) -> None:
    made = manufacture(name)
    program = made.program
    for beta in (made.beta, random_feasible(program, 5)):
        K, R = program.gram.dense, np.diag(program.ridge)
        value = 0.5 * beta @ (K + R) @ beta - program.target @ beta + sum(program.epsilon * abs(beta))
        assert program.objective(beta) == pytest.approx(value, rel=1e-12)
        assert program.objective(beta, K @ beta) == pytest.approx(value, rel=1e-12)


def assert_feasible(program: KernelQP, beta: np.ndarray) -> None:
    assert (beta >= program.lower).all()
    assert (beta <= program.upper).all()
    if program.total is not None:
        assert beta.sum() == pytest.approx(program.total, abs=1e-13 * (np.abs(beta).sum() + 1))


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=SEEDS, spread=st.sampled_from([1e-6, 1.0, 1e6]))
def test_a_projected_point_is_feasible_and_stays_where_it_is(name: str, seed: int, spread: float) -> None:
    program = manufacture(name).program
    beta = program.project(spread * np.random.default_rng(seed).normal(size=len(program)))
    assert_feasible(program, beta)
    np.testing.assert_allclose(program.project(beta), beta, rtol=1e-13, atol=0)
    exact = random_feasible(program, seed)
    np.testing.assert_allclose(program.project(exact), exact, atol=1e-13)


@together("name", [name for name in FAMILIES if name != "one class"])
def test_projection_keeps_the_support_of_an_answer(name: str) -> None:
    made = manufacture(name)
    answer = made.program.project(made.beta + 1e-7 * np.sign(made.beta))
    np.testing.assert_allclose(answer, made.beta, atol=3e-6)
    at_end = (made.beta == made.program.lower) | (made.beta == made.program.upper)
    np.testing.assert_array_equal(answer[at_end], made.beta[at_end])


@pytest.mark.parametrize("total", [1.0, 0.25, 0.0])
def test_projection_moves_entries_at_an_end_where_it_must(total: float) -> None:
    program = KernelQP(GRAM, 0.0, 0.0, 0.25, total)
    np.testing.assert_allclose(program.project(np.zeros(4)), np.full(4, total / 4), rtol=1e-14)
    np.testing.assert_allclose(program.project(np.full(4, 9.0)), np.full(4, total / 4), rtol=1e-14)


@pytest.mark.parametrize("C", [0.1, 1 / 3, 1e-7, 1e7])
def test_projection_ends_where_only_one_point_is_feasible(C: float) -> None:
    program = KernelQP(GRAM, 0.0, 0.0, C, float(np.full(4, C).sum()))
    np.testing.assert_allclose(program.project(np.zeros(4)), np.full(4, C), rtol=1e-13)


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=SEEDS)
def test_slopes_attain_the_loss(name: str, seed: int) -> None:
    """L(v) is the maximum of (target - v) s - epsilon |s| - ridge/2 s^2, attained in the slope; soft losses only."""
    program = manufacture(name).program
    v = program.target + np.random.default_rng(seed).normal(size=len(program))
    slopes = program.slopes(v)
    hard = (program.ridge == 0) & (np.isinf(program.lower) | np.isinf(program.upper))

    def gain(s: np.ndarray) -> np.ndarray:
        return (program.target - v) * s - program.epsilon * np.abs(s) - 0.5 * program.ridge * s**2

    assert (slopes >= program.lower).all()
    assert (slopes <= program.upper).all()
    for k in range(7):
        other = random_feasible(program, seed % 1000 + k)
        assert (gain(slopes) >= gain(other) - 1e-12)[~hard].all()


@together("name", FAMILIES)
def test_slopes_at_the_optimum_are_its_coefficients(name: str) -> None:
    """Except where the loss has a kink, at a free coefficient without a ridge; there it is the slope nearest to 0."""
    made = manufacture(name)
    program, beta = made.program, made.beta
    slopes = program.slopes(program.gram.dense @ beta + made.intercept)
    at_end = (beta == 0) | (beta == program.lower) | (beta == program.upper)
    fixed = at_end | (program.ridge > 0)
    np.testing.assert_allclose(slopes[fixed], beta[fixed], atol=1e-9)
    assert np.isfinite(slopes).all()


def test_there_is_no_slope_beyond_a_wall() -> None:
    program = KernelQP(GRAM, [1.0, 1.0, -1.0, -1.0], [0, 0, -np.inf, -np.inf], [np.inf, np.inf, 0, 0])
    np.testing.assert_array_equal(program.slopes(np.array([0.0, 2.0, 0.0, -2.0])), np.zeros(4))


def stacked(program: KernelQP, beta: np.ndarray) -> np.ndarray:
    if not program.epsilon.any():
        return beta
    return np.concatenate([np.maximum(beta, 0), np.maximum(-beta, 0)])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", [0, 1])
def test_matrices_state_the_same_problem(name: str, seed: int) -> None:
    program = manufacture(name, seed).program
    matrices = program.to_cone_program()
    assert matrices.name == program.name
    assert matrices.is_quadratic
    assert [block.name for block in matrices.variables] == (["beta+", "beta-"] if program.epsilon.any() else ["beta"])
    assert ("balance" in [block.name for block in matrices.rows]) == (program.total is not None)
    for trial in range(5):
        beta = random_feasible(program, trial)
        x = stacked(program, beta)
        assert matrices.objective(x) == pytest.approx(program.objective(beta), rel=1e-12)
        s = matrices.b - matrices.A @ x
        assert max(cone.violation(s[rows]) for cone, rows in matrices.parts()) <= 1e-13


@together("name", FAMILIES)
def test_matrices_forbid_what_the_problem_forbids(name: str) -> None:
    program = manufacture(name).program
    matrices = program.to_cone_program()
    feasible = random_feasible(program, 3)
    for k in range(len(program)):
        for end, step in ((program.upper[k], 0.5), (program.lower[k], -0.5)):
            beta = feasible.copy()
            if np.isfinite(end):
                beta[k] = end + step
            elif program.total is not None:
                beta[k] += step
            else:
                continue
            s = matrices.b - matrices.A @ stacked(program, beta)
            assert max(cone.violation(s[rows]) for cone, rows in matrices.parts()) >= 0.4


@pytest.mark.parametrize("name", FAMILIES)
def test_matrices_have_the_same_optimum(name: str) -> None:
    made = manufacture(name)
    matrices = made.program.to_cone_program()
    x = cp.Variable(matrices.q.size)
    s = matrices.b - matrices.A @ x
    constraints = [
        s[rows] == 0 if isinstance(cone, Zero) else s[rows] >= 0 for cone, rows in matrices.parts() if cone.size
    ]
    problem = cp.Problem(cp.Minimize(0.5 * cp.quad_form(x, cp.psd_wrap(matrices.P)) + matrices.q @ x), constraints)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    assert problem.value + matrices.offset == pytest.approx(made.optimum, rel=1e-8)
    m = len(made.program)
    beta = x.value if matrices.q.size == m else x.value[:m] - x.value[m:]
    np.testing.assert_allclose(beta, made.beta, atol=2e-4)


def test_ends_of_infinite_bounds_are_no_rows() -> None:
    _, y = two_classes(4)
    program = KernelQP(GRAM, y, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0))
    matrices = program.to_cone_program()
    assert [(block.name, block.stop - block.start) for block in matrices.rows] == [
        ("balance", 1),
        ("upper", 2),
        ("lower", 2),
    ]
    free = KernelQP(GRAM, y, -np.inf, np.inf, None, ridge=1.0).to_cone_program()
    assert free.A.shape == (0, 4)


# --- as a linear system ---


@pytest.mark.parametrize("total", [None, 0.0])
def test_without_bounds_it_is_a_linear_system(total: float | None) -> None:
    target = np.array([1.0, -2.0, 0.5, 3.0])
    ridge = np.array([0.5, 1.0, 2.0, 0.1])
    program = KernelQP(GRAM, target, -np.inf, np.inf, total, ridge=ridge)
    system = program.linear_system()
    assert system.bordered == (total is not None)
    H = GRAM.dense + np.diag(ridge)
    b = 0.0 if total is None else np.linalg.solve(H, target).sum() / np.linalg.solve(H, np.ones(4)).sum()
    beta = np.linalg.solve(H, target - b)
    assert system.residual(beta, b) <= 1e-12
    # The same beta is optimal: the objective rises along every direction that keeps the sum.
    for move in np.random.default_rng(0).normal(size=(5, 4)):
        step = move - move.mean() if total is not None else move
        assert program.objective(beta + 0.1 * step) > program.objective(beta)


@pytest.mark.parametrize(
    "parts", [{"lower": -1.0}, {"upper": 1.0}, {"epsilon": 0.1}, {"total": 1.0}], ids=lambda parts: next(iter(parts))
)
def test_with_bounds_it_is_no_linear_system(parts: dict[str, Any]) -> None:
    program = KernelQP(GRAM, 1.0, **{"lower": -np.inf, "upper": np.inf, "ridge": 1.0, **parts})
    with pytest.raises(ParameterError, match="linear system only if it has no bounds"):
        program.linear_system()
