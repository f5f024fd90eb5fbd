# SPDX-License-Identifier: BSD-3-Clause
"""Programs as .mat in OSQP's convention, read as SciPy reads them; damage inside is survived."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import osqp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import loadmat, savemat
from scipy.sparse import csc_array, csc_matrix, triu

from builders import FAMILIES, cone_program, manufacture
from qpkernels.errors import FileFormatError
from qpkernels.files import read, write
from qpkernels.files.mat import read_variables
from qpkernels.problems import Nonnegative, certify_cone_program
from qpkernels.solvers import find_solver
from together import together


def solved_by_osqp(path: Path) -> float:
    """Return the optimum that OSQP finds, with nothing but the arrays of the file."""
    file = loadmat(path)
    solver = osqp.OSQP()
    vectors = {key: file[key].T.flatten().astype(float) for key in "qlu"}
    assert vectors["q"].size == int(file["n"].item())
    assert vectors["l"].size == int(file["m"].item())
    upper = csc_matrix(triu(file["P"].astype(float)))
    limits = {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100000, "polishing": True}
    solver.setup(
        upper, vectors["q"], csc_matrix(file["A"].astype(float)), vectors["l"], vectors["u"], verbose=False, **limits
    )
    result = solver.solve(raise_error=True)
    assert result.info.status == "solved"
    return float(result.info.obj_val + file["r"].item())


@pytest.mark.parametrize("name", FAMILIES)
def test_osqp_solves_the_same_problem(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write(made.program.to_cone_program(), tmp_path / "program.mat")
    assert solved_by_osqp(path) == pytest.approx(made.optimum, rel=1e-6)


def benchmark() -> dict[str, Any]:
    """min 1/2 (0.02 x^2 + 2 y^2) - 100 s.t. 10 x - y >= 10, 2 <= x <= 50, -50 <= y <= 50: HS21, optimum -99.96."""
    return {
        "P": csc_matrix(np.diag([0.02, 2.0])),
        "q": np.array([[0], [0]], dtype=np.uint8),
        "r": np.array([[-100]], dtype=np.int16),
        "A": csc_matrix(np.array([[10.0, -1], [1, 0], [0, 1]])),
        "l": np.array([[10], [2], [-50]], dtype=np.int16),
        "u": np.array([[1e20], [50], [50]]),
        "n": 2,
        "m": 3,
    }


def test_a_problem_of_the_benchmarks_is_read(tmp_path: Path) -> None:
    savemat(tmp_path / "HS21.mat", benchmark())
    program = read(tmp_path / "HS21.mat")
    assert program.name == "HS21"
    assert [(block.name, block.stop - block.start) for block in program.rows] == [
        ("equations", 0),
        ("upper", 2),
        ("lower", 3),
    ]
    outcome = find_solver("clarabel").solve(program, tol=1e-9)
    assert certify_cone_program(program, outcome.point, outcome.multipliers).primal_value == pytest.approx(-99.96)


def test_an_equation_is_one_row_and_a_row_without_bounds_none(tmp_path: Path) -> None:
    changed = benchmark() | {"l": [[10.0], [2.0], [-1e20]], "u": [[10.0], [50.0], [1e20]]}
    savemat(tmp_path / "p.mat", changed)
    program = read(tmp_path / "p.mat")
    np.testing.assert_array_equal(program.A.toarray(), [[10, -1], [1, 0], [-1, 0]])
    np.testing.assert_array_equal(program.b, [10, 50, -2])
    np.testing.assert_array_equal(program.equations(), [True, False, False])


def test_the_upper_triangle_is_enough(tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark() | {"P": csc_matrix(np.array([[2.0, 1], [0, 3]]))})
    np.testing.assert_array_equal(read(tmp_path / "p.mat").P.toarray(), [[2, 1], [1, 3]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"P": "a"}, "but P are no matrices, or absent"),
        ({"P": np.array([["a"]])}, r"P must be a real matrix or text, but class 4 of shape \(1, 1, 1\)"),
        ({"q": np.array([[1j], [2]])}, "q must be a real matrix"),
        ({"A": {"a": 1}}, "A must be a real matrix or text, but class 2"),
        ({"A": csc_matrix((2, 2))}, r"shape \(3, 2\), but \(2, 2\)"),
        ({"l": np.array([[10.0], [np.nan], [0]])}, "bounds must be numbers"),
        ({"u": np.array([[-1e20], [1], [1]])}, "bounds must be numbers"),
        ({"q": np.eye(2)}, "must be vectors"),
        ({"q": np.array([[np.inf], [0]])}, "q must hold finite numbers"),
        ({"P": csc_matrix(np.array([[1.0, 2], [3, 1]]))}, "P must be symmetric"),
        ({"structure": "{}"}, "does not fit its rows"),
        ({"structure": "[]"}, "must be a JSON object"),
    ],
)
def test_what_is_no_quadratic_program_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark() | changes)
    with pytest.raises(FileFormatError, match=words):
        read(tmp_path / "p.mat")


def test_a_description_of_another_program_is_refused(tmp_path: Path) -> None:
    path = write(cone_program(np.eye(2), [0, 0], np.eye(2), [1, 1], [Nonnegative(2)]), tmp_path / "p.mat")
    contents = {key: value for key, value in loadmat(path).items() if not key.startswith("__")}
    savemat(path, contents | {"l": contents["u"]})
    with pytest.raises(FileFormatError, match="does not fit its rows"):
        read(path)


def test_indices_out_of_range_are_refused(tmp_path: Path) -> None:
    savemat(tmp_path / "p.mat", benchmark())
    content = (tmp_path / "p.mat").read_bytes()
    places = np.array([0, 1, 0, 2], dtype=np.int32).tobytes()
    assert content.count(places) == 1
    (tmp_path / "p.mat").write_bytes(content.replace(places, np.array([0, 1, 0, 2000000], dtype=np.int32).tobytes()))
    with pytest.raises(FileFormatError, match="indices"):
        read(tmp_path / "p.mat")


def test_a_program_without_rows_keeps_its_shape(tmp_path: Path) -> None:
    program = cone_program(np.eye(2), [1, 1], np.zeros((0, 2)), [], [])
    again = read(write(program, tmp_path / "p.mat"))
    assert again.A.shape == (0, 2)
    assert isinstance(again.A, csc_array)


def written(contents: dict[str, Any], compressed: bool) -> bytes:
    stream = BytesIO()
    savemat(stream, contents, do_compression=compressed)
    return stream.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
@together("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
@together("shape", [(1, 1), (2, 3), (0, 4), (5, 1)])
def test_a_full_matrix(dtype: str, shape: tuple[int, int], compressed: bool) -> None:
    matrix = np.arange(shape[0] * shape[1]).reshape(shape).astype(dtype)
    content = written({"a": matrix, "other": np.ones(3)}, compressed)
    read = read_variables(content, ["a"])
    assert list(read) == ["a"]
    np.testing.assert_array_equal(read["a"], loadmat(BytesIO(content))["a"])
    assert read["a"].dtype == np.float64  # type: ignore[union-attr]


@pytest.mark.parametrize("compressed", [False, True])
def test_a_sparse_matrix_and_text(compressed: bool) -> None:
    matrix = csc_matrix(np.array([[0.0, 1.5, 0], [2, 0, -3]]))
    names = {"a": matrix, "b": csc_matrix((3, 2)), "text": "größe {}", "a name of more than eight letters": 1.0}
    read = read_variables(written(names, compressed), names)
    assert type(read["a"]) is csc_array
    np.testing.assert_array_equal(read["a"].toarray(), matrix.toarray())
    assert read["b"].shape == (3, 2)  # type: ignore[union-attr]
    assert read["text"] == "größe {}"


def test_the_other_order_of_bytes() -> None:
    def element(kind: int, data: bytes) -> bytes:
        return kind.to_bytes(4, "big") + len(data).to_bytes(4, "big") + data + bytes(-len(data) % 8)

    parts = element(6, (6).to_bytes(4, "big") + bytes(4)) + element(5, np.array([1, 2], dtype=">i4").tobytes())
    small = (1).to_bytes(2, "big") + (1).to_bytes(2, "big") + b"a\0\0\0"
    matrix = element(14, parts + small + element(9, np.array([1.5, -2], dtype=">f8").tobytes()))
    read = read_variables(bytes(124) + b"\x01\x00MI" + matrix, ["a"])
    np.testing.assert_array_equal(read["a"], [[1.5, -2.0]])


def test_starts_that_return_to_zero_are_refused() -> None:
    matrix = csc_matrix(np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]]))
    content = written({"a": matrix}, compressed=False)
    starts, broken = (np.array(each, dtype=np.int32).tobytes() for each in ([0, 3, 6, 9], [0, 2**20, 2**20, 0]))
    assert content.count(starts) == 1
    with pytest.raises(FileFormatError, match="ascend from 0"):
        read_variables(content.replace(starts, broken), ["a"])


@pytest.mark.parametrize("name", ["a", "b"])
def test_what_is_no_real_matrix_is_refused_if_it_is_asked_for(name: str) -> None:
    content = written({"a": np.array([1j]), "b": {"field": 1}, "c": 2.0}, compressed=True)
    np.testing.assert_array_equal(read_variables(content, ["c"])["c"], [[2.0]])
    with pytest.raises(FileFormatError, match=f"{name} must be a real matrix or text"):
        read_variables(content, [name])


def test_a_variable_that_comes_twice_is_refused() -> None:
    content = written({"a": 1.0}, compressed=True)
    with pytest.raises(FileFormatError, match="a came twice"):
        read_variables(content + content[128:], ["a"])


@given(
    edits=st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1, 2, 5, 14, 15, 127, 128, 255])), max_size=6),
    cut=st.floats(0.3, 2),
)
def test_damage_is_survived(edits: list[tuple[float, int]], cut: float) -> None:
    contents = {"a": csc_matrix(np.eye(3)), "b": np.ones((2, 2)), "text": "abc"}
    content = bytearray(written(contents, compressed=False))
    for place, value in edits:
        content[128 + int(place * (len(content) - 129))] = value
    try:
        read = read_variables(bytes(content[: int(cut * len(content))]), contents)
    except Exception as error:
        assert not isinstance(error, MemoryError)  # noqa: PT017  every other type is turned into one by the caller
        return
    for value in read.values():
        if isinstance(value, csc_array):
            value.toarray()
