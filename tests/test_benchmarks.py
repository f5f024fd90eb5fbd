# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks run, judge every answer by the same certificate, and write records, page and pictures.

No time is asserted.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from matplotlib.image import imread
from sklearn.datasets import load_wine
from sklearn.svm import SVC

from benchmarks import __main__ as command
from benchmarks import report
from benchmarks.answers import Point, Solved, same_points, support_sizes, weakest_gap
from benchmarks.auditing import examine_peer
from benchmarks.comparison import compare
from benchmarks.computer import Computer, Setting, Watch, this_computer
from benchmarks.many import search
from benchmarks.many.changes import KINDS, Walk, change, curve, walks
from benchmarks.many.training import train
from benchmarks.many.workloads import Workload, folds_of_a_path, pairs
from benchmarks.many.workloads import path as path_of
from benchmarks.ours import answered, proved
from benchmarks.peers import Peer, libsvm, read_points
from benchmarks.problems import PROBLEMS, Problem, gaussians, named
from benchmarks.proving import prove
from benchmarks.records import (
    ANSWERED,
    MATCHED,
    PROVED,
    Auditing,
    Changes,
    Comparison,
    Proving,
    Results,
    Run,
    Search,
    Training,
)
from benchmarks.repetition import repeated, typical
from builders import two_classes
from qpkernels.arrays import Matrix, Vector
from qpkernels.files import scale_features

HERE = Setting(Computer("a processor", 2, "3", "2", "1", None, "0"), "2000-01-01", None)
AUDITED = Auditing(HERE, "theirs", 1e-3, 900, 70, 0.2, 0.3, 2e-4, 880)


def classes(samples: int = 300) -> Problem:
    return Problem("classes", lambda _: two_classes(samples, shift=0.4, features=3), 1.0, 0.3)


def tube() -> Problem:
    X, _ = two_classes(300, features=4)
    return Problem("tube", lambda _: (X[:, 1:], X[:, 0]), 1.0, 0.3, 0.1)


def wine() -> Problem:
    X, y = load_wine(return_X_y=True)
    # Labels that are neither consecutive nor in the order of their first sample.
    return Problem("wine", lambda _: (scale_features(X), np.array([7.0, 2.0, 5.0])[y]), 10.0, 0.1, several=True)


def row(problem: str = "p", tol: float = 1e-3, samples: int = 1000, **runs: Run) -> Comparison:
    runs = runs or {"LIBSVM": Run(((4.0,), (8.0, 3.0)), 2e-4, tol), PROVED: Run(((0.5,),), 9e-4, tol)}
    runs = {ANSWERED: Run(((0.375,),), 9e-4, tol), **runs}
    return Comparison(
        HERE, problem, tol, samples, 3, 1, 40, ((0.25,),), {**runs, MATCHED: Run(((0.875,),), 1e-4, 2e-4)}
    )


