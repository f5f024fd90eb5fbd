# SPDX-License-Identifier: BSD-3-Clause
"""Range files of svm-scale: read as it means them, written as it reads them, and refused where they are none."""

import re
from pathlib import Path

import numpy as np
import pytest

from qpkernels.datasets import Scaling
from qpkernels.errors import DataFormatError, FileFormatError, UnsupportedProgramError
from qpkernels.files import read_libsvm_range, write_libsvm_range

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
