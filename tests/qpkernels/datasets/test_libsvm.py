# SPDX-License-Identifier: BSD-3-Clause
"""LIBSVM text: what is read, dense or sparse, and every refusal with its place."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file

import qpkernels.datasets.libsvm as libsvm_module
from data_files import COMPRESSIONS, assert_place, written
from qpkernels.datasets import Dataset, load_dataset
from qpkernels.errors import DataFormatError, ShapeError


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
        ("1 1:1\n1 0:1 0:2\n", 2, 7, "expected an index above 0, but '0:2' came"),
        ("1 1:1 0:1\n", 1, 7, "expected an index above 1, but '0:1' came"),
        ("1 -1:1\n", 1, 3, "an index that is a whole number from 1, or from 0, but '-1:1' came"),
        ("1 1.0:1\n", 1, 3, "an index that is a whole number from 1, or from 0, but '1.0:1' came"),
        ("1 :1\n", 1, 3, "an index that is a whole number from 1, or from 0, but ':1' came"),
        ("1 1_1:1\n", 1, 3, "an index that is a whole number from 1, or from 0, but '1_1:1' came"),
        ("1 2147483648:1\n", 1, 3, "an index of at most 1073741824, but '2147483648:1' came; correct the index, for a"),
        ("1 1:1\n-1 2:1 2147483647:1\n", 2, 8, "'2147483647:1' came; correct the index, for a vector of so many fea"),
        ("1 1:1\n-1 2:1 2147483647:1\n", 2, 8, "features takes 16 GiB"),
        ("1 0:1\n-1 2:1 2147483647:1\n", 2, 8, "features takes 16 GiB"),
        ("1 1073741825:1\n", 1, 3, "an index of at most 1073741824, but '1073741825:1' came; correct the index, for a"),
        ("1 1:1 " + "9" * 5000 + ":1\n", 1, 7, "an index of at most 1073741824, but '999"),
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
    path = written(tmp_path / "wide", "1 1:1 # 1000000000:1\n-1 2:1 1000000000:1\n1 5:1 1000000000:1\n")
    with pytest.raises(DataFormatError, match=r"at most 8 GiB, but index 1000000000 in a file of 3 samples") as caught:
        load_dataset(path, sparse=False)
    assert_place(caught.value, path, 2, 8)
    assert load_dataset(path).X.shape == (3, 1_000_000_000)


def test_libsvm_error_without_a_place_is_not_swallowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_module, "_first_fault", lambda _path, _content: None)
    path = written(tmp_path / "bad", "1 1:x\n")
    with pytest.raises(DataFormatError, match="a place that could not be found") as caught:
        load_dataset(path)
    assert_place(caught.value, path, 1, 1)
    assert isinstance(caught.value.__cause__, ValueError)


def in_a_corner(entries: int) -> str:
    """Return a file of 4 x 4 samples of which so many entries are not 0; others are written 0."""
    values = np.where(np.arange(16) < entries, 7, 0).reshape(4, 4)
    return "".join("1 " + " ".join(f"{j}:{value}" for j, value in enumerate(row, start=1)) + "\n" for row in values)


@pytest.mark.parametrize(("entries", "is_sparse"), [(0, True), (3, True), (4, False), (16, False)])
def test_libsvm_with_fewer_than_a_quarter_of_entries_comes_back_sparse(
    tmp_path: Path, entries: int, is_sparse: bool
) -> None:
    path = written(tmp_path / "set", in_a_corner(entries))
    X = load_dataset(path).X
    assert isinstance(X, csr_array if is_sparse else np.ndarray)
    assert not is_sparse or X.nnz == entries
    dense, sparse = load_dataset(path, sparse=False).X, load_dataset(path, sparse=True).X
    assert isinstance(dense, np.ndarray)
    assert isinstance(sparse, csr_array)
    assert dense.shape == sparse.shape == X.shape == (4, 4)
    assert sparse.dtype == np.float64
    np.testing.assert_array_equal(sparse.toarray(), dense)
    np.testing.assert_array_equal(X.toarray() if is_sparse else X, dense)
    assert np.count_nonzero(dense) == entries


def test_libsvm_faults_are_found_in_sparse_text(tmp_path: Path) -> None:
    path = written(tmp_path / "bad", "1 1:1\n-1 2:1 900:inf\n1 5:1\n")
    with pytest.raises(DataFormatError, match="expected a finite number, but '900:inf' came") as caught:
        load_dataset(path, sparse=True)
    assert_place(caught.value, path, 2, 8)


def test_libsvm_underscores_in_a_comment_are_no_fault(tmp_path: Path) -> None:
    data = load_dataset(written(tmp_path / "set", "1 1:1 2:2 # qid:1 1_0\n-1 +02:2\n"))
    np.testing.assert_array_equal(data.X, [[1.0, 2.0], [0.0, 2.0]])


@pytest.mark.parametrize("seed", range(5))
def test_libsvm_that_scikit_learn_wrote_with_indices_from_0(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The second reading, which takes seconds for a file of some megabytes, is for files at fault.
    monkeypatch.setattr(libsvm_module, "_first_fault", None)
    r = np.random.default_rng(seed)
    X, y = r.integers(-8, 9, (9, 5)) / 8, r.integers(2, size=9)
    X[0, 0], X[1, 4] = 1.0, 2.0
    path = tmp_path / "set"
    dump_svmlight_file(X, y, str(path), zero_based=True)
    with pytest.warns(RuntimeWarning, match="has an index 0, so that its indices are taken to count from 0"):
        from_zero = load_dataset(path, sparse=False)
    np.testing.assert_array_equal(from_zero.X, X)
    np.testing.assert_array_equal(from_zero.y, y)
    dump_svmlight_file(X, y, str(path), zero_based=False)
    np.testing.assert_array_equal(load_dataset(path, sparse=False).X, X)


def test_a_kernel_of_libsvm_is_no_set_of_samples(tmp_path: Path) -> None:
    path = written(tmp_path / "kernel", "1 0:1 1:2 2:1\n-1 0:2 1:1 2:2\n")
    with pytest.raises(DataFormatError, match=r"expected features of samples, but the numbers of .*read_libsvm_kernel"):
        load_dataset(path)


def test_samples_have_no_more_features_than_a_vector_may_have_entries() -> None:
    with pytest.raises(ShapeError, match=r"it has 1073741825, and a vector of so many takes 8 GiB"):
        Dataset("wide", csr_array((1, 2**30 + 1)), np.ones(1))
