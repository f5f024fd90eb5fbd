# SPDX-License-Identifier: BSD-3-Clause
"""The catalogue as a witness of the language: each model whose penalty is a norm of f, stated in a line or two.

The program that is recognised is that of the model, number for number; where the model is another program, both have
the same optimum, proved.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import cvxpy as cp
import numpy as np
import pytest

from formulations import (
    ChebyshevFit,
    Function,
    HardMargin,
    HardTube,
    Huber,
    Interpolation,
    KernelRidge,
    LaplaceFit,
    LeastAbsoluteFit,
    LeastSquares,
    LeastSquaresClassifier,
    LeastSquaresFit,
    LinearProgramMachine,
    Logistic,
    Machine,
    MarginLossClassifier,
    NormConstrainedClassifier,
    NormConstrainedRegression,
    NuMargin,
    NuTube,
    OneClass,
    PenalisedLogistic,
    PenalisedTube,
    Quantile,
    ResidualLossRegression,
    Separability,
    SoftMargin,
    SoftTube,
    SparseApproximation,
    SquaredHinge,
)
from formulations.losses import EpsilonInsensitive, Hinge, Pinball, Squared, SquaredEpsilonInsensitive, SquaredMargin
from formulations.losses import Huber as HuberLoss
from formulations.modelling import Model
from model_data import EXAMPLES, KERNELS, MODELS
from qpkernels.errors import InfeasibleError
from qpkernels.kernels import Kernel
from qpkernels.problems import KernelQP
from together import together

NO_PENALTY = {Separability, LinearProgramMachine, LeastSquaresFit, LeastAbsoluteFit, LaplaceFit, ChebyshevFit}
"""Models that penalise no norm of f, or coefficients in place of it."""

CONES, SMOOTH = "a ConeProgram in coordinates", "a SmoothRisk"


class Statement(NamedTuple):
    """weight ||f||^2 + loss  s.t.  constraints, with the program that it is."""

    loss: Any = 0.0
    constraints: tuple[Any, ...] = ()
    weight: float = 0.5
    program: str = "a KernelQP"


def stated(model: Any) -> tuple[Machine, Statement]:
    """Return what the model states."""
    f = Function(model.gram.kernel)
    b = cp.Variable(name="b") if getattr(model, "total", 0.0) is not None else 0.0
    statement = STATEMENTS[type(model)](model, f, b)
    penalty = statement.weight * f.squared_norm if statement.weight else 0.0
    balls = [f.squared_norm <= model.value_of("R")] if not statement.weight else []
    return Machine(cp.Minimize(penalty + statement.loss), [*statement.constraints, *balls]), statement


def value(model: Any, name: str) -> Any:
    found = model.value_of(name)
    return found if np.ndim(found) and found.size > 1 else float(np.max(found))


def costs(model: Any, losses: Any) -> Any:
    """Return sum_i C_i losses_i."""
    return np.broadcast_to(value(model, "C"), len(model)) @ losses


def margins(model: Any, f: Function, b: Any) -> Any:
    return cp.multiply(model.y, f(model.gram.X) + b)


def residuals(model: Any, f: Function, b: Any) -> Any:
    return model.y - f(model.gram.X) - b


def beyond_tube(model: Any, f: Function, b: Any) -> Any:
    return cp.pos(cp.abs(residuals(model, f, b)) - value(model, "epsilon"))


def mean_weight(model: Any) -> float:
    return value(model, "regularisation") / len(model)


def hard_margin(model: HardMargin, f: Function, b: Any) -> Statement:
    return Statement(constraints=(margins(model, f, b) >= 1,))


def soft_margin(model: SoftMargin, f: Function, b: Any) -> Statement:
    return Statement(costs(model, cp.pos(1 - margins(model, f, b))))


def squared_hinge(model: SquaredHinge, f: Function, b: Any) -> Statement:
    return Statement(costs(model, cp.square(cp.pos(1 - margins(model, f, b)))))


def least_squares_classifier(model: LeastSquaresClassifier, f: Function, b: Any) -> Statement:
    return Statement(costs(model, 0.5 * cp.square(1 - margins(model, f, b))))


def logistic(model: Logistic, f: Function, b: Any) -> Statement:
    return Statement(costs(model, cp.logistic(-margins(model, f, b))), program=SMOOTH)


def penalised_logistic(model: PenalisedLogistic, f: Function, _: Any) -> Statement:
    loss = cp.sum(cp.logistic(-margins(model, f, 0.0))) / len(model)
    return Statement(loss, weight=mean_weight(model), program=SMOOTH)


def margin_loss(model: MarginLossClassifier, f: Function, b: Any) -> Statement:
    program = "a KernelQP" if model.loss.quadratic_conjugate is not None else SMOOTH if model.loss.is_smooth else CONES
    return Statement(costs(model, model.loss.atom(margins(model, f, b))), program=program)


def margins_in_ball(model: NormConstrainedClassifier, f: Function, b: Any) -> Statement:
    return Statement(cp.sum(model.loss.atom(margins(model, f, b))) / len(model), weight=0.0, program=CONES)


def nu_margin(model: NuMargin, f: Function, b: Any) -> Statement:
    rho = cp.Variable(name="rho")
    loss = model.costs @ cp.pos(rho - margins(model, f, b)) - value(model, "nu") * rho
    return Statement(loss, (rho >= 0,), program="a SemiparametricQP")


def one_class(model: OneClass, f: Function, _: Any) -> Statement:
    rho = cp.Variable(name="rho")
    return Statement(model.costs @ cp.pos(rho - f(model.gram.X)) - rho)


def hard_tube(model: HardTube | SparseApproximation, f: Function, b: Any) -> Statement:
    return Statement(constraints=(cp.abs(residuals(model, f, b)) <= value(model, "epsilon"),))


def soft_tube(model: SoftTube, f: Function, b: Any) -> Statement:
    return Statement(costs(model, beyond_tube(model, f, b)))


def penalised_tube(model: PenalisedTube, f: Function, _: Any) -> Statement:
    return Statement(cp.sum(beyond_tube(model, f, 0.0)) / len(model), weight=mean_weight(model))


def nu_tube(model: NuTube, f: Function, b: Any) -> Statement:
    # As pos(abs(r) - epsilon) it would be a program over cones: |r| and epsilon meet in one loss.
    epsilon, r = cp.Variable(name="epsilon"), residuals(model, f, b)
    outside = model.costs @ (cp.pos(r - epsilon) + cp.pos(-r - epsilon))
    loss = outside + value(model, "nu") * model.costs.sum() * epsilon
    return Statement(loss, (epsilon >= 0,), program="a SemiparametricQP")


def quantile(model: Quantile, f: Function, b: Any) -> Statement:
    r, tau = residuals(model, f, b), value(model, "tau")
    return Statement(costs(model, cp.maximum(tau * r, (tau - 1) * r)))


def huber(model: Huber, f: Function, b: Any) -> Statement:
    return Statement(costs(model, 0.5 * cp.huber(residuals(model, f, b), value(model, "delta"))))


def residual_loss(model: ResidualLossRegression, f: Function, b: Any) -> Statement:
    program = "a KernelQP" if model.loss.quadratic_conjugate is not None else SMOOTH if model.loss.is_smooth else CONES
    return Statement(costs(model, model.loss.atom(residuals(model, f, b))), program=program)


def residuals_in_ball(model: NormConstrainedRegression, f: Function, b: Any) -> Statement:
    return Statement(cp.sum(model.loss.atom(residuals(model, f, b))), weight=0.0, program=CONES)


def least_squares(model: LeastSquares, f: Function, b: Any) -> Statement:
    return Statement(0.5 * value(model, "C") * cp.sum_squares(residuals(model, f, b)))


def kernel_ridge(model: KernelRidge, f: Function, _: Any) -> Statement:
    return Statement(cp.sum_squares(residuals(model, f, 0.0)) / len(model), weight=mean_weight(model))


def interpolation(model: Interpolation, f: Function, _: Any) -> Statement:
    return Statement(constraints=(f(model.gram.X) == model.y,))


STATEMENTS: dict[type[Model], Callable[[Any, Function, Any], Statement]] = {
    HardMargin: hard_margin,
    SoftMargin: soft_margin,
    SquaredHinge: squared_hinge,
    LeastSquaresClassifier: least_squares_classifier,
    Logistic: logistic,
    PenalisedLogistic: penalised_logistic,
    MarginLossClassifier: margin_loss,
    NormConstrainedClassifier: margins_in_ball,
    NuMargin: nu_margin,
    OneClass: one_class,
    HardTube: hard_tube,
    SoftTube: soft_tube,
    PenalisedTube: penalised_tube,
    SparseApproximation: hard_tube,
    NuTube: nu_tube,
    Quantile: quantile,
    Huber: huber,
    ResidualLossRegression: residual_loss,
    NormConstrainedRegression: residuals_in_ball,
    LeastSquares: least_squares,
    KernelRidge: kernel_ridge,
    Interpolation: interpolation,
}

ADDED = {
    MarginLossClassifier: {"hinge": Hinge(), "squared margin": SquaredMargin()},
    ResidualLossRegression: {
        "pinball": Pinball(0.3),
        "huber": HuberLoss(0.4),
        "squared": Squared(),
        "tube": EpsilonInsensitive(0.2),
        "squared tube": SquaredEpsilonInsensitive(0.2),
    },
}
"""Losses beside those of the examples of the contract."""


def cases() -> Iterator[tuple[Any, Any, Any, dict[str, Any]]]:
    """Yield models as the contract states them, with each kernel, and once more with weights of which some are 0."""
    for kind in STATEMENTS:
        for example in EXAMPLES[kind]:
            losses = {example.label: {}, **{name: {"loss": loss} for name, loss in ADDED.get(kind, {}).items()}}
            weights = {
                name: {name: np.where(np.arange(each.size) % 7, each, 0.0)}
                for name, values in example.others.items()
                for each in values
                if np.ndim(each)
            }
            for kernel in KERNELS.values():
                for loss in losses.values() if example is EXAMPLES[kind][0] else ({},):
                    for some in ({}, *weights.values()):
                        yield kind, example.data, kernel, {**example.parameters, **loss, **some}


@together("kind, data, kernel, settings", cases(), by=lambda kind, *_: kind)
def test_the_statement_is_the_program_of_the_model(kind: Any, data: Any, kernel: Any, settings: Any) -> None:
    model = kind(*data(), kernel, **settings)
    machine, statement = stated(model)
    assert machine.recognised.startswith(statement.program)
    if statement.program == "a KernelQP":
        require_equal(machine.program, model.qp(), model.gram.kernel, 0.5 / statement.weight)
    try:
        expected = of_norms(model).solve(tol=1e-8)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            machine.solve(tol=1e-8)
        return
    solution = machine.solve(tol=1e-8)
    assert solution.status == expected.status == "optimal"
    assert solution.objective == pytest.approx(expected.objective, rel=1e-7, abs=1e-9)


def of_norms(model: Any) -> Any:
    """Return the form that has the penalty in its objective."""
    names = {PenalisedLogistic: "penalised", PenalisedTube: "loss"}
    return getattr(model, names.get(type(model), "primal"))


def require_equal(own: KernelQP, model: KernelQP, kernel: Kernel, scale: float) -> None:
    """Require the same program, of the samples that have a loss: ours is in beta / scale, with K times scale."""
    X = model.gram.X
    rows = [int(np.flatnonzero((x == X).all(axis=1))[0]) for x in own.gram.X]
    assert set(rows) == set(np.flatnonzero((model.lower < 0) | (model.upper > 0)))
    close = partial(pytest.approx, rel=1e-12, abs=1e-12)
    assert own.gram.kernel(own.gram.X) == close(scale * kernel(X)[np.ix_(rows, rows)])
    assert own.target == close(model.target[rows])
    assert own.epsilon == close(model.epsilon[rows])
    assert own.ridge == close(scale * model.ridge[rows])
    assert own.lower == close(model.lower[rows] / scale)
    assert own.upper == close(model.upper[rows] / scale)
    assert own.total == (None if model.total is None else close(model.total / scale))


def test_every_model_that_penalises_a_norm_is_stated() -> None:
    assert set(MODELS) - set(STATEMENTS) == NO_PENALTY
