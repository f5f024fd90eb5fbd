# SPDX-License-Identifier: BSD-3-Clause
"""The race: each curve ends at the solver's own certified answer, and time does not run backwards."""

from __future__ import annotations

import pytest

from formulations.lab.views.race import record_race
from formulations.lab.views.view import TOL
from lab_settings import classes, lab_setting
from qpkernels.errors import OneClassError
from qpkernels.problems import ConeProgram, Status
from qpkernels.solvers import find_solver

MACHINES = ("soft-margin", "nu-margin", "linear-program-machine", "logistic", "least-squares-classifier", "soft-tube")


@pytest.mark.parametrize("machine", MACHINES)
def test_each_curve_ends_at_the_certified_answer_of_its_solver(machine: str) -> None:
    setting = lab_setting(machine)
    race = record_race(setting)
    assert 2 <= len(race.entrants) <= 3
    for entrant in race.entrants:
        model = setting.state()
        conic = ConeProgram in find_solver(entrant.name).programs
        solution = (model.dual if conic else model).solve(entrant.name, tol=TOL)
        last = entrant.marks[-1].judged
        assert last.proved == (solution.status is Status.OPTIMAL)
        assert last.certificate.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-9)
        assert last.certificate.dual_value == pytest.approx(solution.certificate.dual_value, rel=1e-9)


@pytest.mark.parametrize("machine", ["soft-margin", "least-squares"])
def test_iterations_and_seconds_rise(machine: str) -> None:
    race = record_race(lab_setting(machine))
    for entrant in race.entrants:
        iterations = [mark.iterations for mark in entrant.marks]
        seconds = [mark.seconds for mark in entrant.marks]
        assert iterations == sorted(set(iterations))
        assert seconds == sorted(seconds)
    times = [race.entrants[n].marks[k].seconds for n, k in race.events]
    assert times == sorted(times)
    assert len(race.events) == sum(len(entrant.marks) for entrant in race.entrants)


def test_what_a_solver_says_is_no_proof() -> None:
    # No answer exists: whatever is claimed, nothing is proved, and no iterate is one that proves it.
    race = record_race(lab_setting("hard-margin", classes(apart=0.1), "linear"))
    assert all(entrant.proved is None for entrant in race.entrants)


def test_points_that_make_no_model_are_refused() -> None:
    with pytest.raises(OneClassError, match="of one class"):
        record_race(lab_setting(points=[[0.0, 0.0, 1], [1.0, 0.0, 1]]))