@pytest.mark.parametrize(
    ("problem", "turns"), [(classes(), 2), (tube(), 1), (wine(), 1)], ids=lambda each: getattr(each, "name", None)
)
def test_a_comparison(problem: Problem, turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.repetition._ENOUGH", 0.0)
    record = compare(problem, tmp_path, [libsvm()], turns, 1e-3, 600.0, this_computer())
    assert set(record.runs) == {"LIBSVM", ANSWERED, PROVED, MATCHED}
    assert record.samples == len(problem.load(tmp_path)[1])
    assert record.machines == (3 if problem.several else 1)
    assert 0 < record.support <= record.machines * record.samples
    assert len(record.limit) == turns
    assert record.where.computer == this_computer()
    gaps = {name: run.gap for name, run in record.runs.items()}
    assert all(gap is not None for gap in gaps.values())
    assert 0 <= gaps[PROVED] <= 1e-3
    assert 0 <= gaps[ANSWERED] <= 1e-3
    assert 0 < gaps["LIBSVM"] < 0.05
    assert gaps[MATCHED] <= 1.01 * gaps["LIBSVM"]
    assert record.runs[MATCHED].tol == gaps["LIBSVM"]
    for run in record.runs.values():
        assert run.limit is None
        assert len(run.turns) == turns
        assert all(seconds > 0 for turn in run.turns for seconds in turn)


def test_the_machines_of_libsvm_with_several_classes_are_read_by_pairs() -> None:
    problem = wine()
    X, y = problem.load(Path())
    machines = problem.machines(X, y)
    assert problem.pairs(y) == [(2.0, 5.0), (2.0, 7.0), (5.0, 7.0)]
    fitted = SVC(C=problem.C, gamma=problem.gamma, tol=1e-8).fit(X, y)
    points = read_points(problem, y, fitted.support_, fitted.dual_coef_, fitted.intercept_)
    assert weakest_gap(machines, points) < 1e-5
    for machine, (negative, positive), point in zip(machines, problem.pairs(y), points, strict=True):
        alone = SVC(C=problem.C, gamma=problem.gamma, tol=1e-8).fit(X[machine.rows], y[machine.rows] == positive)
        assert set(y[machine.rows]) == {negative, positive}
        beta = np.zeros(machine.rows.size)
        beta[alone.support_] = alone.dual_coef_[0]
        np.testing.assert_allclose(point.beta, beta, atol=1e-5)
        assert point.b == pytest.approx(alone.intercept_[0], abs=1e-5)


def test_a_coefficient_in_the_wrong_machine_shows_in_the_gap() -> None:
    problem = wine()
    X, y = problem.load(Path())
    fitted = SVC(C=problem.C, gamma=problem.gamma, tol=1e-8).fit(X, y)
    mixed = read_points(problem, y, fitted.support_, fitted.dual_coef_[::-1], fitted.intercept_)
    assert weakest_gap(problem.machines(X, y), mixed) > 0.1


def test_our_machines_are_those_of_the_certificate() -> None:
    problem = wine()
    X, y = problem.load(Path())
    machines, points = problem.machines(X, y), proved(problem, X, y, 1e-9, 600.0).points
    alone = answered(problem, X, y, 1e-9, 600.0).points
    assert max(weakest_gap(machines, points), weakest_gap(machines, alone)) < 1e-8
    for together, single in zip(points, alone, strict=True):
        np.testing.assert_allclose(together.beta, single.beta, atol=1e-5)
        assert together.b == pytest.approx(single.b, abs=1e-5)
    fitted = SVC(C=problem.C, gamma=problem.gamma, tol=1e-8).fit(X, y)
    theirs = read_points(problem, y, fitted.support_, fitted.dual_coef_, fitted.intercept_)
    assert support_sizes(points) == support_sizes(theirs)
    assert same_points(points, points)
    assert not same_points(points, theirs)


def test_the_weakest_gap_is_the_largest() -> None:
    problem = wine()
    X, y = problem.load(Path())
    machines = problem.machines(X, y)
    good = answered(problem, X, y, 1e-9, 600.0).points
    spoilt = [good[0], Point(np.zeros_like(good[1].beta), 0.0), good[2]]
    assert weakest_gap(machines, spoilt) == pytest.approx(1.0)


def test_a_peer_is_ended_when_its_time_is_up(tmp_path: Path) -> None:
    record = compare(classes(2000), tmp_path, [libsvm()], 2, 1e-3, 1e-3, this_computer())
    assert record.runs["LIBSVM"] == Run((), None, 1e-3, 1e-3)
    # Ours stops by itself, with an answer and its gap, and gets no second turn either.
    assert record.runs[PROVED].limit == 1e-3
    assert len(record.runs[PROVED].turns) == 1
    assert record.runs[PROVED].gap is not None
    assert MATCHED not in record.runs


def test_a_peer_does_not_go_on_after_its_time(tmp_path: Path) -> None:
    script, mark = tmp_path / "python", tmp_path / "mark"
    script.write_text(
        f"#!{sys.executable}\nimport time\nprint('ready', flush=True)\ntime.sleep(3)\nopen({str(mark)!r}, 'w')\n"
    )
    script.chmod(0o700)
    X, y = two_classes(20)
    assert Peer("slow", str(script), accelerated=False).solve(classes(), X, y, 1e-3, 0.1) is None
    assert not mark.exists()


class Fickle(Peer):
    """Answers with nothing, and then with the optimum."""

    asked: ClassVar[list[float]] = []

    def solve(self, problem: Problem, X: Matrix, y: Vector, tol: float, limit_seconds: float) -> Solved:
        self.asked.append(tol)
        if len(self.asked) == 1:
            return Solved((1.0,), (Point(np.zeros(len(y)), 0.0),))
        return replace(answered(problem, X, y, 1e-9, limit_seconds), seconds=(2.0, 3.0))


def test_the_gap_is_that_of_the_worst_answer(tmp_path: Path) -> None:
    record = compare(classes(), tmp_path, [Fickle("fickle", "", accelerated=False)], 2, 1e-3, 600.0, this_computer())
    assert Fickle.asked == [1e-3, 1e-3]
    assert record.runs["fickle"].turns == ((1.0,), (2.0, 3.0))
    assert record.runs["fickle"].gap == pytest.approx(1.0)
    assert record.runs[MATCHED].tol == 0.5


def test_a_peer_that_fails_is_reported(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = two_classes(20)
    with pytest.raises(RuntimeError, match="LIBSVM was to solve classes, but its process ended with code 1"):
        libsvm().solve(classes(), np.full_like(X, np.nan), y, 1e-3, 600.0)
    assert "NaN" in capfd.readouterr().err
    assert Peer("other", sys.executable, accelerated=True).version("numpy") == np.__version__


def test_records_stay_until_one_with_the_same_key_comes(tmp_path: Path) -> None:
    assert Results.load(tmp_path).records == ()
    first = [row("a"), row("b"), row("a", tol=1e-6), AUDITED]
    Results().adding(first).save(tmp_path)
    new = row("a", samples=7)
    Results.load(tmp_path).adding([new]).save(tmp_path)
    results = Results.load(tmp_path)
    assert {record.key: record for record in results.of(Comparison)} == {r.key: r for r in (new, *first[1:3])}
    assert results.of(Auditing) == [AUDITED]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
    # One line for each record, so that a change of one shows as such.
    lines = (tmp_path / "results.json").read_text().splitlines()
    assert sum(line.startswith('{"where"') for line in lines) == 4


def test_the_command_merges_and_the_report_is_made_of_the_records_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("benchmarks.__main__.PROBLEMS", (classes(100), tube()))
    Results().adding([row("old")]).save(tmp_path)
    arguments = ["--data", str(tmp_path), "--out", str(tmp_path), "--skip-libsvm", "--repeats", "1", "--tol", "1e-2"]
    command.main([*arguments, "1e-3", "--only", "tube"])
    assert capsys.readouterr().out == "Comparison tube 0.01\nComparison tube 0.001\n"
    keys = {record.key for record in Results.load(tmp_path).records}
    assert keys == {("old", 1e-3), ("tube", 1e-2), ("tube", 1e-3)}
    names = {"results.json", "README.md", "ratios-1e-02.png", "ratios-1e-03.png"}
    assert {path.name for path in tmp_path.iterdir()} == names
    written = (tmp_path / "README.md").read_text()
    for name in names - {"results.json"}:
        (tmp_path / name).unlink()
    report.write_report(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == names
    assert (tmp_path / "README.md").read_text() == written


def test_the_certificate_is_measured_beside_the_solver(tmp_path: Path) -> None:
    for problem in (classes(), tube()):
        record = prove(problem, tmp_path, 1, 1e-4, this_computer())
        assert (record.problem, record.samples) == (problem.name, 300)
        assert 0 < record.support <= 300
        assert min(record.solving, record.proving, record.in_float64) > 0
        assert record.gap <= 1e-4
        assert record.apart <= 1e-12


def test_the_audit_is_measured_beside_the_product(tmp_path: Path) -> None:
    for problem in (classes(), tube()):
        record = examine_peer(problem, tmp_path, 1, 1e-6, this_computer())
        assert (record.problem, record.samples) == (problem.name, 300)
        assert 0 < record.support <= 300
        assert 0 < record.multiplying < record.auditing
        assert 0 < record.gap <= 1e-4
        assert (record.certain is None) == (problem.tube is not None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "nothing"], "there is no problem 'nothing'; choose from heart, "),
        (["--repeats", "0"], "--repeats must be at least 1, but 0 came."),
        (["--intelex", "/no/python"], "--intelex must name a Python that can be run, but /no/python came."),
    ],
)
def test_the_command_refuses(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--data", "folder", *arguments])
    assert words in capsys.readouterr().err


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"heart_scale.xz was expected in .* LIBSVM data page"):
        named(["heart"])[0].load(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"results.json was expected in .* python -m benchmarks --out"):
        report.write_report(tmp_path)


