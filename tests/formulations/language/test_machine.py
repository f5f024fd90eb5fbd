# SPDX-License-Identifier: BSD-3-Clause
"""Statements about functions: which program they are, and that it has the optimum of the statement in coordinates."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest

from formulations import Everywhere, Function, Machine, SoftMargin, SoftTube, compare
from qpkernels import RBF, Polynomial, Sigmoid
from qpkernels.errors import (
    IndefiniteKernelError,
    InfeasibleError,
    NoEnclosureError,
    NonFiniteError,
    ParameterError,
    ShapeError,
    UnsupportedProgramError,
)
from qpkernels.files import read
from qpkernels.problems import Status
from qpkernels.solvers import Request, find_solver
from qpkernels.solvers.backends.clarabel import Clarabel
from together import together

RANDOM = np.random.default_rng(0)
M = 40
X = RANDOM.normal(size=(M, 2))
Y = np.sign(X[:, 0] + 0.5 * RANDOM.normal(size=M))
T = np.sin(X[:, 0]) + 0.1 * RANDOM.normal(size=M)
GRID = np.linspace(-2, 2, 9)[:, None] * [1.0, 0.0]
WEIGHTS = RANDOM.uniform(0.5, 2.0, M)
COUNTS = RANDOM.poisson(1.5, M)


class Stated(NamedTuple):
    """A statement, and the program that it must be."""

    machine: Machine
    program: str


def hinge(v: Any) -> Any:
    return cp.sum(cp.pos(1 - cp.multiply(Y, v)))


def of_one(make: Callable[[Function, Any], tuple[Any, list[Any]]], program: str) -> Callable[[], Stated]:
    def stated() -> Stated:
        f, b = Function(RBF(1.0)), cp.Variable(name="b")
        loss, constraints = make(f, b)
        return Stated(Machine(cp.Minimize(0.5 * f.squared_norm + loss), constraints), program)

    return stated


def with_slacks(f: Function, b: Any) -> tuple[Any, list[Any]]:
    xi = cp.Variable(M, nonneg=True, name="xi")
    return cp.sum(xi), [(cp.multiply(Y, f(X) + b) >= 1 - xi).set_label("margin")]


def slacks_below_a_tube(f: Function, b: Any) -> tuple[Any, list[Any]]:
    # Each loss has two pieces of one slope side by side, and its least value where the second of them ends.
    xi = cp.Variable(M, nonneg=True, name="xi")
    cost = cp.sum(xi) + 2 * cp.sum(cp.pos(cp.abs(f(X) + b - T) - 0.3))
    return cost, [f(X) + b - T >= 1 - xi]


def huber_and_tube(f: Function, _: Any) -> tuple[Any, list[Any]]:
    r = f(X) - T
    return cp.sum(cp.huber(r, 1.2)) + 0.3 * cp.sum(cp.pos(cp.abs(r - 0.2) - 0.3)), []


def trend(f: Function, b: Any) -> tuple[Any, list[Any]]:
    w = cp.Variable(2, name="w")
    return cp.sum(cp.abs(T - f(X) - X @ w - b)), []


def penalised_trend(f: Function, b: Any) -> tuple[Any, list[Any]]:
    w = cp.Variable(2, name="w")
    return cp.sum(cp.abs(T - f(X) - X @ w - b)) + cp.sum_squares(w), []


def ordered_thresholds(f: Function, _: Any) -> tuple[Any, list[Any]]:
    above, thresholds = [np.where(X[:, 0] > level, 1.0, -1.0) for level in (-0.5, 0.5)], cp.Variable(2)
    losses = sum(cp.sum(cp.pos(1 - cp.multiply(z, f(X) - thresholds[k]))) for k, z in enumerate(above))
    return losses, [thresholds[0] + 3 <= thresholds[1]]


def free_width(f: Function, b: Any) -> tuple[Any, list[Any]]:
    # |r| is private to one sample, and the width is shared: a loss of two numbers.
    width = cp.Variable()
    return cp.sum(cp.pos(cp.abs(T - f(X) - b) - width)) + 5 * width, [width >= 0]


def cone_of_ones_own(f: Function, _: Any) -> tuple[Any, list[Any]]:
    t = cp.Variable(M, name="t")
    return cp.sum(t), [cp.ExpCone(-cp.multiply(Y, f(X)), np.ones(M), t)]


def quantiles() -> Stated:
    functions, b = [Function(RBF(1.0), f"q{k}") for k in range(3)], cp.Variable(3, name="b")
    cost, constraints = 0, []
    for k, (f, tau) in enumerate(zip(functions, (0.1, 0.5, 0.9), strict=True)):
        r = T - f(X) - b[k]
        cost += 0.5 * f.squared_norm + 3 * cp.sum(cp.maximum(tau * r, (tau - 1) * r))
        if k:
            constraints.append(f(GRID) + b[k] >= functions[k - 1](GRID) + b[k - 1])
    return Stated(
        Machine(cp.Minimize(cost), constraints), "a SemiparametricQP of 138 functionals and 3 free directions"
    )


def transfer() -> Stated:
    source = Function(RBF(1.0))
    Machine(cp.Minimize(source.squared_norm + cp.sum_squares(source(X) - T))).solve()
    f = Function(RBF(1.0))
    loss = cp.sum(cp.abs(f(X) - T - 0.3))
    return Stated(Machine(cp.Minimize((f - source.fitted).squared_norm + loss)), "a KernelQP of 40 functionals")


def two_kernels() -> Stated:
    f, g, b = Function(RBF(0.2), "f"), Function(RBF(3.0), "g"), cp.Variable(name="b")
    cost = f.squared_norm + 2 * g.squared_norm + hinge(f(X) + g(X) + b)
    return Stated(Machine(cp.Minimize(cost)), "a KernelQP of 40 functionals with an intercept")


def with_norms(penalty: Callable[[Any, Any], Any], program: str) -> Callable[[], Stated]:
    def stated() -> Stated:
        f, g, b = Function(RBF(0.2), "f"), Function(RBF(3.0), "g"), cp.Variable(name="b")
        return Stated(Machine(cp.Minimize(penalty(f.norm, g.norm) + hinge(f(X) + g(X) + b))), program)

    return stated


def norms_of_slopes() -> Stated:
    f, g = Function(RBF(0.2), "f"), Function(RBF(3.0), "g")
    cost = cp.square(f.norm + 0.5 * (-2 * g).norm) + cp.sum_squares(f(X) + g(X) - T)
    cost += cp.sum_squares(f.derivative(GRID, 0) - g.mean(X))
    return Stated(Machine(cp.Minimize(cost)), "a MultipleKernelQP of 49 functionals and 2 kernels")


def difference() -> Stated:
    f, g = Function(RBF(1.0), "f"), Function(RBF(1.0), "g")
    cost = f.squared_norm + g.squared_norm + 5 * (f - g).squared_norm
    cost += cp.sum_squares(f(X[:20]) - T[:20]) + cp.sum_squares(g(X[20:]) - T[20:])
    return Stated(Machine(cp.Minimize(cost)), "a ConeProgram in coordinates")


def ball() -> Stated:
    f = Function(RBF(1.0))
    return Stated(Machine(cp.Minimize(cp.sum_squares(f(X) - T)), [f.norm <= 1]), "a ConeProgram in coordinates")


def maximised() -> Stated:
    f, b = Function(RBF(1.0)), cp.Variable(name="b")
    gain = cp.sum(cp.minimum(1, cp.multiply(Y, f(X) + b))) - f.squared_norm
    return Stated(Machine(cp.Maximize(gain)), "a KernelQP of 40 functionals with an intercept")


TWO = "a MultipleKernelQP of 40 functionals and 2 kernels with an intercept"


def of_classes(total: Callable[[Any], Any], program: str) -> Callable[[], Stated]:
    """Return a statement of three classes with free constants; the losses of the own classes are numbers."""

    def stated() -> Stated:
        functions, b = [Function(RBF(1.0), f"f{k}") for k in range(3)], cp.Variable(3, name="b")
        own = np.eye(3)[:, np.arange(20) % 3]
        values = cp.vstack([f(X[:20]) + b[k] for k, f in enumerate(functions)])
        losses = 1 - own + values - cp.vstack([cp.sum(cp.multiply(own, values), axis=0)] * 3)
        return Stated(Machine(cp.Minimize(0.5 * sum(f.squared_norm for f in functions) + total(losses))), program)

    return stated


STATED: dict[str, Callable[[], Stated]] = {
    "hinge": of_one(lambda f, b: (hinge(f(X) + b), []), "a KernelQP of 40 functionals with an intercept"),
    "hinge with slacks": of_one(with_slacks, "a KernelQP of 40 functionals with an intercept"),
    "slacks below a tube": of_one(slacks_below_a_tube, "a KernelQP of 80 functionals with an intercept"),
    "huber and tube": of_one(huber_and_tube, "a KernelQP of 120 functionals"),
    "weighted hinge": of_one(
        lambda f, b: (WEIGHTS @ cp.pos(1 - cp.multiply(Y, f(X) + b)), []),
        "a KernelQP of 40 functionals with an intercept",
    ),
    "tube": of_one(
        lambda f, b: (cp.sum(cp.pos(cp.abs(T - f(X) - b) - 0.1)), []), "a KernelQP of 40 functionals with an intercept"
    ),
    "tube as two hinges": of_one(
        lambda f, b: (cp.sum(cp.pos(f(X) + b - T - 0.1)) + cp.sum(cp.pos(T - f(X) - b - 0.1)), []),
        "a KernelQP of 40 functionals with an intercept",
    ),
    "squares": of_one(
        lambda f, b: (cp.sum_squares(f(X) + b - T), []), "a KernelQP of 40 functionals with an intercept"
    ),
    "squares of values": of_one(lambda f, _: (cp.sum_squares(f(X)) - 2 * T @ f(X), []), "a KernelQP of 40 functionals"),
    "squared hinge": of_one(
        lambda f, b: (cp.sum(cp.square(cp.pos(1 - cp.multiply(Y, f(X) + b)))), []),
        "a KernelQP of 40 functionals with an intercept",
    ),
    "huber": of_one(lambda f, _: (cp.sum(cp.huber(f(X) - T, 0.3)), []), "a KernelQP of 40 functionals"),
    "absolute and squared": of_one(
        lambda f, _: (cp.norm1(f(X) - T) + cp.sum_squares(f(X) - T), []), "a KernelQP of 80 functionals"
    ),
    "three kinks": of_one(
        lambda f, _: (cp.sum(cp.maximum(cp.abs(f(X) - T), 2 * cp.abs(f(X) - T) - 1)), []),
        "a KernelQP of 80 functionals",
    ),
    "largest residual": of_one(
        lambda f, _: (5 * cp.max(cp.abs(f(X) - T)), []), "a SemiparametricQP of 80 functionals and 1 free direction"
    ),
    "largest hinge": of_one(
        lambda f, _: (5 * cp.max(cp.pos(1 - cp.multiply(Y, f(X)))), []),
        "a SemiparametricQP of 41 functionals and 1 free direction",
    ),
    "hinges above a level": of_one(
        lambda f, b: (cp.sum(cp.pos(cp.pos(1 - cp.multiply(Y, f(X))) - b)) + 4 * b, [b >= 0]),
        "a SemiparametricQP of 41 functionals and 1 free direction",
    ),
    "largest of few": of_one(lambda f, _: (cp.sum_largest(cp.abs(f(X) - T), 3), []), "a ConeProgram in coordinates"),
    "linear terms alone": of_one(
        lambda f, b: (hinge(f(X) + b) + f.mean(GRID) - 2 * f.derivative(GRID, 0)[3], []),
        "a KernelQP of 40 functionals with an intercept",
    ),
    "logistic": of_one(
        lambda f, b: (cp.sum(cp.logistic(-cp.multiply(Y, f(X) + b))), []),
        "a SmoothRisk of 40 functionals with an intercept",
    ),
    "weighted logistic of differences": of_one(
        lambda f, _: (WEIGHTS[:20] @ cp.logistic(0.3 - 2 * f(X)[:20] + f(X)[20:]) + 0.1 * cp.sum(f(X)[:20]), []),
        "a ConeProgram in coordinates",
    ),
    "logistic of differences": of_one(
        lambda f, _: (WEIGHTS[:20] @ cp.logistic(0.3 - 2 * f(X)[:20] + f(X)[20:]), []),
        "a SmoothRisk of 20 functionals",
    ),
    "logistic residual": of_one(
        lambda f, b: (cp.sum(2 * cp.logistic(f(X) + b - T) - f(X) - b), []),
        "a SmoothRisk of 40 functionals with an intercept",
    ),
    "exponential": of_one(
        lambda f, b: (WEIGHTS @ cp.exp(-cp.multiply(Y, f(X) + b)), []),
        "a SmoothRisk of 40 functionals with an intercept",
    ),
    "counts": of_one(
        lambda f, b: (cp.sum(cp.exp(f(X) + b) - cp.multiply(COUNTS, f(X) + b)), []),
        "a SmoothRisk of 40 functionals with an intercept",
    ),
    "logistic beside absolute": of_one(
        lambda f, _: (cp.sum(cp.logistic(f(X)[:9])) + cp.norm1(f(X)[9:] - T[9:]), []), "a ConeProgram in coordinates"
    ),
    "logistic beside a trend": of_one(
        lambda f, b: (cp.sum(cp.logistic(f(X) + X @ np.ones(2) * b - T)) + cp.square(b), []),
        "a ConeProgram in coordinates",
    ),
    "ranking": of_one(lambda f, _: (cp.sum(cp.pos(1 - f(X)[:20] + f(X)[20:])), []), "a KernelQP of 20 functionals"),
    "trend": of_one(trend, "a SemiparametricQP of 40 functionals and 3 free directions"),
    "penalised trend": of_one(penalised_trend, "a SemiparametricQP of 42 functionals and 3 free directions"),
    "ordered thresholds": of_one(ordered_thresholds, "a SemiparametricQP of 81 functionals and 2 free directions"),
    "bounded constant": of_one(
        lambda f, b: (hinge(f(X) + b), [b >= 0.7]), "a KernelQP of 41 functionals with an intercept"
    ),
    "penalised constant": of_one(
        lambda f, b: (cp.sum_squares(f(X) + b - T) + cp.square(b), []), "a KernelQP of 41 functionals with an intercept"
    ),
    "free width": of_one(free_width, "a ConeProgram in coordinates"),
    "not negative": of_one(lambda f, _: (cp.sum_squares(f(X) - T), [f(GRID) >= 0]), "a KernelQP of 49 functionals"),
    "rising": of_one(
        lambda f, b: (cp.sum_squares(f(X) + b - T), [(f.derivative(GRID, 0) >= 0).set_label("rises")]),
        "a SemiparametricQP of 49 functionals and 1 free direction",
    ),
    "fixed mean": of_one(
        lambda f, b: (cp.norm1(f(X) + b - T), [f.mean(X) == 0]),
        "a SemiparametricQP of 41 functionals and 1 free direction",
    ),
    "fair": of_one(
        lambda f, b: (hinge(f(X) + b), [cp.abs((WEIGHTS - WEIGHTS.mean()) @ f(X)) <= 0.1]),
        "a SemiparametricQP of 41 functionals and 1 free direction",
    ),
    "quantiles": quantiles,
    "transfer": transfer,
    "two kernels": two_kernels,
    "norms": with_norms(lambda f, g: f + 0.5 * g, TWO),
    "square of norms": with_norms(lambda f, g: 0.5 * cp.square(f + 2 * g), TWO),
    "square of a largest norm": with_norms(lambda f, g: cp.square(cp.maximum(f, g)), "a ConeProgram in coordinates"),
    "p-norm of norms": with_norms(lambda f, g: cp.norm(cp.hstack([f, 2 * g]), 1.5), TWO),
    "square of a p-norm of norms": with_norms(lambda f, g: cp.square(cp.norm(cp.hstack([3 * f, g]), 4 / 3)), TWO),
    "1-norm of norms": with_norms(lambda f, g: cp.square(cp.norm(cp.hstack([f, g]), 1)), TWO),
    "norm beside a square": with_norms(lambda f, g: f + cp.square(g), TWO),
    "squares of norms": with_norms(
        lambda f, g: cp.square(f) + 2 * cp.square(g), "a KernelQP of 40 functionals with an intercept"
    ),
    "3-norm of norms": with_norms(lambda f, g: cp.norm(cp.hstack([f, g]), 3), "a ConeProgram in coordinates"),
    "huber of a norm": with_norms(lambda f, g: cp.huber(f) + cp.square(g), "a ConeProgram in coordinates"),
    "norm twice": with_norms(lambda f, g: f + cp.square(f + g), "a ConeProgram in coordinates"),
    "norms of slopes": norms_of_slopes,
    "difference of functions": difference,
    "ball": ball,
    "maximised": maximised,
    "all pairs of classes": of_classes(
        lambda losses: cp.sum(cp.pos(losses)), "a SemiparametricQP of 40 functionals and 2 free directions"
    ),
    "worst class": of_classes(
        lambda losses: cp.sum(cp.max(losses, axis=0)), "a SemiparametricQP of 60 functionals and 22 free directions"
    ),
}


@together("name", STATED)
def test_the_program_has_the_optimum_in_coordinates_and_cvxpy_sees_it(name: str) -> None:
    machine, program = STATED[name]()
    assert machine.recognised.startswith(program)
    solution = machine.solve(tol=1e-7)
    assert solution.status == "optimal"
    # What CVXPY computes of the values and variables that were written to it.
    assert machine.problem.objective.value == pytest.approx(solution.objective, rel=1e-7, abs=1e-7)
    for constraint in machine.problem.constraints:
        assert np.max(constraint.violation()) <= 1e-7
        assert np.isfinite(constraint.dual_value).all()
    in_coordinates = machine.solve("clarabel", tol=1e-7)
    assert in_coordinates.objective == pytest.approx(solution.objective, rel=1e-6)


def test_other_exponential_cones_stay_cones() -> None:
    f = Function(RBF(1.0))
    cost, constraints = cone_of_ones_own(f, None)
    for loss, rows in ((cost, constraints), (cp.sum(cp.kl_div(1 + f(X)[:9], np.ones(9))), [])):
        machine = Machine(cp.Minimize(f.squared_norm + loss), rows)
        assert machine.recognised.startswith("a ConeProgram in coordinates")


def test_a_statement_is_the_model_that_the_catalogue_has() -> None:
    f, b = Function(RBF(1.0)), cp.Variable(name="b")
    own = Machine(cp.Minimize(0.5 * f.squared_norm + 2 * hinge(f(X) + b))).solve(tol=1e-9)
    model = SoftMargin(X, Y, RBF(1.0), C=2.0).solve(tol=1e-9)
    assert own.objective == pytest.approx(model.objective, rel=1e-8)
    assert f(GRID).value + b.value == pytest.approx(model.decision_function(GRID), abs=1e-5)
    g, c = Function(RBF(1.0)), cp.Variable(name="b")
    tube = 3 * cp.sum(cp.pos(cp.abs(T - g(X) - c) - 0.1))
    own = Machine(cp.Minimize(g.squared_norm + tube)).solve(tol=1e-9)
    assert own.objective == pytest.approx(2 * SoftTube(X, T, RBF(1.0), C=1.5, epsilon=0.1).solve(tol=1e-9).objective)


def test_multipliers_of_constraints_are_those_of_the_dual() -> None:
    f, b, xi = Function(RBF(1.0)), cp.Variable(name="b"), cp.Variable(M, nonneg=True)
    margin = (cp.multiply(Y, f(X) + b) >= 1 - xi).set_label("margin")
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + 2 * cp.sum(xi)), [margin])
    machine.solve(tol=1e-8)
    model = SoftMargin(X, Y, RBF(1.0), C=2.0).solve(tol=1e-8)
    assert machine.constraint("margin").dual_value == pytest.approx(model.alpha, abs=1e-5)


def test_an_integral_is_a_functional_whose_value_is_fixed() -> None:
    f, b = Function(RBF(1.0)), cp.Variable(name="b")
    mass = (f.integral([-3.0, -3.0], [3.0, 3.0]) == 1.5).set_label("mass")
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + cp.sum_squares(f(X) + b - T)), [mass])
    solution = machine.solve(tol=1e-9)
    assert solution.status == "optimal"
    x, w = np.polynomial.legendre.leggauss(60)
    grid = 3.0 * np.stack(np.meshgrid(x, x), axis=-1).reshape(-1, 2)
    assert 9.0 * np.outer(w, w).reshape(-1) @ f(grid).value == pytest.approx(1.5, abs=1e-7)
    looser = Machine(machine.problem.objective, [f.integral([-3.0, -3.0], [3.0, 3.0]) == 1.5 - 1e-3]).solve(tol=1e-9)
    price = (solution.objective - looser.objective) / 1e-3
    assert -machine.constraint("mass").dual_value == pytest.approx(price, rel=1e-2)
    for ends in (([0.0, 0.0], [1.0]), ([0.0, 0.0], [1.0, 0.0])):
        with pytest.raises(ParameterError, match="a lower end below the upper one for each feature"):
            f.integral(*ends)


def test_norms_and_functions_have_the_values_that_were_found() -> None:
    f = Function(RBF(1.0))
    solution = Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X) - T))).solve(tol=1e-9)
    found = solution.function(f)
    c = np.linalg.solve(RBF(1.0)(X) + np.eye(M), T)
    assert f(GRID).value == pytest.approx(RBF(1.0)(GRID, X) @ c, abs=1e-6)
    assert f.norm.value == pytest.approx(np.sqrt(c @ RBF(1.0)(X) @ c), rel=1e-6)
    assert found.expansion(GRID) == pytest.approx(found(GRID))
    step = 1e-6 * np.array([0.0, 1.0])
    slope = (found(GRID + step) - found(GRID - step)) / 2e-6
    assert f.derivative(GRID, 1).value == pytest.approx(slope, abs=1e-6)
    assert f.gradient(GRID).value[:, 1] == pytest.approx(slope, abs=1e-6)
    assert (2 * f - found)(GRID).value == pytest.approx(found(GRID))
    assert f.inner(found).value == pytest.approx(found.squared_norm, rel=1e-9)


def test_parameters_may_change_between_solves() -> None:
    f, C = Function(RBF(1.0)), cp.Parameter(nonneg=True)
    machine = Machine(cp.Minimize(f.squared_norm + C * hinge(f(X))))
    with pytest.raises(ParameterError, match="have no value"):
        machine.solve()
    for value in (0.1, 2.0):
        C.value = value
        model = SoftMargin(X, Y, RBF(1.0), C=0.5 * value, fit_intercept=False).solve()
        assert machine.solve().objective == pytest.approx(2 * model.objective, rel=1e-5)


FEW = np.where(np.arange(M) % 3 > 0, WEIGHTS, 0.0)
CHANGING: dict[str, tuple[Callable[[Function, Any, Any], Any], bool]] = {
    "cost": (lambda f, b, p: f.squared_norm + p * hinge(f(X) + b), True),
    "costs of some samples": (lambda f, b, p: f.squared_norm + p * FEW @ cp.pos(cp.abs(f(X) + b - T) - 0.1), True),
    "smooth losses": (lambda f, b, p: f.squared_norm + p * cp.sum(cp.logistic(-cp.multiply(Y, f(X) + b))), True),
    "targets": (lambda f, b, p: f.squared_norm + cp.norm1(f(X) + b - T - p), True),
    "squares": (lambda f, _, p: f.squared_norm + cp.sum_squares(f(X) - p * T), True),
    "a sum of free variables": (
        lambda f, b, p: f.squared_norm + p * b + cp.sum(cp.pos(cp.abs(f(X) + b - T) - 0.1)),
        True,
    ),
    "a linear term": (lambda f, b, p: f.squared_norm - 0.1 * p * T @ f(X) + cp.norm1(f(X) + b - T), True),
    "what functionals see": (lambda f, b, p: f.squared_norm + cp.norm1(p * f(X) + b - T), True),
    "the weight of the norm": (lambda f, b, p: p * f.squared_norm + cp.norm1(f(X) + b - T), False),
}
"""Costs with a parameter, and whether the kernel matrix stays."""


@together("name", CHANGING)
def test_answers_after_a_parameter_changed_are_those_of_a_fresh_statement(name: str) -> None:
    cost, keeps = CHANGING[name]

    def stated(parameter: Any) -> Machine:
        return Machine(cp.Minimize(cost(Function(RBF(1.0)), cp.Variable(name="b"), parameter)))

    parameter = cp.Parameter(nonneg=True, value=1.5)
    machine = stated(parameter)
    assert machine.program is machine.program
    for value in (1.5, 4.0, 0.2, 3.0):
        gram, parameter.value = machine.program.gram, value
        solution = machine.solve(tol=1e-9)
        assert solution.status == "optimal"
        assert solution.objective == pytest.approx(stated(value).solve(tol=1e-9).objective, rel=1e-7)
        assert (machine.program.gram is gram) == (keeps or value == 1.5)
    parameter.value = None
    with pytest.raises(ParameterError, match="have no value"):
        machine.solve()


def test_multipliers_after_costs_changed_are_those_of_the_model() -> None:
    f, b, xi, C = Function(RBF(1.0)), cp.Variable(), cp.Variable(M, nonneg=True), cp.Parameter(nonneg=True)
    margin = (cp.multiply(Y, f(X) + b) >= 1 - xi).set_label("margin")
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + C * cp.sum(xi)), [margin])
    for C.value in (3.0, 0.7, 2.0):
        assert machine.solve(tol=1e-8).status == "optimal"
        model = SoftMargin(X, Y, RBF(1.0), C=C.value).solve(tol=1e-8)
        assert machine.constraint("margin").dual_value == pytest.approx(model.alpha, abs=1e-5)


def asked_of_clarabel(monkeypatch: pytest.MonkeyPatch, loose: int) -> list[Any]:
    """Return the requests that Clarabel gets from now on; its first ``loose`` answers are wrong."""
    ask, asked = Clarabel.ask, list[Any]()

    def recorded(solver: Clarabel, program: Any, request: Request, **options: Any) -> Any:
        outcome = ask(solver, program, request, **options)
        asked.append((request, options))
        return replace(outcome, multipliers=0.0 * outcome.multipliers) if len(asked) <= loose else outcome

    monkeypatch.setattr(Clarabel, "ask", recorded)
    return asked


def test_what_is_asked_again_in_coordinates_is_asked_within_the_same_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    f, asked = Function(RBF(1.0)), asked_of_clarabel(monkeypatch, 0)
    contradiction = Machine(cp.Minimize(f.squared_norm + cp.norm1(f(X) - T)), [f(X[:2]) >= 1, f(X[:1]) <= 0])
    with pytest.raises(InfeasibleError):
        contradiction.solve(max_iter=50_000, cache_size=10.0)
    ((request, options),) = asked
    assert (request.tol, request.max_iter, request.time_limit, options) == (1e-6, 50_000, None, {})


def test_an_answer_over_cones_that_is_not_proved_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_of_clarabel(monkeypatch, 1)
    machine = Machine(cp.Minimize(0.1 * (f := Function(RBF(1.0))).norm + cp.norm(f(X[:20]) - T[:20], 3)))
    assert machine.solve(tol=1e-5, max_iter=70, equilibrate_enable=True).status == "optimal"
    (first, options), (again, same) = asked
    assert (first.tol, again.tol) == (1e-5, pytest.approx(1e-8))
    assert (first.max_iter, options) == (again.max_iter, same) == (70, {"equilibrate_enable": True})


def test_a_solution_that_is_not_proved_says_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_of_clarabel(monkeypatch, 2)
    machine = Machine(cp.Minimize(0.1 * (f := Function(RBF(1.0))).norm + cp.norm(f(X[:20]) - T[:20], 3)))
    solution = machine.solve(tol=1e-5)
    assert solution.status == "uncertified"
    lacking = next(fact.value for fact in solution.card().facts if fact.name == "lacking")
    assert lacking.startswith("This does not hold to 1e-05: the ")
    assert solution.explain().endswith(lacking)
    # The first answer is written, with the functions that it has.
    assert machine.problem.objective.value == pytest.approx(solution.objective)


def test_statements_are_compared_over_solvers_and_written_to_files(tmp_path: Path) -> None:
    machine, most, other = STATED["hinge"]().machine, STATED["maximised"]().machine, STATED["ball"]().machine
    model = SoftMargin(X, Y, RBF(1.0), C=1.0)
    table = compare([machine, most, other, model], ["smo", "clarabel"], isolate=False, progress=False)
    found = {(row.problem, row.formulation, row.solver): row for row in table}
    assert {key for key in found if key[0] == "statement #1"} == {
        ("statement #1", "KernelQP", "smo"),
        ("statement #1", "ConeProgram", "clarabel"),
    }
    for row in table:
        if (row.problem, row.solver) == ("statement #3", "smo"):
            assert row.status == "failed"
            assert "smo does not take this statement, which is a ConeProgram in coordinates" in row.reason
            continue
        assert row.status == "optimal"
        # The bounds are those of the statement, whatever program was solved.
        assert row.objective == pytest.approx(row.factor * row.primal_value, rel=1e-5)
        assert row.primal_value == pytest.approx(row.dual_value, rel=1e-5)
    objectives = {row.objective for row in table if row.problem in ("statement #1", "SoftMargin") and row.factor == 1}
    assert max(objectives) == pytest.approx(min(objectives), rel=1e-5)
    assert all(row.factor == -1 for row in table if row.problem == "statement #2")
    assert len(compare(machine, "smo", progress=False)) == 1
    # The file has the optimum of the statement.
    program = read(machine.export(tmp_path / "machine.npz"))
    answer = find_solver("clarabel").solve(program, tol=1e-9)
    assert program.objective(answer.point) == pytest.approx(machine.solve(tol=1e-9).objective, rel=1e-7)
    assert "b" in {block.name for block in program.variables}


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_bounds_and_enclosures_are_of_the_statement_with_its_constant_and_sign(sign: float) -> None:
    f = Function(RBF(1.0))
    value = 0.5 * f.squared_norm + cp.norm1(T - f(X)) + cp.norm1(1.0 - f(X)) + 5.0
    solution = Machine(cp.Minimize(value) if sign > 0 else cp.Maximize(-value)).solve()
    dense = Machine(cp.Minimize(value)).solve("clarabel", tol=1e-9).objective
    enclosure = solution.enclose()
    assert enclosure.width <= 1e-5 * abs(solution.objective)
    assert enclosure.contains(solution.objective)
    assert solution.objective == pytest.approx(sign * dense, rel=1e-6)
    low, high = (float(each) for each in re.findall(r"-?\d+\.\d+", solution.explain())[:2])
    assert low - 1e-9 <= solution.objective <= high + 1e-9
    proof = solution.certificate
    assert proof.dual_value <= sign * solution.objective <= proof.primal_value


@pytest.mark.parametrize("name", ["trend", "ball", "largest residual"])
def test_statements_are_proved_as_machines_or_in_coordinates(name: str, tmp_path: Path) -> None:
    machine = STATED[name]().machine
    proof = machine.prove(tmp_path / "statement.proof.gz")
    assert proof.digits >= 9
    value = machine.solve(tol=1e-9).certificate.primal_value
    assert proof.lower == pytest.approx(value, rel=1e-7)


def test_what_has_no_enclosure_says_why() -> None:
    with pytest.raises(NoEnclosureError, match="nothing is known of rounding errors in a SemiparametricQP"):
        STATED["trend"]().machine.solve().enclose()
    with pytest.raises(NoEnclosureError, match="coordinates of functions are rounded"):
        STATED["ball"]().machine.solve().enclose()


@pytest.mark.parametrize(("points", "end", "optimum"), [(15, 2.5, 1.16187612826), (17, 3.0, 1.33411229933)])
def test_what_a_rounded_span_leaves_out_counts_in_the_gap(points: int, end: float, optimum: float) -> None:
    """Optima in 100 digits; the inner products of so many functionals are singular in float64."""
    f, grid = Function(RBF(1.0)), np.linspace(0.0, end, points)[:, None]
    equations = [f.derivative(grid, 0, order=2) + f(grid) == 0, f([[0.0]]) == 0, f.derivative([[0.0]], 0) == 1]
    solution = Machine(cp.Minimize(0.5 * f.squared_norm), equations).solve()
    assert abs(solution.objective - optimum) <= solution.certificate.relative_gap * optimum
    assert solution.status is not Status.OPTIMAL


def test_bounds_have_their_multipliers_however_they_are_written() -> None:
    f = Function(RBF(1.0))
    mean = f.mean(X, WEIGHTS * T / M)
    for value, size in ((mean, 1), (f(X[:5]), 5)):
        for bounded in (cp.abs(value), cp.abs(-2 * value), cp.maximum(value, -3 * value), 2 * value):
            bound = bounded <= 0.2
            machine = Machine(cp.Minimize(0.5 * f.squared_norm + hinge(f(X))), [bound])
            assert machine.solve(tol=1e-9).program.startswith("a KernelQP")
            found = np.array(bound.dual_value)
            machine.solve("clarabel", tol=1e-9)
            assert np.size(found) == size
            assert found.max() > 0.1
            assert found == pytest.approx(bound.dual_value, abs=1e-5)


CONES: dict[str, Callable[[Function, Function, Any], tuple[Any, list[Any]]]] = {
    "largest residual": lambda f, g, b: (cp.max(cp.abs(T - f(X) - g(X) - b)) + 0.1 * (f.norm + g.norm), []),
    "norms are bounded": lambda f, g, b: (hinge(f(X) + g(X) + b), [f.norm <= 2, g.norm <= 2]),
    "worst three": lambda f, g, b: (cp.sum_largest(cp.abs(T - f(X) - b), 3), [f.norm <= 2, g.norm <= 1, g(X) >= f(X)]),
    "worst tenth": lambda f, g, b: (
        0.01 * f.squared_norm + g.norm + cp.sum(cp.pos(cp.pos(1 - f(X) - g(X)) - b)) + 4 * b,
        [b >= 0],
    ),
    "logarithms": lambda f, _, b: (-cp.sum(cp.log(f(X))) / M + 0.5 * f.squared_norm, [f.mean(X) + b <= 1, b >= 0]),
    "exponentials": lambda f, g, b: (cp.sum(cp.exp(-cp.multiply(Y, f(X) + b))) + f.norm + g.norm, [g(GRID) >= b]),
    "no function": lambda f, _, b: (
        0.05 * cp.sum_squares(X[:3].T @ f(X[:3]) - 1) + 10 * f.norm,
        [f(X[:3]) + b <= 1, cp.abs(b) <= 50],
    ),
    "no loss": lambda f, *_: (cp.sum_squares(f(X[:5]) - T[:5]), [f.norm <= 50]),
    "fourth powers": lambda f, g, b: (cp.sum((T - f(X) - b) ** 4) + cp.square(f.norm + g.norm), [g.mean(X) == 0.1]),
}
"""Statements over cones whose solver leaves almost nothing, in terms that are almost nothing."""


@together("name", CONES)
def test_answers_over_cones_are_repaired_until_they_are_proved(name: str) -> None:
    f, g, b = Function(RBF(2.0), "f"), Function(RBF(0.5), "g"), cp.Variable()
    objective, constraints = CONES[name](f, g, b)
    machine = Machine(cp.Minimize(objective), constraints)
    assert machine.recognised.startswith("a ConeProgram")
    assert machine.solve().status == "optimal"


def test_statements_are_shown_as_they_were_written() -> None:
    f, b = Function(RBF(1.0), "q0.1"), cp.Variable(2, name="b")
    loss = 0.1 * cp.sum(cp.abs(f(X) - b[0])) + 1 * cp.sum(b)
    shown = str(Machine(cp.Minimize(f.squared_norm + f.norm + loss)))
    assert "||q0.1||^2 + ||q0.1|| + 0.1 * sum(abs(q0.1(X) + -(b[0]))) + sum(b)" in shown


def test_statements_are_shown_with_the_dual_that_they_are_compiled_to() -> None:
    f, g, b, w = Function(RBF(1.0)), Function(RBF(2.0)), cp.Variable(), cp.Variable(2)
    S = X[:3]
    labels, r = np.array([1.0, -1.0, 1.0]), np.array([0.5, 1.0, -1.0]) - f(S)
    hinge, half = cp.sum(cp.pos(1 - cp.multiply(labels, f(S) + b))), 0.5 * f.squared_norm
    tube, squares = cp.sum(cp.pos(cp.abs(r - b) - 0.1)), cp.sum_squares(r)
    both = cp.sum(cp.abs(r - g(S)))
    duals = {
        half + 2 * hinge: "tᵀβ − ½ βᵀG β over lᵢ ≤ βᵢ ≤ uᵢ, 1ᵀβ = 0 with t from −1 to 1; l from −2 to 0; u from 0 to 2",
        half + 2 * tube: "tᵀβ − ½ βᵀG β − 0.1 Σᵢ |βᵢ| over −2 ≤ βᵢ ≤ 2, 1ᵀβ = 0 with t from −1 to 1",
        half + 2 * squares: "tᵀβ − ½ βᵀG β − 0.125 βᵀβ with t from −1 to 1",
        half + cp.sum(cp.abs(r - [0.5, 1.0, -1.0])): "−½ βᵀG β over −1 ≤ βᵢ ≤ 1",
        half + cp.sum(cp.abs(r - S @ w)): "tᵀβ − ½ βᵀG β over −1 ≤ βᵢ ≤ 1, Bᵀβ = 0 with t from −1 to 1",
        0.5 * cp.square(f.norm + g.norm) + both: "tᵀβ − ½ maxⱼ βᵀGⱼ β over −1 ≤ βᵢ ≤ 1 with t from −1 to 1",
    }
    for objective, dual in duals.items():
        facts = {fact.name: fact.value for fact in Machine(cp.Minimize(objective)).card().facts}
        said = " ".join(f"{name} {facts[name]}" for name in ("dual", "over", "with") if name in facts)
        assert said == f"dual maximise {dual}"
    in_cones = Machine(cp.Minimize(cp.sum(cp.logistic(r)) + half))
    assert "dual" not in {fact.name for fact in in_cones.card().facts}


def test_several_kernels_are_solved_again_from_the_answer_before() -> None:
    f, g, C = Function(RBF(0.2), "f"), Function(RBF(3.0), "g"), cp.Parameter(nonneg=True)
    machine = Machine(cp.Minimize(0.5 * cp.square(f.norm + g.norm) + C * hinge(f(X) + g(X))))
    for C.value in (1.0, 1.0, 3.0):
        first, again = machine.solve(tol=1e-8), machine.solve("clarabel", tol=1e-8)
        assert first.status == again.status == "optimal"
        assert first.objective == pytest.approx(again.objective, rel=1e-6)


def test_a_statement_whose_parameters_have_no_value_is_shown() -> None:
    f, C = Function(RBF(1.0)), cp.Parameter(nonneg=True, name="C")
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + C * hinge(f(X))))
    assert repr(machine) == "<Machine: parameters without a value>"
    assert "C, without a value" in str(machine)


def test_what_cvxpy_finds_without_the_functions_is_refused() -> None:
    f, b = Function(RBF(1.0)), cp.Variable()
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + hinge(f(X) + b)))
    norm = (machine.solve(), f.norm.value)[1]
    for problem in (machine.problem, cp.Problem(machine.problem.objective)):
        with pytest.raises(ParameterError, match=r"sees only numbers; .* values of f, so .* not be a solution; solve "):
            problem.solve(solver="CLARABEL")
    assert f.norm.value == norm


def test_values_that_variables_have_are_kept_where_cvxpy_begins_at_them_and_fails() -> None:
    f, b = Function(RBF(1.0)), cp.Variable(value=0.5)
    machine = Machine(cp.Minimize(f.squared_norm + cp.cvar(cp.abs(f(X) + b - T), 0.83)))
    assert machine.recognised
    assert b.value == 0.5
    first, found = machine.solve(), (f(X).value, b.value)
    # A second statement of it, with the values of the first.
    again = Machine(machine.problem.objective)
    assert again.recognised
    assert (f(X).value, b.value) == (pytest.approx(found[0]), found[1])
    assert again.solve().objective == pytest.approx(first.objective, rel=1e-5)


def test_what_cannot_be_stated_is_refused() -> None:
    f, g, b = Function(RBF(1.0), "f"), Function(Polynomial(2), "g"), cp.Variable(name="b")
    with pytest.raises(UnsupportedProgramError, match=r"objective -\(\|\|f\|\|\^2\).* is unknown, not convex"):
        Machine(cp.Minimize(-f.squared_norm + hinge(f(X))))
    with pytest.raises(ParameterError, match="the norm of g is neither penalised nor bounded"):
        Machine(cp.Minimize(f.squared_norm + hinge(f(X) + g(X))))
    h = Function(RBF(1.0), "g")
    with pytest.raises(ParameterError, match=r"norm of f is neither .* where one adds h to f and 0.5 h to g, for any"):
        Machine(cp.Minimize((f - 2 * h).squared_norm + (4 * h - 2 * f).norm + hinge(f(X))))
    with pytest.raises(ParameterError, match=r"came; of a Function g .* pass solution.functions\[g\] or g.fitted"):
        f.inner(h)
    with pytest.raises(ParameterError, match="has no Function"):
        Machine(cp.Minimize(cp.square(b)))
    with pytest.raises(ParameterError, match=r"takes cp\.Minimize"):
        Machine(f.squared_norm)
    with pytest.raises(ParameterError, match="must be in one space"):
        (f - g).norm  # noqa: B018
    with pytest.raises(ParameterError, match="add numbers and variables to its values"):
        f + 1.0
    with pytest.raises(ParameterError, match="must be an integer of at least 1"):
        f.derivative(X, 0, order=0)
    with pytest.raises(ParameterError, match="the number of a feature, here from 0 to 1, but 3 came"):
        f.derivative(X, 3)
    with pytest.raises(ParameterError, match="g is not part of this statement"):
        Machine(cp.Minimize(f.squared_norm + hinge(f(X)))).solve().function(g)


def test_numbers_points_and_solvers_that_do_not_fit_are_refused() -> None:
    f, g, b = Function(RBF(1.0), "f"), Function(Sigmoid(1.0, -1.0), "g"), cp.Variable(name="b")
    objective = cp.Minimize(f.squared_norm + hinge(f(X)))
    with pytest.raises(ShapeError, match=r"points of f must have the same features, .* shapes \(2,\) and \(3,\)"):
        Machine(cp.Minimize(f.squared_norm + hinge(f(X)) + f.mean(np.ones((2, 3)))))
    for numbers, where in ((np.where(np.arange(M) < 17, T, np.nan), r"\[17\] of .* \(40,\)"), (np.inf, r"\[0\]")):
        with pytest.raises(NonFiniteError, match=rf"is at {where}.*; leave out samples without a target"):
            Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X) - numbers)))
    with pytest.raises(NonFiniteError, match="weights must hold finite numbers"):
        f.mean(X, np.full(M, np.nan))
    with pytest.raises(ParameterError, match="takes a list of constraints"):
        Machine(objective, f(X) >= -1)
    with pytest.raises(UnsupportedProgramError, match=r"the constraint 1 <= \|\|f\|\| breaks them"):
        Machine(objective, [f.norm >= 1])
    weight = cp.Parameter(nonneg=True, value=0.0)
    with pytest.raises(ParameterError, match="the norm of f has the weight 0"):
        Machine(cp.Minimize(weight * f.squared_norm + cp.norm1(f(X) - T))).solve()
    # With a kernel that is not definite, coordinates would be those of another function.
    with pytest.raises(IndefiniteKernelError):
        Machine(cp.Minimize(g.norm + cp.norm(g(X) - T))).solve()
    for wrong in (lambda: b * f, lambda: cp.sum(f), lambda: np.array(f)):
        with pytest.raises(ParameterError, match="the function f is no array"):
            wrong()
    with pytest.raises(ParameterError, match="factor of a function"):
        np.ones(3) * f
    with pytest.raises(ParameterError, match="other than 0"):
        f / 0


COLUMN = T[:, None]
TABLES: dict[str, Callable[[Any], Any]] = {
    "a difference": lambda v: cp.sum_squares(COLUMN - v - cp.Variable()),
    "a product": lambda v: hinge(cp.multiply(COLUMN, v) - 1),
    "a largest": lambda v: cp.sum(cp.maximum(v, COLUMN)),
    "a constraint": lambda v: v >= COLUMN,
    "a variable": lambda v: v <= cp.Variable((M, 1)),
}


@together("name", TABLES)
def test_values_that_meet_a_column_are_refused_as_a_table_of_all_with_all(name: str) -> None:
    f = Function(RBF(1.0))
    made = TABLES[name](f(X))
    parts = (f.squared_norm, [made]) if name in ("a constraint", "a variable") else (f.squared_norm + made, [])
    with pytest.raises(ShapeError, match=r"shape \(40,\), meet a column of shape \(40, 1\).* 40 x 40; .*y.ravel\(\)"):
        Machine(cp.Minimize(parts[0]), parts[1])


def test_columns_and_rows_of_values_are_what_they_say() -> None:
    f = Function(RBF(1.0))
    for loss in (f(X)[:, None] - COLUMN, f(X) @ COLUMN - 1, f(X)[None, :] - COLUMN):
        assert Machine(cp.Minimize(f.squared_norm + cp.sum_squares(loss))).functions == (f,)


def test_functions_without_functionals_and_losses_without_slopes() -> None:
    f, g = Function(RBF(1.0), "f"), Function(RBF(1.0), "g")
    constant = Machine(cp.Minimize(f.squared_norm + 0 * hinge(f(X)) + 7))
    solution = constant.solve()
    assert (solution.status, solution.objective, f.norm.value) == ("optimal", 7.0, 0.0)
    with pytest.raises(ParameterError, match="no functional of g is in the statement"):
        Machine(cp.Minimize(f.squared_norm + g.squared_norm + hinge(f(X)))).solve()
    with pytest.raises(ParameterError, match="no functional of f is in the statement"):
        Machine(cp.Minimize(f.squared_norm)).solve()
    source = Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X[:5]) - 1))).solve().function(f)
    drawn = Machine(cp.Minimize((g - source).squared_norm + f.squared_norm + hinge(f(X)))).solve()
    assert drawn.status == "optimal"
    assert drawn.function(g)(GRID) == pytest.approx(source(GRID), abs=1e-4)


def test_an_optimum_of_which_only_the_constant_is_not_rounding_is_proved() -> None:
    f, b, w = Function(RBF(1.0)), cp.Variable(), cp.Variable(2)
    # A plane meets three samples, so that f is 0 and the losses are at their least, which is not 0.
    r = T[:3] - f(X[:3]) - X[:3] @ w - b
    solution = Machine(cp.Minimize(f.squared_norm + cp.sum(cp.maximum(r + 1, -2 * r, 0.2)))).solve(tol=1e-7)
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(2.0)


def test_equations_that_contradict_each_other_are_infeasible() -> None:
    f = Function(RBF(1.0))
    with pytest.raises(InfeasibleError, match="constraint 1"):
        Machine(cp.Minimize(f.squared_norm), [f(X[[0, 0]]) == [1, 2]]).solve()
    assert Machine(cp.Minimize(f.squared_norm), [f(X[[0, 0]]) == [1, 1]]).solve().objective == pytest.approx(1.0)


def test_statements_without_a_solution_say_why() -> None:
    f = Function(RBF(1.0))
    low, high = (f(X) <= 0).set_label("low"), (f.mean(X) >= 1).set_label("high")
    machine = Machine(cp.Minimize(f.squared_norm), [low, high, f(GRID) <= 9])
    with pytest.raises(InfeasibleError, match="among 'low', 'high'; conflict"):
        machine.solve()
    conflict = machine.conflict()
    assert conflict is not None
    assert conflict.names == ("'low'", "'high'")


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_solve_without_an_answer_leaves_no_values_of_the_one_before(everywhere: bool) -> None:
    f, b, least = Function(RBF(1.0)), cp.Variable(), cp.Parameter(value=-1.0)
    above = f(X[:3]) >= least
    more = [Everywhere(lambda x: f(x) <= 5, [(-1, 1)] * 2)] if everywhere else []
    machine = Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X) + b - T)), [above, f(X[:3]) <= 1, *more])
    machine.solve(tol=1e-3)
    assert None not in (f.fitted, b.value)
    least.value = 2.0
    with pytest.raises(InfeasibleError):
        machine.solve(tol=1e-3)
    found = (f.fitted, f(X).value, f(GRID).value, b.value, above.dual_value, machine.problem.status)
    assert found == (None,) * 6
    assert all(each.points is None for each in more)


def test_a_constraint_without_a_label_is_found_as_messages_call_it() -> None:
    f = Function(RBF(1.0))
    parts = [(f(X) <= 3).set_label("low"), f(X) >= -3]
    machine = Machine(cp.Minimize(f.squared_norm), parts)
    assert machine.constraint("constraint 2") is parts[1]
    with pytest.raises(
        ParameterError, match=r"labelled 'constraint 1'; the labels are 'low', 'constraint 2'; .*set_label"
    ):
        machine.constraint("constraint 1")
    small = Machine(cp.Minimize(cp.norm(f(X))), [2 * f.norm <= 1, f(X[:1]) == 9])
    with pytest.raises(InfeasibleError, match=r"among constraint 1 \(2 \* \|\|f\|\| <= 1\), constraint 2"):
        small.solve()
    conflict = small.conflict()
    assert conflict is not None
    assert conflict.names[0] == "constraint 1 (2 * ||f|| <= 1)"


def test_functions_of_one_name_are_numbered_within_a_statement() -> None:
    f, g, h, k = Function(RBF(1.0)), Function(RBF(2.0)), Function(RBF(3.0), "f2"), Function(RBF(4.0), "f2")
    norms = [each.squared_norm for each in (f, g, h, k)]
    machine = Machine(cp.Minimize(sum(norms) + cp.sum_squares(f(X) + g(X) + h(X) + k(X) - T)))
    assert [each.name for each in machine.functions] == ["f", "f3", "f2", "f2_2"]
    assert "||f||^2 + ||f3||^2 + ||f2||^2 + ||f2_2||^2" in str(machine)
    assert {"coordinates of f", "coordinates of f3"} <= {block.name for block in machine.matrices().variables}
    # They keep their names in another statement.
    assert [each.name for each in Machine(cp.Minimize(norms[1] + cp.norm1(g(X)))).functions] == ["f3"]
