# SPDX-License-Identifier: BSD-3-Clause
"""The penalised tube is the soft tube in another scaling."""

from __future__ import annotations

import pytest

from formulations import PenalisedTube, SoftTube
from qpkernels.kernels import Kernel
from regression_data import each_kernel, solved, targets


@each_kernel
def test_the_penalised_tube_is_the_soft_tube_without_intercept(kernel: Kernel | None) -> None:
    X, y = targets()
    model = PenalisedTube(X, y, kernel, regularisation=0.2, epsilon=0.1)
    mine = solved(model.loss)
    theirs = solved(SoftTube(X, y, kernel, C=2.5, epsilon=0.1, fit_intercept=False).dual, "smo", 1e-9)
    assert mine.objective == pytest.approx(-2 * 0.2 / len(y) * theirs.objective, rel=1e-7)
    assert mine.decision == pytest.approx(theirs.decision, abs=1e-4)


def test_its_cost_follows_lambda() -> None:
    model = PenalisedTube(*targets(), regularisation=0.2)
    assert model.C.value == pytest.approx(2.5)
    before = solved(model.dual).objective
    model.set_params(regularisation=2.0)
    assert model.C.value == pytest.approx(0.25)
    after = solved(model.dual).objective
    assert -after < -before
    assert after == pytest.approx(-solved(model, "smo").certificate.primal_value, rel=1e-7)
