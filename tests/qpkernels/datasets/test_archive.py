# SPDX-License-Identifier: BSD-3-Clause
"""Archives of NumPy: what is read, and every refusal with the file at fault."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from data_files import written
from qpkernels.datasets import load_dataset
from qpkernels.errors import FileFormatError, NonFiniteError, ShapeError


@pytest.mark.parametrize("y", [np.array([1, -1]), np.array([0.5, 2.0]), np.array([True, False]), np.array(["a", "b"])])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path: Path, y: np.ndarray, save: Callable[..., None]) -> None:
    path = tmp_path / "set.npz"
    X = np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3))
    save(path, X=X, y=y, other=np.zeros(7))
    data = load_dataset(path)
    assert data.name == "set"
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.y.dtype == y.dtype


GOOD_X = np.ones((2, 3))
GOOD_Y = np.array([1, -1])


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ({"X": GOOD_X}, FileFormatError, "must hold the arrays X and y, but it lacks y; save"),
        ({"a": GOOD_X}, FileFormatError, "lacks X and y; save it with numpy.savez"),
        (
            {"X": GOOD_X.astype(object), "y": GOOD_Y},
            FileFormatError,
            "X.npy holds Python objects, which are not unpickled; save .astype.float.",
        ),
        (
            {"X": GOOD_X, "y": GOOD_Y.astype(object)},
            FileFormatError,
            "y.npy holds Python objects, which are not unpickled; save .*text as .astype.str.",
        ),
        ({"X": GOOD_X.astype(str), "y": GOOD_Y}, ShapeError, "X must hold real numbers, but its type is <U"),
        ({"X": GOOD_X * 1j, "y": GOOD_Y}, ShapeError, "X must hold real numbers, but its type is complex"),
        (
            {"X": GOOD_X, "y": GOOD_Y * 1j},
            ShapeError,
            "y must hold real numbers or text, but its type is complex",
        ),
        ({"X": GOOD_X[0], "y": GOOD_Y}, ShapeError, "X must have two dimensions"),
        ({"X": GOOD_X[:, :0], "y": GOOD_Y}, ShapeError, "at least one sample and one feature"),
        ({"X": GOOD_X, "y": GOOD_Y[:1]}, ShapeError, r"y must have shape \(2,\), .* its shape is \(1,\)"),
        ({"X": GOOD_X, "y": GOOD_Y[:, None]}, ShapeError, r"y must have shape \(2,\), .* is \(2, 1\)"),
        ({"X": GOOD_X * np.nan, "y": GOOD_Y}, NonFiniteError, r"X\[0, 0\] is nan"),
        ({"X": GOOD_X, "y": GOOD_Y * np.inf}, NonFiniteError, r"y\[0\] is inf"),
    ],
)
def test_npz_refusals(tmp_path: Path, arrays: dict[str, np.ndarray], error: type[Exception], message: str) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, **arrays)
    with pytest.raises(error, match=message) as caught:
        load_dataset(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("content", [b"", b"1 1:2\n", b"PK\x03\x04 but not really"])
def test_npz_that_is_something_else(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FileFormatError, match=r"must be an npz archive of .*, but it cannot be read as that") as caught:
        load_dataset(written(tmp_path / "bad.npz", content))
    assert "pickle" not in str(caught.value)


def test_npz_that_is_a_single_array(tmp_path: Path) -> None:
    with (tmp_path / "bad.npz").open("wb") as file:
        np.save(file, GOOD_X)
    with pytest.raises(FileFormatError, match=r"must be an npz archive of .*, but it cannot be read as that"):
        load_dataset(tmp_path / "bad.npz")


def test_npz_with_a_damaged_member(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, X=np.arange(2000.0).reshape(2, 1000), y=GOOD_Y)
    content = bytearray(path.read_bytes())
    content[4000] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"must be an npz archive of .*, but it cannot be read as that"):
        load_dataset(path)


def _claiming(path: Path, shape: tuple[int, int], behind: bytes) -> Path:
    """Write X that says it has that shape, and has so many bytes."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + behind)
        archive.writestr("y.npy", b"")
    return path


def test_an_array_that_claims_more_than_there_is(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"X.npy has shape \(100000000, 1000000\) of float64, but 0 bytes"):
        load_dataset(_claiming(tmp_path / "bomb.npz", (10**8, 10**6), b""))


def test_an_array_that_claims_terabytes_of_which_there_is_a_little(tmp_path: Path) -> None:
    path = _claiming(tmp_path / "bomb.npz", (8 * 10**6, 10**6), bytes(2**26))
    assert path.stat().st_size < 2**17
    with pytest.raises(FileFormatError, match=r"X.npy has shape \(8000000, 1000000\) of float64, but 67108864 bytes"):
        load_dataset(path)
