# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of docs/models remark on models of classes: equalities between machines, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from conventions.checks import GAMMA, Samples, two_classes
from formulations import (
    HardMargin,
    LeastSquaresClassifier,
    LinearProgramMachine,
    Logistic,
    MarginLossClassifier,
    NuMargin,
    OneClass,
    PenalisedLogistic,
    PlattCalibration,
    SoftMargin,
    SquaredHinge,
)
from formulations.losses import Hinge, LogisticLoss, SquaredMargin
from formulations.losses import SquaredHinge as SquaredHingeLoss
from qpkernels import RBF, Precomputed

TOL = 1e-10
KERNEL = RBF(GAMMA)


@pytest.fixture(scope="module")
def data() -> Samples:
    return two_classes()


@pytest.fixture(scope="module")
def separable() -> Samples:
    return two_classes(shift=2.5, samples=20)


def balanced() -> Samples:
    all_of = two_classes()
    rows = np.concatenate([np.flatnonzero(all_of.y == sign)[:20] for sign in (-1.0, 1.0)])
    return Samples(all_of.X[rows], all_of.labels[rows])


def test_the_hard_margin_is_half_the_distance_of_the_hulls(separable: Samples) -> None:
    solution = HardMargin(separable.X, separable.labels).solve(tol=TOL)
    w, total = separable.X.T @ solution.beta, solution.alpha.sum()
    assert w @ w == pytest.approx(total, rel=1e-6)
    assert solution.margin == pytest.approx(total**-0.5, rel=1e-6)
    nearest = [
        separable.X[separable.y == sign].T @ solution.alpha[separable.y == sign] / (total / 2.0) for sign in (1.0, -1.0)
    ]
    assert np.linalg.norm(nearest[0] - nearest[1]) == pytest.approx(2.0 * solution.margin, rel=1e-6)
    f = solution.decision - solution.intercept
    halfway = -(f[separable.y > 0].min() + f[separable.y < 0].max()) / 2.0
    assert solution.intercept == pytest.approx(halfway, abs=1e-5)


def test_a_sample_without_a_multiplier_can_be_left_out(separable: Samples) -> None:
    solution = HardMargin(separable.X, separable.labels).solve(tol=TOL)
    kept = solution.support.indices
    alone = HardMargin(separable.X[kept], separable.labels[kept]).solve(tol=TOL)
    np.testing.assert_allclose(alone.function(separable.X), solution.decision, atol=1e-5)


def test_the_intercept_of_a_soft_margin_without_free_support_vectors_is_the_midpoint_of_an_interval() -> None:
    data, cost = balanced(), 1e-3
    solution = SoftMargin(data.X, data.labels, KERNEL, C=cost).solve(tol=TOL)
    # Classes of equal size and a small C: every multiplier is C, and f is the difference of two Parzen estimates.
    np.testing.assert_allclose(solution.alpha, cost, rtol=1e-6)
    f = cost * data.K @ data.y
    low, high = (-1.0 - f)[data.y < 0].max(), (1.0 - f)[data.y > 0].min()
    np.testing.assert_allclose(solution.intercept_interval, (low, high), atol=1e-8)
    assert solution.intercept == pytest.approx((low + high) / 2.0, abs=1e-8)


def test_the_intercept_of_a_soft_margin_is_read_at_free_support_vectors(data: Samples) -> None:
    solution = SoftMargin(data.X, data.labels, KERNEL).solve(tol=TOL)
    free = solution.support.free
    f = solution.decision - solution.intercept
    np.testing.assert_allclose(data.y[free] - f[free], solution.intercept, atol=1e-5)


def test_the_squared_hinge_is_the_hard_margin_of_a_larger_diagonal(data: Samples) -> None:
    cost = 0.7
    squared = SquaredHinge(data.X, data.labels, KERNEL, C=cost).solve(tol=TOL)
    K = data.K + np.eye(len(data)) / (2.0 * cost)
    hard = HardMargin(np.arange(len(data)), data.labels, Precomputed(K)).solve(tol=TOL)
    np.testing.assert_allclose(squared.beta, hard.beta, atol=1e-4)
    support = squared.support.indices
    f = squared.decision - squared.intercept
    read = data.y * (1.0 - squared.alpha / (2.0 * cost)) - f
    np.testing.assert_allclose(read[support], squared.intercept, atol=1e-4)


def test_the_nu_property_and_the_soft_margin_of_the_same_boundary(data: Samples) -> None:
    nu, m = 0.4, len(data)
    solution = NuMargin(data.X, data.labels, KERNEL, nu=nu).solve(tol=TOL)
    rho = solution.margin_level
    assert (solution.margins < rho - 1e-6).sum() <= nu * m <= solution.n_support
    soft = SoftMargin(data.X, data.labels, KERNEL, C=1.0 / (m * rho)).solve(tol=TOL)
    np.testing.assert_allclose(soft.decision, solution.decision / rho, atol=1e-4)
    assert soft.alpha.sum() / (m * soft.alpha.max()) == pytest.approx(nu, rel=1e-5)
    f, free = solution.decision - solution.intercept, solution.support.free
    above, below = (f[free][data.y[free] == sign].mean() for sign in (1.0, -1.0))
    assert rho == pytest.approx((above - below) / 2.0, rel=1e-4)
    assert solution.intercept == pytest.approx(-(above + below) / 2.0, abs=1e-6)


