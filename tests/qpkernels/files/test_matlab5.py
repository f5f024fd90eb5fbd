# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of .mat files: what SciPy writes is read as SciPy reads it, and damage inside is survived."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import loadmat, savemat
from scipy.sparse import csc_array, csc_matrix

from qpkernels.errors import FileFormatError
from qpkernels.files.matlab5 import read_variables


def written(contents: dict[str, Any], compressed: bool) -> bytes:
    stream = BytesIO()
    savemat(stream, contents, do_compression=compressed)
    return stream.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (0, 4), (5, 1)])
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
