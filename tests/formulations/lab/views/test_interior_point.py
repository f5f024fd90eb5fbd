# SPDX-License-Identifier: BSD-3-Clause
"""The iterates of Clarabel: they lead to the certified optimum, inside their cones."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.settings import MACHINES
from formulations.lab.views.interior_point import record_interior_point
from formulations.lab.views.view import TOL
from lab_settings import classes, lab_setting
from qpkernels.errors import UnsupportedProgramError

CONVEX = tuple(name for name in MACHINES if not name.startswith("relevance"))


@pytest.mark.parametrize("machine", CONVEX)
def test_the_last_iterate_is_the_certified_optimum(machine: str) -> None:
    setting = lab_setting(machine)
    path, solution = record_interior_point(setting), setting.state().solve(tol=1e-8)
    last = path.iterates[-1]
    assert last.judged.proved
    assert last.judged.certificate.primal_value == pytest.approx(solution.certificate.primal_value, rel=2 * TOL)
    assert max(last.primal_residual, last.dual_residual) < 1e-6
    assert sum(size for _, size in path.rows) == last.slacks.size == last.multipliers.size
    for iterate in path.iterates:
        assert (iterate.slacks > 0.0).all()
        assert (iterate.multipliers > 0.0).all()


@pytest.mark.parametrize("machine", ["soft-margin", "soft-tube", "one-class"])
def test_mu_is_the_mean_of_the_products_and_falls(machine: str) -> None:
    path = record_interior_point(lab_setting(machine))
    mu = np.array([iterate.mu for iterate in path.iterates])
    for iterate in path.iterates:
        assert iterate.mu == pytest.approx(float((iterate.slacks * iterate.multipliers).mean()), rel=1e-9)
    assert (np.diff(mu) < 0.0).all()
    assert mu[-1] < 1e-6 * mu[0]


def test_equations_alone_are_solved_at_once() -> None:
    path = record_interior_point(lab_setting("least-squares"))
    assert path.is_linear
    assert path.iterates[0].judged.proved


def test_without_an_answer_no_iterate_is_one() -> None:
    path = record_interior_point(lab_setting("hard-margin", classes(apart=0.1), "linear"))
    assert "Infeasible" in path.message
    assert not any(iterate.judged.proved for iterate in path.iterates)


def test_a_machine_that_is_not_convex_is_refused() -> None:
    with pytest.raises(UnsupportedProgramError, match="convex"):
        record_interior_point(lab_setting("relevance-regression"))
