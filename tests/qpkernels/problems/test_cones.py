# SPDX-License-Identifier: BSD-3-Clause
"""Cones and their duals: what lies outside is told, and by how much."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given

import qpkernels.problems
from builders import SEEDS
from qpkernels.errors import ParameterError
from qpkernels.problems import Cone, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero

CONES: dict[str, Cone] = {
    "Zero": Zero(3),
    "Nonnegative": Nonnegative(3),
    "SecondOrder": SecondOrder(4),
    "SecondOrder of one": SecondOrder(1),
    "PSDTriangle": PSDTriangle(3),
    "Exponential": Exponential(),
    "Power 0.3": Power(0.3),
    "Power 0.9": Power(0.9),
}


every_cone = pytest.mark.parametrize("cone", CONES.values(), ids=CONES)


def member(cone: Cone, rng: np.random.Generator) -> np.ndarray:
    """A point strictly inside the cone (the origin for the cone that has no inside)."""
    size = float(np.exp(rng.uniform(-2, 2)))
    match cone:
        case Zero():
            s = np.zeros(cone.size)
        case Nonnegative():
            s = rng.uniform(0.1, 2, cone.size)
        case SecondOrder():
            v = rng.normal(size=cone.size - 1)
            s = np.array([1.01 * np.linalg.norm(v) + 0.1, *v])
        case PSDTriangle():
            B = rng.normal(size=(cone.order, cone.order))
            s = svec(B @ B.T + 0.1 * np.eye(cone.order))
        case Exponential():
            x, y = rng.normal(), rng.uniform(0.1, 2)
            s = np.array([x, y, 1.01 * y * np.exp(x / y)])
        case Power(alpha):
            x, y = rng.uniform(0.1, 2, 2)
            s = np.array([x, y, rng.uniform(-0.99, 0.99) * x**alpha * y ** (1 - alpha)])
    return size * np.asarray(s)


def dual_member(cone: Cone, rng: np.random.Generator) -> np.ndarray:
    """A point strictly inside the dual cone, by its textbook formula."""
    match cone:
        case Zero():
            return rng.normal(size=cone.size)
        case Exponential():
            u, v = -rng.uniform(0.1, 2), rng.normal()
            return np.array([u, v, -1.01 * u * np.exp(v / u - 1)])
        case Power(alpha):
            u, v = rng.uniform(0.1, 2, 2)
            return np.array([u, v, rng.uniform(-0.99, 0.99) * (u / alpha) ** alpha * (v / (1 - alpha)) ** (1 - alpha)])
        case _:
            return member(cone, rng)


def svec(S: np.ndarray) -> np.ndarray:
    """The upper triangle column by column, off-diagonal entries times sqrt(2)."""
    return np.array([S[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(len(S)) for i in range(j + 1)])


def distance(cone: Cone, s: np.ndarray) -> float:
    """The distance in the largest component to the nearest point of the cone, by Clarabel through CVXPY."""
    p = cp.Variable(cone.size)
    match cone:
        case Exponential():
            inside = cp.ExpCone(p[0], p[1], p[2])
        case Power(alpha):
            inside = cp.PowCone3D(p[0], p[1], p[2], alpha)
        case SecondOrder():
            inside = cp.SOC(p[0], p[1:])
        case _:
            S = cp.Variable((3, 3), PSD=True)
            inside = p == cp.hstack(
                [S[i, j] * (1.0 if i == j else np.sqrt(2.0)) for j in range(3) for i in range(j + 1)]
            )
    return float(cp.Problem(cp.Minimize(cp.norm_inf(p - s)), [inside]).solve(solver="CLARABEL"))


def test_every_cone_is_in_the_table() -> None:
    kinds = {kind for kind in vars(qpkernels.problems).values() if isinstance(kind, type) and issubclass(kind, Cone)}
    assert {type(cone) for cone in CONES.values()} == kinds - {Cone}


@every_cone
@given(seed=SEEDS)
def test_members_violate_nothing(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, z = member(cone, rng), dual_member(cone, rng)
    assert s.size == z.size == cone.size
    assert cone.violation(s) == 0
    assert cone.dual_violation(z) == 0
    assert z @ s >= -1e-12 * np.linalg.norm(z) * np.linalg.norm(s)


@every_cone
def test_the_origin_is_in_every_cone(cone: Cone) -> None:
    assert cone.violation(np.zeros(cone.size)) == 0
    assert cone.dual_violation(np.zeros(cone.size)) == 0


@every_cone
@given(seed=SEEDS)
def test_what_has_a_negative_product_with_a_member_is_outside_of_the_dual(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=cone.size)
    lowest = min(float(z @ member(cone, rng)) for _ in range(50))
    if lowest < 0:
        assert cone.dual_violation(z) > 0
    s = rng.normal(size=cone.size)
    if min(float(s @ dual_member(cone, rng)) for _ in range(50)) < 0:
        assert cone.violation(s) > 0


@every_cone
@given(seed=SEEDS)
def test_the_opposite_of_an_inner_point_is_outside(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng(seed)
    if not isinstance(cone, Zero):
        assert cone.violation(-member(cone, rng)) > 0
        assert cone.dual_violation(-dual_member(cone, rng)) > 0


@pytest.mark.parametrize(
    ("cone", "s", "violation", "dual_violation"),
    [
        (Zero(2), [0.5, -2.0], 2.0, 0.0),
        (Nonnegative(3), [1.0, -0.25, -0.5], 0.5, 0.5),
        (SecondOrder(3), [4.0, 3.0, 4.0], 1.0, 1.0),
        (SecondOrder(1), [-2.0], 2.0, 2.0),
        (PSDTriangle(2), [1.0, 2 * np.sqrt(2), 1.0], 1.0, 1.0),
        (Power(0.5), [4.0, 1.0, 3.0], 1.0, 0.0),
        (Power(0.5), [-1.0, 1.0, 0.0], 1.0, 1.0),
        (Exponential(), [0.0, 1.0, 0.75], 0.25, 0.0),
        (Exponential(), [0.0, 0.0, -3.0], 3.0, 3.0),
    ],
)
def test_violations_by_hand(cone: Cone, s: list[float], violation: float, dual_violation: float) -> None:
    assert cone.violation(np.array(s)) == pytest.approx(violation, rel=1e-12)
    assert cone.dual_violation(np.array(s)) == pytest.approx(dual_violation, rel=1e-12)


@every_cone
@given(seed=SEEDS)
def test_what_is_near_is_inside_and_what_is_inside_stays(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng(seed)
    s, z = rng.normal(size=(2, cone.size)) * np.exp(rng.uniform(-8, 8, (2, cone.size)))
    assert cone.violation(cone.into(s)) <= 1e-14 * np.abs(s).max()
    assert cone.dual_violation(cone.into_dual(z)) <= 1e-13 * np.abs(z).max()
    np.testing.assert_array_equal(cone.into(inside := member(cone, rng)), inside)
    np.testing.assert_array_equal(cone.into_dual(inside := dual_member(cone, rng)), inside)


@pytest.mark.parametrize("name", ["Exponential", "Power 0.3", "Power 0.9", "SecondOrder", "PSDTriangle"])
def test_a_violation_is_never_less_than_the_distance(name: str) -> None:
    cone, rng = CONES[name], np.random.default_rng(11)
    outside = 0
    for _ in range(12):
        s = rng.normal(size=cone.size) * np.exp(rng.uniform(-1, 1, cone.size))
        nearest = distance(cone, s)
        assert cone.violation(s) >= nearest - 1e-6
        assert (cone.violation(s) > 0) == (nearest > 1e-6)
        outside += nearest > 1e-6
    assert outside >= 4


@pytest.mark.parametrize("name", ["Exponential", "Power 0.3", "Power 0.9"])
def test_a_dual_violation_is_never_less_than_the_distance(name: str) -> None:
    cone, rng = CONES[name], np.random.default_rng(12)
    # The first is 1.5 away from the dual exponential cone, but its image only 1 from the exponential cone.
    points = [np.array([-1.0, -2.0, -1.0]), *(rng.normal(size=3) * np.exp(rng.uniform(-1, 1, 3)) for _ in range(12))]
    for z in points:
        p = cp.Variable(3)
        if isinstance(cone, Exponential):
            inside = cp.ExpCone(p[0] - p[1], -p[0], p[2])
        else:
            inside = cp.PowCone3D(p[0] / cone.alpha, p[1] / (1 - cone.alpha), p[2], cone.alpha)
        nearest = cp.Problem(cp.Minimize(cp.norm_inf(p - z)), [inside]).solve(solver="CLARABEL")
        assert cone.dual_violation(z) >= nearest - 1e-6
        assert (cone.dual_violation(z) > 0) == (nearest > 1e-6)


@pytest.mark.parametrize(
    "s", [[-1.0, 0.0, 0.0], [0.0, 0.0, 2.0], [-3.0, 0.0, 0.5], [0.0, 1e-300, 1.0], [-1e3, 1.0, 0.0]]
)
def test_the_edges_of_the_exponential_cone_belong_to_it(s: list[float]) -> None:
    assert Exponential().violation(np.array(s)) == 0


def test_the_exponential_cone_does_not_overflow() -> None:
    assert Exponential().violation(np.array([1e3, 1.0, 5.0])) == pytest.approx(1e3 - np.log(5.0))


def test_the_exponential_cone_where_a_quotient_overflows() -> None:
    # y log(w / y), which is next to nothing, is the largest x of the cone.
    assert Exponential().violation(np.array([1.0, 1e-320, 1.0])) == pytest.approx(1.0)
    assert Exponential().violation(np.array([1.0, 1e-200, 1e200])) == pytest.approx(1.0)


@pytest.mark.parametrize("name", [name for name in CONES if name != "Zero"])
def test_nan_is_in_no_cone(name: str) -> None:
    cone = CONES[name]
    for place in (0, -1, slice(None)):
        s = np.ones(cone.size)
        s[place] = np.nan
        assert cone.violation(s) != 0
        assert cone.dual_violation(s) != 0
    assert Zero(2).violation(np.array([0.0, np.nan])) != 0


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.5, 2.0, np.nan])
def test_the_exponent_of_a_power_cone_is_between_zero_and_one(alpha: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        Power(alpha)
