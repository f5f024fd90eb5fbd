# SPDX-License-Identifier: BSD-3-Clause
"""Cone programs refuse parts that do not fit."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array, diags_array

from builders import cone_program
from qpkernels.errors import NonconvexError, NonFiniteError, ParameterError, ShapeError, UnsupportedProgramError
from qpkernels.problems import Block, ConeProgram, Exponential, Nonnegative, Power, PSDTriangle, SecondOrder, Zero
from together import together


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


@together(
    "changes, error, words",
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
        ({"P": csc_array(np.array([[1.0, 1.0], [1.1, 1.0]]))}, ShapeError, "symmetric"),
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


@together("strange", [None, "text", [1.0, None], {"a": 1}, object(), [[1.0]], np.eye(2) * 1j])
@together("name", ["P", "q", "A", "b", "cones", "variables", "rows", "offset"])
def test_parts_of_any_type_are_refused_by_name(name: str, strange: Any) -> None:
    with pytest.raises((ShapeError, ParameterError, NonFiniteError), match=rf"\b{name}\b"):
        valid(**{name: strange})


def test_dense_matrices_and_lists_of_parts_are_taken() -> None:
    program = valid(P=np.eye(2), A=np.ones((3, 2)).tolist(), cones=[Zero(1), Nonnegative(2)])
    assert (program.P != valid().P).nnz == (program.A != valid().A).nnz == 0
    assert program.cones == valid().cones


def test_a_matrix_that_is_symmetric_to_rounding_is_taken_with_its_upper_triangle() -> None:
    P = np.array([[2.0, 1.0], [1.0 + 1e-15, 3.0]])
    np.testing.assert_array_equal(valid(P=P).upper_triangle().toarray(), np.triu(P))


def test_an_entry_beside_a_symmetric_block_is_seen() -> None:
    blocks = (Block("x", 0, 3),)
    P = np.array([[1.0, 2.0, 0.0], [2.0, 5.0, 0.0], [0.0, 0.0, 1.0]])
    assert valid(P=P, q=np.zeros(3), A=np.ones((3, 3)), variables=blocks).P.nnz == 5
    P[1, 2], P[2, 2] = 3.0, 0.0
    with pytest.raises(ShapeError, match="symmetric"):
        valid(P=P, q=np.zeros(3), A=np.ones((3, 3)), variables=blocks)


def test_a_sparse_matrix_that_contradicts_itself_is_refused() -> None:
    A = csc_array(np.ones((3, 2)))
    A.indptr[:] = [0, 5, 0]
    with pytest.raises(ShapeError, match="A is no valid sparse matrix"):
        valid(A=A)


@together("make", [Zero, Nonnegative, SecondOrder, PSDTriangle, Power])
@together("size", [-1, "3", None, 1.5])
def test_cones_of_no_size_are_refused(make: Any, size: Any) -> None:
    with pytest.raises(ParameterError, match=r"cone|order"):
        make(size)


@pytest.mark.parametrize("edges", [(None, 1), (0, "1"), (-1, 2), (0.0, 1.0)])
def test_blocks_of_no_range_are_refused(edges: Any) -> None:
    with pytest.raises(ParameterError, match="of a block must be an integer"):
        Block("x", *edges)


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


# --- what it holds stays as it was stated ---


def test_the_arrays_are_read_only_copies() -> None:
    P, q, A, b = csc_array(np.eye(2)), np.zeros(2), csc_array(np.ones((3, 2))), np.ones(3)
    program = valid(P=P, q=q, A=A, b=b)
    for array in (program.q, program.b, program.P.data, program.A.data, program.A.indices, program.A.indptr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    P.data[:], A.data[:], q[:], b[:] = 7.0, 7.0, 7.0, 7.0
    np.testing.assert_array_equal(program.P.toarray(), np.eye(2))
    np.testing.assert_array_equal(program.A.toarray(), np.ones((3, 2)))
    np.testing.assert_array_equal([program.q, program.b[:2]], [[0.0, 0.0], [1.0, 1.0]])


def test_duplicates_are_added_up() -> None:
    twice = csc_array((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    np.testing.assert_array_equal(valid(P=twice).P.data, [2.0, 1.0])


# --- whether it is convex ---


def quadratic(P: Any) -> ConeProgram:
    n = np.shape(P)[0]
    return ConeProgram(csc_array(P), np.zeros(n), csc_array((0, n)), [], (), (Block("x", 0, n),), (), name="mine")


def chain(n: int, diagonal: float) -> csc_array:
    """The tridiagonal matrix with -1 beside its diagonal, whose eigenvalues are diagonal - 2 cos(k pi / (n + 1))."""
    return csc_array(diags_array([-np.ones(n - 1), np.full(n, diagonal), -np.ones(n - 1)], offsets=[-1, 0, 1]))


ROOT = np.random.default_rng(0).normal(size=(40, 15))


@pytest.mark.parametrize(
    "P",
    [
        np.zeros((2, 2)),
        np.diag([0.0, 1.0, 1e-12]),
        np.ones((3, 3)),
        ROOT @ ROOT.T,
        np.diag(10.0 ** np.arange(-20, 20)) @ (ROOT @ ROOT.T) @ np.diag(10.0 ** np.arange(-20, 20)),
        np.kron([[1, -1], [-1, 1]], ROOT @ ROOT.T),
        chain(3000, 2.0),
    ],
    ids=["zero", "diagonal", "rank 1", "rank 15", "any units", "a tube's dual", "sparse"],
)
def test_a_convex_program_is_accepted(P: Any) -> None:
    quadratic(P).require_convex()


@pytest.mark.parametrize(
    ("P", "smallest"),
    [
        ([[-1.0]], -1.0),
        (np.diag([1e9, -1e-9]), -1e-9),
        ([[0.0, 1.0], [1.0, 0.0]], -1.0),
        ([[1.0, 2.0], [2.0, 1.0]], -1.0),
        (ROOT @ ROOT.T - 1e-5 * np.eye(40), -1e-5),
        (chain(500, 1.99), 1.99 - 2 * np.cos(np.pi / 501)),
        (chain(3000, 1.9), 1.9 - 2 * np.cos(np.pi / 3001)),
    ],
    ids=["concave", "a small unit", "product", "dense", "nearly convex", "sparse", "large"],
)
def test_an_indefinite_objective_is_refused_with_its_eigenvalue(P: Any, smallest: float) -> None:
    with pytest.raises(NonconvexError, match="mine is not convex") as caught:
        quadratic(P).require_convex()
    assert caught.value.smallest_eigenvalue == pytest.approx(smallest, rel=1e-3)
    assert f"{caught.value.smallest_eigenvalue:.6g}" in str(caught.value)