def cells(text: str, name: str, table: int = 0) -> list[str]:
    line = [line for line in text.splitlines() if line.startswith(f"| {name}")][table]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_shows_times_gaps_and_ratios(tmp_path: Path) -> None:
    ended = {"LIBSVM": Run((), None, 1e-3, 300.0), PROVED: Run(((2.0,),), 9e-4, 1e-3)}
    busy = replace(row("busy", samples=600), where=replace(HERE, others=1.5))
    Results().adding([row("plain"), row("ended", samples=2000, **ended), busy, row("fine", tol=1e-6)]).save(tmp_path)
    report.write_report(tmp_path)
    text = (tmp_path / "README.md").read_text()
    # The median of the turns' best: of 4 and 3.
    assert cells(text, "plain")[2:] == ["3.5 s", "875 ms", "4"]
    more = ["250 ms", "375 ms (9e-04)", "500 ms (9e-04)", "2", "2e-04", "1e-04"]
    assert cells(text, "plain", 1)[3:] == more
    assert cells(text, "ended")[2:] == ["> 300 s", "875 ms", "> 343"]
    order = ["## At tol = 0.001", "| busy † |", "| plain |", "| ended |", "## At tol = 1e-06", "| fine |"]
    assert sorted(order, key=text.index) == order
    assert "is faster than LIBSVM in 3 of 3 problems. The ratio is at least 4 (busy), and its median is 4." in text
    assert "† Other programs kept more than 0.1 processors busy" in text
    assert "a processor, 2 cores; Python 3, NumPy 2, scikit-learn 1, qpkernels 0: 4 records, 2000-01-01" in text


