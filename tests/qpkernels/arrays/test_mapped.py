# SPDX-License-Identifier: BSD-3-Clause
"""Samples in files that are mapped to memory: read where they are, or copied once where they are of another type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qpkernels import RBF, Gram
from qpkernels.arrays.mapped import MappedRows, is_mapped
from qpkernels.errors import NonFiniteError, ShapeError


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
