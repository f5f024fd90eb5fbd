# SPDX-License-Identifier: BSD-3-Clause
"""All formats keep a program exactly, refuse what they cannot hold, and survive damage; others read them too."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import clarabel
import numpy as np
import pytest
import qpsolvers
from hypothesis import given
from hypothesis import strategies as st

from builders import FAMILIES, KNOWN_OPTIMA, KnownOptimum, cone_program, manufacture
from file_programs import ALL_CONES, LINEAR_CONES, TEXT, assert_same, mirrored, random_program
from qpkernels.errors import FileFormatError, ParameterError, UnsupportedProgramError
from qpkernels.files import FORMATS, read, write
from qpkernels.problems import Block, Cone, ConeProgram, Nonnegative, Zero, certify_cone_program
from together import together

every_format = pytest.mark.parametrize("suffix", FORMATS)
every_optimum = pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)


def named_program() -> ConeProgram:
    plain = cone_program(np.eye(3), [1, 2, 3], np.ones((2, 3)), [1, 1], [Nonnegative(2)])
    return ConeProgram(
        plain.P,
        plain.q,
        plain.A,
        plain.b,
        plain.cones,
        variables=(Block("weights", 0, 2), Block("", 2, 2), Block("größe", 2, 3)),
        rows=(Block("margin [i]", 0, 2),),
        offset=-1.5,
        name="soft margin, C = 1",
    )


# --- round trips ---


@every_format
@every_optimum
def test_a_program_is_read_back_or_refused(known: KnownOptimum, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"program{suffix}"
    if not (FORMATS[suffix].cones or known.program.is_quadratic):
        with pytest.raises(UnsupportedProgramError, match="is no quadratic program"):
            write(known.program, path)
        assert not path.exists()
        return
    again = read(write(known.program, path))
    assert_same(again, known.program)
    certificate = certify_cone_program(again, known.x, known.z)
    assert certificate == certify_cone_program(known.program, known.x, known.z)
    assert certificate.holds(1e-12)


@every_format
@together("name", FAMILIES)
def test_a_kernel_qp_in_matrices_is_read_back(name: str, suffix: str, tmp_path: Path) -> None:
    program = mirrored(manufacture(name).program.to_cone_program())
    assert_same(read(write(program, tmp_path / f"program{suffix}")), program)


@every_format
def test_names_of_blocks_are_kept(suffix: str, tmp_path: Path) -> None:
    program = named_program()
    assert_same(read(write(program, tmp_path / f"p{suffix}")), program)


@given(cones=ALL_CONES, seed=st.integers(0, 2**32 - 1), name=TEXT, suffix=st.sampled_from([".npz", ".json"]))
def test_any_program_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cones: list[Cone], seed: int, name: str, suffix: str
) -> None:
    program = mirrored(random_program(cones, seed, name))
    assert_same(read(write(program, tmp_path_factory.mktemp("programs") / f"p{suffix}")), program)


@given(cones=LINEAR_CONES, seed=st.integers(0, 2**32 - 1), name=TEXT, suffix=st.sampled_from(sorted(FORMATS)))
def test_any_quadratic_program_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cones: list[Cone], seed: int, name: str, suffix: str
) -> None:
    program = mirrored(random_program(cones, seed, name))
    assert_same(read(write(program, tmp_path_factory.mktemp("programs") / f"p{suffix}")), program)


@every_format
def test_extreme_numbers_are_kept(suffix: str, tmp_path: Path) -> None:
    tiny, long = 5e-324, 0.1 + 0.2
    program = cone_program(
        [[1e300, 0], [0, tiny]], [long, -1 / 3], [[tiny, 1e308], [0, 0]], [9.9e19, -long], [Zero(1), Nonnegative(1)]
    )
    assert_same(read(write(program, tmp_path / f"p{suffix}")), program)


@pytest.mark.parametrize("suffix", [".mat", ".mps"])
def test_a_number_that_reads_as_infinite_is_refused(suffix: str, tmp_path: Path) -> None:
    program = cone_program(np.eye(1), [0], [[1]], [1e20], [Nonnegative(1)])
    with pytest.raises(UnsupportedProgramError, match=r"1e\+20 for infinite.*write .npz or .json"):
        write(program, tmp_path / f"p{suffix}")


# --- suffixes ---


def test_a_path_without_a_suffix_gets_one_once(tmp_path: Path) -> None:
    program = manufacture("hinge").program.to_cone_program()
    assert write(program, tmp_path / "a") == tmp_path / "a.npz"
    assert write(program, str(tmp_path / "b.npz")) == tmp_path / "b.npz"
    assert write(program, tmp_path / "c.v1") == tmp_path / "c.v1.npz"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz", "c.v1.npz"]


@every_format
def test_a_suffix_in_capitals_is_the_same(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"p{suffix.upper()}"
    assert write(named_program(), path) == path
    assert list(tmp_path.iterdir()) == [path]
    assert_same(read(path), named_program())


def test_a_suffix_that_names_no_format_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"by its suffix, \.npz, \.mat.*but .*p\.lp came"):
        read(tmp_path / "p.lp")


@every_format
def test_a_file_that_is_not_there(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / f"p{suffix}")


@every_format
def test_a_folder_that_is_not_there(suffix: str, tmp_path: Path) -> None:
    if FORMATS[suffix].cones:
        with pytest.raises(
            FileNotFoundError, match=rf"there is no folder .*none for p\{suffix}; make the folder first"
        ):
            write(named_program(), tmp_path / "none" / f"p{suffix}")


# --- damage ---


@contextmanager
def little_memory(limit: int) -> Iterator[None]:
    """Fail if more than ``limit`` bytes are held at a time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def read_damaged(content: bytes, path: Path) -> None:
    """Read a file that may be damaged: a program, or one of the documented exceptions, in bounded memory."""
    path.write_bytes(content)
    with little_memory(2**24):
        try:
            program = read(path)
        except (FileFormatError, UnsupportedProgramError):
            return
    assert isinstance(program, ConeProgram)
    assert np.isfinite(program.objective(np.zeros(program.q.size)))


