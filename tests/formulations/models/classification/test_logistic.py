# SPDX-License-Identifier: BSD-3-Clause
"""Kernel logistic regression: both scalings, and dense coefficients."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import Logistic, PenalisedLogistic
from qpkernels.kernels import RBF

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, -1)


def test_all_samples_carry_an_answer() -> None:
    for form in Logistic(X, LABELS, C=1e-7).forms.values():
        assert len(form.solve().support) == 30


@pytest.mark.parametrize("regularisation", [0.05, 2.0])
def test_both_scalings_have_one_dual(regularisation: float) -> None:
    """lambda = 1/(2C): the dual of the penalised form is that of the form with a cost, and so is the function."""
    penalised = PenalisedLogistic(X, LABELS, RBF(1.0), regularisation=regularisation)
    with_cost = Logistic(X, LABELS, RBF(1.0), C=0.5 / regularisation, fit_intercept=False)
    ours, theirs = penalised.dual.solve(tol=1e-8), with_cost.dual.solve(tol=1e-8)
    assert ours.objective == pytest.approx(theirs.objective, rel=1e-7)
    scaled = penalised.penalised.solve(tol=1e-8)
    assert scaled.objective == pytest.approx(2 * regularisation / 30 * theirs.objective, rel=1e-7)
    assert penalised.certify(with_cost.solve(tol=1e-8)).holds(1e-6)
    losses = np.log1p(np.exp(-scaled.margins)).mean()
    assert scaled.objective == pytest.approx(regularisation / 30 * scaled.function.squared_norm + losses, rel=1e-7)


def test_a_sweep_of_the_penalty_moves_the_cost() -> None:
    model = PenalisedLogistic(X, LABELS, RBF(1.0))
    for regularisation in (0.1, 3.0):
        model.set_params(regularisation=regularisation)
        assert model.C.value == pytest.approx(np.full(30, 0.5 / regularisation), rel=1e-12)
        assert model.penalised.problem.is_dpp()
        expected = Logistic(X, LABELS, RBF(1.0), C=0.5 / regularisation, fit_intercept=False).solve(tol=1e-8)
        assert model.dual.solve(tol=1e-8).objective == pytest.approx(expected.objective, rel=1e-6)
