# SPDX-License-Identifier: BSD-3-Clause
"""The plane along a function against coordinates in which the space of the kernel is explicit."""

import numpy as np
import pytest

from formulations.lab.geometry import plane_along, plane_of_features
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
@pytest.mark.parametrize("kernel", [RBF(1.0), Polynomial(2, gamma=1.0, coef0=1.0)], ids=["gaussian", "polynomial"])
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
