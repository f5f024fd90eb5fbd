# SPDX-License-Identifier: BSD-3-Clause
"""Constraints at every point of a box: they hold between the points, and the bracket has the optimum in it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest

from formulations import Everywhere, Function, Machine
from qpkernels import RBF, Linear, Matern, Polynomial
from qpkernels.errors import ParameterError, SolverFailedError
from qpkernels.kernels import Kernel
from together import together

RANDOM = np.random.default_rng(0)
M = 30
X = np.sort(RANDOM.uniform(0.0, 4.0, M))[:, None]
T = np.log1p(X[:, 0]) + 0.15 * RANDOM.normal(size=M)
FINE = np.linspace(0.0, 4.0, 1001)[:, None]
BOX = [(0.0, 4.0)]
PLANE = RANDOM.uniform(0.0, 1.0, (M, 2))
HEIGHT = PLANE.sum(axis=1) ** 2 + 0.2 * RANDOM.normal(size=M)
SQUARE = np.stack(np.meshgrid(*[np.linspace(0.0, 1.0, 31)] * 2), axis=-1).reshape(-1, 2)


class Stated(NamedTuple):
    """A statement, what must not be negative at points, many points, and a wide tolerance where points are dear."""

    objective: Any
    at: tuple[Callable[[np.ndarray], Any], ...]
    box: list[tuple[float, float]] = BOX
    fine: np.ndarray = FINE
    tol: float = 1e-4


def fit(f: Function, b: Any = 0.0) -> Any:
    return f.squared_norm + 10 * cp.sum_squares(f(X) + b - T)


def rising(kernel: Kernel) -> Stated:
    f, b = Function(kernel), cp.Variable(name="b")
    return Stated(cp.Minimize(fit(f, b)), (lambda x: f.derivative(x, axis=0),))


def bounded() -> Stated:
    f = Function(RBF(2.0))
    return Stated(cp.Minimize(fit(f)), (lambda x: f(x) - 0.3, lambda x: 1.4 - f(x)))


def concave() -> Stated:
    f, b = Function(RBF(1.0)), cp.Variable(name="b")
    return Stated(cp.Minimize(fit(f, b)), (lambda x: -f.derivative(x, axis=0, order=2),))


def with_trend() -> Stated:
    f, w, b = Function(RBF(2.0)), cp.Variable(1), cp.Variable()
    return Stated(
        cp.Minimize(f.squared_norm + cp.norm1(f(X) + X @ w + b - T)), (lambda x: f(x) + x @ w + b - 0.4 * x[:, 0],)
    )


def quantiles() -> Stated:
    # Noise vanishes in the middle, where they would cross.
    noise = np.random.default_rng(5).normal(size=M)
    t = np.sin(2 * X[:, 0]) + np.maximum(0.0, np.abs(X[:, 0] - 2) - 1.0) * noise
    q, b, cost = [Function(RBF(2.0), f"q{k}") for k in range(2)], cp.Variable(2), 0.0
    for k, tau in enumerate((0.2, 0.8)):
        r = t - q[k](X) - b[k]
        cost += 0.5 * q[k].squared_norm + cp.sum(cp.maximum(tau * r, (tau - 1) * r))
    return Stated(cp.Minimize(cost), (lambda x: q[1](x) + b[1] - q[0](x) - b[0],))


def in_a_ball() -> Stated:
    f = Function(Polynomial(4, 0.25, 1.0))
    loss = cp.sum_squares(f(X) - T) + 0.1 * f.norm
    return Stated(cp.Minimize(loss), (lambda x: f.derivative(x, axis=0),), fine=FINE[::10], tol=1e-3)


def maximised() -> Stated:
    f = Function(RBF(2.0))
    return Stated(cp.Maximize(-fit(f)), (lambda x: 1.2 - f(x),))


def rising_in_the_plane() -> Stated:
    f, b = Function(RBF(1.0)), cp.Variable()
    objective = cp.Minimize(f.squared_norm + 10 * cp.sum_squares(f(PLANE) + b - HEIGHT))
    at = (lambda x: f.derivative(x, axis=0), lambda x: f.derivative(x, axis=1))
    return Stated(objective, at, [(0.0, 1.0)] * 2, SQUARE, 1e-2)


STATED: dict[str, Callable[[], Stated]] = {
    "rising": lambda: rising(RBF(2.0)),
    "rising, Matern": lambda: rising(Matern(0.5, nu=3.5)),
    "rising, of one derivative more": lambda: rising(Matern(0.5, nu=2.5))._replace(tol=5e-2),
    "rising, polynomial and trend": lambda: rising(RBF(2.0) + 0.01 * Polynomial(3, 1.0, 1.0)),
    "bounded": bounded,
    "concave": concave,
    "with a trend": with_trend,
    "quantiles": quantiles,
    "in a ball": in_a_ball,
    "maximised": maximised,
    "rising in the plane": rising_in_the_plane,
}


@pytest.mark.parametrize("name", STATED)
def test_the_constraint_holds_everywhere_and_the_bracket_has_the_optimum(name: str) -> None:
    objective, at, box, fine, tol = STATED[name]()
    conditions = [Everywhere(lambda x, g=g: g(x) >= 0, box, f"g{k}") for k, g in enumerate(at)]
    machine = Machine(objective, conditions)
    solution = machine.solve(tol=tol)
    assert solution.status == "optimal"
    assert all((g(fine).value >= 0).all() for g in at)
    assert machine.problem.objective.value == pytest.approx(solution.objective, rel=1e-6)
    low, high = solution.bracket
    assert solution.objective == (low if isinstance(objective, cp.Maximize) else high)
    assert high - low <= tol * abs(high)
    assert f"This holds to {tol:g}" in solution.certificate.explain()
    # The relaxation at many points is below the optimum, by little.
    finest = Machine(objective, [g(fine[::5]) >= 0 for g in at]).solve(tol=1e-6)
    assert low - 1e-3 * abs(low) <= finest.objective <= high + 1e-6 * abs(high)
    binding = [machine.constraint(each.label) for each in conditions]
    assert sum(each.dual_value.max() for each in binding) > 0
    assert all(each.points.shape == (each.dual_value.size, len(box)) for each in binding)


def test_the_bracket_narrows_with_the_tolerance() -> None:
    objective, (slope,), *_ = rising(RBF(2.0))
    rises, widths, points = Everywhere(lambda x: slope(x) >= 0, BOX), [], []
    for tol in (1e-2, 1e-4, 1e-6):
        low, high = Machine(objective, [rises]).solve(tol=tol).bracket
        widths.append((high - low) / high)
        points.append(len(rises.points))
        assert widths[-1] <= tol
    assert widths == sorted(widths, reverse=True)
    assert points == sorted(points)
    assert points[-1] < 500


def test_what_the_points_did_not_buy_is_said() -> None:
    objective, (slope,), *_ = rising(RBF(2.0))
    solution = Machine(objective, [Everywhere(lambda x: slope(x) >= 0, BOX, most_points=40)]).solve(tol=1e-6)
    assert solution.status == "stopped"
    assert "points were not enough" in solution.message
    assert slope(FINE).value.min() > 0
    assert solution.certificate.holds(1e-1)


def test_a_constraint_that_no_function_moves_at_a_point_is_refused_where_a_reserve_is_needed() -> None:
    def status(degree: int, constant: float) -> str:
        f = functions[degree, constant] = Function(Polynomial(degree, 0.25, constant))
        rises = Everywhere(lambda x: f.derivative(x, axis=0) >= 0, BOX, "rises")
        return str(Machine(cp.Minimize(fit(f)), [rises]).solve(tol=1e-2).status)

    functions: dict[tuple[int, float], Function] = {}
    with pytest.raises(
        SolverFailedError, match=r"'rises' holds with equality at \[0.0\] for every function .*coef0=0.0"
    ):
        status(3, 0.0)
    assert functions[3, 0.0].fitted is None
    # The slope of a square is linear, and needs no reserve; with a constant, the slope at 0 can be above 0.
    assert (status(2, 0.0), status(3, 1.0)) == ("optimal", "optimal")


def test_constraints_that_leave_no_room_are_refused() -> None:
    f = Function(RBF(2.0))
    above = Everywhere(lambda x: f(x) >= 1, BOX, "above", most_points=40)
    for other in (f.mean(X) <= 0, Everywhere(lambda x: f(x) <= 1.01, BOX, most_points=9)):
        with pytest.raises(SolverFailedError, match=r"with a reserve at .* raise most_points"):
            Machine(cp.Minimize(fit(f)), [above, other]).solve()


REFUSED: dict[str, tuple[Callable[[Function, Any], Any], str]] = {
    "an equation": (lambda f, x: f(x) == 0, "must be an inequality between .* numbers"),
    "a sum": (lambda f, x: cp.sum(f(x)) >= 0, "must be an inequality between .* numbers"),
    "not affine": (lambda f, x: cp.abs(f(x)) <= 1, "must be affine"),
    "other points": (lambda f, x: f(0.5 * x) >= 0, "is about others"),
    "other coefficients": (lambda f, x: cp.multiply(x[:, 0], f(x)) >= 0, "must be the same everywhere"),
    "other constants": (lambda f, x: f(x) >= x[:, 0] ** 2, "are not affine in x"),
}


@together("name", REFUSED)
def test_what_is_no_constraint_everywhere_is_refused(name: str) -> None:
    at, message = REFUSED[name]
    f = Function(RBF(2.0))
    with pytest.raises(ParameterError, match=message):
        Machine(cp.Minimize(fit(f)), [Everywhere(lambda x: at(f, x), BOX)]).solve()


def test_kernels_of_which_nothing_is_known_are_refused_by_name() -> None:
    f, g = Function(RBF(1.0) * Linear()), Function(Matern(1.0, nu=1.5))
    with pytest.raises(ParameterError, match=r"not known how large .*RBF\(gamma=1.0\), right=Linear\(\)"):
        Machine(cp.Minimize(fit(f)), [Everywhere(lambda x: f(x) >= 0, BOX)]).solve()
    with pytest.raises(ParameterError, match=r"needs one derivative more, but .*nu=1.5.* has 1"):
        Machine(cp.Minimize(fit(g)), [Everywhere(lambda x: g.derivative(x, axis=0) >= 0, BOX)]).solve()
    for wrong in ([(1.0, 0.0)], (0, 1), [(0, np.inf)]):
        with pytest.raises(ParameterError, match=r"finite numbers, low < high, for each axis.*write box=\[\(0, 1\)\]"):
            Everywhere(lambda x: f(x) >= 0, wrong)
    with pytest.raises(ParameterError, match="a function of points that returns the constraint"):
        Everywhere(f(X) >= 0, BOX)
    with pytest.raises(ParameterError, match="the corners of the box"):
        Everywhere(lambda x: f(x) >= 0, BOX, most_points=1)
