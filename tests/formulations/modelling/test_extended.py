# SPDX-License-Identifier: BSD-3-Clause
"""Extended forms: every solver that comes near the optimum has it proved, and no other point passes for it."""

import cvxpy as cp
import numpy as np
import pytest

from formulations import LeastAbsoluteFit, LeastSquares, SoftMargin
from qpkernels.errors import ParameterError, SolverFailedError
from qpkernels.kernels import Precomputed
from qpkernels.problems import Status

SOLVERS = ["clarabel", "scs", "osqp", "highs", "piqp", "proxqp"]


def noisy_line(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2))
    return X, X @ [1.0, 1.0] + rng.normal(size=20)


def capped_optimum(X: np.ndarray, y: np.ndarray, caps: list[float]) -> float:
    """The least sum of |Xw + b - y| with |w| <= caps, in units in which all is about 1."""
    units = 1.0 / np.abs(X).max(axis=0)
    v, b = cp.Variable(2), cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.norm1((X * units) @ v + b - y)), [cp.abs(v) <= np.array(caps) / units])
    problem.solve(solver=cp.CLARABEL, tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
    return float(problem.value)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("seed", [1, 3])
def test_bounds_in_units_far_apart_are_kept(solver: str, seed: int) -> None:
    X, y = noisy_line(seed)
    X, caps = X * [1e-3, 1e4], [600.0, 5e-5]
    form = LeastAbsoluteFit(X, y).primal
    solution = form.extend(cp.abs(form.w) <= caps).solve(solver)
    assert solution.status is Status.OPTIMAL, solution.certificate
    assert solution.objective == pytest.approx(capped_optimum(X, y, caps), rel=1e-5)
    assert (np.abs(form.w.value) <= np.array(caps) * (1 + 1e-5)).all()


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_proved_point_is_written_back(solver: str) -> None:
    X, y = noisy_line(0)
    form = SoftMargin(X, np.sign(y), C=1.0).primal
    extended = form.extend((form.w[0] == 2 * form.w[1]).set_label("ratio"))
    solution = extended.solve(solver, tol=1e-9)
    assert solution.status is Status.OPTIMAL, solution.certificate
    assert form.w.value[0] == pytest.approx(2 * form.w.value[1], rel=1e-8)
    assert extended.problem.objective.value == pytest.approx(solution.certificate.primal_value, rel=1e-12)


@pytest.mark.parametrize("solver", ["clarabel", "scs", "osqp"])
def test_a_ridge_is_never_unbounded(solver: str) -> None:
    rng = np.random.default_rng(0)
    A, y = rng.normal(size=(6, 1)), rng.normal(size=6)
    model = LeastSquares(np.arange(6.0)[:, None], y, kernel=Precomputed(A @ A.T), C=1e7)
    try:
        solution = model.dual.solve(solver)
    except SolverFailedError:
        return
    assert solution.status in {Status.OPTIMAL, Status.UNCERTIFIED}


def test_the_optimum_of_an_extended_form_is_enclosed() -> None:
    """x1 = -1, 1 with w <= 1/2: the slacks of 1/2 cost 1 in all, and w 1/8; without the cap w = 1 costs 1/2."""
    X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    form = SoftMargin(X, y, C=1.0).primal
    extended = form.extend(form.w <= 0.5)
    for tol in (1e-3, 1e-9):
        solution = extended.solve("clarabel", tol=tol)
        enclosure = extended.enclose(solution)
        assert enclosure.contains(1.125)
        certificate = solution.certificate
        assert enclosure.width <= 1.001 * abs(certificate.primal_value - certificate.dual_value) + 1e-12
    assert form.enclose(form.solve("clarabel", tol=1e-9)).contains(0.5)


def test_only_its_own_answer_encloses_an_extended_form() -> None:
    X, y = noisy_line(0)
    form = SoftMargin(X, np.sign(y), C=1.0).primal
    extended = form.extend(form.w[0] <= 0.5)
    with pytest.raises(ParameterError, match="at its own Solution, but Classification came of another form"):
        extended.enclose(form.solve("clarabel"))
    with pytest.raises(ParameterError, match="at its own Solution, but tuple came"):
        extended.enclose((np.zeros(20), 0.0))
    with pytest.raises(ParameterError, match="of another form"):
        extended.enclose(form.extend(cp.norm(form.w) <= 1.0).solve("clarabel"))


def test_a_list_of_constraints_is_refused_in_words() -> None:
    X, y = noisy_line(0)
    form = SoftMargin(X, np.sign(y), C=1.0).primal
    with pytest.raises(ParameterError, match="pass several one by one"):
        form.extend([form.w >= 0.0, form.w <= 1.0])  # type: ignore[arg-type]
