# SPDX-License-Identifier: BSD-3-Clause
"""Reduced hulls against SciPy's hull, closed forms, and every vertex there is."""

from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from formulations.lab.geometry import largest_value, reduced_hull
from qpkernels.arrays import Matrix

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
