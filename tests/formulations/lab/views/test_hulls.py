# SPDX-License-Identifier: BSD-3-Clause
"""The nearest points of reduced hulls against the quadratic program that asks for them."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations.lab.settings import Setting
from formulations.lab.views import Drawn
from formulations.lab.views.hulls import HULLS
from formulations.modelling.solution import Solution
from lab_scenes import scene_of, setting_of, two_classes
from qpkernels.arrays import Matrix, Vector
from qpkernels.errors import InseparableError

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
