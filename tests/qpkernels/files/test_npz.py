# SPDX-License-Identifier: BSD-3-Clause
"""Programs as .npz: the keys of qpsolvers, which solves the same problem, and archives that claim too much."""

import json
import tracemalloc
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
import qpsolvers

from builders import FAMILIES, KNOWN_OPTIMA, manufacture
from file_programs import assert_same
from qpkernels.errors import FileFormatError
from qpkernels.files import read, write


@pytest.mark.parametrize("name", FAMILIES)
def test_qpsolvers_reads_and_solves_the_same_problem(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write(made.program.to_cone_program(), tmp_path / "program")
    problem = qpsolvers.Problem.load(str(path))
    solution = qpsolvers.solve_problem(problem, solver="piqp", eps_abs=1e-9, eps_rel=1e-9)
    assert solution.found
    x = solution.x
    assert 0.5 * x @ problem.P @ x + problem.q @ x == pytest.approx(made.optimum, rel=1e-7)


@pytest.mark.parametrize("name", FAMILIES)
def test_both_triangles_are_kept_as_they_are(name: str, tmp_path: Path) -> None:
    program = manufacture(name).program.to_cone_program()
    assert_same(read(write(program, tmp_path / "program.npz")), program)


def test_the_keys_are_those_of_qpsolvers(tmp_path: Path) -> None:
    known = KNOWN_OPTIMA["QP: min (x1^2 + x2^2) / 2 s.t. x1 >= 0.8, x1 + x2 = 1"]
    with np.load(write(known.program, tmp_path / "program"), allow_pickle=False) as file:
        contents = {key: file[key] for key in file.files}
    np.testing.assert_array_equal(contents["P"], np.eye(2))
    np.testing.assert_array_equal(contents["q"], [0, 0])
    np.testing.assert_array_equal(contents["G"], [[-1, 0]])
    np.testing.assert_array_equal(contents["h"], [-0.8])
    np.testing.assert_array_equal(contents["A"], [[1, 1]])
    np.testing.assert_array_equal(contents["b"], [1])
    np.testing.assert_array_equal(contents["lb"], [-np.inf, -np.inf])
    np.testing.assert_array_equal(contents["ub"], [np.inf, np.inf])
    structure = json.loads(str(contents["structure"]))
    assert structure["rows"] == [["rows 0", 1], ["rows 1", 1]]
    assert structure["variables"] == [["x", 2]]
    assert not any(array.dtype == object for array in contents.values())


def test_other_files_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", P=np.eye(2))
    with pytest.raises(FileFormatError, match=r"other\.npz must be a program written by .*, but it holds P;"):
        read(tmp_path / "other.npz")
    np.savez(tmp_path / "later.npz", format=99)
    with pytest.raises(FileFormatError, match="format 2"):
        read(tmp_path / "later.npz")


def replaced(path: Path, name: str, content: bytes) -> None:
    """Replace one member of an archive, or add it."""
    with zipfile.ZipFile(path) as archive:
        members = {member: archive.read(member) for member in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, bytes_ in {**members, name: content}.items():
            archive.writestr(member, bytes_)


def header(shape: str, dtype: str = "<f8") -> bytes:
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    "content",
    [
        header("(1000000, 1000000)"),
        header("(4294967296, 4294967296, 4294967296)"),
        header("(-1, -8)") + bytes(64),
        header("(2,)", "|O") + bytes(16),
        header("(2, 2)") + bytes(31),
    ],
    ids=["more than there is", "more than there can be", "negative", "objects", "a byte too few"],
)
def test_a_shape_is_compared_with_the_bytes_before_memory_is_taken(content: bytes, tmp_path: Path) -> None:
    path = write(manufacture("hinge").program.to_cone_program(), tmp_path / "p.npz")
    replaced(path, "P.npy", content)
    tracemalloc.start()
    with pytest.raises(FileFormatError, match=r"P\.npy"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_cones_larger_than_the_rows_take_no_memory(tmp_path: Path) -> None:
    path = write(manufacture("hinge").program.to_cone_program(), tmp_path / "p.npz")
    stream = BytesIO()
    cones = {"name": "", "cones": [{"ZeroConeT": 2**31 - 1}] * 9, "variables": [["x", 1]], "rows": []}
    np.save(stream, np.array(json.dumps(cones)))
    replaced(path, "structure.npy", stream.getvalue())
    tracemalloc.start()
    with pytest.raises(FileFormatError, match="cones must cover all rows"):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()
