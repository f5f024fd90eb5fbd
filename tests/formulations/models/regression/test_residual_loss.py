# SPDX-License-Identifier: BSD-3-Clause
"""Any loss of the residuals: those that have a model of their own, and intercepts that are not unique."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from formulations import Huber, LeastSquares, Quantile, ResidualLossRegression, SoftTube
from formulations.losses import (
    AbsolutePower,
    EpsilonInsensitive,
    Hinge,
    LogisticResidual,
    Pinball,
    ResidualLoss,
    Squared,
)
from formulations.losses import Huber as HuberLoss
from qpkernels.errors import ParameterError
from qpkernels.kernels import Kernel
from qpkernels.problems import FenchelBounds, KernelQP, Status
from regression_data import each_kernel, same, solved, targets


@each_kernel
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_residual_losses_that_have_a_model_of_their_own(form: str, kernel: Kernel | None) -> None:
    X, y = targets()
    losses = {
        # C r^2 is C'/2 r^2 with C' = 2C.
        AbsolutePower(2.0): (LeastSquares(X, y, kernel, C=1.4).dual, 1.0, "linear"),
        AbsolutePower(1.0): (SoftTube(X, y, kernel, C=0.7, epsilon=0.0).dual, -1.0, "clarabel"),
        Squared(): (LeastSquares(X, y, kernel, C=0.7).dual, 1.0, "linear"),
        Pinball(0.3): (Quantile(X, y, kernel, C=0.7, tau=0.3).dual, 1.0, "clarabel"),
        # Half the absolute loss.
        Pinball(0.5): (SoftTube(X, y, kernel, C=0.35, epsilon=0.0).dual, -1.0, "clarabel"),
        EpsilonInsensitive(0.2): (SoftTube(X, y, kernel, C=0.7, epsilon=0.2).dual, -1.0, "clarabel"),
        HuberLoss(0.4): (Huber(X, y, kernel, C=0.7, delta=0.4).dual, 1.0, "clarabel"),
    }
    for loss, (other, sign, solver) in losses.items():
        model = ResidualLossRegression(X, y, kernel, loss=loss, C=0.7)
        same(model.forms[form], other, sign, ("clarabel", solver))


@pytest.mark.parametrize(
    ("loss", "ends"),
    [(AbsolutePower(1.0), (0.0, 1.0)), (EpsilonInsensitive(0.1), (0.1, 0.9)), (Squared(), (0.5, 0.5))],
    ids=repr,
)
def test_the_interval_of_an_intercept_that_is_not_unique(loss: object, ends: tuple[float, float]) -> None:
    solution = solved(ResidualLossRegression(np.zeros((4, 1)), [0, 0, 1, 1], loss=loss))
    assert solution.intercept_interval == pytest.approx(ends, abs=1e-5)


@each_kernel
@pytest.mark.parametrize("loss", [Pinball(0.3), EpsilonInsensitive(0.2), HuberLoss(0.4), AbsolutePower(2.0)], ids=repr)
def test_a_quadratic_conjugate_makes_it_a_kernel_qp_with_the_same_bounds(
    loss: ResidualLoss, kernel: Kernel | None
) -> None:
    X, y = targets()
    model = ResidualLossRegression(X, y, kernel, loss=loss, C=0.7)
    program = model.qp()
    assert isinstance(program, KernelQP)
    solution = model.solve(tol=1e-8)
    assert solution.solver in ("smo", "semismooth-newton", "linear")
    assert solution.status is Status.OPTIMAL
    by_losses = FenchelBounds(model.gram, model.losses(0.7), model.total).certify(solution.beta, solution.intercept)
    assert by_losses.holds(1e-5)
    assert by_losses.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-5)
    assert by_losses.dual_value == pytest.approx(solution.certificate.dual_value, rel=1e-5)


def test_other_losses_are_no_kernel_qp() -> None:
    X, y = targets()
    assert ResidualLossRegression(X, y, loss=AbsolutePower(1.5)).qp() is None
    assert ResidualLossRegression(X, y, loss=LogisticResidual()).qp() is None


def test_a_loss_of_the_margin_is_refused() -> None:
    X, y = targets()
    with pytest.raises(ParameterError, match=r"loss must be a residual loss, .* but Hinge\(\) came"):
        ResidualLossRegression(X, y, loss=Hinge())


@dataclass(frozen=True)
class Careless(AbsolutePower):
    """|r|^p with a conjugate that misses a factor."""

    def _conjugate(self, s: np.ndarray) -> np.ndarray:
        return 0.25 * super()._conjugate(s)


def test_a_loss_with_the_conjugate_of_another_is_told_so() -> None:
    solution = ResidualLossRegression(*targets(), loss=Careless(1.5)).primal.solve("clarabel")
    assert solution.status is Status.UNCERTIFIED
    assert "the conjugate is inconsistent with the loss: that of sample" in str(solution)
