# SPDX-License-Identifier: BSD-3-Clause
"""Data sets: every format, every refusal with its place, scaling, one class against the rest."""

import bz2
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import qpkernels.datasets.libsvm as libsvm_module
from qpkernels.datasets import BUNDLED_NAMES, Dataset, load_dataset, one_versus_rest, scale_features
from qpkernels.errors import (
    DataFormatError,
    LabelError,
    NonFiniteError,
    ParameterError,
    ShapeError,
    UnknownDatasetError,
)

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def assert_place(error: DataFormatError, path: Path, line: int, column: int) -> None:
    assert (error.line, error.column) == (line, column), str(error)
    assert str(error).startswith(f"{path}, line {line}, column {column}")
    assert ": expected " in str(error)
    assert " came; " in str(error)


# --- bundled ---


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


# --- LIBSVM ---


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_libsvm_in_every_compression(tmp_path: Path, suffix: str) -> None:
    text = b"# a comment_with qid\n+1 1:0.5 3:-2e1 # note\r\n\n-1 2:.25\n3\n"
    path = written(tmp_path / f"german.numer_scale{suffix}", COMPRESSIONS[suffix](text))
    data = load_dataset(str(path))
    assert data.name == "german.numer_scale"
    assert data.X.flags.c_contiguous
    np.testing.assert_array_equal(data.X, [[0.5, 0.0, -20.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(data.y, [1.0, -1.0, 3.0])


def test_libsvm_drops_a_byte_order_mark(tmp_path: Path) -> None:
    data = load_dataset(written(tmp_path / "marked.txt", b"\xef\xbb\xbf1 1:2\n"))
    np.testing.assert_array_equal(data.X, [[2.0]])


def test_libsvm_comments_may_be_in_any_encoding(tmp_path: Path) -> None:
    data = load_dataset(written(tmp_path / "latin", b"1 1:2 # caf\xe9_\n"))
    np.testing.assert_array_equal(data.X, [[2.0]])


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("1 1:1\ncat 1:2\n", 2, 1, "expected a label that is a number, but 'cat' came"),
        ("1 1:1\n\n  1:2 2:3\n", 3, 3, "expected the label first, but '1:2' came"),
        ("1,2 1:1\n", 1, 1, "expected one label, but '1,2' came"),
        ("1_0 1:1\n", 1, 1, "a label that is a number, but '1_0' came"),
        ("nan 1:1\n", 1, 1, "expected a finite number, but 'nan' came"),
        ("1 1:1\n-inf 1:1\n", 2, 1, "expected a finite number, but '-inf' came"),
        ("1 1:1 2:nan\n", 1, 7, "expected a finite number, but '2:nan' came"),
        ("1 1:1\n1 1:2 2:-Infinity\n", 2, 7, "expected a finite number, but '2:-Infinity' came"),
        ("1 1:1e999\n", 1, 3, "expected a finite number, but '1:1e999' came"),
        ("1 2:1 1:2\n", 1, 7, "expected an index above 2, but '1:2' came; sort"),
        ("1 2:1 2:2\n", 1, 7, "expected an index above 2, but '2:2' came"),
        ("1 1:1\n1 0:1\n", 2, 3, "expected an index from 1, but '0:1' came; add 1"),
        ("1 -1:1\n", 1, 3, "an index that is a whole number from 1, but '-1:1' came"),
        ("1 1.0:1\n", 1, 3, "an index that is a whole number from 1, but '1.0:1' came"),
        ("1 :1\n", 1, 3, "an index that is a whole number from 1, but ':1' came"),
        ("1 1_1:1\n", 1, 3, "an index that is a whole number from 1, but '1_1:1' came"),
        ("1 2147483648:1\n", 1, 3, "an index of at most 2147483647, but '2147483648:1' came"),
        ("1 1:1 " + "9" * 5000 + ":1\n", 1, 7, "an index of at most 2147483647, but '999"),
        ("1 1:\n", 1, 3, "index:value with a value that is a number, but '1:' came"),
        ("1 1: 5\n", 1, 3, "index:value with a value that is a number, but '1:' came"),
        ("1 1:2:3\n", 1, 3, "index:value with a value that is a number, but '1:2:3' came"),
        ("1 1:1_5\n", 1, 3, "index:value with a value that is a number, but '1:1_5' came"),
        ("1 1:0x1\n", 1, 3, "index:value with a value that is a number, but '1:0x1' came"),
        ("1 1:1\t7\n", 1, 7, "expected index:value, but '7' came; join"),
        ("1 1:1\r-1 1:2\r", 1, 7, "expected index:value, but '-1' came"),
        ("1 qid:3 1:1\n", 1, 3, "expected index:value, but 'qid:3' came; delete the qid"),
        ("1 qid:3 1:nan\n", 1, 3, "expected index:value, but 'qid:3' came; delete the qid"),
        ("1 1:1\n\xa01 1:1\n", 2, 1, r"a label that is a number, but '\xa01' came"),
        ("1 1:2\x1c\n", 1, 3, r"a value that is a number, but '1:2\x1c' came"),
        ("é 1:1\n", 1, 1, "a label that is a number, but 'é' came"),
        ("1 1:1 é 2:1\n", 1, 7, "expected index:value, but 'é' came"),
        ("", 1, 1, "but a file without samples came"),
        ("\n# nothing\n", 1, 1, "but a file without samples came"),
        ("1\n-1\n", 1, 1, "but labels without any feature came"),
    ],
)
def test_libsvm_faults_are_located(tmp_path: Path, text: str, line: int, column: int, message: str) -> None:
    path = written(tmp_path / "bad.txt", text)
    with pytest.raises(DataFormatError) as caught:
        load_dataset(path)
    assert message in str(caught.value)
    assert_place(caught.value, path, line, column)


def test_libsvm_first_fault_wins(tmp_path: Path) -> None:
    path = written(tmp_path / "bad", "1 1:nan\n1 x:1\n")
    with pytest.raises(DataFormatError) as caught:
        load_dataset(path)
    assert_place(caught.value, path, 1, 3)


def test_libsvm_refuses_a_dense_matrix_beyond_memory(tmp_path: Path) -> None:
    path = written(tmp_path / "wide", "1 1:1 # 2000000000:1\n-1 2:1 2000000000:1\n1 5:1 2000000000:1\n")
    with pytest.raises(DataFormatError, match=r"at most 8 GiB, but index 2000000000 in a file of 3 samples") as caught:
        load_dataset(path, sparse=False)
    assert_place(caught.value, path, 2, 8)
    assert load_dataset(path).X.shape == (3, 2_000_000_000)


def test_libsvm_error_without_a_place_is_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_module, "_first_fault", lambda _path, _content: None)
    path = written(tmp_path / "bad", "1 1:x\n")
    with pytest.raises(DataFormatError, match="a place that could not be found") as caught:
        load_dataset(path)
    assert_place(caught.value, path, 1, 1)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("stem", ["data", "data.csv"])
