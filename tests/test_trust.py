# SPDX-License-Identifier: BSD-3-Clause
"""Published problems before a judge: they are read as they are, trials end in time, and the page tells what came."""

from __future__ import annotations

import io
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.io import savemat
from scipy.sparse import csc_matrix

from benchmarks.computer import Computer, Setting
from benchmarks.trust import __main__ as command
from benchmarks.trust import enclosures
from benchmarks.trust.claims import LIMITS, PROVED
from benchmarks.trust.maros_meszaros import ARCHIVE, Published, problems, to_program
from benchmarks.trust.page import References, page
from benchmarks.trust.picture import PROFILE, profile
from benchmarks.trust.records import Proof, Trial, load, save
from benchmarks.trust.trial import attempt
from formulations import SoftMargin
from qpkernels.problems import ConeProgram, Nonnegative, Zero, certify_cone_program

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))

from extensions.concordance import place_of_test

README = """
NAME           M       N      NZ      QN      QNZ       OPT

small-one      2       2       4       2        1    1.5000000e+00
tiny           1       1       1       1        0    0.0000000e+00
"""

# min |x|^2 / 2 + 1 s.t. x1 + x2 = 1 + what rounding left, -inf <= x1 <= 0.5, 0 <= x2 <= inf; the optimum is 1.25.
SMALL: dict[str, Any] = {
    "P": csc_matrix(np.eye(2)),
    "q": np.zeros((2, 1)),
    "r": 1.0,
    "A": csc_matrix([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
    "l": np.array([[1.0], [-1e20], [2e-16]]),
    "u": np.array([[1.0], [0.5], [1e20]]),
}
TINY: dict[str, Any] = {
    "P": csc_matrix([[2.0]]),
    "q": [0.0],
    "r": 0.0,
    "A": csc_matrix([[1.0]]),
    "l": [-1.0],
    "u": [1.0],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(tmp_path / ARCHIVE, "w:xz") as archive:
        for name, data in (("SMALL_ONE.mat", SMALL), ("TINY.mat", TINY), ("00README.QP", README)):
            buffer = io.BytesIO()
            if isinstance(data, str):
                buffer.write(data.encode())
            else:
                savemat(buffer, data)
            entry = tarfile.TarInfo(f"mat/{name}")
            entry.size = buffer.tell()
            buffer.seek(0)
            archive.addfile(entry, buffer)
    return tmp_path


def test_problems_are_read_with_their_published_values(folder: Path) -> None:
    tiny, small = problems(folder)
    assert [(each.name, each.value, each.size) for each in (tiny, small)] == [("TINY", 0.0, 3), ("SMALL_ONE", 1.5, 6)]
    program = small.program
    assert (program.cones, program.offset, program.name) == ((Zero(1), Nonnegative(2)), 1.0, "SMALL_ONE")
    np.testing.assert_array_equal(program.A.toarray(), [[1, 1], [1, 0], [0, -1]])
    np.testing.assert_array_equal(program.b, [1, 0.5, 0])
    assert [block.name for block in program.rows] == ["equations", "upper", "lower"]
    x, z = np.array([0.5, 0.5]), np.array([-0.5, 0.0, 0.0])
    assert certify_cone_program(program, x, z).holds(1e-13)
    assert program.objective(x) == 1.25


def test_a_missing_archive_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=f"{ARCHIVE} was expected in .*; pack the .mat files"):
        list(problems(tmp_path))


class TestTrials:
    """In processes of their own, which take a moment to start."""

    problem: ClassVar = Published("SMALL_ONE", to_program("SMALL_ONE", SMALL), 1.25)

    def test_an_answer_is_judged(self) -> None:
        trial = attempt(self.problem, "osqp", 1e-6, 30.0, 8 * 2**30)
        assert (trial.problem, trial.solver, trial.claim) == ("SMALL_ONE", "osqp", "optimal")
        assert trial.value == pytest.approx(1.25, rel=1e-5)
        assert trial.accepted(1e-9)
        assert trial.came is not None
        assert trial.repaired is not None
        assert trial.repaired.error <= trial.came.error
        assert trial.repaired.primal == pytest.approx(1.25, rel=1e-9)

    def test_what_finds_nothing_is_no_answer(self) -> None:
        data = {**SMALL, "l": np.array([[3.0], [-1e20], [0.0]]), "u": np.array([[3.0], [0.5], [1.0]])}
        trial = attempt(Published("NONE", to_program("NONE", data), None), "daqp", 1e-6, 30.0, 8 * 2**30)
        assert trial.claim in {"stopped", "failed"}
        assert trial.message
        assert trial.repaired is None
        assert not trial.accepted(1.0)

    def test_the_command_writes_records_and_page(self, folder: Path) -> None:
        out = folder / "trust"
        arguments = ["--data", str(folder), "--solvers", "clarabel", "--out", str(out), "--largest", "5"]
        command.main(arguments)
        (trial,) = load(out)
        assert trial.key == ("TINY", "clarabel")
        assert trial.accepted(1e-9)
        assert "| clarabel | 1 | 1 |" in (out / "maros_meszaros.md").read_text()
        assert (out / PROFILE).read_bytes().startswith(b"\x89PNG")
        command.main([*arguments, "--resume"])
        assert load(out) == [trial]


def test_the_command_refuses_unknown_solvers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--data", str(folder), "--solvers", "smo"])
    assert "--solvers takes" in capsys.readouterr().err


def trial(solver: str, error: float, primal: float, value: float, problem: str = "P") -> Trial:
    proof = Proof(error, primal, primal, "row 3 of 'upper' is violated")
    return Trial(problem, 9, 10.0, solver, "optimal", "solved", 0.5, value, proof, proof, 0.1)


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert load(tmp_path) == []
    trials = [trial("a", 1e-9, 10.0, 10.0), replace(trial("b", 1.0, 0.0, 0.0), came=None, repaired=None, value=None)]
    save(tmp_path, trials)
    assert load(tmp_path) == trials


def test_the_page_counts_what_was_proved_falsely_or_not_at_all() -> None:
    trials = [
        trial("right", 1e-10, 10.0, 10.0),
        trial("refused", 1e-2, 10.0, 10.0),
        trial("false", 1e-7, 10.1, 10.1),
        trial("honest", 1e-1, 10.1, 10.1),
    ]
    references = References(trials)
    assert references.values == {"P": 10.0}
    assert [references.right(each) for each in trials] == [True, True, False, False]
    assert [references.falsely_accepted(each) for each in trials] == [False, False, True, False]
    written = page(trials)
    assert "| right | 1 | 1 | 1 | 1 | 1 | 1 | 0 | 1 | 0 | 0.5, 0.1 |" in written
    assert "* P, refused (optimal): solved; proved at 1.0e-02 only: row 3 of 'upper' is violated" in written
    assert "Not convex" not in written
    assert "## Not convex, so that nothing is proved\n\n* P\n" in page([trials[0].ended("judge: NonconvexError")])
    assert "* P, false: 10.1 at 1.0e-07, but the optimal value is 10" in written


def test_the_picture_counts_what_is_proved_by_when() -> None:
    trials = [
        replace(trial("a", 1e-9, 10.0, 10.0, "slow"), seconds=3.0),
        replace(trial("a", 1e-9, 10.0, 10.0, "fast"), seconds=0.2),
        replace(trial("a", 1e-3, 10.0, 10.0, "loose"), seconds=0.1),
        replace(trial("b", 1e-9, 10.0, 10.0, "slow"), seconds=1.0),
    ]
    assert profile(trials, "a", 1e-6) == ([0.2, 3.0], [1 / 3, 2 / 3])
    assert profile(trials, "b", 1e-6) == ([1.0], [1 / 3])
    assert profile(trials, "c", 1e-6) == ([], [])


def test_a_published_value_that_a_proof_contradicts_is_named() -> None:
    trials = [trial("a", 1e-10, 10.001, 10.001)]
    references = References(trials)
    assert references.contradicted == {"P": (10.0, 10.001)}
    assert references.falsely_accepted(trials[0])
    assert "* P: 10 is published, 10.001 is proved." in page(trials)
    # Beside a constant of 1e5 that it cancels, the eight digits of the published value do not reach that far.
    assert References([replace(trials[0], constant=1e5)]).values == {"P": 10.001}


def test_a_published_value_that_an_interval_excludes_counts_no_more() -> None:
    proved = trial("a", 1e-10, 10.001, 10.001).with_interval(10.0009, float("inf"))
    assert (proved.lower, proved.upper) == (10.0009, None)
    assert [proved.excludes(value) for value in (10.0, 10.001, 11.0)] == [True, False, False]
    trials = [proved, trial("b", 1e-4, 10.5, 10.5)]
    references = References(trials)
    assert references.values == {"P": 10.001}
    assert [references.falsely_accepted(each) for each in trials] == [False, True]
    assert "* P: 10 is published, 10.001 is proved, and an interval excludes the other." in page(trials)
    # Within the eight digits it may be what is published.
    near = replace(proved, lower=10.0 + 5e-7)
    assert References([near]).values == {"P": 10.0}


def test_programs_without_inequalities_have_no_empty_cone() -> None:
    program: ConeProgram = to_program("EQUAL", {**TINY, "l": [1.0], "u": [1.0]})
    assert program.cones == (Zero(1),)


def test_widths_of_intervals_are_measured_against_gaps() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    row = enclosures.measure("steps", lambda: SoftMargin(X, [-1, -1, 1, 1], C=1.0))
    assert (row.model, row.data, row.samples, row.kernel) == ("SoftMargin", "steps", 4, "Linear")
    assert row.lower <= row.upper
    assert row.upper - row.lower <= abs(row.gap) + 100 * 2.0**-53 * 30
    assert row.certify > 0
    assert row.ratio == row.enclose / row.certify
    setting = Setting(Computer("a processor", 2, "3", "2", "1", None, "0"), "a day", 0.25)
    slow = replace(row, certify=1.0, enclose=2.5)
    written = enclosures.page([slow, replace(slow, enclose=1.0)], setting)
    assert "a day. Other programs kept 0.25 processors busy. The largest ratio is 2.50." in written
    assert "| SoftMargin | steps | 4 | Linear |" in written


@pytest.mark.parametrize("test", sorted({test for claim in (*PROVED, *LIMITS) for test in claim.tests}))
def test_every_sentence_names_tests_that_there_are(test: str) -> None:
    file, number = place_of_test(test)
    assert file.is_file()
    assert number > 0


def test_the_page_has_every_sentence() -> None:
    words = " ".join((Path(__file__).parents[1] / "docs/trust/README.md").read_text(encoding="utf-8").split())
    for claim in (*PROVED, *LIMITS):
        assert " ".join(claim.words.split()) in words
        assert all(f"`{test}`" in words for test in claim.tests)
