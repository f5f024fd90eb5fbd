# SPDX-License-Identifier: BSD-3-Clause
"""Any convex loss of the margins: the values of the models that have one of them, its duality, and its proofs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import cvxpy as cp
import numpy as np
import pytest

from formulations import Logistic, MarginLossClassifier, PenalisedLogistic, SoftMargin, SquaredHinge
from formulations.losses import Hinge, LogisticLoss, MarginLoss, ZeroOne
from formulations.losses import Squared as SquaredResidual
from formulations.losses import SquaredHinge as SquaredHingeLoss
from model_data import KERNELS, overlapping, xor
from qpkernels.errors import ParameterError, UnsupportedProgramError
from qpkernels.kernels import RBF
from qpkernels.problems import Status

COSTS = np.linspace(0.2, 1.5, 30)
PAIRS = [(Hinge(), SoftMargin), (SquaredHingeLoss(), SquaredHinge), (LogisticLoss(), Logistic)]

each_kernel = pytest.mark.parametrize("kernel", ["explicit", "rbf"])
each_form = pytest.mark.parametrize("form", ["primal", "dual"])
each_pair = pytest.mark.parametrize(("loss", "model"), PAIRS, ids=[loss.name for loss, _ in PAIRS])


@dataclass(frozen=True)
class Squared(MarginLoss):
    """(1 - z)^2, a loss that no model has as its own; it charges margins above 1 too."""

    name: ClassVar[str] = "squared"

    @property
    def domain(self) -> tuple[float, float]:
        return -np.inf, np.inf

    def atom(self, expression: cp.Expression) -> cp.Expression:
        return cp.square(1 - expression)

    def conjugate_atom(self, expression: cp.Expression) -> cp.Expression:
        return expression + cp.square(expression) / 4

    def _value(self, t: np.ndarray) -> np.ndarray:
        return (1.0 - t) ** 2

    def _slope(self, t: np.ndarray) -> np.ndarray:
        return -2.0 * (1.0 - t)

    def _conjugate(self, s: np.ndarray) -> np.ndarray:
        return s + 0.25 * s**2


def state(loss: MarginLoss, kernel: str, **parameters: Any) -> MarginLossClassifier:
    return MarginLossClassifier(*overlapping(), KERNELS[kernel], loss=loss, **parameters)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.8, COSTS], ids=["one cost", "a cost for each"])
@each_form
@each_kernel
@each_pair
def test_the_value_of_the_model_of_that_loss(
    loss: MarginLoss, model: Any, kernel: str, form: str, C: Any, fit_intercept: bool
) -> None:
    theirs = model(*overlapping(), KERNELS[kernel], C=C, fit_intercept=fit_intercept).solve("clarabel", tol=1e-8)
    machine = state(loss, kernel, C=C, fit_intercept=fit_intercept)
    ours = machine.forms[form].solve(tol=1e-8)
    assert ours.status is Status.OPTIMAL
    assert ours.certificate.primal_value == pytest.approx(theirs.certificate.primal_value, rel=1e-7)
    assert ours.objective == pytest.approx(theirs.certificate.primal_value, rel=1e-6)
    assert ours.decision == pytest.approx(theirs.decision, abs=2e-3)
    assert ours.alpha == pytest.approx(theirs.alpha, abs=2e-3)
    assert (ours.intercept == 0) == (not fit_intercept)
    assert machine.certify(theirs).holds(1e-6)


def test_the_regularised_empirical_risk() -> None:
    """lambda/m ||f||^2 + mean loss is 1/(m C) times the objective, with lambda = 1/(2C)."""
    penalised = PenalisedLogistic(*overlapping(), RBF(0.5), regularisation=0.4).penalised.solve(tol=1e-8)
    ours = state(LogisticLoss(), "rbf", C=1 / 0.8, fit_intercept=False).solve(tol=1e-8)
    assert ours.objective * 0.8 / 30 == pytest.approx(penalised.objective, rel=1e-7)


@each_form
@each_kernel
def test_a_loss_of_ones_own(kernel: str, form: str) -> None:
    """(1 - z)^2 = (y - v)^2 for labels +-1, whose optimum is that of a linear system."""
    machine = state(Squared(), kernel, C=0.7)
    solution = machine.forms[form].solve(tol=1e-8)
    K, y = machine.gram.kernel(machine.gram.X), machine.y
    system = np.block([[K + np.eye(30) / 1.4, np.ones((30, 1))], [np.ones((1, 30)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(y, 0.0))
    assert solution.status is Status.OPTIMAL
    assert solution.beta == pytest.approx(expected[:30], abs=1e-5)
    assert solution.intercept == pytest.approx(expected[30], abs=1e-5)


@each_form
def test_multipliers_are_the_slopes_of_the_loss(form: str) -> None:
    machine = state(LogisticLoss(), "rbf", C=COSTS)
    stated = getattr(machine, form)
    solution = stated.solve(tol=1e-9)
    assert solution.alpha == pytest.approx(-COSTS * LogisticLoss().slope(solution.margins), abs=1e-5)
    if form == "primal":
        assert stated.problem.var_dict["z"].value == pytest.approx(solution.margins, abs=1e-6)
    else:
        assert float(stated.constraint("balance").dual_value) == pytest.approx(solution.intercept, abs=1e-8)


@each_pair
def test_a_sweep_of_costs_compiles_once(loss: MarginLoss, model: Any) -> None:
    machine = state(loss, "rbf")
    for C in (0.1, COSTS, 4.0):
        expected = model(*overlapping(), RBF(0.5), C=C).solve("clarabel", tol=1e-8).certificate.primal_value
        machine.set_params(C=C)
        for form in machine.forms.values():
            assert form.problem.is_dpp()
            assert form.solve(tol=1e-8).certificate.dual_value == pytest.approx(expected, rel=1e-6)


@each_pair
def test_a_poor_answer_is_not_certified(loss: MarginLoss, model: Any) -> None:
    del model
    machine = state(loss, "rbf", C=COSTS)
    best = machine.solve(tol=1e-8)
    assert machine.certify((best.beta, best.intercept)).holds(1e-6)
    for poor in ((0.9 * best.beta, best.intercept), (best.beta, best.intercept + 0.2), (-best.beta, best.intercept)):
        certificate = machine.certify(poor)
        assert not certificate.holds(1e-4)
        assert certificate.primal_value >= best.certificate.dual_value - 1e-9
        assert certificate.dual_value <= best.certificate.primal_value + 1e-9


def test_the_interval_of_an_intercept_that_is_not_unique() -> None:
    """f = 0, and every hinge has the slope of its class for b within [-1, 1]; the logistic losses have one minimum."""
    hinge = MarginLossClassifier(*xor(), C=0.7)
    for form in hinge.forms.values():
        assert form.solve(tol=1e-8).intercept_interval == pytest.approx((-1.0, 1.0), abs=1e-5)
    smooth = MarginLossClassifier(*xor(), loss=LogisticLoss()).solve(tol=1e-8)
    assert smooth.intercept_interval == (smooth.intercept, smooth.intercept)
    unique = state(Hinge(), "rbf").solve(tol=1e-8)
    assert unique.intercept_interval[1] - unique.intercept_interval[0] <= 1e-6


@pytest.mark.parametrize("loss", ["hinge", Hinge, SquaredResidual(), None])
def test_what_is_no_loss_of_margins_is_refused(loss: Any) -> None:
    with pytest.raises(ParameterError, match=r"loss must be a margin loss, such as LogisticLoss\(\), but"):
        MarginLossClassifier(*overlapping(), loss=loss)


def test_a_loss_that_is_not_convex_is_refused() -> None:
    with pytest.raises(UnsupportedProgramError, match="the 0/1 loss is not convex"):
        MarginLossClassifier(*overlapping(), loss=ZeroOne())


def test_a_loss_that_rewards_wrong_sides_is_refused() -> None:
    with pytest.raises(ParameterError, match="rewards wrong sides; turn the sign"):
        MarginLossClassifier(*overlapping(), loss=lambda z: cp.exp(z))
