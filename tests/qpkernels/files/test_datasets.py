# SPDX-License-Identifier: BSD-3-Clause
"""Data sets by name or path, in archives and out of them, and one class against the rest."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_array

from data_files import written
from qpkernels.errors import (
    FileFormatError,
    LabelError,
    NonFiniteError,
    ParameterError,
    ShapeError,
    UnknownDatasetError,
)
from qpkernels.files import BUNDLED_NAMES, Dataset, load_dataset
from qpkernels.files.datasets import one_versus_rest


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [
        ("breast-cancer", (569, 30), 2),
        ("digits", (1797, 64), 10),
        ("wine", (178, 13), 3),
        ("iris", (150, 4), 3),
    ],
)
def test_bundled_classes(name: str, shape: tuple[int, int], classes: int) -> None:
    data = load_dataset(name)
    assert data.name == name
    assert data.X.shape == shape
    assert data.X.dtype == np.float64
    assert data.y.dtype == np.int64
    np.testing.assert_array_equal(np.unique(data.y), np.arange(classes))


def test_bundled_regression() -> None:
    data = load_dataset("diabetes")
    assert data.X.shape == (442, 10)
    assert data.y.dtype == np.float64


def test_bundled_classes_have_names() -> None:
    assert load_dataset("iris").class_names == ("setosa", "versicolor", "virginica")
    assert load_dataset("breast-cancer").class_names == ("malignant", "benign")
    assert load_dataset("digits").class_names is None
    assert load_dataset("diabetes").class_names is None


def test_bundled_names_are_sorted_and_complete() -> None:
    assert BUNDLED_NAMES == ("breast-cancer", "diabetes", "digits", "iris", "wine")


@pytest.mark.parametrize(
    ("source", "hint"),
    [("iriss", "Did you mean 'iris'?"), ("Breast_Cancer", "Did you mean 'breast-cancer'?")],
)
def test_unknown_name_suggests_the_nearest(source: str, hint: str) -> None:
    with pytest.raises(UnknownDatasetError) as caught:
        load_dataset(source)
    assert hint in str(caught.value)
    assert "breast-cancer, diabetes, digits, iris, wine" in str(caught.value)


@pytest.mark.parametrize("source", ["no/such/file.csv", "x" * 5000, "with\0nul"])
def test_unknown_path_suggests_nothing(source: str) -> None:
    with pytest.raises(UnknownDatasetError, match="is neither") as caught:
        load_dataset(source)
    assert "Did you mean" not in str(caught.value)


def test_folder_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(UnknownDatasetError, match="is a folder"):
        load_dataset(tmp_path)


def test_a_path_is_always_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "iris", "1 1:7\n")
    monkeypatch.chdir(tmp_path)
    assert load_dataset("iris").X.shape == (150, 4)
    assert load_dataset(Path("iris")).X.shape == (1, 1)
    assert load_dataset("./iris").X.shape == (1, 1)


@pytest.mark.parametrize("name", ["data.txt", "data.npz"])
def test_target_is_refused_outside_csv(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, "1 1:2\n")
    with pytest.raises(ParameterError, match="target must be left out unless a CSV file is read"):
        load_dataset(path, target=1)


def test_target_is_refused_for_bundled_sets() -> None:
    with pytest.raises(ParameterError, match="iris is a bundled data set; leave it out"):
        load_dataset("iris", target="species")


def test_dataset_is_frozen_and_converts() -> None:
    data = Dataset("d", np.array([[1, 2]]), np.array(["a"]))
    assert data.X.dtype == np.float64
    with pytest.raises(AttributeError):
        data.name = "e"  # type: ignore[misc]


def test_dataset_takes_sparse_samples_in_any_format() -> None:
    data = Dataset("d", csc_matrix(np.array([[1, 0], [0, 2]])), np.array([1, -1]))
    assert isinstance(data.X, csr_array)
    assert data.X.dtype == np.float64
    np.testing.assert_array_equal(data.X.toarray(), [[1.0, 0.0], [0.0, 2.0]])
    with pytest.raises(NonFiniteError, match=r"X\[1, 1\] is nan"):
        Dataset("d", csr_array(np.array([[1.0, 0.0], [0.0, np.nan]])), np.array([1, -1]))
    with pytest.raises(ShapeError, match=r"y must have shape \(2,\)"):
        Dataset("d", csr_array(np.eye(2)), np.ones(3))


@pytest.mark.parametrize("name", ["iris", "set.csv", "set.npz", "set.txt"])
def test_the_container_asked_for(tmp_path: Path, name: str) -> None:
    X, y = np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([1.0, -1.0])
    np.savez(tmp_path / "set.npz", X=X, y=y)
    written(tmp_path / "set.csv", "0,1,1\n2,0,-1\n")
    written(tmp_path / "set.txt", "1 2:1\n-1 1:2\n")
    source = name if name == "iris" else tmp_path / name
    dense, sparse = load_dataset(source, sparse=False), load_dataset(source, sparse=True)
    assert isinstance(dense.X, np.ndarray)
    assert isinstance(sparse.X, csr_array)
    assert (sparse.name, dense.name) == (load_dataset(source).name,) * 2
    np.testing.assert_array_equal(sparse.X.toarray(), dense.X)
    np.testing.assert_array_equal(sparse.y, dense.y)
    assert isinstance(load_dataset(source).X, np.ndarray)


@pytest.mark.parametrize(
    ("y", "positive", "expected"),
    [
        ([0, 1, 2, 1], 1, [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1", [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1.0", [-1, 1, -1, 1]),
        ([-1.0, 1.0], " +1 ", [-1, 1]),
        ([0.5, 1.5], 0.5, [1, -1]),
        ([True, False], 1, [1, -1]),
        ([True, False], True, [1, -1]),
        (np.array([0.1, 0.2], dtype=np.float32), np.float32(0.1), [1, -1]),
        (["a", "b"], "b", [-1, 1]),
        (["1", "01"], "01", [-1, 1]),
        (["1", "2"], 2, [-1, 1]),
        (np.array(["a", "b"], dtype=object), "a", [1, -1]),
    ],
)
def test_one_versus_rest(y: list[object], positive: str | float, expected: list[int]) -> None:
    labels = one_versus_rest(np.asarray(y), positive)
    assert labels.dtype == np.float64
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("y", "positive", "message"),
    [
        ([0, 1, 2], 3, "one of the classes 0, 1, 2, but 3 came"),
        ([0.5, 1.0], "cat", "one of the classes 0.5, 1, but 'cat' came"),
        ([0, 1], "nan", "one of the classes 0, 1, but 'nan' came"),
        (["a", "b"], "A", "one of the classes 'a', 'b', but 'A' came"),
        (["1", "2"], "1.0", "one of the classes '1', '2', but '1.0' came"),
        (range(30), 99, r"18, 19, ... \(30 in all\), but 99 came"),
        ([], 1, "of y, which is empty, but 1 came"),
    ],
)
def test_one_versus_rest_unknown_class(y: object, positive: str | float, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        one_versus_rest(np.asarray(y), positive)


def test_one_versus_rest_refusals() -> None:
    with pytest.raises(ShapeError, match="y must have one dimension"):
        one_versus_rest(np.ones((2, 1)), 1)
    with pytest.raises(NonFiniteError):
        one_versus_rest(np.array([1.0, np.nan]), 1)


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
