# SPDX-License-Identifier: BSD-3-Clause
"""Programs: what they refuse, how far a point is from a cone, and KernelQP in matrices."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array

import qpkernels.programs
from builders import FAMILIES, cone_program, manufacture, random_feasible, two_classes
from qpkernels import RBF, Gram
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError, UnsupportedProgramError
from qpkernels.programs import (
    Block,
    Cone,
    ConeProgram,
    Exponential,
    KernelQP,
    LinearSystem,
    Nonnegative,
    Power,
    PSDTriangle,
    RidgedGram,
    SecondOrder,
    Zero,
    nearest_feasible,
)

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
SEEDS = st.integers(0, 2**32 - 1)


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


# --- cones ---


def test_every_cone_is_in_the_table() -> None:
    kinds = {kind for kind in vars(qpkernels.programs).values() if isinstance(kind, type) and issubclass(kind, Cone)}
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
        (Power(0.5), [-1.0, 1.0, 0.0], 1.0, 2.0),
        (Exponential(), [0.0, 1.0, 0.75], 0.25, 0.5),
        (Exponential(), [0.0, 0.0, -3.0], 3.0, 6.0),
    ],
)
def test_violations_by_hand(cone: Cone, s: list[float], violation: float, dual_violation: float) -> None:
    assert cone.violation(np.array(s)) == pytest.approx(violation, rel=1e-12)
    if not isinstance(cone, Exponential):
        assert cone.dual_violation(np.array(s)) == pytest.approx(dual_violation, rel=1e-12)


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


# --- ConeProgram ---


def valid(**changes: Any) -> ConeProgram:
    parts: dict[str, Any] = {
        "P": csc_array(np.eye(2)),
        "q": np.zeros(2),
        "A": csc_array(np.ones((3, 2))),
        "b": np.ones(3),
        "cones": (Zero(1), Nonnegative(2)),
        "variables": (Block("x", 0, 2),),
        "rows": (Block("r", 0, 1), Block("s", 1, 3)),
    }
    return ConeProgram(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"q": np.zeros(3)}, ShapeError, r"\(3, 3\) and \(3, 3\), but have \(2, 2\)"),
        ({"q": np.zeros((2, 1))}, ShapeError, "one dimension"),
        ({"b": np.ones(2)}, ShapeError, r"\(2, 2\)"),
        ({"P": csc_array(np.eye(3))}, ShapeError, "shapes"),
        ({"A": csc_array(np.ones((3, 3)))}, ShapeError, "shapes"),
        ({"cones": (Zero(1), Nonnegative(1))}, ShapeError, "cover the 3 rows of A, but cover 2"),
        ({"cones": ()}, ShapeError, "cover 0"),
        ({"q": np.array([0.0, np.nan])}, NonFiniteError, r"q\[1\]"),
        ({"b": np.array([0.0, 0.0, np.inf])}, NonFiniteError, r"b\[2\]"),
        ({"P": csc_array(np.array([[np.nan, 0.0], [0.0, 1.0]]))}, NonFiniteError, "P must"),
        ({"A": csc_array(np.full((3, 2), np.inf))}, NonFiniteError, "A must"),
        ({"P": csc_array(np.array([[1.0, 1.0], [0.0, 1.0]]))}, ShapeError, "symmetric"),
        ({"variables": ()}, ShapeError, "variables"),
        ({"variables": (Block("x", 0, 1),)}, ShapeError, "variables must follow one another from 0 to 2"),
        ({"variables": (Block("x", 1, 2),)}, ShapeError, "variables"),
        ({"rows": (Block("r", 0, 2), Block("s", 1, 3))}, ShapeError, "rows"),
        ({"rows": (Block("r", 0, 2), Block("s", 2, 1), Block("t", 1, 3))}, ShapeError, "ends before"),
    ],
)
def test_cone_programs_refuse_parts_that_do_not_fit(changes: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        valid(**changes)


def test_a_cone_program_knows_its_parts() -> None:
    program = valid(offset=2.0)
    assert program.objective(np.array([1.0, 2.0])) == 2.0 + 0.5 * 5.0
    assert [(type(cone), rows) for cone, rows in program.parts()] == [(Zero, slice(0, 1)), (Nonnegative, slice(1, 3))]
    assert program.is_quadratic
    assert program.equations().tolist() == [True, False, False]
    assert program.rows[1].range == slice(1, 3)


def test_to_qp_takes_inequalities_and_equations_apart() -> None:
    A = np.arange(8.0).reshape(4, 2)
    program = cone_program(np.eye(2), [1, 2], A, [1, 2, 3, 4], [Nonnegative(1), Zero(2), Nonnegative(1)])
    qp = program.to_qp()
    np.testing.assert_array_equal(qp.G.toarray(), A[[0, 3]])
    np.testing.assert_array_equal(qp.h, [1, 4])
    np.testing.assert_array_equal(qp.A.toarray(), A[[1, 2]])
    np.testing.assert_array_equal(qp.b, [2, 3])
    np.testing.assert_array_equal(qp.P.toarray(), np.eye(2))
    np.testing.assert_array_equal(qp.q, [1, 2])


def test_other_cones_make_no_quadratic_program() -> None:
    program = cone_program(np.eye(1), [1], np.ones((6, 1)), np.ones(6), [SecondOrder(3), Exponential()], name="mine")
    assert not program.is_quadratic
    for convert in (program.to_qp, program.equations):
        with pytest.raises(UnsupportedProgramError, match=r"mine is no quadratic.*Exponential, SecondOrder"):
            convert()


# --- KernelQP ---

GRAM = Gram(RBF(1.0), np.arange(8.0).reshape(4, 2))


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"target": np.ones(3)}, ShapeError, "target must have 4 entries"),
        ({"target": np.ones((4, 1))}, ShapeError, "target"),
        ({"target": [1, 2, np.nan, 4]}, NonFiniteError, r"target\[2\] is nan"),
        ({"target": np.inf}, NonFiniteError, "target"),
        ({"epsilon": np.ones(5)}, ShapeError, "epsilon must have 4"),
        ({"epsilon": -0.1}, ParameterError, "epsilon and ridge"),
        ({"ridge": [0, 0, 0, -1]}, ParameterError, "epsilon and ridge"),
        ({"ridge": np.inf}, NonFiniteError, "ridge"),
        ({"lower": np.zeros(2)}, ShapeError, "lower must have 4"),
        ({"lower": np.zeros((4, 1))}, ShapeError, "lower"),
        ({"upper": np.nan}, NonFiniteError, "upper must not hold NaN"),
        ({"lower": 0.1}, ParameterError, "enclose 0"),
        ({"upper": [1, 1, 1, -1]}, ParameterError, "enclose 0"),
        ({"total": 4.5}, ParameterError, "adds up to 4.5: the sums run from -4 to 4"),
        ({"total": -5}, ParameterError, "adds up to -5"),
        ({"total": np.nan}, ParameterError, "total must be a finite number"),
        ({"total": np.inf}, ParameterError, "total must be a finite number"),
        ({"total": np.inf, "upper": np.inf}, (ParameterError, NonFiniteError), "total|adds up"),
    ],
)
def test_kernel_qps_refuse_parts_that_do_not_fit(changes: Any, error: Any, words: str) -> None:
    parts: dict[str, Any] = {"gram": GRAM, "target": np.ones(4), "lower": -1.0, "upper": 1.0}
    with pytest.raises(error, match=words):
        KernelQP(**(parts | changes))


def test_numbers_are_repeated_for_each_sample() -> None:
    program = KernelQP(GRAM, 2.0, -1.0, np.inf, None, 0.5, 0.25)
    for name, value in {"target": 2.0, "lower": -1.0, "upper": np.inf, "epsilon": 0.5, "ridge": 0.25}.items():
        np.testing.assert_array_equal(getattr(program, name), np.full(4, value))
        with pytest.raises(ValueError, match="read-only"):
            getattr(program, name)[0] = 0.0
    assert len(program) == 4


@pytest.mark.parametrize("name", FAMILIES)
def test_the_objective_against_its_formula(name: str) -> None:
    made = manufacture(name)
    program = made.program
    for beta in (made.beta, random_feasible(program, 5)):
        K, R = program.gram.dense, np.diag(program.ridge)
        value = 0.5 * beta @ (K + R) @ beta - program.target @ beta + sum(program.epsilon * abs(beta))
        assert program.objective(beta) == pytest.approx(value, rel=1e-12)
        assert program.objective(beta, K @ beta) == pytest.approx(value, rel=1e-12)


def assert_feasible(program: KernelQP, beta: np.ndarray) -> None:
    assert (beta >= program.lower).all()
    assert (beta <= program.upper).all()
    if program.total is not None:
        assert beta.sum() == pytest.approx(program.total, abs=1e-13 * (np.abs(beta).sum() + 1))


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=SEEDS, spread=st.sampled_from([1e-6, 1.0, 1e6]))
def test_a_projected_point_is_feasible_and_stays_where_it_is(name: str, seed: int, spread: float) -> None:
    program = manufacture(name).program
    beta = program.project(spread * np.random.default_rng(seed).normal(size=len(program)))
    assert_feasible(program, beta)
    np.testing.assert_allclose(program.project(beta), beta, rtol=1e-13, atol=0)
    exact = random_feasible(program, seed)
    np.testing.assert_allclose(program.project(exact), exact, atol=1e-13)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "one class"])
def test_projection_keeps_the_support_of_an_answer(name: str) -> None:
    made = manufacture(name)
    answer = made.program.project(made.beta + 1e-7 * np.sign(made.beta))
    np.testing.assert_allclose(answer, made.beta, atol=3e-6)
    at_end = (made.beta == made.program.lower) | (made.beta == made.program.upper)
    np.testing.assert_array_equal(answer[at_end], made.beta[at_end])


@pytest.mark.parametrize("total", [1.0, 0.25, 0.0])
def test_projection_moves_entries_at_an_end_where_it_must(total: float) -> None:
    program = KernelQP(GRAM, 0.0, 0.0, 0.25, total)
    np.testing.assert_allclose(program.project(np.zeros(4)), np.full(4, total / 4), rtol=1e-14)
    np.testing.assert_allclose(program.project(np.full(4, 9.0)), np.full(4, total / 4), rtol=1e-14)


@pytest.mark.parametrize("C", [0.1, 1 / 3, 1e-7, 1e7])
def test_projection_ends_where_only_one_point_is_feasible(C: float) -> None:
    program = KernelQP(GRAM, 0.0, 0.0, C, float(np.full(4, C).sum()))
    np.testing.assert_allclose(program.project(np.zeros(4)), np.full(4, C), rtol=1e-13)


@given(seed=SEEDS, total=st.sampled_from([None, 0.0, 0.5]))
def test_the_nearest_feasible_point_moves_what_it_must_and_nothing_else(seed: int, total: float | None) -> None:
    rng = np.random.default_rng(seed)
    lower, upper = -rng.uniform(0, 2, 10), rng.uniform(0.1, 2, 10)
    beta = 1.5 * rng.normal(size=10)
    found = nearest_feasible(beta, lower, upper, total)
    assert (found >= lower).all()
    assert (found <= upper).all()
    if total is None:
        np.testing.assert_array_equal(found, np.clip(beta, lower, upper))
        return
    assert found.sum() == pytest.approx(total, abs=1e-12)
    # Entries are moved to the side where the sum is missing, after clipping.
    moved = found - np.clip(beta, lower, upper)
    assert (moved >= -1e-12).all() or (moved <= 1e-12).all()
    feasible = nearest_feasible(found, lower, upper, total)
    np.testing.assert_allclose(feasible, found, atol=1e-12)


def test_a_sum_out_of_reach_leaves_the_point_clipped() -> None:
    clipped = nearest_feasible(np.array([3.0, -3.0]), np.zeros(2), np.ones(2), 5.0)
    np.testing.assert_array_equal(clipped, [1.0, 0.0])


@pytest.mark.parametrize("name", FAMILIES)
@given(seed=SEEDS)
def test_slopes_attain_the_loss(name: str, seed: int) -> None:
    """L(v) is the maximum of (target - v) s - epsilon |s| - ridge/2 s^2, attained in the slope; soft losses only."""
    program = manufacture(name).program
    v = program.target + np.random.default_rng(seed).normal(size=len(program))
    slopes = program.slopes(v)
    hard = (program.ridge == 0) & (np.isinf(program.lower) | np.isinf(program.upper))

    def gain(s: np.ndarray) -> np.ndarray:
        return (program.target - v) * s - program.epsilon * np.abs(s) - 0.5 * program.ridge * s**2

    assert (slopes >= program.lower).all()
    assert (slopes <= program.upper).all()
    for k in range(7):
        other = random_feasible(program, seed % 1000 + k)
        assert (gain(slopes) >= gain(other) - 1e-12)[~hard].all()


@pytest.mark.parametrize("name", FAMILIES)
def test_slopes_at_the_optimum_are_its_coefficients(name: str) -> None:
    """Except where the loss has a kink, at a free coefficient without a ridge; there it is the slope nearest to 0."""
    made = manufacture(name)
    program, beta = made.program, made.beta
    slopes = program.slopes(program.gram.dense @ beta + made.intercept)
    at_end = (beta == 0) | (beta == program.lower) | (beta == program.upper)
    fixed = at_end | (program.ridge > 0)
    np.testing.assert_allclose(slopes[fixed], beta[fixed], atol=1e-9)
    assert np.isfinite(slopes).all()


def test_there_is_no_slope_beyond_a_wall() -> None:
    program = KernelQP(GRAM, [1.0, 1.0, -1.0, -1.0], [0, 0, -np.inf, -np.inf], [np.inf, np.inf, 0, 0])
    np.testing.assert_array_equal(program.slopes(np.array([0.0, 2.0, 0.0, -2.0])), np.zeros(4))


# --- linear systems ---


def test_linear_systems_measure_their_residual() -> None:
    H, rhs = np.diag([2.0, 4.0]), np.array([2.0, 4.0])
    plain = LinearSystem(H, rhs)
    assert plain.residual(np.ones(2), 0.0) == 0.0
    assert plain.residual(np.zeros(2), 0.0) == 1.0
    # b counts in a bordered system only.
    assert plain.residual(np.ones(2), 7.0) == 0.0
    bordered = LinearSystem(H, rhs, bordered=True)
    x, b = np.array([-1 / 3, 1 / 3]), 8 / 3
    np.testing.assert_allclose(H @ x + b, rhs, rtol=1e-14)
    assert bordered.residual(x, b) <= 1e-15
    assert bordered.residual(x, b + 1.0) == pytest.approx(np.sqrt(2) / np.linalg.norm(rhs), rel=1e-12)
    assert bordered.residual(np.ones(2), 0.0) == 1.0
    assert LinearSystem(H, np.zeros(2)).residual(np.zeros(2), 0.0) == 0.0


def test_a_ridged_kernel_matrix_is_a_product_or_a_matrix() -> None:
    ridge, v = np.arange(4.0), np.random.default_rng(0).normal(size=4)
    matrix = RidgedGram(GRAM, ridge)
    assert matrix.shape == (4, 4)
    np.testing.assert_array_equal(matrix.dense(), GRAM.dense + np.diag(ridge))
    np.testing.assert_allclose(matrix.product(v), matrix.dense() @ v, rtol=1e-14)
    np.testing.assert_array_equal(GRAM.dense, RBF(1.0)(GRAM.X))
    assert LinearSystem(matrix, v).product(v) == pytest.approx(matrix.dense() @ v, rel=1e-14)


# --- KernelQP in matrices ---


def stacked(program: KernelQP, beta: np.ndarray) -> np.ndarray:
    if not program.epsilon.any():
        return beta
    return np.concatenate([np.maximum(beta, 0), np.maximum(-beta, 0)])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", [0, 1])
def test_matrices_state_the_same_problem(name: str, seed: int) -> None:
    program = manufacture(name, seed).program
    matrices = program.to_cone_program()
    assert matrices.name == program.name
    assert matrices.is_quadratic
    assert [block.name for block in matrices.variables] == (["beta+", "beta-"] if program.epsilon.any() else ["beta"])
    assert ("balance" in [block.name for block in matrices.rows]) == (program.total is not None)
    for trial in range(5):
        beta = random_feasible(program, trial)
        x = stacked(program, beta)
        assert matrices.objective(x) == pytest.approx(program.objective(beta), rel=1e-12)
        s = matrices.b - matrices.A @ x
        assert max(cone.violation(s[rows]) for cone, rows in matrices.parts()) <= 1e-13


@pytest.mark.parametrize("name", FAMILIES)
def test_matrices_forbid_what_the_problem_forbids(name: str) -> None:
    program = manufacture(name).program
    matrices = program.to_cone_program()
    feasible = random_feasible(program, 3)
    for k in range(len(program)):
        for end, step in ((program.upper[k], 0.5), (program.lower[k], -0.5)):
            beta = feasible.copy()
            if np.isfinite(end):
                beta[k] = end + step
            elif program.total is not None:
                beta[k] += step
            else:
                continue
            s = matrices.b - matrices.A @ stacked(program, beta)
            assert max(cone.violation(s[rows]) for cone, rows in matrices.parts()) >= 0.4


@pytest.mark.parametrize("name", FAMILIES)
def test_matrices_have_the_same_optimum(name: str) -> None:
    made = manufacture(name)
    matrices = made.program.to_cone_program()
    x = cp.Variable(matrices.q.size)
    s = matrices.b - matrices.A @ x
    constraints = [
        s[rows] == 0 if isinstance(cone, Zero) else s[rows] >= 0 for cone, rows in matrices.parts() if cone.size
    ]
    problem = cp.Problem(cp.Minimize(0.5 * cp.quad_form(x, cp.psd_wrap(matrices.P)) + matrices.q @ x), constraints)
    problem.solve(solver="CLARABEL", tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    assert problem.value + matrices.offset == pytest.approx(made.optimum, rel=1e-8)
    m = len(made.program)
    beta = x.value if matrices.q.size == m else x.value[:m] - x.value[m:]
    np.testing.assert_allclose(beta, made.beta, atol=2e-4)


def test_ends_of_infinite_bounds_are_no_rows() -> None:
    _, y = two_classes(4)
    program = KernelQP(GRAM, y, np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0))
    matrices = program.to_cone_program()
    assert [(block.name, block.stop - block.start) for block in matrices.rows] == [
        ("balance", 1),
        ("upper", 2),
        ("lower", 2),
    ]
    free = KernelQP(GRAM, y, -np.inf, np.inf, None, ridge=1.0).to_cone_program()
    assert free.A.shape == (0, 4)