def test_broken_compression(tmp_path: Path, stem: str, suffix: str) -> None:
    whole = COMPRESSIONS[suffix](b"1 1:2\n" * 50)
    for content in (whole[:-6], b"1 1:2\n"):
        path = written(tmp_path / f"{stem}{suffix}", content)
        with pytest.raises(DataFormatError, match=f"expected a complete {suffix} file") as caught:
            load_dataset(path)
        assert_place(caught.value, path, 1, 1)


# --- CSV ---


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_csv_in_every_compression(tmp_path: Path, suffix: str) -> None:
    text = b"\xef\xbb\xbfwidth,height,kind\r\n1, 2.5,1\r\n\r\n-3e-1,4,2\r\n"
    data = load_dataset(written(tmp_path / f"set.v1.CSV{suffix}", COMPRESSIONS[suffix](text)))
    assert data.name == "set.v1"
    np.testing.assert_array_equal(data.X, [[1.0, 2.5], [-0.3, 4.0]])
    np.testing.assert_array_equal(data.y, [1.0, 2.0])
    assert data.y.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "X", "y"),
    [
        ("1,2,0\n3,4,1\n", [[1, 2], [3, 4]], [0.0, 1.0]),
        ("a,b,c\n3,4,1\n", [[3, 4]], [1.0]),
        ("1,2,cat\n3,4,dog\n", [[1, 2], [3, 4]], ["cat", "dog"]),
        ("a,b,c\n1,2, cat \n3,4,cat\n", [[1, 2], [3, 4]], ["cat", "cat"]),
        ("0,1,label\n3,4,1\n5,6,0\n", [[3, 4], [5, 6]], [1.0, 0.0]),
        ("1,2,cat\n", [[1, 2]], ["cat"]),
        ('a,"b, and\nc",y\n1,"2","x,y"\n', [[1, 2]], ["x,y"]),
    ],
)
def test_csv_header_and_target_kinds(tmp_path: Path, text: str, X: list[list[int]], y: list[object]) -> None:
    data = load_dataset(written(tmp_path / "t.csv", text))
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)
    assert data.y.dtype.kind == ("U" if isinstance(y[0], str) else "f")


@pytest.mark.parametrize("target", ["kind", "1", 1])
def test_csv_target_column(tmp_path: Path, target: str | int) -> None:
    data = load_dataset(written(tmp_path / "t.csv", "kind,a,b\ncat,1,2\ndog,3,4\n"), target=target)
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(data.y, ["cat", "dog"])


