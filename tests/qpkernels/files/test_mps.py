# SPDX-License-Identifier: BSD-3-Clause
"""Programs as free MPS: what HiGHS understands by a file is what the reader does, and it solves what is written."""

from __future__ import annotations

from pathlib import Path

import highspy
import numpy as np
import pytest

from builders import FAMILIES, KNOWN_OPTIMA, cone_program, manufacture
from qpkernels.errors import DataFormatError, FileFormatError, UnsupportedProgramError
from qpkernels.files import read, write
from qpkernels.problems import Block, ConeProgram, Nonnegative, certify_cone_program
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
        (" same 0.25\nRANGES\n R less 2 same -0.5", " same 3\nRANGES\n R less 2 same 0.5"),
        ("QUADOBJ\n x x 2\n x y 0.5\n", "QMATRIX\n x x 2\n x y 0.5\n y x 0.5\n"),
        (" UP B x 3\n", " LO B x 0.5\n"),
        (" UP B x 3\n", " FX B x 0.5\n"),
        (" R cost -3 less 4", " cost -3 less 4"),
    ],
    ids=[
        "as it is",
        "sense",
        "ranges",
        "range above an equation",
        "full matrix",
        "lower bound",
        "fixed",
        "no name of the right-hand side",
    ],
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


NEGLIGIBLE = 1e-12
"""The least that HiGHS may be asked to tell from zero: it warns of smaller entries, which kernel matrices have."""


def read_by_highs(path: Path, program: ConeProgram) -> highspy.Highs:
    highs = highspy.Highs()
    highs.silent()
    highs.setOptionValue("small_matrix_value", NEGLIGIBLE)
    sizes = np.abs(program.P.data)
    ignored = bool(np.any((sizes > 0) & (sizes <= NEGLIGIBLE)))
    read = highs.readModel(str(path))
    assert read == highspy.HighsStatus.kOk or (ignored and read == highspy.HighsStatus.kWarning)
    return highs


@pytest.mark.parametrize("name", FAMILIES)
def test_highs_solves_the_same_problem(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    program = made.program.to_cone_program()
    highs = read_by_highs(write(program, tmp_path / "program.mps"), program)
    highs.setOptionValue("time_limit", 10.0)
    assert highs.run() == highspy.HighsStatus.kOk
    assert highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
    assert highs.getObjectiveValue() == pytest.approx(made.optimum, rel=1e-6)


def test_highs_reads_every_number(tmp_path: Path) -> None:
    known = KNOWN_OPTIMA["QP: min (x1^2 + x2^2) / 2 s.t. x1 >= 0.8, x1 + x2 = 1"]
    program = cone_program(
        [[2, 0.1], [0.1, 1]], [0, 1 / 3], known.program.A.toarray(), known.program.b, known.program.cones, 7.25
    )
    model = read_by_highs(write(program, tmp_path / "program.mps"), program).getModel()
    lp, hessian = model.lp_, model.hessian_
    assert lp.offset_ == 7.25
    assert list(lp.col_cost_) == [0, 1 / 3]
    assert list(lp.col_lower_) == [-np.inf, -np.inf]
    assert sorted(zip(lp.row_lower_, lp.row_upper_, strict=True)) == [(-np.inf, -0.8), (1, 1)]
    assert sorted(hessian.value_) == [0.1, 1, 2]


def test_names_without_blanks_are_unique(tmp_path: Path) -> None:
    plain = cone_program(np.eye(4), np.zeros(4), np.ones((2, 4)), [1, 1], [Nonnegative(2)])
    blocks = tuple(Block(name, k, k + 1) for k, name in enumerate(("dual of b", "dual_of_b", "", "größe")))
    program = ConeProgram(plain.P, plain.q, plain.A, plain.b, plain.cones, blocks, (Block("$ *", 0, 2),), name="* a")
    path = write(program, tmp_path / "program.mps")
    lp = read_by_highs(path, program).getLp()
    assert list(lp.col_names_) == ["dual_of_b[0]", "dual_of_b.1[0]", "_[0]", "gr_e[0]"]
    assert list(lp.row_names_) == ["_[0]", "_[1]"]
    assert path.read_bytes().isascii()