def test_the_pictures_are_drawn_and_not_cut_off(tmp_path: Path) -> None:
    ended = {
        "LIBSVM": Run((), None, 1e-3, 300.0),
        "oneDAL": Run(((3.0,),), 1e-3, 1e-3),
        PROVED: Run(((2.0,),), 9e-4, 1e-3),
    }
    Results().adding([row("a rather long name"), row("ended", **ended)]).save(tmp_path)
    report.write_report(tmp_path)
    pictures = sorted(tmp_path.glob("*.png"))
    assert [path.name for path in pictures] == ["ratios-1e-03.png"]
    for path in pictures:
        pixels = imread(path)
        drawn = (pixels[..., :3] < 0.9).any(axis=2)
        assert 0.01 < drawn.mean() < 0.9
        assert len(np.unique(np.round(pixels[drawn][:, :3], 1), axis=0)) > 3
        border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
        assert (border == 1.0).all()


def test_short_runs_are_repeated() -> None:
    calls: list[int] = []
    seconds, last = repeated(lambda: calls.append(0) or len(calls))
    assert len(seconds) == len(calls) == last == 30
    assert typical([(3.0, 1.0), (2.0,), (9.0, 8.0)]) == 2.0


def test_the_watch_sees_other_programs_and_not_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks: dict[str, Any] = {"perf_counter": 0.0, "_busy_seconds": 100.0, "_own_seconds": 5.0}

    def clock(name: str) -> Callable[[], Any]:
        return lambda: clocks[name]

    for name in clocks:
        monkeypatch.setattr(f"benchmarks.computer.{name}", clock(name))
    watch = Watch(HERE.computer)
    clocks.update(perf_counter=10.0, _busy_seconds=118.0, _own_seconds=15.0)
    assert watch.setting().others == 0.8
    clocks.update(_busy_seconds=None)
    assert watch.setting().others is None


def test_the_problems_have_names_of_their_own() -> None:
    assert len({problem.name for problem in PROBLEMS}) == len(PROBLEMS)
    assert named(None) == PROBLEMS
    assert [problem.name for problem in named(["usps", "heart"])] == ["heart", "usps"]


def test_a_record_is_plain_json(tmp_path: Path) -> None:
    Results().adding([row("a")]).save(tmp_path)
    (entry,) = json.loads((tmp_path / "results.json").read_text())["comparisons"]
    assert entry["runs"]["LIBSVM"] == {"turns": [[4.0], [8.0, 3.0]], "gap": 2e-4, "tol": 1e-3, "limit": None}
    assert entry["where"]["computer"]["processor"] == "a processor"