def test_csv_target_name_makes_a_header_of_numbers_a_header(tmp_path: Path) -> None:
    data = load_dataset(written(tmp_path / "t.csv", "0,kind,1\n1,cat,2\n"), target="kind")
    np.testing.assert_array_equal(data.X, [[1, 2]])
    np.testing.assert_array_equal(data.y, ["cat"])


def test_csv_target_digits_never_name_a_sample(tmp_path: Path) -> None:
    data = load_dataset(written(tmp_path / "t.csv", "3,2,7\n4,5,6\n"), target="3")
    np.testing.assert_array_equal(data.X, [[3, 2], [4, 5]])
    np.testing.assert_array_equal(data.y, [7, 6])


@pytest.mark.parametrize(
    ("header", "target", "message"),
    [
        ("a,b,c", "d", r"a number from 1 to 3 or one of the names 'a', 'b', 'c', but 'd' came"),
        ("a,b,c", 0, r"but 0 came"),
        ("a,b,c", 4, r"but 4 came"),
        ("a,b,c", "-1", r"but '-1' came"),
        ("a,b,a", "a", r"but 'a', the name of 2 columns, came"),
        ("1,2,3", "d", r"must be a number from 1 to 3, but 'd' came"),
    ],
)
def test_csv_unknown_target(tmp_path: Path, header: str, target: str | int, message: str) -> None:
    path = written(tmp_path / "t.csv", f"{header}\n1,2,3\n")
    with pytest.raises(ParameterError, match=message):
        load_dataset(path, target=target)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a,b,c\n1,2,3\n1,2\n", 3, 3, "expected 3 fields as on the first line, but 2 came"),
        ("a,b,c\n1,2,3,4\n", 2, 4, "expected 3 fields as on the first line, but 4 came"),
        ("a,b,c\n1,x,3\n", 2, 2, "column 2 ('b'): expected a finite number, but 'x' came; replace"),
        ("1,2,3\n1,x,3\n", 2, 2, "column 2: expected a finite number, but 'x' came; replace"),
        ("a,b,c\n,2,3\n", 2, 1, "column 1 ('a'): expected a finite number, but an empty field came; fill"),
        ("a,b,c\n1, nan,3\n", 2, 2, "column 2 ('b'): expected a finite number, but 'nan' came; drop"),
        ("1,inf,3\n", 1, 2, "expected a finite number, but 'inf' came"),
        ("1,2,3\n1,1e999,3\n", 2, 2, "expected a finite number, but '1e999' came"),
        ("1,2,3\n1_0,2,3\n", 2, 1, "expected a finite number, but '1_0' came"),
        ("1,2,3\n١,2,3\n", 2, 1, "expected a finite number, but '١' came"),
        (
            "5.1,oops,0\n1,2,1\n",
            1,
            2,
            "'oops' came; replace it by a number, or drop this column (in a header",
        ),
        (",a,b\n0,1,2\n", 1, 1, "an empty field came; fill it, or drop this sample (in a header"),
        ("a,b,c\n1,2,\n", 2, 3, "column 3 ('c'): expected a finite number or a class name, but an empty"),
        ("a,b,c\n1,2,nan\n", 2, 3, "column 3 ('c'): expected a finite number or a class name, but 'nan'"),
        ("a,b,c\n1,2,0\n3,4,?\n5,6,1\n", 3, 3, "column 3 ('c'): expected a number, but '?' came"),
        ("1,2,x\n3,4,5\n5,6,y\n", 2, 3, "column 3: expected a class name that is not a number, but '5'"),
        ('a,b,"c\nd"\n1,2,3\n4,x,6\n', 4, 2, "column 2 ('b'): expected a finite number, but 'x' came"),
        ('a,b,c\n1,"2"x,3\n', 2, 1, "with balanced quotes"),
        ('a,b,c\n1,2,3\n4,"5,6\n7,8,9\n', 3, 1, "with balanced quotes"),
        ("1;2;3\n", 1, 1, "at least two fields separated by commas, a feature and the target, but one field"),
        ("", 1, 1, "expected at least one sample, but a file without any came"),
        ("\n\n", 1, 1, "expected at least one sample, but a file without any came"),
        ("a,b,c\n", 1, 1, "expected at least one sample, but a file without any came"),
        (b"a,b,c\n1,2,3\n1,caf\xe9,3\n", 3, 2, "expected text in UTF-8, but the byte 0xe9 came"),
    ],
)
def test_csv_faults_are_located(tmp_path: Path, text: str | bytes, line: int, column: int, message: str) -> None:
    path = written(tmp_path / "bad.csv", text)
    with pytest.raises(DataFormatError) as caught:
        load_dataset(path)
    assert message in str(caught.value)
    assert_place(caught.value, path, line, column)


