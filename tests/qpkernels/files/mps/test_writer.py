# SPDX-License-Identifier: BSD-3-Clause
"""Programs as free MPS: HiGHS reads and solves the same problem."""

from pathlib import Path

import highspy
import numpy as np
import pytest

from builders import FAMILIES, KNOWN_OPTIMA, cone_program, manufacture
from qpkernels.files import write
from qpkernels.problems import Block, ConeProgram, Nonnegative

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