def test_a_linear_program_needs_no_more_coefficients_than_samples_on_the_margin(data: Samples) -> None:
    solution = LinearProgramMachine(data.X, data.labels, KERNEL, C=2.0).solve("highs")
    on_the_margin = np.abs(solution.margins - 1.0) < 1e-6
    assert 0 < (solution.alpha > 1e-9).sum() <= on_the_margin.sum()
    # Below this cost the dual is feasible at l = C of as many samples in each class, and no coefficient is needed.
    small = LinearProgramMachine(data.X, data.labels, KERNEL, C=0.5 / np.abs(data.K).sum(axis=0).max()).solve("highs")
    assert not small.beta.any()


def test_every_sample_tells_the_intercept_of_logistic_regression(data: Samples) -> None:
    cost = 1.5
    solution = Logistic(data.X, data.labels, KERNEL, C=cost).solve(tol=TOL)
    f = solution.decision - solution.intercept
    read = data.y * np.log((cost - solution.alpha) / solution.alpha) - f
    np.testing.assert_allclose(read, solution.intercept, atol=1e-4)
    assert (solution.alpha > 0).all()
    scaled = PenalisedLogistic(data.X, data.labels, KERNEL, regularisation=0.5 / cost).solve(tol=TOL)
    without = Logistic(data.X, data.labels, KERNEL, C=cost, fit_intercept=False).solve(tol=TOL)
    np.testing.assert_allclose(scaled.decision, without.decision, atol=1e-5)


def test_logistic_regression_of_separable_classes_turns_to_the_hard_margin(separable: Samples) -> None:
    hard = separable.X.T @ HardMargin(separable.X, separable.labels).solve(tol=TOL).beta
    cosines = []
    for cost in (1.0, 1e3, 1e6):
        w = separable.X.T @ Logistic(separable.X, separable.labels, C=cost).solve().beta
        cosines.append(float(w @ hard / np.linalg.norm(w) / np.linalg.norm(hard)))
    assert cosines[0] < cosines[1] < cosines[2]
    assert cosines[2] > 0.998


@pytest.mark.parametrize(
    ("loss", "model"),
    [
        (Hinge(), SoftMargin),
        (SquaredHingeLoss(), SquaredHinge),
        (SquaredMargin(), LeastSquaresClassifier),
        (LogisticLoss(), Logistic),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_four_margin_losses_have_a_model_of_their_own(data: Samples, loss: object, model: type) -> None:
    general = MarginLossClassifier(data.X, data.labels, KERNEL, loss=loss).solve(tol=TOL)
    own = model(data.X, data.labels, KERNEL).solve(tol=TOL)
    np.testing.assert_allclose(general.decision, own.decision, atol=1e-4)


def test_least_squares_of_margins_in_closed_form(data: Samples) -> None:
    cost, m = 0.8, len(data)
    solution = LeastSquaresClassifier(data.X, data.labels, KERNEL, C=cost).solve()
    H = data.K + np.eye(m) / cost
    columns = np.linalg.solve(H, np.column_stack([data.y, np.ones(m)]))
    b = columns[:, 0].sum() / columns[:, 1].sum()
    np.testing.assert_allclose(solution.beta, columns[:, 0] - b * columns[:, 1], atol=1e-10)
    assert solution.intercept == pytest.approx(b, abs=1e-10)
    f = solution.decision - solution.intercept
    assert (data.y - f).mean() == pytest.approx(b, abs=1e-10)
    system = np.block([[np.zeros((1, 1)), np.ones((1, m))], [np.ones((m, 1)), H]])
    held_out = data.y - solution.beta / np.diag(np.linalg.inv(system))[1:]
    for i in (0, 17):
        others = np.arange(m) != i
        without = LeastSquaresClassifier(data.X[others], data.labels[others], KERNEL, C=cost).solve()
        assert without.function(data.X[i : i + 1])[0] == pytest.approx(held_out[i], abs=1e-8)


def test_least_squares_of_large_cost_has_the_direction_of_fisher(data: Samples) -> None:
    w = data.X.T @ LeastSquaresClassifier(data.X, data.labels, C=1e9).solve().beta
    fisher = LinearDiscriminantAnalysis().fit(data.X, data.labels).coef_[0]
    assert w @ fisher / np.linalg.norm(w) / np.linalg.norm(fisher) == pytest.approx(1.0, abs=1e-9)


def test_one_class_between_the_nearest_point_of_the_hull_and_the_mean(data: Samples) -> None:
    m = len(data)
    solution = OneClass(data.X, KERNEL, nu=0.3).solve(tol=TOL)
    assert (solution.decision < -1e-7).sum() <= 0.3 * m <= solution.n_support
    hull = OneClass(data.X, KERNEL, nu=1.0 / m).solve(tol=TOL)
    assert hull.rho == pytest.approx(float(hull.beta @ data.K @ hull.beta), rel=1e-6)
    assert hull.decision.min() > -1e-6
    mean = OneClass(data.X, KERNEL, nu=1.0).solve(tol=TOL)
    np.testing.assert_allclose(mean.beta, 1.0 / m, atol=1e-9)


def test_probabilities_add_up_to_the_targets() -> None:
    data = two_classes(shift=0.6)
    scores = data.X @ np.ones(3)
    problem = PlattCalibration(scores, data.labels, targets="platt")
    calibration = problem.solve(tol=1e-9)
    p = calibration.probability(scores)
    assert (problem.t - p).sum() == pytest.approx(0.0, abs=1e-5)
    assert scores @ (problem.t - p) == pytest.approx(0.0, abs=1e-5)
    problem.dual.solve(solver="CLARABEL")
    assert problem.dual.value == pytest.approx(calibration.objective, abs=1e-7)
