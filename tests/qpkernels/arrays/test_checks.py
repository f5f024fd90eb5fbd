# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that are taken: dense, sparse, mapped from files, and from tables with columns that hold no numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from formulations import SoftMargin
from formulations.estimators import SVC
from qpkernels import RBF, Expansion, Gram, Linear, Mercer
from qpkernels.arrays import check_count, is_integer, row_blocks
from qpkernels.arrays.checks import MappedRows, float_array, is_mapped
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from sparse_samples import assert_close, with_zeros
from together import together


@together("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@together("kind", [np.float64, np.float32, np.int64, np.int8, np.bool_])
def test_every_format_and_every_real_type_becomes_csr_in_float64(form: str, kind: type) -> None:
    X = np.round(2 * with_zeros(7)).astype(kind)
    for make in (csr_array, csr_matrix):
        given_matrix = make(X).asformat(form)
        samples = Linear().samples(given_matrix)
        assert type(samples) is csr_array
        assert samples.dtype == np.float64
        np.testing.assert_array_equal(samples.toarray(), X.astype(np.float64))
        np.testing.assert_array_equal(RBF(0.5)(given_matrix), RBF(0.5)(csr_array(X.astype(float))))


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_duplicates_are_added_up_unsorted_entries_sorted_and_zeros_left(kind: type) -> None:
    rows, columns = np.array([0, 0, 1, 0, 2]), np.array([2, 0, 1, 2, 1])
    values = np.array([100, 3, 0, 100, -5], dtype=kind)
    expected = np.array([[3.0, 0.0, 200.0], [0.0, 0.0, 0.0], [0.0, -5.0, 0.0]])
    unsorted = csr_array((values[[0, 1, 3, 2, 4]], columns[[0, 1, 3, 2, 4]], [0, 3, 4, 5]), shape=(3, 3))
    for given_matrix in (coo_array((values, (rows, columns)), shape=(3, 3)), unsorted):
        samples = Linear().samples(given_matrix)
        assert samples.has_canonical_format
        assert samples.nnz == 4
        assert given_matrix.nnz == 5
        np.testing.assert_array_equal(samples.toarray(), expected)
        assert_close(RBF(1e-4)(given_matrix), RBF(1e-4)(expected))
        assert_close(Linear()(given_matrix, expected), expected @ expected.T)


def test_flags_of_the_matrix_are_not_trusted() -> None:
    X = csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    X.has_sorted_indices = True
    X.has_canonical_format = True
    samples = Linear().samples(X)
    np.testing.assert_array_equal(samples.indices, [0, 2])
    np.testing.assert_array_equal(samples.data, [2.0, 5.0])


def test_the_users_matrix_is_neither_changed_nor_followed() -> None:
    X = csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    gram = Gram(RBF(0.1), X)
    f = Expansion(RBF(0.1), X, [1.0, -1.0])
    values, K = f(X), gram.dense.copy()
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)
    X.data[:] = 7.0
    X.indices[:] = 0
    np.testing.assert_array_equal(Gram(RBF(0.1), gram.X).dense, K)
    np.testing.assert_array_equal(f(gram.X), values)


def test_read_only_matrices_are_taken() -> None:
    X = csr_array(with_zeros(5))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    assert_close(RBF(0.3)(X, X[:2]), RBF(0.3)(X.toarray(), X.toarray()[:2]))


def test_bound_samples_cannot_be_written() -> None:
    X = csr_array(with_zeros(5))
    bound = (Gram(RBF(1.0), X).X, Expansion(RBF(1.0), X, np.ones(5)).centers, Mercer(RBF(1.0), X).X)
    for samples in bound:
        assert type(samples) is csr_array
        for part in (samples.data, samples.indices, samples.indptr):
            with pytest.raises(ValueError, match="read-only"):
                part[0] = 0


@given(rows=st.integers(1, 10**7), columns=st.integers(0, 10**9))
def test_row_blocks_cover_everything_once_within_their_bytes(rows: int, columns: int) -> None:
    first = last = None
    for number, block in enumerate(row_blocks(rows, columns)):
        if number == 200:
            return
        assert block.start == (0 if last is None else last)
        first, last = first or block, block.stop
        assert block.stop > block.start
        assert (block.stop - block.start) * columns * 8 <= 2**26 or block.stop == block.start + 1
    assert last == rows


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(2)])
def test_counts_are_integers_of_python_and_numpy(value: object) -> None:
    assert is_integer(value)
    checked = check_count(value, "folds")
    assert type(checked) is int
    assert checked == value


@pytest.mark.parametrize("value", [0, -1, 1.0, True, np.True_, "1", None, np.float64(2.0)])
def test_what_is_no_count_is_refused(value: object) -> None:
    assert is_integer(value) == (type(value) is int)
    with pytest.raises(ParameterError, match=r"folds must be an integer of at least 1, but .* came\; ask\."):
        check_count(value, "folds", "; ask")


def test_a_count_may_start_elsewhere() -> None:
    assert check_count(0, "rank", least=0) == 0
    with pytest.raises(ParameterError, match="rank must be an integer of at least 2, but 1 came"):
        check_count(1, "rank", least=2)


