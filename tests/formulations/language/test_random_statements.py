# SPDX-License-Identifier: BSD-3-Clause
"""Statements at random, with equal points and weights of 0: each has the optimum that it has in coordinates."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import Function, Machine
from qpkernels import RBF, Linear, Polynomial
from together import together

KERNELS = (RBF(1.0), RBF(0.2), Polynomial(2), RBF(1.0) + Linear(), 0.5 * RBF(3.0))

LOSSES = (
    lambda r, a: cp.pos(a - r),
    lambda r, a: cp.abs(r - a),
    lambda r, a: cp.square(a - 2 * r),
    lambda r, a: cp.huber(r, abs(a) + 0.1),
    lambda r, a: cp.maximum(0.3 * r, -0.7 * r) + cp.pos(a - r),
    lambda r, a: cp.maximum(a, r - 1, 2 * r - 3, -r),
    lambda r, a: cp.square(cp.pos(a + 0.5 * r)),
    lambda r, a: cp.pos(cp.abs(r - a) - 0.3),
    lambda r, a: cp.abs(r) + cp.square(r - a),
    lambda r, a: cp.square(r) + a * r,
    lambda r, a: cp.maximum(r + a, -2 * r, 0.2),
)


def points_of(random: np.random.Generator) -> Any:
    X = random.normal(size=(int(random.choice([2, 3, 8, 15])), 2))
    X[-1] = X[0]
    return X


def functionals(random: np.random.Generator, X: Any, functions: list[Function]) -> Any:
    """Return some functionals of the functions."""
    f, g = functions[0], functions[-1]
    rows = np.sort(random.choice(len(X), random.integers(1, len(X) + 1), replace=False))
    match random.integers(5):
        case 0:
            return f(X)[rows]
        case 1:
            return f(X[rows]) - 0.5 * g(X[rows])
        case 2:
            return g(X[1:]) - g(X[:-1])
        case 3:
            return g.derivative(X[rows], 1)
        case _:
            return cp.hstack([f.mean(X, random.normal(size=len(X)))])


def stated(seed: int) -> Machine:
    """Return a statement."""
    random = np.random.default_rng(seed)
    X, b, w = points_of(random), cp.Variable(name="b"), cp.Variable(2, name="w")
    functions = [Function(KERNELS[random.integers(len(KERNELS))], name) for name in "fg"]
    cost, constraints = sum(float(random.choice([0.01, 0.5, 1.0, 10.0])) * f.squared_norm for f in functions), []
    # Each function is said something of.
    cost += cp.sum_squares(functions[0](X)[:1] - 1) + cp.sum(cp.pos(1 - functions[1](X[:2])))
    for _ in range(random.integers(1, 4)):
        v = functionals(random, X, functions)
        free = [0, b, random.normal(size=v.size).round(1) * b, random.normal(size=(v.size, 2)) @ w + b]
        v = v + free[random.integers(4)] - random.normal(size=v.size).round(2)
        weights = random.uniform(0, 3, v.size) * (random.random(v.size) > 0.15)
        if random.random() < 0.2:
            xi = cp.Variable(v.size, nonneg=True)
            cost, constraints = cost + cp.sum(xi), [*constraints, v >= 1 - xi]
        cost += weights @ LOSSES[random.integers(len(LOSSES))](v, random.uniform(-1, 1.5))
    f, grid = functions[random.integers(2)], random.normal(size=(3, 2))
    hard = [f(grid) >= -0.5, f.derivative(grid, 0) >= -0.2, f.mean(X) == 0.1, cp.abs(f(grid)) <= 2, f(grid)[0] + b <= 1]
    constraints += [hard[k] for k in random.choice(len(hard), random.integers(3), replace=False)]
    return Machine(cp.Maximize(-cost) if random.random() < 0.2 else cp.Minimize(cost), constraints)


@together("seed", range(40))
def test_a_statement_has_the_optimum_that_it_has_in_coordinates(seed: int) -> None:
    machine = stated(seed)
    solution = machine.solve(tol=1e-7)
    # In coordinates, slopes of variables without a cost are left at the tolerance of the solver.
    assert solution.status == "optimal" or "in coordinates" in machine.recognised
    assert solution.certificate.relative_gap <= 1e-7
    close = {"rel": 2e-6, "abs": 2e-6}
    assert machine.problem.objective.value == pytest.approx(solution.objective, **close)
    found = [(each.violation(), each.dual_value, each.expr.value) for each in machine.problem.constraints]
    for constraint, (violation, multiplier, slack) in zip(machine.problem.constraints, found, strict=True):
        assert np.max(violation) <= 1e-6
        if isinstance(constraint, cp.constraints.Inequality):
            assert np.min(multiplier) >= 0
            assert multiplier * slack == pytest.approx(np.zeros(slack.shape), abs=1e-4 * (1 + abs(solution.objective)))
    assert machine.solve("clarabel", tol=1e-7).objective == pytest.approx(solution.objective, **close)


@together("size", [1e-12, 1e-9, 1e6, 1e10])
def test_the_optimum_does_not_depend_on_units(size: float) -> None:
    X = np.random.default_rng(0).normal(size=(10, 2))
    T, y = np.sin(X[:, 0]), np.sign(X[:, 1])

    def optimum(loss: int, cost: float, of_value: float, of_target: float) -> float:
        f, b = Function(RBF(1.0)), cp.Variable()
        v = of_value * (f(X) + b)
        losses = (
            lambda: of_target * cp.sum(cp.square(cp.pos(1 - cp.multiply(y, v / of_target)))),
            lambda: cp.sum(cp.pos(cp.abs(v - of_target * T) - 0.1 * of_target)),
            lambda: cp.sum(cp.huber((v - of_target * T) / of_target, 0.3)) * of_target,
        )
        machine = Machine(cp.Minimize(cost * (of_value**2 / of_target * f.squared_norm + losses[loss]())))
        solution = machine.solve()
        assert solution.status == "optimal"
        assert machine.problem.objective.value == pytest.approx(solution.objective, rel=1e-5)
        return solution.objective / cost / of_target

    for loss in range(3):
        wanted = optimum(loss, 1.0, 1.0, 1.0)
        for units in ((size, 1.0, 1.0), (1.0, size, 1.0), (1.0, 1.0, size)):
            assert optimum(loss, *units) == pytest.approx(wanted, rel=1e-5)
