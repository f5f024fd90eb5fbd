# SPDX-License-Identifier: BSD-3-Clause
"""The nearest points of reduced hulls against the quadratic program that asks for them."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from formulations.lab.settings import Setting
from formulations.lab.views import Drawn
from formulations.lab.views.hulls import HULLS, largest_value, plane_along, plane_of_features, reduced_hull
from formulations.modelling.solution import Solution
from lab_scenes import scene_of, setting_of, two_classes
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import InseparableError
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial

TWO = ("soft-margin", "nu-margin", "squared-hinge", "hard-margin")


def shown(setting: Setting, tol: float = 1e-8) -> tuple[Drawn, Solution]:
    scene = scene_of(setting, tol)
    solution = scene.answer.solution
    assert isinstance(solution, Solution)
    return HULLS.draw(scene, 0), solution


def setting_for(machine: str, kernel: str) -> Setting:
    # Further apart where hulls, or reduced ones, are not to meet.
    apart = {"hard-margin": 5.0, "nu-margin": 3.5}.get(machine, 2.0)
    return setting_of(machine, two_classes(30, apart), kernel)


def ridge_of(machine: str) -> float:
    return 0.5 if machine == "squared-hinge" else 0.0


def explicit(setting: Setting, ridge: float) -> Matrix:
    """Return rows whose inner products are those of the samples in the space of the kernel."""
    K = setting.kernel_function().matrix(setting.X, setting.X) + ridge * np.eye(len(setting.X))
    values, vectors = np.linalg.eigh(K)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def nearest(one: Matrix, other: Matrix, bound: float) -> float:
    """Return the distance of two reduced hulls, by Clarabel."""
    mu, nu = cp.Variable(len(one)), cp.Variable(len(other))
    weights = [mu >= 0, nu >= 0, mu <= bound, nu <= bound, cp.sum(mu) == 1, cp.sum(nu) == 1]
    problem: Any = cp.Problem(cp.Minimize(cp.norm(one.T @ mu - other.T @ nu)), weights)
    return float(problem.solve(solver="CLARABEL"))


def within(polygon: Matrix, point: Vector) -> bool:
    """Whether a point lies in a polygon, to a millionth of its size."""
    ahead = np.roll(polygon, -1, axis=0) - polygon
    to = point - polygon
    turns = ahead[:, 0] * to[:, 1] - ahead[:, 1] * to[:, 0]
    return bool((turns >= -1e-6 * float(np.ptp(polygon, axis=0).max()) ** 2).all())


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
@pytest.mark.parametrize("machine", TWO)
def test_the_distance_is_that_of_the_reduced_hulls(machine: str, kernel: str) -> None:
    setting = setting_for(machine, kernel)
    drawn, _ = shown(setting)
    Phi = explicit(setting, ridge_of(machine))
    expected = nearest(Phi[setting.y > 0], Phi[setting.y < 0], drawn.facts["bound"])
    # From above by two points of the hulls, from below by two lines that hold the hulls apart.
    assert drawn.facts["gap"] <= expected + 1e-6
    assert expected <= drawn.facts["distance"] + 1e-6
    assert drawn.facts["gap"] == pytest.approx(drawn.facts["distance"], rel=1e-2)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("machine", ["soft-margin", "nu-margin"])
def test_the_certificate_bounds_how_far_the_points_are_from_nearest(machine: str, kernel: str) -> None:
    drawn, solution = shown(setting_for(machine, kernel), tol=1e-4)
    proof, facts = solution.certificate, drawn.facts
    allowed = (proof.primal_value - proof.dual_value + proof.rounding) / (facts["total"] * facts["norm"])
    assert facts["distance"] - facts["gap"] <= allowed + 1e-12


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
@pytest.mark.parametrize("machine", TWO)
def test_f_is_the_difference_of_the_points(machine: str, kernel: str) -> None:
    setting = setting_for(machine, kernel)
    drawn, solution = shown(setting)
    facts, arrays = drawn.facts, drawn.arrays
    difference = arrays["point +"] - arrays["point -"]
    squared = solution.function.squared_norm + ridge_of(machine) * float(solution.beta @ solution.beta)
    assert facts["distance"] == pytest.approx(np.sqrt(squared) / facts["total"], rel=1e-5)
    assert difference @ arrays["normal"] == pytest.approx(facts["distance"], rel=1e-5)
    assert np.linalg.norm(difference) == pytest.approx(facts["distance"], rel=1e-5)
    for side in "+-":
        assert within(arrays[f"reduced {side}"], arrays[f"point {side}"])
        assert within(arrays[f"hull {side}"], arrays[f"point {side}"])


def test_the_bound_of_a_soft_margin_is_its_cost_by_the_sum_of_multipliers() -> None:
    setting = setting_of("soft-margin", two_classes(30), C=0.7)
    drawn, solution = shown(setting)
    assert drawn.facts["bound"] == pytest.approx(0.7 / solution.beta[setting.y > 0].sum(), rel=1e-6)


def test_the_bound_of_a_nu_margin_is_that_of_nu() -> None:
    drawn, _ = shown(setting_of("nu-margin", two_classes(30), nu=0.4))
    assert drawn.facts["bound"] == pytest.approx(2.0 / (0.4 * 30.0))


def test_the_hard_margin_of_two_points_is_what_is_between_them() -> None:
    drawn, _ = shown(setting_of("hard-margin", [[3.0, 4.0, 1], [0.0, 0.0, -1]], "linear"))
    assert drawn.facts["distance"] == pytest.approx(5.0)
    assert drawn.facts["bound"] == 1.0
    assert drawn.arrays["normal"] == pytest.approx([0.6, 0.8])
    assert drawn.arrays["levels"] == pytest.approx([0.0, 2.5, 5.0])


def test_the_margin_of_a_soft_margin_is_where_its_lines_are() -> None:
    setting = setting_of("soft-margin", two_classes(30, 2.0))
    drawn, solution = shown(setting)
    along = drawn.arrays["points"] @ drawn.arrays["normal"]
    low, middle, high = drawn.arrays["levels"]
    g = (along - middle) / (high - middle)
    assert g == pytest.approx(solution.decision, abs=1e-6)
    assert middle - low == pytest.approx(high - middle)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial"])
def test_one_class_is_nearest_to_the_origin(kernel: str) -> None:
    setting = setting_of("one-class", two_classes(30), kernel)
    drawn, _ = shown(setting)
    Phi = explicit(setting, 0.0)
    expected = nearest(Phi, np.zeros((len(Phi), Phi.shape[1])), drawn.facts["bound"])
    assert drawn.facts["gap"] <= expected + 1e-6
    assert expected <= drawn.facts["distance"] + 1e-6
    assert drawn.facts["gap"] == pytest.approx(expected, rel=1e-3)
    assert drawn.arrays["point +"] == pytest.approx([drawn.facts["distance"], 0.0], abs=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
def test_where_the_hard_margin_is_infeasible_the_hulls_share_a_point(kernel: str) -> None:
    setting = setting_of("hard-margin", two_classes(40), kernel)
    scene = scene_of(setting)
    assert isinstance(scene.answer.error, InseparableError)
    drawn = HULLS.draw(scene, 0)
    one, other = drawn.arrays["point +"], drawn.arrays["point -"]
    size = float(np.ptp(drawn.arrays["points"], axis=0).max())
    assert one == pytest.approx(other, abs=1e-5 * size)
    for side in "+-":
        assert within(drawn.arrays[f"hull {side}"], drawn.arrays[f"point {side}"])
    assert "normal" not in drawn.arrays


def test_in_the_plane_itself_the_common_point_is_that_of_the_proof() -> None:
    scene = scene_of(setting_of("hard-margin", two_classes(40), "linear"))
    error = scene.answer.error
    assert isinstance(error, InseparableError)
    proof: Any = error.proof
    drawn = HULLS.draw(scene, 0)
    assert np.array_equal(drawn.arrays["points"], scene.answer.setting.X)
    assert drawn.arrays["point +"] == pytest.approx(proof.positive.coefficients @ proof.positive.centers)


def test_where_f_is_zero_the_reduced_hulls_meet() -> None:
    points = [[0.0, 0.0, 1], [1.0, 1.0, 1], [0.0, 1.0, -1], [1.0, 0.0, -1]]
    drawn, _ = shown(setting_of("nu-margin", points, "linear", nu=1.0))
    assert drawn.facts["distance"] == 0.0
    assert drawn.arrays["point +"] == pytest.approx(drawn.arrays["point -"])


X = np.random.default_rng(0).normal(size=(30, 2))
BETA = np.random.default_rng(1).normal(size=30)


def coordinates(K: Matrix) -> Matrix:
    """Return rows whose inner products are K."""
    values, vectors = np.linalg.eigh(K)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def along(K: Matrix) -> Vector:
    return np.asarray(K @ BETA / np.sqrt(BETA @ K @ BETA))


@pytest.mark.parametrize("ridge", [0.0, 0.5])
@pytest.mark.parametrize("kernel", [RBF(1.0), Polynomial(2, gamma=1.0, coef0=1.0)], ids=["rbf", "polynomial"])
def test_it_projects_onto_f_and_the_leading_direction_orthogonal_to_it(kernel: Kernel, ridge: float) -> None:
    K = kernel.matrix(X, X) + ridge * np.eye(30)
    Phi = coordinates(K)
    u = Phi.T @ BETA / np.linalg.norm(Phi.T @ BETA)
    rest = Phi - np.outer(Phi @ u, u)
    _, _, directions = np.linalg.svd(rest - rest.mean(axis=0))
    w = directions[0]
    plane = plane_along(kernel, X, along(K), ridge)
    assert abs(u @ w) < 1e-10
    assert plane.along == pytest.approx(Phi @ u, abs=1e-9)
    assert np.abs(plane.points[:, 1]) == pytest.approx(np.abs(Phi @ w), abs=1e-8)


def test_of_the_linear_kernel_it_is_the_plane_of_the_samples_turned() -> None:
    plane = plane_along(Linear(), X, along(X @ X.T))
    turn, *_ = np.linalg.lstsq(X, plane.points, rcond=None)
    assert X @ turn == pytest.approx(plane.points)
    assert turn.T @ turn == pytest.approx(np.eye(2))
    assert np.linalg.det(turn) == pytest.approx(1.0)


def test_the_plane_of_two_features_is_left_as_it_is() -> None:
    w = X.T @ BETA
    plane = plane_of_features(X, w)
    assert plane.is_whole
    assert np.array_equal(plane.points, X)
    assert plane.along == pytest.approx(X @ w / np.linalg.norm(w))


def test_where_nothing_is_orthogonal_to_f_the_second_coordinate_is_zero() -> None:
    line = np.outer(np.arange(5.0), [3.0, 4.0])
    plane = plane_along(Linear(), line, line @ [0.6, 0.8])
    assert plane.points[:, 1] == pytest.approx(np.zeros(5), abs=1e-6)


def test_of_many_samples_a_part_says_which_direction_is_the_second_axis() -> None:
    many = np.random.default_rng(2).normal(size=(900, 2)) * [1.0, 3.0]
    plane = plane_along(Linear(), many, many[:, 0])
    assert np.abs(plane.points[:, 1]) == pytest.approx(np.abs(many[:, 1]), abs=1e-9)


SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def cloud(count: int, seed: int = 0) -> Matrix:
    return np.random.default_rng(seed).normal(size=(count, 2))


def area(polygon: Matrix) -> float:
    x, y = polygon.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


@pytest.mark.parametrize("seed", range(5))
def test_with_weights_up_to_one_it_is_the_hull(seed: int) -> None:
    points = cloud(40, seed)
    hull = ConvexHull(points)
    found = reduced_hull(points, 1.0)
    assert {tuple(each) for each in found} == {tuple(each) for each in points[hull.vertices]}
    # Counterclockwise, so that the area is above 0.
    assert area(found) == pytest.approx(hull.volume)


def test_with_the_least_weights_it_is_the_mean() -> None:
    points = cloud(30)
    assert reduced_hull(points, 1.0 / 30.0) == pytest.approx(points.mean(axis=0, keepdims=True))


def test_of_a_square_with_weights_up_to_a_half_it_is_the_diamond_of_the_middles() -> None:
    found = reduced_hull(SQUARE, 0.5)
    assert {tuple(each) for each in found} == {(0.5, 0.0), (1.0, 0.5), (0.5, 1.0), (0.0, 0.5)}


@pytest.mark.parametrize("bound", [1.0, 0.7, 0.5, 0.4, 1.0 / 3.0, 0.25, 0.21])
def test_it_is_the_hull_of_all_points_that_fill_up_in_some_order(bound: float) -> None:
    points = cloud(5, seed=3)
    weights = np.clip(1.0 - bound * np.arange(5), 0.0, bound)
    filled = np.array([weights @ points[list(order)] for order in permutations(range(5))])
    assert area(reduced_hull(points, bound)) == pytest.approx(ConvexHull(filled).volume, rel=1e-9)


@pytest.mark.parametrize("bound", [1.0, 0.3, 0.05])
def test_its_vertices_are_extreme_in_every_direction(bound: float) -> None:
    points = cloud(60, seed=1)
    found = reduced_hull(points, bound)
    for angle in np.linspace(0.0, 2.0 * np.pi, 37):
        direction = np.array([np.cos(angle), np.sin(angle)])
        expected = -linprog(-points @ direction, A_eq=np.ones((1, 60)), b_eq=[1.0], bounds=(0.0, bound)).fun
        assert largest_value(points @ direction, bound) == pytest.approx(expected, rel=1e-9)
        assert (found @ direction).max() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("points", [np.ones((4, 2)), np.ones((1, 2))], ids=["four", "one"])
def test_of_equal_points_it_is_one_point(points: Matrix) -> None:
    assert reduced_hull(points, 1.0).tolist() == [[1.0, 1.0]]


def test_on_a_line_it_is_a_segment() -> None:
    found = reduced_hull(np.outer(np.arange(5.0), [1.0, 2.0]), 0.5)
    assert sorted(found.tolist()) == [[0.5, 1.0], [3.5, 7.0]]


def test_of_many_points_the_vertices_are_limited() -> None:
    points = cloud(2000)
    found = reduced_hull(points, 0.004)
    assert len(found) < 1000
    # Within the hull, and nearly all of it: edges that are not settled are short.
    for angle in np.linspace(0.0, 2.0 * np.pi, 50):
        direction = np.array([np.cos(angle), np.sin(angle)])
        most = largest_value(points @ direction, 0.004)
        assert most - 1e-3 <= (found @ direction).max() <= most + 1e-12