@every_format
@given(content=st.binary(max_size=200))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str) -> None:
    read_damaged(content, tmp_path_factory.mktemp("noise") / f"p{suffix}")


@every_format
@given(
    edits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8),
    cut=st.none() | st.floats(0, 1),
    repeat=st.booleans(),
)
def test_bytes_that_were_changed(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[tuple[float, int]],
    cut: float | None,
    repeat: bool,
    suffix: str,
) -> None:
    path = tmp_path_factory.mktemp("damage") / f"p{suffix}"
    content = bytearray(write(named_program(), path).read_bytes())
    for place, value in edits:
        content[int(place * (len(content) - 1))] = value
    if cut is not None:
        content = content[: int(cut * len(content))]
    read_damaged(bytes(content) * (2 if repeat else 1), path)


@every_format
@pytest.mark.parametrize("content", [b"", b"\0" * 300, b"[" * 100000, b"PK\3\4", b"\x80\x04cos\nsystem\n."])
def test_files_of_another_kind(content: bytes, suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"p{suffix}").write_bytes(content)
    with pytest.raises((FileFormatError, UnsupportedProgramError)):
        read(tmp_path / f"p{suffix}")


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


def solved_by_clarabel(path: Path) -> float:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-9
    solution = clarabel.load_from_file(str(path), settings).solve()
    assert str(solution.status) == "Solved"
    return float(solution.obj_val)


@pytest.mark.parametrize("known", KNOWN_OPTIMA.values(), ids=KNOWN_OPTIMA)
def test_clarabel_solves_the_same_problem(known: KnownOptimum, tmp_path: Path) -> None:
    program = known.program
    value = solved_by_clarabel(write(program, tmp_path / "program.json"))
    assert value + program.offset == pytest.approx(program.objective(known.x), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_clarabel_solves_the_same_kernel_qp(name: str, tmp_path: Path) -> None:
    made = manufacture(name)
    path = write(made.program.to_cone_program(), tmp_path / "program.json")
    assert solved_by_clarabel(path) == pytest.approx(made.optimum, rel=1e-6)


def contents() -> dict[str, Any]:
    """min 1/2 (2 x^2 + x y + y^2) + x - y s.t. x + y = 1, x >= 0, as Clarabel writes it."""
    return {
        "P": {"m": 2, "n": 2, "colptr": [0, 1, 3], "rowval": [0, 0, 1], "nzval": [2.0, 0.5, 1.0]},
        "q": [1.0, -1.0],
        "A": {"m": 2, "n": 2, "colptr": [0, 2, 3], "rowval": [0, 1, 0], "nzval": [1.0, -1.0, 1.0]},
        "b": [1.0, 0.0],
        "cones": [{"ZeroConeT": 1}, {"NonnegativeConeT": 1}],
        "settings": {"max_iter": 200},
    }


def test_a_file_of_clarabel_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(contents()))
    program = read(tmp_path / "p.json")
    np.testing.assert_array_equal(program.P.toarray(), [[2, 0.5], [0.5, 1]])
    np.testing.assert_array_equal(program.A.toarray(), [[1, 1], [-1, 0]])
    assert program.variables == (Block("x", 0, 2),)
    assert program.rows == (Block("rows", 0, 2),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cones": [{"ZeroConeT": 2, "NonnegativeConeT": 0}]}, "a cone must be one of ZeroConeT"),
        ({"cones": [{"GenPowerConeT": [[0.5, 0.5], 1]}]}, "a cone must be one of"),
        ({"cones": [{"ZeroConeT": -1}]}, "a cone must be one of"),
        ({"cones": [{"ZeroConeT": True}]}, "a cone must be one of"),
        ({"cones": [{"PowerConeT": 2.0}]}, "exponent of a power cone"),
        ({"cones": [{"NonnegativeConeT": 1}]}, "cones must cover the 2 rows"),
        ({"q": [1.0]}, r"shape \(1, 1\), but \(2, 2\) came"),
        ({"q": ["a", "b"]}, "q must be real numbers"),
        ({"b": [1.0, float("nan")]}, "b must hold finite numbers"),
        ({"b": [[1.0, 2.0]]}, r"b must be real numbers of shape \(any\)"),
        ({"offset": float("inf")}, "constant of the objective must be finite"),
        ({"name": 5}, "name of a program must be text"),
        ({"variables": [["x", -2], ["y", 4]]}, "block must have a name and a size"),
        ({"variables": [["x", 3]]}, "blocks of variables must follow one another"),
        ({"P": {**contents()["P"], "rowval": [0, 0, 2000000]}}, "indices"),
        ({"P": {**contents()["P"], "rowval": [0, 0, -1]}}, "indices"),
        ({"P": {**contents()["P"], "rowval": [0, 0.5, 1]}}, "indices of a sparse matrix"),
        ({"P": {**contents()["P"], "colptr": [0, 3, 0]}}, "ascend from 0"),
        ({"P": {"m": 2, "n": 2, "colptr": [0, 2000000, 0], "rowval": [], "nzval": []}}, "ascend from 0"),
        ({"P": {**contents()["P"], "colptr": [0, 3, 1]}}, "ascend from 0"),
    ],
)
def test_what_is_no_program_is_refused(changes: dict[str, Any], words: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(json.dumps(contents() | changes))
    with pytest.raises(FileFormatError, match=words):
        read(tmp_path / "p.json")
