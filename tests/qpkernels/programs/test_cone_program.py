# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs refuse parts that do not fit."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array

from builders import cone_program
from qpkernels.errors import NonFiniteError, ShapeError, UnsupportedProgramError
from qpkernels.programs import Block, ConeProgram, Exponential, Nonnegative, SecondOrder, Zero


def valid(**changes: Any) -> ConeProgram:
    parts: dict[str, Any] = {
        "P": csc_array(np.eye(2)),
        "q": np.zeros(2),
        "A": csc_array(np.ones((3, 2))),
        "b": np.ones(3),
        "cones": (Zero(1), Nonnegative(2)),
        "variables": (Block("x", 0, 2),),
        "rows": (Block("r", 0, 1), Block("s", 1, 3)),
    }
    return ConeProgram(**(parts | changes))


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"q": np.zeros(3)}, ShapeError, r"\(3, 3\) and \(3, 3\), but have \(2, 2\)"),
        ({"q": np.zeros((2, 1))}, ShapeError, "one dimension"),
        ({"b": np.ones(2)}, ShapeError, r"\(2, 2\)"),
        ({"P": csc_array(np.eye(3))}, ShapeError, "shapes"),
        ({"A": csc_array(np.ones((3, 3)))}, ShapeError, "shapes"),
        ({"cones": (Zero(1), Nonnegative(1))}, ShapeError, "cover the 3 rows of A, but cover 2"),
        ({"cones": ()}, ShapeError, "cover 0"),
        ({"q": np.array([0.0, np.nan])}, NonFiniteError, r"q\[1\]"),
        ({"b": np.array([0.0, 0.0, np.inf])}, NonFiniteError, r"b\[2\]"),
        ({"P": csc_array(np.array([[np.nan, 0.0], [0.0, 1.0]]))}, NonFiniteError, "P must"),
        ({"A": csc_array(np.full((3, 2), np.inf))}, NonFiniteError, "A must"),
        ({"P": csc_array(np.array([[1.0, 1.0], [0.0, 1.0]]))}, ShapeError, "symmetric"),
        ({"variables": ()}, ShapeError, "variables"),
        ({"variables": (Block("x", 0, 1),)}, ShapeError, "variables must follow one another from 0 to 2"),
        ({"variables": (Block("x", 1, 2),)}, ShapeError, "variables"),
        ({"rows": (Block("r", 0, 2), Block("s", 1, 3))}, ShapeError, "rows"),
        ({"rows": (Block("r", 0, 2), Block("s", 2, 1), Block("t", 1, 3))}, ShapeError, "ends before"),
    ],
)
def test_cone_programs_refuse_parts_that_do_not_fit(changes: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        valid(**changes)


def test_a_cone_program_knows_its_parts() -> None:
    program = valid(offset=2.0)
    assert program.objective(np.array([1.0, 2.0])) == 2.0 + 0.5 * 5.0
    assert [(type(cone), rows) for cone, rows in program.parts()] == [(Zero, slice(0, 1)), (Nonnegative, slice(1, 3))]
    assert program.is_quadratic
    assert program.equations().tolist() == [True, False, False]
    assert program.rows[1].range == slice(1, 3)


def test_to_qp_takes_inequalities_and_equations_apart() -> None:
    A = np.arange(8.0).reshape(4, 2)
    program = cone_program(np.eye(2), [1, 2], A, [1, 2, 3, 4], [Nonnegative(1), Zero(2), Nonnegative(1)])
    qp = program.to_qp()
    np.testing.assert_array_equal(qp.G.toarray(), A[[0, 3]])
    np.testing.assert_array_equal(qp.h, [1, 4])
    np.testing.assert_array_equal(qp.A.toarray(), A[[1, 2]])
    np.testing.assert_array_equal(qp.b, [2, 3])
    np.testing.assert_array_equal(qp.P.toarray(), np.eye(2))
    np.testing.assert_array_equal(qp.q, [1, 2])


def test_other_cones_make_no_quadratic_program() -> None:
    program = cone_program(np.eye(1), [1], np.ones((6, 1)), np.ones(6), [SecondOrder(3), Exponential()], name="mine")
    assert not program.is_quadratic
    for convert in (program.to_qp, program.equations):
        with pytest.raises(UnsupportedProgramError, match=r"mine is no quadratic.*Exponential, SecondOrder"):
            convert()
