# SPDX-License-Identifier: BSD-3-Clause
"""The nu-machine: its scaling beside the soft margin, and its proof far from the origin."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import NuMargin, SoftMargin
from qpkernels.certificates import Status
from qpkernels.kernels import RBF

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
LABELS = np.where(X[:, 0] + 0.5 * RNG.normal(size=30) > 0, 1, -1)


@pytest.mark.parametrize("solver", ["scs", "clarabel", "highs"])
@pytest.mark.parametrize("offset", [1e4, 1e5])
def test_a_nu_machine_far_from_the_origin(offset: float, solver: str) -> None:
    optimum = NuMargin(X, LABELS, nu=0.5).dual.solve(tol=1e-9).objective
    solution = NuMargin(X + offset, LABELS, nu=0.5).dual.solve(solver)
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(optimum, rel=1e-4)


@pytest.mark.parametrize("nu", [0.41, 0.55])
def test_divided_by_rho_it_is_a_soft_margin(nu: float) -> None:
    ours = NuMargin(X, LABELS, RBF(1.0), nu=nu).solve(tol=1e-9)
    rho = ours.margin_level
    assert rho > 1e-3
    soft = SoftMargin(X, LABELS, RBF(1.0), C=1.0 / (30 * rho))
    assert soft.certify((ours.beta / rho, ours.intercept / rho)).holds(1e-5)
