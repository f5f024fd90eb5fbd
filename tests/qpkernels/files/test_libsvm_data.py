# SPDX-License-Identifier: BSD-3-Clause
"""Samples, kernel matrices and ranges in LIBSVM's files: what is read and written, and every refusal with its place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.svm import SVC

import qpkernels.files.libsvm_data as libsvm_module
from builders import two_classes
from data_files import COMPRESSIONS, assert_place, written
from formulations import SoftMargin
from qpkernels import RBF, Precomputed
from qpkernels.errors import DataFormatError, FileFormatError, NonFiniteError, ShapeError, UnsupportedProgramError
from qpkernels.files import (
    Dataset,
    Scaling,
    load_dataset,
    read_libsvm_kernel,
    read_libsvm_range,
    write_libsvm_kernel,
    write_libsvm_range,
)


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


def kernel_matrix() -> tuple[np.ndarray, np.ndarray]:
    X, y = two_classes(16)
    K = RBF(0.7)(X, X)
    K[0, 5] = K[5, 0] = 0.0
    return K, y


def test_a_matrix_is_read_back(tmp_path: Path) -> None:
    K, y = kernel_matrix()
    for targets in (y, y / 3):
        again, labels = read_libsvm_kernel(write_libsvm_kernel(K, targets, tmp_path / "k"))
        np.testing.assert_array_equal(again, K)
        np.testing.assert_array_equal(labels, targets)


def test_a_matrix_for_other_samples_is_read_back(tmp_path: Path) -> None:
    K = np.random.default_rng(0).normal(size=(3, 5))
    again, _ = read_libsvm_kernel(write_libsvm_kernel(K, np.zeros(3), tmp_path / "k"))
    np.testing.assert_array_equal(again, K)


def test_libsvm_reads_the_file_and_finds_the_same_machine(tmp_path: Path) -> None:
    K, y = kernel_matrix()
    path = write_libsvm_kernel(K, y, tmp_path / "k")
    columns, labels = load_svmlight_file(str(path), zero_based=True)
    assert columns.toarray()[:, 0].tolist() == list(range(1, 17))
    theirs = SVC(kernel="precomputed", C=2.0, tol=1e-8).fit(columns.toarray()[:, 1:], labels)
    again, targets = read_libsvm_kernel(path)
    ours = SoftMargin(np.arange(16), targets, Precomputed(again), C=2.0)
    solution = ours.solve(tol=1e-9)
    assert solution.status == "optimal"
    assert ours.certify(theirs).primal_value == pytest.approx(solution.objective, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no sample"),
        ("1 0:1 1:1 2:0\n1 0:2 1:0\n", "line 2"),
        ("1 0:1 2:1\n", "line 1"),
        ("a 0:1 1:1\n", "line 1"),
        ("1 0:1 1:x\n", "line 1"),
        ("1 0:1\n", "line 1"),
        ("1\n", "ValueError"),
        ("1 0:2 1:1\n", "numbered 1 to 1 in order"),
        ("1 0:1 1:nan\n", "K must hold finite numbers"),
        ("1 0:1 1:1 \N{SNOWMAN}", "UnicodeDecodeError"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "k").write_text(text, encoding="utf-8")
    with pytest.raises(DataFormatError if words.startswith("line") else FileFormatError, match=words):
        read_libsvm_kernel(tmp_path / "k")


def test_what_is_no_matrix_with_targets_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(NonFiniteError, match="K must hold"):
        write_libsvm_kernel([[np.nan]], [1], tmp_path / "k")
    with pytest.raises(ShapeError, match="y must have 2 entries"):
        write_libsvm_kernel(np.eye(2), [1, 2, 3], tmp_path / "k")
    assert not list(tmp_path.iterdir())


@given(edits=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(b"0987:. -e\n\xff")), max_size=8))
def test_damage_is_survived(tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, int]]) -> None:
    path = write_libsvm_kernel(*kernel_matrix(), tmp_path_factory.mktemp("damage") / "k")
    content = bytearray(path.read_bytes())
    for place, value in edits:
        content[int(place * (len(content) - 1))] = value
    path.write_bytes(content)
    try:
        K, _ = read_libsvm_kernel(path)
    except FileFormatError:
        return
    assert np.isfinite(K).all()


THEIRS = "x\n-1 1\n1 29 77\n3 94 200.5\n"
"""As svm-scale -s writes it; the second feature is constant."""


def test_a_file_of_svm_scale(tmp_path: Path) -> None:
    path = tmp_path / "range"
    path.write_text(THEIRS)
    scaling = read_libsvm_range(path)
    # svm-scale: lower + (upper - lower) (x - min) / (max - min), and features without a range are dropped.
    expected = [-1 + 2 * (50 - 29) / (77 - 29), 0.0, -1 + 2 * (100 - 94) / (200.5 - 94)]
    assert scaling.transform([[50.0, 7.0, 100.0]])[0] == pytest.approx(expected, rel=1e-15)
    assert read_libsvm_range(path, features=5).low.size == 5


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    X = np.random.default_rng(1).normal(size=(20, 4))
    X[:, 2] = 1.5
    for scaling in (Scaling.to_range(X, -0.5, 2.0), Scaling.standardise(X)):
        again = read_libsvm_range(write_libsvm_range(scaling, tmp_path / "range"), features=4)
        assert np.array_equal(again.transform(X), scaling.transform(X))


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", FileFormatError, "begins with a line x"),
        ("+1 1:2\n", FileFormatError, "begins with a line x"),
        ("x\n", FileFormatError, "ends before the range"),
        ("x\n-1 one\n", DataFormatError, "line 2, column 1: expected 2 numbers"),
        ("x\n-1 1\n1 2\n", DataFormatError, "line 3, column 1: expected 2 numbers, but '2' came"),
        ("x\n-1 1\n1 2 nan\n", DataFormatError, "line 3"),
        ("x\n-1 1\n0 1 2\n", DataFormatError, "the number of a feature"),
        ("y\n0 1\n1 2\nx\n-1 1\n", UnsupportedProgramError, "scales the targets"),
        ("x\n1 -1\n1 0 1\n", FileFormatError, "lower must be below upper"),
    ],
)
def test_what_is_no_range_file(text: str, error: type[Exception], words: str, tmp_path: Path) -> None:
    path = tmp_path / "range"
    path.write_text(text)
    with pytest.raises(error, match=re.escape(words)):
        read_libsvm_range(path)