def test_a_grid_by_us_and_by_scikit_learn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(search, "COSTS", [0.1, 10.0])
    monkeypatch.setattr(search, "WIDTHS", [0.01, 1.0])
    monkeypatch.setattr(search, "_WARMING", 1)
    record = search.search(gaussians(60, 3, 0.5), tmp_path, 1, 1e-3, replace(this_computer(), cores=1))
    assert (record.fits, record.proved, record.jobs) == (20, 20, 1)
    assert record.our_choice == record.their_choice
    assert record.our_score == pytest.approx(record.their_score)
    assert len(record.ours) == len(record.theirs) == 1


def test_machines_that_are_trained_together(tmp_path: Path) -> None:
    X, y = two_classes(60, features=3)
    workloads = [
        Workload("pairs", lambda _: (X, np.arange(60) % 3, 0.5), pairs(1.0)),
        Workload("folds", lambda _: (X, y, 0.5), folds_of_a_path),
        Workload("path", lambda _: (X, y, 0.5), path_of(np.array([0.1, 1.0]))),
    ]
    records = list(train(workloads, tmp_path, 2, 1e-4, this_computer()))
    assert [(record.workload, record.machines, record.proved) for record in records] == [
        ("pairs", 3, 3),
        ("folds", 500, 500),
        ("path", 2, 2),
    ]
    for record in records:
        assert 0 <= record.gap <= 1e-4
        assert len(record.turns) == len(record.processor) == 2


def test_changes_are_proved_and_made_to_the_arrays_as_well(tmp_path: Path) -> None:
    for problem in (gaussians(80), curve(80)):
        X, y = problem.load(Path())
        walk = Walk(problem, X, y, 1e-6)
        changes, fits = change(walk, 8)
        assert (len(changes), len(fits)) == (8, 1)
        assert min(changes) > 0
        assert len(walk.X) == len(walk.y) == 80
    records = list(walks(tmp_path, (60,), [], 1e-6, 4, this_computer()))
    assert [(record.samples, record.kinds, len(record.changes)) for record in records] == [(60, KINDS, 4)] * 2


def test_the_page_shows_many_machines(tmp_path: Path) -> None:
    records = [
        Training(HERE, "20 C", 1e-3, 20, 19, 400, 5e-4, ((3.0,), (2.0,), (4.0,)), (5.0, 6.0, 7.0)),
        Search(
            HERE, "small", 1e-3, 500, 500, 2, ((2.0,),), ((9.0,),), {"C": 8.0, "gamma": 0.5}, {"C": 2.0}, 0.97, 0.96
        ),
        Changes(HERE, "moved", 1e-6, 300, ("add", "move"), (0.001, 0.003, 0.001, 0.003), (0.02, 0.02)),
        Proving(HERE, "large", 1e-3, 900, 70, 3.0, 1.0, 2.0, 2e-4, 1e-13, 0.5, 1e-15),
        AUDITED,
    ]
    Results().adding(records).save(tmp_path)
    assert Results.load(tmp_path).records == tuple(records)
    report.write_report(tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert cells(text, "20 C")[1:] == ["0.001", "20", "19", "400", "3 s", "6 s", "5e-04"]
    assert cells(text, "small")[4:] == [
        *("9 s (2 processes)", "2 s", "4.5", "C = 8, gamma = 0.5: 0.9700", "C = 2: 0.9600"),
    ]
    assert cells(text, "moved")[3:] == ["20 ms", "2 ms", "10", "1 ms", "3 ms", "3 ms"]
    assert cells(text, "large")[4:8] == ["3 s", "1 s", "25%", "2 s"]
    assert cells(text, "theirs")[2:] == ["900", "70", "200 ms", "300 ms", "1.50", "2e-04", "880"]
    assert [record.summary for record in records] == [
        "3 s, 19 of 20 proved, 400 steps",
        "ours 2 s, scikit-learn 9 s",
        "a change 2 ms, a fit 10 times that",
        "3 s to solve, 1 s to prove: 25%",
        "0.3 s, 1.50 products",
    ]
