# SPDX-License-Identifier: BSD-3-Clause
"""CSV files: headers, targets, and every refusal with its place."""

from pathlib import Path

import numpy as np
import pytest

from data_files import COMPRESSIONS, assert_place, written
from qpkernels.errors import DataFormatError, ParameterError
from qpkernels.files import load_dataset
from qpkernels.files.delimited import read_delimited


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


def test_features_of_a_large_file_are_mapped_from_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{k},{-k},{'yes' if k % 3 else 'no'}\n" for k in range(10_000)]
    path = written(tmp_path / "large.csv", "".join(["a,b,c\n", *lines]))
    expected = read_delimited(path)
    monkeypatch.setattr("qpkernels.files.delimited._LARGE", 100)
    table = read_delimited(path)
    assert isinstance(table.X, np.memmap)
    assert table.feature_names == ("a", "b")
    np.testing.assert_array_equal(table.X, expected.X)
    np.testing.assert_array_equal(table.y, expected.y)
    without_name = read_delimited(written(tmp_path / "plain.csv", "1,2,class\n3,4,5\n6,7,8\n" + "1,1,1\n" * 50))
    np.testing.assert_array_equal(without_name.X[:2], [[3.0, 4.0], [6.0, 7.0]])
