# SPDX-License-Identifier: BSD-3-Clause
"""Distances from coupled cones: each row in its own terms, whatever constants its neighbours have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from attack.cones import draw_cone
from builders import cone_program
from formulations import SoftMargin
from qpkernels.errors import InfeasibleError, SolverFailedError
from qpkernels.problems import Cone, Exponential, Power, PSDTriangle, SecondOrder, certify_cone_program
from qpkernels.problems.cone_program.residuals import Terms
from together import together

ROOT = np.sqrt(2.0)


def outside(cone: Cone, rows: Any, constants: Any, x: Any) -> float:
    """Return the distance of constants + rows x from the cone."""
    n = np.shape(rows)[1]
    program = cone_program(np.zeros((n, n)), np.zeros(n), -np.asarray(rows, dtype=float), constants, [cone])
    return float(Terms.of(program).outside(np.asarray(x, dtype=float))[0])


@together("large", [1.0, 1e6, 1e12])
@together(
    "cone, rows, constants, share",
    [
        # x - 1 beside a large constant, at x = 1/2: it would have to be 0, which is 1/3 of its terms.
        (Power(0.5), [[1], [0], [0]], lambda large: [-1, large, 0], 1 / 3),
        (Power(0.3), [[0], [1], [0]], lambda large: [large, -1, 0], 1 / 3),
        (Exponential(), [[0], [0], [1]], lambda large: [-large, 1, -1], 1 / 3),
        (PSDTriangle(2), [[0], [0], [1]], lambda large: [large, 0, -1], 1 / 3),
        # (large + x - 1, large - x + 1, 0): the difference of both rows is 2 (x - 1).
        (SecondOrder(3), [[1], [-1], [0]], lambda large: [large - 1, large + 1, 0], 1 / 3),
        (SecondOrder(1), [[1]], lambda _: [-1], 1 / 3),
        # Beside a 0 the other entry would have to be 0.
        (PSDTriangle(2), [[0], [0], [1]], lambda large: [0, large, -1], 1.0),
    ],
)
def test_distances_by_hand(
    cone: Cone, rows: Any, constants: Callable[[float], Any], share: float, large: float
) -> None:
    constant = np.array(constants(large), dtype=float)
    found = outside(cone, rows, constant, [0.5])
    # Shares are told apart to a quarter of a power of 2; inside, e^-large adds to a small one.
    assert share / 1.2 <= found <= 1.2 * share or (isinstance(cone, Exponential) and large == 1.0 and found > share)
    if share < 1:
        assert outside(cone, rows, constant, [1.0 + np.exp(-large)]) <= 1e-15


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "cone", [SecondOrder(4), Power(0.3), Exponential(), PSDTriangle(3)], ids=lambda c: type(c).__name__
)
def test_no_point_of_the_cone_is_nearer(cone: Cone, seed: int) -> None:
    rng = np.random.default_rng([seed, cone.size])
    s = rng.normal(size=cone.size) * np.exp(rng.uniform(-1, 1, cone.size))
    sizes = np.abs(s) * np.exp(rng.uniform(0, 1, cone.size))
    p, d = cp.Variable(cone.size), cp.Variable()
    inside: list[Any] = {
        SecondOrder: lambda: [cp.norm(p[1:]) <= p[0]],
        Power: lambda: [cp.PowCone3D(p[0], p[1], p[2], 0.3)],
        Exponential: lambda: [cp.ExpCone(p[0], p[1], p[2])],
        PSDTriangle: lambda: [
            cp.bmat(
                [[p[0], p[1] / ROOT, p[3] / ROOT], [p[1] / ROOT, p[2], p[4] / ROOT], [p[3] / ROOT, p[4] / ROOT, p[5]]]
            )
            >> 0
        ],
    }[type(cone)]()
    least = cp.Problem(cp.Minimize(d), [*inside, cp.abs(p - s) <= d * sizes, d >= 0]).solve(solver="CLARABEL")
    rows = np.zeros((cone.size, 2))
    # x = (1, 0) has the values s, and the terms w: s = (w + s) / 2 - (w - s) / 2.
    rows[:, 0] = 0.5 * (sizes + s)
    found = outside(cone, rows, -0.5 * (sizes - s), [1.0, 0.0])
    # Those of the rows t + v and t - v together are at most those of t and v.
    assert found >= (0.5 if isinstance(cone, SecondOrder) else 1.0) * least - 1e-6
    assert (found > 1e-6) == (least > 1e-6)


def separable() -> Any:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 2))
    return SoftMargin(X, np.where(X[:, 0] + 0.5 * rng.normal(size=20) > 0, 1, -1), C=1.0).primal


LARGE = [1e9, 1e10, 1e12]

HIDING: dict[str, Callable[[Any, float], Any]] = {
    "power": lambda w, B: cp.PowCone3D(w[1] - 1, cp.Constant(B), w[0] * 1e-3, 0.5),
    "geometric mean": lambda w, B: cp.geo_mean(cp.hstack([w[1] - 1, B, 1])) >= 0,
    "matrix": lambda w, B: cp.bmat([[B, 0], [0, w[1] - 1]]) >> 0,
    "logarithm": lambda w, B: cp.log(w[1] - 1) >= -B,
    "rotated": lambda w, B: cp.quad_over_lin(1e-3 * w[0], w[1] - 1) <= B,
}


@pytest.mark.parametrize("large", LARGE)
@pytest.mark.parametrize("name", HIDING)
def test_a_large_constant_hides_no_violation(name: str, large: float) -> None:
    form = separable()
    # Each of the constraints implies w_1 >= 1.
    least = separable()
    bound = least.extend(least.w[1] >= 1).solve(tol=1e-6).certificate.dual_value
    try:
        solution = form.extend(HIDING[name](form.w, large)).solve(tol=1e-6)
    except (InfeasibleError, SolverFailedError) as error:
        assert not isinstance(error, InfeasibleError)  # noqa: PT017  w_1 = 2 satisfies all of them
        return
    if solution.status == "optimal":
        assert form.w.value[1] >= 1 - 1e-6
        assert solution.certificate.primal_value >= bound * (1 - 1e-6)


def test_a_forged_point_beside_a_large_constant() -> None:
    # min w s.t. [[B, 0], [0, w - 1]] is positive semidefinite, at w = 1/4.
    program = cone_program([[0]], [1], [[0], [0], [-1]], [1e9, 0, -1], [PSDTriangle(2)])
    assert certify_cone_program(program, np.array([1.0]), np.array([0.0, 0.0, 1.0])).holds(1e-9)
    forged = certify_cone_program(program, np.array([0.25]), np.array([0.0, 0.0, 1.0]))
    assert forged.uncounted == pytest.approx(0.75 / 1.25, rel=0.01)
    assert not forged.holds(0.5)


@pytest.mark.parametrize("seed", range(12))
def test_what_a_cone_implies_holds_at_every_optimum(seed: int) -> None:
    rng = np.random.default_rng([0xC0E, seed])
    form = separable()
    cone, name, implied = draw_cone(rng, form.w)
    try:
        solution = form.extend(cone).solve(tol=1e-6)
    except (InfeasibleError, SolverFailedError):
        return
    if solution.status == "optimal":
        assert float(implied.value) >= -1e-6, name
