# SPDX-License-Identifier: BSD-3-Clause
"""The plane along a function against coordinates in which the space of the kernel is explicit."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from formulations.lab.geometry import largest_value, plane_along, plane_of_features, reduced_hull
from qpkernels.arrays import Matrix, Vector
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial

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
