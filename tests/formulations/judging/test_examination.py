# SPDX-License-Identifier: BSD-3-Clause
"""Cross-examinations: what is claimed, what is proved, and how far the answers are from the best one."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from foreign_solvers import Broken, Hostile, Lying
from formulations import CrossExamination, HardMargin, KernelRidge, LeastAbsoluteFit, SoftMargin, cross_examine
from formulations.plots import CrossExaminationDisplay
from model_data import overlapping, separable, xor
from qpkernels.errors import ParameterError
from qpkernels.kernels import RBF
from qpkernels.solvers import registry


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    families = (*registry._families(), Broken, Hostile, Lying)
    monkeypatch.setattr(registry, "_families", lambda: families)


def soft() -> SoftMargin:
    return SoftMargin(*overlapping(), RBF(0.5))


def examined(model: Any, solvers: Any, *tolerances: float, **options: Any) -> CrossExamination:
    return cross_examine(model, solvers, tolerances or (1e-3, 1e-6, 1e-9), progress=False, **options)


def test_one_trial_for_each_solver_and_tolerance() -> None:
    trials = examined(soft(), ["clarabel", "smo"], 1e-9, 1e-3)
    assert trials.tolerances == (1e-3, 1e-9)
    assert [(trial.row.solver, trial.tol) for trial in trials] == [
        ("clarabel", 1e-3),
        ("clarabel", 1e-9),
        ("smo", 1e-3),
        ("smo", 1e-9),
    ]
    assert trials.solvers == ("clarabel", "smo")
    assert [trial.row.formulation for trial in trials.of("clarabel")] == ["SoftMarginPrimal"] * 2
    for trial in trials:
        assert (trial.row.claim, trial.row.status) == ("optimal", "optimal")
        assert trial.row.accuracy <= trial.tol
        assert trial.seconds == trial.row.seconds_solve + trial.row.seconds_certify
    assert trials.warnings == []


def test_the_measures_are_those_of_their_formulas() -> None:
    model = soft()
    trials = examined(model, ["clarabel", "smo"], 1e-2, 1e-10)
    optimum = model.solve("smo", tol=1e-12)
    answers = [model.solve(name, tol=tol) for name in ("clarabel", "smo") for tol in (1e-2, 1e-10)]
    value = optimum.certificate.primal_value
    assert trials.rigorous
    assert trials.optimum.lower <= value * (1 + 1e-14)
    assert trials.optimum.upper >= value * (1 - 1e-14)
    assert trials.optimum.width <= 1e-9 * value
    for trial, answer in zip(trials, answers, strict=True):
        apart = np.abs(answer.decision - optimum.decision).max()
        assert trial.disagreement == pytest.approx(apart, rel=1e-3, abs=1e-8)
        error = abs(answer.certificate.primal_value - value) / value
        assert trial.objective_error == pytest.approx(error, rel=1e-3, abs=1e-9)
    rough, fine = trials.of("clarabel")
    assert rough.disagreement > 100 * fine.disagreement
    assert rough.objective_error > 100 * fine.objective_error > 0


@pytest.mark.usefixtures("fakes")
def test_a_lie_is_claimed_and_not_proved() -> None:
    trials = examined(soft(), ["smo", "lying"])
    best = soft().solve()
    for trial in trials.of("lying"):
        # The origin: no support vector, and g = 0.
        assert (trial.row.claim, trial.row.status) == ("optimal", "uncertified")
        assert trial.support_difference == best.n_support
        assert trial.support_overlap == 0.0
        assert trial.disagreement == pytest.approx(np.abs(best.decision).max(), rel=1e-3)
        assert trial.objective_error == pytest.approx(30 / best.objective - 1, rel=1e-3)
        assert np.isnan(trials.seconds_to("lying", trial.tol))
    assert trials.reference.startswith("SoftMargin by smo at ")
    assert trials.remarks[1] == "6 of 6 answers are claimed to be optimal, and 3 of them are proved"


def test_the_first_proof_may_come_from_another_tolerance() -> None:
    trials = examined(soft(), ["clarabel"])
    times = [trials.seconds_to("clarabel", tol) for tol in trials.tolerances]
    assert times == sorted(times)
    proved = [[trial.seconds for trial in trials if trial.row.accuracy <= tol] for tol in trials.tolerances]
    assert times == [min(each) for each in proved]
    assert len(proved[0]) == 3
    assert np.isnan(trials.seconds_to("clarabel", 1e-300))


@pytest.mark.usefixtures("fakes")
def test_one_that_gives_no_answer_has_its_reason() -> None:
    trials = examined(soft(), ["smo", "broken", "hostile"], 1e-3, 1e-6)
    assert len(trials) == 6
    for trial in trials.of("broken"):
        assert (trial.row.claim, trial.row.status) == ("", "failed")
        assert "raised ZeroDivisionError" in trial.row.reason
        assert np.isnan(trial.disagreement)
    assert [remark for remark in trials.remarks if remark.startswith("broken at ")] == [
        f"broken at {tol:g}: {trials.of('broken')[0].row.reason}" for tol in (1e-3, 1e-6)
    ]
    assert {trial.row.claim for trial in trials.of("hostile")} == {"stopped"}


@pytest.mark.usefixtures("fakes")
def test_one_that_ends_its_process_ends_no_other() -> None:
    trials = examined(soft(), ["hostile"], 1e-3, deed="exit")
    assert "its process exited with status 3" in trials[0].row.reason


def test_what_a_solver_does_not_take_is_left_out_of_all_and_named_otherwise() -> None:
    form = HardMargin(*separable()).geometric
    assert {"smo", "clarabel", "scs"} <= set(examined(form, "all", 1e-3).solvers)
    assert "osqp" not in examined(form, "all", 1e-3).solvers
    (trial,) = examined(form, "osqp", 1e-3)
    assert "no cones of kind SecondOrder" in trial.row.reason
    # Of the model it takes another form.
    assert examined(HardMargin(*separable()), "osqp", 1e-3)[0].row.status == "optimal"


def test_without_an_answer_nothing_is_measured() -> None:
    trials = examined(HardMargin(*xor()), "clarabel", 1e-6)
    assert trials[0].row.status == "infeasible"
    assert (trials.reference, trials.optimum.width) == ("", np.inf)
    assert trials.remarks[0] == "HardMargin: no answer is proved"
    assert str(trials)


def test_an_extended_form_is_measured_against_its_own_enclosure() -> None:
    form = soft().dual
    trials = examined(form.extend(form.alpha <= 0.5), "clarabel", 1e-8)
    assert trials.rigorous
    row = trials[0].row
    assert trials.optimum.lower <= row.primal_value + 1e-12
    assert 0.0 <= trials.optimum.width <= 1e-6 * abs(row.primal_value)


def test_without_an_enclosure_the_certificate_says_where_the_optimum_is() -> None:
    trials = examined(LeastAbsoluteFit(*overlapping(), RBF(0.5)), "clarabel", 1e-8)
    assert not trials.rigorous
    row = trials[0].row
    assert (trials.optimum.lower, trials.optimum.upper) == tuple(sorted((row.dual_value, row.primal_value)))
    assert "as its certificate says in float64" in trials.remarks[0]


def test_dense_coefficients_have_no_support() -> None:
    trials = examined(KernelRidge(*overlapping(), RBF(0.5)), ["linear", "clarabel"], 1e-6)
    assert [trial.support_difference for trial in trials] == [None, None]
    assert np.isnan(trials[0].support_overlap)


@pytest.mark.usefixtures("fakes")
def test_text_json_and_picture() -> None:
    trials = examined(soft(), ["smo", "clarabel", "lying", "broken"])
    text = str(trials)
    for words in ("claimed", "uncertified", "never", "|g - g*|", "1e-09", "overlap", "measured by "):
        assert words in text
    assert "nan" not in text

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    record = json.loads(trials.to_json(), parse_constant=refuse)
    assert record["optimum"]["lower"] == trials.optimum.lower
    assert len(record["trials"]) == len(trials)
    assert record["trials"][0]["objective_error"] == trials[0].objective_error
    assert record["trials"][-1]["disagreement"] is None
    assert record["first_proved"][0] == {
        "solver": "smo",
        "accuracy": 1e-3,
        "seconds": trials.seconds_to("smo", 1e-3),
    }
    drawn = CrossExaminationDisplay.from_examination(trials).trials
    assert sum(map(len, drawn.values())) == sum(np.isfinite(trial.row.accuracy) for trial in trials)


@pytest.mark.usefixtures("fakes")
def test_pandas() -> None:
    trials = examined(soft(), ["smo", "broken"], 1e-3, 1e-6)
    frame = trials.to_pandas()
    assert frame["solver"].tolist() == ["smo", "smo", "broken", "broken"]
    assert frame["tol"].tolist() == [1e-3, 1e-6] * 2
    assert frame["objective_error"].isna().tolist() == [False, False, True, True]
    assert frame.loc[1, "primal_value"] == trials[1].row.primal_value
    assert list(frame.columns) == list(trials[0].to_record())
    assert list(dataclasses.replace(trials, trials=()).to_pandas().columns) == list(frame.columns)


def test_what_it_does_not_take() -> None:
    for models in ([], None, "soft-margin", [soft(), 3]):
        with pytest.raises(ParameterError, match="cross_examine needs at least one model or form"):
            examined(models, "smo")
    with pytest.raises(ParameterError, match="one model or form, but 2 came"):
        examined([soft(), soft()], "smo")
    for tolerances in ((0.0,), (1e-3, -1.0), ("small",)):
        with pytest.raises(ParameterError, match="each of tolerances"):
            examined(soft(), "smo", *tolerances)
    with pytest.raises(ParameterError, match="at least one tolerance"):
        cross_examine(soft(), "smo", ())
    with pytest.raises(ParameterError, match="time_limit"):
        examined(soft(), "smo", time_limit=-1.0)
