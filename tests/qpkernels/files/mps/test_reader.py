# SPDX-License-Identifier: BSD-3-Clause
"""Programs from free MPS: what HiGHS understands by a file is what the reader does."""

from pathlib import Path

import highspy
import numpy as np
import pytest

from qpkernels.errors import DataFormatError, FileFormatError, UnsupportedProgramError
from qpkernels.files import read
from qpkernels.problems import certify_cone_program
from qpkernels.solvers import find_solver

SMALL = """* a comment
NAME small
ROWS
 N cost
 N ignored
 L less
 G more
 E same
COLUMNS
 x cost 1 less 1
 x more 2
 y cost -2 less 1
 y same 1 ignored 5
 z same -1 less 0.5
RHS
 R cost -3 less 4
 R more -1 same 0.25
RANGES
 R less 2 same -0.5
BOUNDS
 UP B x 3
 FR B y
 MI B z
 UP B z 1.5
QUADOBJ
 x x 2
 x y 0.5
 y y 1
 z z 1
ENDATA
"""


def optimum(path: Path) -> float:
    """Return the optimum of the program that was read, proved to 1e-7."""
    program = read(path)
    outcome = find_solver("clarabel").solve(program, tol=1e-9)
    certificate = certify_cone_program(program, outcome.point, outcome.multipliers)
    assert certificate.holds(1e-7)
    return certificate.primal_value


def optimum_by_highs(path: Path) -> float:
    highs = highspy.Highs()
    highs.silent()
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(highs.getObjectiveValue())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("NAME small\n", "NAME small\nOBJSENSE\n    MIN\n"),
        (" R less 2 same -0.5", " R more 3 same 0.5"),
        ("QUADOBJ\n x x 2\n x y 0.5\n", "QMATRIX\n x x 2\n x y 0.5\n y x 0.5\n"),
        (" UP B x 3\n", " LO B x 0.5\n"),
        (" UP B x 3\n", " FX B x 0.5\n"),
        (" R cost -3 less 4", " cost -3 less 4"),
    ],
    ids=["as it is", "sense", "ranges", "full matrix", "lower bound", "fixed", "no name of the right-hand side"],
)
def test_a_file_means_what_highs_understands(old: str, new: str, tmp_path: Path) -> None:
    (tmp_path / "p.mps").write_text(SMALL.replace(old, new))
    assert optimum(tmp_path / "p.mps") == pytest.approx(optimum_by_highs(tmp_path / "p.mps"), abs=1e-6)


def test_a_maximum_is_the_minimum_of_the_negative(tmp_path: Path) -> None:
    lines = SMALL[: SMALL.index("QUADOBJ")]
    (tmp_path / "p.mps").write_text(lines.replace("NAME small\n", "NAME small\nOBJSENSE MAX\n") + "ENDATA\n")
    assert -optimum(tmp_path / "p.mps") == pytest.approx(optimum_by_highs(tmp_path / "p.mps"), abs=1e-6)
    assert read(tmp_path / "p.mps").offset == -3.0


def test_the_program_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "p.mps").write_text(SMALL)
    program = read(tmp_path / "p.mps")
    assert (program.name, program.offset) == ("small", 3.0)
    np.testing.assert_array_equal(program.P.toarray(), [[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(program.q, [1, -2, 0])
    assert [(block.name, block.stop - block.start) for block in program.rows] == [
        ("equations", 0),
        ("upper", 4),
        ("lower", 4),
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (" L less", " X less", r"line 6, column 1: expected N, E, L or G and a name"),
        (" G more", " G less", r"line 7.*expected a new row"),
        (" x more 2", " x mare 2", r"line 11.*expected a row of the section ROWS"),
        (" x more 2", " x more 2_0", r"line 11.*expected a number, but '2_0' came"),
        (" x more 2", " x more nan", r"line 11.*expected a number"),
        (" x more 2", " x less 2", r"line 11.*expected each number once"),
        (" x more 2", " x more", r"line 11.*expected pairs"),
        (" UP B x 3", " UP B w 3", r"line 21.*expected a column of the section COLUMNS"),
        (" UP B x 3", " UQ B x 3", r"line 21.*expected UP, LO, FX, FR, MI or PL"),
        (" x y 0.5", " x y 0.5\n y x 0.5", r"line 28.*expected each number once"),
        (" x y 0.5", " x y 0.5 3", r"line 27.*expected two columns and a number"),
        ("ENDATA\n", "", r"expected ENDATA, but the end of the file came"),
        ("NAME small", " NAME small", r"line 2.*expected a section"),
    ],
)
def test_a_malformed_line_is_named(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in SMALL
    (tmp_path / "p.mps").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(DataFormatError, match=words):
        read(tmp_path / "p.mps")


@pytest.mark.parametrize(
    ("old", "new", "error", "words"),
    [
        (" UP B x 3", " UP B x -3", FileFormatError, "UP below 0 of a column without a lower bound"),
        (" UP B x 3", " BV B x", UnsupportedProgramError, "a bound BV, so its program is not convex"),
        (" x cost 1", " M 'MARKER' 'INTORG'\n x cost 1", UnsupportedProgramError, "integer variables"),
        ("QUADOBJ", "CSECTION", UnsupportedProgramError, "but CSECTION came"),
        (SMALL, "NAME x\nENDATA\n", FileFormatError, "needs a row of kind N and a column"),
        (" R more -1", " R more inf", FileFormatError, "bounds must be numbers"),
        (" x cost 1 less 1", " x cost 1e999 less 1", FileFormatError, "q must hold finite numbers"),
        ("QUADOBJ\n", "QMATRIX\n", FileFormatError, "P must be symmetric"),
        ("* a comment", '* qpkernels {"name": "a"}', FileFormatError, "does not fit its rows"),
        (
            "* a comment",
            '* qpkernels {"name": "a", "cones": [], "variables": [], "rows": []}',
            FileFormatError,
            "does not fit its rows",
        ),
    ],
)
def test_what_is_no_quadratic_program_is_refused(
    old: str, new: str, error: type[Exception], words: str, tmp_path: Path
) -> None:
    assert old in SMALL
    (tmp_path / "p.mps").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(error, match=words):
        read(tmp_path / "p.mps")
