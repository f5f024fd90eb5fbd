# SPDX-License-Identifier: BSD-3-Clause
"""The campaign: its problems are drawn by number, its records outlive a kill, its summary says what was missed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.campaign.__main__ import main
from benchmarks.campaign.problems import FAMILIES, draw
from benchmarks.campaign.records import DEFAULT, FILE, Examined, Trial, append, load
from benchmarks.campaign.summary import page, summary, verdicts
from benchmarks.campaign.trials import turns
from formulations import SoftMargin
from model_data import MODELS


def test_every_family_takes_part() -> None:
    assert set(FAMILIES) == set(MODELS)
    assert {draw(number).family for number in range(len(FAMILIES))} == set(FAMILIES)


@pytest.mark.parametrize("number", range(27))
def test_a_problem_is_the_same_each_time_and_within_its_limits(number: int) -> None:
    first, second = draw(number), draw(number)
    assert str(first) == str(second)
    for one, other in zip(first.data, second.data, strict=True):
        np.testing.assert_array_equal(one, other)
    m, d = first.data[0].shape
    assert 20 <= m <= 2000
    assert 2 <= d <= 2000
    assert first.state().name == first.family.__name__


def test_the_default_and_a_named_route_answer() -> None:
    first, step = FAMILIES.index(SoftMargin), len(FAMILIES)
    cases = map(draw, range(first, 20 * step, step))
    number = next(case.number for case in cases if len(case.data[0]) < 100 and case.parameters["C"] < 10.0)
    for route in (DEFAULT, "model by smo", "dual by clarabel"):
        trials = list(turns(number, route, 1e-3, 10.0))
        assert trials
        assert all(trial is not None and trial.proved for trial in trials), trials
    assert list(turns(number, "model by linear", 1e-3, 10.0)) == [None]


def examined(number: int, *trials: Trial) -> Examined:
    return Examined(number, "SoftMargin", f"problem {number}", list(trials), 10.0, 1)


FAST = examined(
    1, Trial(DEFAULT, 1e-3, "optimal", "smo", 1e-5, 0.4, 0.4), Trial("dual by x", 1e-3, "optimal", "x", 1e-5, 0.1, 0.2)
)
MISSED = examined(
    2, Trial(DEFAULT, 1e-3, "stopped", "smo", 0.1, 3.0, 3.0), Trial("dual by x", 1e-3, "optimal", "x", 1e-5, 0.1, 0.2)
)
NOBODY = examined(3, Trial(DEFAULT, 1e-3, "ended", message="no answer"))


def test_the_default_is_held_against_the_fastest_proof() -> None:
    fast, missed, nobody = verdicts([FAST, MISSED, NOBODY], 1e-3)
    assert (fast.ratio(), fast.ratio("cpu"), fast.missed) == (pytest.approx(4.0), pytest.approx(2.0), False)
    assert missed.missed
    assert nobody.best is None
    assert not nobody.missed


def test_the_summary_counts_and_names_what_was_missed() -> None:
    text = summary([FAST, MISSED, NOBODY])
    assert "| 0.001 | 3 | 2 | 1 | 1 | 4.00 | 4.00 | 2.00 | 2.00 |" in text
    assert "- 2 at 0.001, problem 2: stopped by smo in 3 s; dual by x in 0.1 s" in text
    assert text in page([FAST, MISSED, NOBODY])
    assert "Each answer had 10 s on 1 processor." in page([FAST, MISSED, NOBODY])


def test_records_are_read_as_written_but_for_a_line_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    assert load(path) == []
    for each in (MISSED, FAST, NOBODY):
        append(path, each)
    with path.open("a") as file:
        file.write('{"number": 4, "fam')
    assert load(path) == [FAST, MISSED, NOBODY]


def test_a_rerun_examines_nothing_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    append(tmp_path / FILE, FAST)
    main(["--first", "1", "--cases", "1", "--out", str(tmp_path)])
    assert load(tmp_path / FILE) == [FAST]
    assert "| 0.001 | 1 |" in capsys.readouterr().out
    assert "| 0.001 | 1 |" in (tmp_path / "campaign.md").read_text()


def test_only_what_decides_is_kept(tmp_path: Path) -> None:
    slower = replace(FAST.trials[-1], route="another", seconds=1e3)
    append(tmp_path / FILE, replace(FAST, trials=[*FAST.trials, slower]))
    assert load(tmp_path / FILE) == [FAST]
