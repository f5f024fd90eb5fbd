# SPDX-License-Identifier: BSD-3-Clause
"""Extended forms: every solver that comes near the optimum has it proved, and no other point passes for it."""

import cvxpy as cp
import numpy as np
import pytest

from formulations import (
    Function,
    HardMargin,
    LeastAbsoluteFit,
    LeastSquares,
    Machine,
    NormConstrainedClassifier,
    SoftMargin,
    SoftTube,
)
from qpkernels import RBF, Gram, Polynomial, Sigmoid
from qpkernels.errors import ParameterError, ShapeError, SolverFailedError
from qpkernels.kernels import Kernel, Precomputed
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


DECAY = np.linspace(0.0, 3.0, 14)[:, None] ** 1.5
NOISY = np.exp(-DECAY[:, 0]) + 0.1 * np.cos(17.0 * DECAY[:, 0])
SIGNS = np.where(NOISY > 0.3, 1.0, -1.0)
BETWEEN = np.linspace(0.0, 5.0, 23)[:, None]


def of_samples_without_a_cost(kernel: Kernel | None) -> float:
    """The optimum of a tube that is above a level at points which are samples of cost 0, and so in the span."""
    samples, targets = np.vstack([DECAY, BETWEEN]), np.append(NOISY, np.zeros(23))
    costs = np.append(np.full(14, 10.0), np.zeros(23))
    form = SoftTube(samples, targets, kernel, C=costs, epsilon=0.05).primal
    return float(form.extend(form.g[14:] >= 0.02).solve(tol=1e-8).objective)


@pytest.mark.parametrize("kernel", [RBF(8.0), Polynomial(3, coef0=1.0), None], ids=["rbf", "polynomial", "explicit"])
def test_any_points_may_be_spoken_of_and_the_function_is_the_best_of_the_whole_space(kernel: Kernel | None) -> None:
    form = SoftTube(DECAY, NOISY, kernel, C=10.0, epsilon=0.05).primal
    textbook = form.solve(tol=1e-8).objective
    solution = form.extend(form.g_at(BETWEEN[:9]) >= 0.02, form.g_at(BETWEEN[9:]) >= 0.02).solve(tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(of_samples_without_a_cost(kernel), rel=1e-7)
    assert solution.predict(BETWEEN).min() >= 0.02 - 1e-8
    assert solution.predict(DECAY) == pytest.approx(form.g.value, abs=1e-7)
    assert form.solve(tol=1e-8).objective == pytest.approx(textbook, rel=1e-7)


@pytest.mark.parametrize("name", ["primal", "geometric"])
def test_a_norm_that_is_scaled_or_bounded_has_the_further_part_too(name: str) -> None:
    hard = HardMargin(DECAY, SIGNS, RBF(8.0))
    form = getattr(hard, name)
    there = form.g_at(BETWEEN[3:5])
    solution = form.extend(there[0] == there[1]).solve(tol=1e-8)
    values = solution.function(BETWEEN[3:5])
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    assert (SIGNS * solution.function(DECAY)).min() == pytest.approx(1.0, abs=1e-6)
    f, b = Function(RBF(8.0)), cp.Variable()
    margins = cp.multiply(SIGNS, f(DECAY) + b) >= 1
    wanted = Machine(cp.Minimize(0.5 * f.squared_norm), [margins, f(BETWEEN[3:4]) == f(BETWEEN[4:5])]).solve(tol=1e-8)
    norm = np.sqrt(2 * wanted.objective)
    assert solution.objective == pytest.approx(wanted.objective if name == "primal" else 1 / norm, rel=1e-6)
    bounded = NormConstrainedClassifier(DECAY, SIGNS, RBF(8.0), R=2.0).primal
    solution = bounded.extend(bounded.g_at(BETWEEN[3:6]) >= 0.2).solve()
    assert solution.status is Status.OPTIMAL
    assert solution.function(BETWEEN[3:6]).min() == pytest.approx(0.2, abs=1e-5)


def test_points_of_another_form_or_of_other_features_are_refused_in_words() -> None:
    first, second = (SoftTube(DECAY, NOISY, RBF(gamma)).primal for gamma in (1.0, 2.0))
    with pytest.raises(ParameterError, match=r"form\.g_at\(\.\.\.\) of another form came"):
        first.extend(first.g_at(BETWEEN) <= second.g_at(BETWEEN))
    with pytest.raises(ShapeError, match=r"the features of the samples, shape \(1,\)"):
        first.g_at(np.zeros((3, 2)))
    corrected = SoftMargin(Gram(Sigmoid(1.0, -1.0), DECAY, indefinite="clip"), SIGNS).primal
    with pytest.raises(ParameterError, match="known at the samples alone where the kernel matrix is approximated, or"):
        corrected.g_at(BETWEEN)