def test_csv_fault_beside_a_target_in_front(tmp_path: Path) -> None:
    path = written(tmp_path / "bad.csv", "y,a,b\ncat,1,x\n")
    with pytest.raises(DataFormatError, match=r"column 3 \('b'\)") as caught:
        load_dataset(path, target="y")
    assert_place(caught.value, path, 2, 3)


@pytest.mark.parametrize("name", ["data.txt", "data.npz"])
def test_target_is_refused_outside_csv(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, "1 1:2\n")
    with pytest.raises(ParameterError, match="target must be left out unless a CSV file is read"):
        load_dataset(path, target=1)


def test_target_is_refused_for_bundled_sets() -> None:
    with pytest.raises(ParameterError, match="iris is a bundled data set; leave it out"):
        load_dataset("iris", target="species")


# --- npz ---


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
        ({"X": GOOD_X}, ShapeError, "must hold the arrays X and y, but it lacks y and holds X; save"),
        ({"a": GOOD_X}, ShapeError, "lacks X and y and holds a; save it with numpy.savez"),
        (
            {"X": GOOD_X.astype(object), "y": GOOD_Y},
            ShapeError,
            "X must be .*, but it cannot be read .Object arrays .* save X.astype.float. again",
        ),
        (
            {"X": GOOD_X, "y": GOOD_Y.astype(object)},
            ShapeError,
            "y must be .*, but it cannot be read .Object arrays .* or y.astype.str. again",
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
    with pytest.raises(ShapeError, match="must be an npz archive, but its content is something else"):
        load_dataset(written(tmp_path / "bad.npz", content))


def test_npz_that_is_a_single_array(tmp_path: Path) -> None:
    with (tmp_path / "bad.npz").open("wb") as file:
        np.save(file, GOOD_X)
    with pytest.raises(ShapeError, match="it holds a single array"):
        load_dataset(tmp_path / "bad.npz")


def test_npz_with_a_damaged_member(tmp_path: Path) -> None:
    path = tmp_path / "bad.npz"
    np.savez(path, X=np.arange(2000.0).reshape(2, 1000), y=GOOD_Y)
    content = bytearray(path.read_bytes())
    content[4000] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ShapeError, match="X must be an array of real numbers, but it cannot be read"):
        load_dataset(path)


# --- Dataset ---


def test_dataset_is_frozen_and_converts() -> None:
    data = Dataset("d", np.array([[1, 2]]), np.array(["a"]))
    assert data.X.dtype == np.float64
    with pytest.raises(AttributeError):
        data.name = "e"  # type: ignore[misc]


# --- scaling ---


def test_scale_features_by_hand() -> None:
    X = np.array([[0.0, 5.0, -1.0], [10.0, 5.0, 3.0], [2.5, 5.0, 1.0]])
    before = X.copy()
    np.testing.assert_array_equal(scale_features(X), [[-1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-0.5, 0.0, 0.0]])
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("column", [[-1.7e308, 0.0, 1.7e308], [0.0, 5e-324, 5e-324], [7.0], [1e308, 1e308]])
def test_scale_features_at_the_ends_of_float64(column: list[float]) -> None:
    scaled = scale_features(np.reshape(column, (-1, 1)))
    expected = [0.0] if len(set(column)) == 1 else [-1.0, 1.0]
    assert [scaled.min(), scaled.max()] == [expected[0], expected[-1]]


@seed(0)
@settings(max_examples=200, deadline=None, database=None)
@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_scale_features_properties(X: np.ndarray) -> None:
    scaled = scale_features(X)
    assert scaled.shape == X.shape
    for before, after in zip(X.T, scaled.T, strict=True):
        if before.min() == before.max():
            assert (after == 0.0).all()
            continue
        assert (after[before == before.min()] == -1.0).all()
        assert (after[before == before.max()] == 1.0).all()
        assert (np.abs(after) <= 1.0).all()
        assert (np.diff(after[np.argsort(before)]) >= 0.0).all()


@pytest.mark.parametrize(
    ("X", "error"), [([1.0, 2.0], ShapeError), ([[np.nan]], NonFiniteError), (np.empty((0, 2)), ShapeError)]
)
def test_scale_features_refusals(X: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        scale_features(X)  # type: ignore[arg-type]


# --- one versus rest ---


@pytest.mark.parametrize(
    ("y", "positive", "expected"),
    [
        ([0, 1, 2, 1], 1, [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1", [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1.0", [-1, 1, -1, 1]),
        ([-1.0, 1.0], " +1 ", [-1, 1]),
        ([0.5, 1.5], 0.5, [1, -1]),
        ([True, False], 1, [1, -1]),
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


# --- imports ---


def test_import_stays_light() -> None:
    code = "import sys, qpkernels.datasets; print(sorted({'sklearn', 'pandas', 'cvxpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
