# SPDX-License-Identifier: BSD-3-Clause
"""What all formats must do: keep a program exactly, refuse what they cannot hold, and survive damage."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import FAMILIES, KNOWN_OPTIMA, KnownOptimum, cone_program, manufacture
from file_programs import ALL_CONES, LINEAR_CONES, TEXT, assert_same, mirrored, random_program
from qpkernels.errors import FileFormatError, ParameterError, UnsupportedProgramError
from qpkernels.files import FORMATS, read, write
from qpkernels.problems import Block, Cone, ConeProgram, Nonnegative, Zero, certify_cone_program

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
@pytest.mark.parametrize("name", FAMILIES)
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
