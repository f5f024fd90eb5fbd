# SPDX-License-Identifier: BSD-3-Clause
"""The function over the window is the expansion at the points of the grid, whatever the kernel."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.drawing import grid_of, values_on
from formulations.lab.settings import KERNELS, Window
from qpkernels.functions import Expansion
from qpkernels.kernels import RBF, Kernel, Matern, Sum

WINDOW = Window(-2.0, 3.0, -1.5, 1.0)
_DEFAULTS = {name: kind.make({each.name: each.default for each in kind.sliders}) for name, kind in KERNELS.items()}
_RBF, _LAPLACIAN = _DEFAULTS["rbf"], _DEFAULTS["laplacian"]
CASES: dict[str, Kernel] = {
    **_DEFAULTS,
    "rough": Matern(0.3, nu=0.5),
    "smooth": Matern(2.0, nu=2.5),
    "smoothest": Matern(2.0, nu=np.inf),
    "a width for each feature": RBF((0.5, 2.0)),
    "sum": Sum(_RBF, _LAPLACIAN),
    "sum of all": Sum(Sum(_RBF, _DEFAULTS["linear"]), Sum(_DEFAULTS["matern"], _DEFAULTS["polynomial"])),
    "scaled": 2.0 * _RBF,
}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_expansion(name: str) -> None:
    rng = np.random.default_rng(0)
    function = Expansion(CASES[name], rng.normal(size=(23, 2)), rng.normal(size=23), intercept=0.7)
    grid = grid_of(WINDOW, (9, 13))
    values = values_on(grid, function)
    assert values.shape == (9, 13)
    np.testing.assert_allclose(values.ravel(), function(grid.points()), atol=1e-11)


def test_the_corners_are_those_of_the_window() -> None:
    grid = grid_of(WINDOW)
    points = grid.points()
    assert points.shape == (120 * 160, 2)
    np.testing.assert_array_equal(points[[0, 159, -1]], [[-2.0, -1.5], [3.0, -1.5], [3.0, 1.0]])


def test_many_centers_are_shared_by_threads_without_a_difference() -> None:
    rng = np.random.default_rng(1)
    function = Expansion(Matern(1.0, nu=1.5), rng.normal(size=(400, 2)), rng.normal(size=400))
    grid = grid_of(WINDOW, (60, 80))
    np.testing.assert_allclose(values_on(grid, function).ravel(), function(grid.points()), atol=1e-10)
