# SPDX-License-Identifier: BSD-3-Clause
"""The recording of SMO: the objective falls, the gap proves the end, and it is the optimum of the engine."""

from __future__ import annotations

import numpy as np
import pytest

from formulations.lab.views.smo import record_smo
from formulations.lab.views.view import MOST_STEPS, TOL
from lab_settings import classes, lab_setting
from qpkernels.errors import UnsupportedProgramError

TAKEN = ("soft-margin", "squared-hinge", "least-squares-classifier", "one-class", "soft-tube", "quantile", "huber")


@pytest.mark.parametrize("machine", TAKEN)
def test_it_ends_at_the_optimum_of_the_engine(machine: str) -> None:
    setting = lab_setting(machine)
    run, solution = record_smo(setting), setting.state().solve("smo", tol=TOL)
    assert run.proved
    assert len(run.changes) > 0
    assert run.primal[-1] == pytest.approx(solution.certificate.primal_value, rel=2 * TOL)
    # The dual is what is maximised: it never falls, but for its last digit.
    assert (np.diff(run.dual) >= -1e-13 * np.abs(run.dual[1:])).all()
    assert (run.primal >= run.dual - 1e-9 * np.abs(run.primal)).all()
    certificate = run.model.certify((run.betas[-1], run.intercepts[-1]))
    assert certificate.holds(TOL)
    assert certificate.primal_value == pytest.approx(run.primal[-1])


def test_each_iterate_has_the_values_that_the_certificate_finds() -> None:
    run = record_smo(lab_setting())
    for k in (0, 1, 5, len(run.changes)):
        certificate = run.model.certify((run.betas[k], run.intercepts[k]))
        assert certificate.primal_value == pytest.approx(run.primal[k])
        assert certificate.dual_value == pytest.approx(run.dual[k], abs=1e-12)


@pytest.mark.parametrize("machine", ["soft-margin", "soft-tube", "kernel-ridge"])
def test_the_profile_of_a_step_is_the_objective_along_it(machine: str) -> None:
    run = record_smo(lab_setting(machine))
    for k in (1, 2, 7, len(run.changes)):
        change, beta = run.changes[k - 1], run.betas[k - 1]
        line = np.zeros(beta.size)
        for sample, sign in ((change.up, 1.0), (change.down, -1.0)):
            if sample is not None:
                line[sample] = sign
        lengths, changes = run.profile(k)
        expected = [run.program.objective(beta + t * line) - run.program.objective(beta) for t in lengths]
        np.testing.assert_allclose(changes, expected, atol=1e-9)
        assert lengths[-1] > change.length


def test_a_long_descent_is_cut() -> None:
    run = record_smo(lab_setting(points=classes(apart=0.2), kernel="linear", C=1e4))
    assert len(run.changes) == MOST_STEPS
    assert not run.proved


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        ("nu-margin", "two equations"),
        ("logistic", "entropy"),
        ("linear-program-machine", "linear program"),
        ("relevance-classification", "evidence"),
    ],
)
def test_others_are_refused_with_the_reason(machine: str, why: str) -> None:
    with pytest.raises(UnsupportedProgramError, match=why):
        record_smo(lab_setting(machine))