def mapped(folder: Path, X: np.ndarray, mode: str = "r") -> np.memmap:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode=mode)


def test_samples_that_are_mapped_to_be_read_stay_in_their_file(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    file = mapped(tmp_path, X)
    gram = Gram(RBF(0.5), file)
    assert np.shares_memory(gram.X, file)
    assert not gram.X.flags.writeable
    np.testing.assert_array_equal(gram.dense, Gram(RBF(0.5), X).dense)


@pytest.mark.parametrize("mode", ["r+", "c"])
def test_samples_that_may_be_written_to_are_copied(tmp_path: Path, mode: str) -> None:
    file = mapped(tmp_path, np.ones((4, 2)), mode)
    gram = Gram(RBF(0.5), file)
    file[0] = 7.0
    np.testing.assert_array_equal(gram.X, np.ones((4, 2)))


@pytest.mark.parametrize("X", [np.ones((4, 2), np.float32), np.ones((4, 2), ">f8"), np.asfortranarray(np.ones((4, 2)))])
def test_other_numbers_and_layouts_become_rows_of_float64(tmp_path: Path, X: np.ndarray) -> None:
    samples = Gram(RBF(0.5), mapped(tmp_path, X)).X
    assert samples.dtype == np.dtype(float)
    np.testing.assert_array_equal(samples, np.ones((4, 2)))


def test_what_is_mapped_is_checked_as_all_samples_are(tmp_path: Path) -> None:
    with pytest.raises(NonFiniteError, match=r"X\[1, 0\] is nan"):
        Gram(RBF(0.5), mapped(tmp_path, np.array([[1.0], [np.nan]])))
    with pytest.raises(ShapeError, match="two dimensions"):
        Gram(RBF(0.5), mapped(tmp_path, np.ones(3)))


def test_rows_that_are_written_block_by_block() -> None:
    rows, X = MappedRows(), np.arange(12.0).reshape(4, 3)
    rows.append(X[:1])
    rows.append(X[1:])
    matrix = rows.matrix()
    assert is_mapped(matrix)
    np.testing.assert_array_equal(matrix, X)


X = np.random.default_rng(3).normal(size=(8, 2))
y = np.where(np.arange(8) % 2, 1, -1)
FRAME = pd.DataFrame({"age": X[:, 0], "city": list("abababab"), "size": X[:, 1]})


class Frame:
    """A table as polars has it: labels in a list, columns by label, an array of objects as a whole."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns, self._columns = list(columns), columns

    def __getitem__(self, label: str) -> Any:
        return self._columns[label]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        del copy
        return np.array(list(zip(*self._columns.values(), strict=True)), dtype=dtype or object)


TABLES: dict[str, tuple[Any, str]] = {
    "text": (FRAME, "its column 'city' holds text; encode it as numbers"),
    "text alone": (FRAME[["city"]], "its column 'city' holds text"),
    "categories": (FRAME.astype({"city": "category"}), "its column 'city' holds text"),
    "strings": (FRAME.astype({"city": "string"}), "its column 'city' holds text"),
    "dates": (FRAME.assign(city=pd.date_range("2020", periods=8)), "its column 'city' holds datetime64"),
    "numbered columns": (pd.DataFrame([[1.0, "x"]] * 8), "its column 1 holds text"),
    "mixed": (FRAME.assign(city=[1, "x"] * 4), "its column 'city' holds text"),
    "as polars": (Frame({"age": X[:, 0], "city": list("abababab")}), "its column 'city' holds text"),
}


@pytest.mark.parametrize("case", TABLES)
def test_the_column_that_holds_no_numbers_is_named(case: str) -> None:
    table, words = TABLES[case]
    function = SoftMargin(X, y).solve().function
    for entry in (lambda v: SoftMargin(v, y), lambda v: Gram(RBF(1.0), v), function):
        with pytest.raises(ShapeError, match=f"X must hold real numbers, but {words}"):
            entry(table)


@pytest.mark.parametrize("case", [case for case in TABLES if case != "as polars"])
def test_estimators_name_it_too(case: str) -> None:
    table, words = TABLES[case]
    with pytest.raises(ShapeError, match=words):
        SVC().fit(table, y)
    with pytest.raises(ShapeError, match=words):
        SVC().fit(FRAME[["age", "size"]], y).predict(table)


def test_tables_of_numbers_are_taken() -> None:
    frame = FRAME[["age", "size"]]
    for table in (frame, frame.astype(object), Frame({"a": X[:, 0], "b": X[:, 1]})):
        np.testing.assert_array_equal(SoftMargin(table, y).gram.X, X)
    doubled = pd.concat([frame, frame], axis=1)
    assert SoftMargin(doubled, y).gram.X.shape == (8, 4)
    assert SVC().fit(frame, y).score(frame, y) > 0.5


def test_text_is_quoted() -> None:
    for text in (["1.5"], np.array(["1.5"]), np.array(["1.5"], dtype=object), [["1.5"]], "1.5", np.array([b"1.5"])):
        with pytest.raises(ShapeError, match=r"C must hold real numbers, but text came, such as b?'1\.5'; convert it"):
            float_array(text, "C")
