# SPDX-License-Identifier: BSD-3-Clause
"""The nu-machine: its scaling beside the soft margin, and its proof far from the origin."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import NuMargin, SoftMargin
from qpkernels.errors import SolverFailedError
from qpkernels.kernels import RBF
from qpkernels.problems import Status

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


@pytest.mark.parametrize("distance", [1e5, 1e7, 1e9])
def test_a_sample_far_away_makes_no_function_optimal(distance: float) -> None:
    """The unit of an optimum is the optimum itself, not the radius of the samples."""
    samples = X + 1.5 * LABELS[:, None]
    samples[0] = [distance, 0.0]
    model = NuMargin(samples, LABELS, nu=0.3)
    optimum = model.primal.solve("clarabel", tol=1e-8)
    assert optimum.status is Status.OPTIMAL
    assert optimum.certificate.primal_value < -1e-2
    for form in model.forms.values():
        for solver in ("highs", "osqp", "scs"):
            try:
                solution = form.solve(solver)
            except SolverFailedError:
                continue
            if solution.status is Status.OPTIMAL:
                assert solution.certificate.primal_value == pytest.approx(optimum.certificate.primal_value, rel=1e-5)
    assert not model.certify((optimum.beta, 0.0)).holds(1e-3)


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("solver", ["clarabel", "osqp", "highs"])
def test_reduced_hulls_that_meet_are_an_optimum_of_0(solver: str, offset: float) -> None:
    mixed = np.where(RNG.permutation(30) < 15, 1, -1)
    model = NuMargin(X + offset, mixed, nu=0.3)
    for form in model.forms.values():
        solution = form.solve(solver)
        assert solution.status is Status.OPTIMAL, form.name
        assert solution.certificate.primal_value == 0.0
        assert np.abs(solution.beta @ (X - X.mean(axis=0))).max() <= max(1e-15, 1e-15 * offset)
        assert (mixed * solution.beta).min() >= 0.0
        assert np.abs(solution.beta).sum() == pytest.approx(0.3, rel=1e-12)
