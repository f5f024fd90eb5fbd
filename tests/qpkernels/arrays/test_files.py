# SPDX-License-Identifier: BSD-3-Clause
"""What all readers of text share: compressed files and the spelling of numbers."""

from pathlib import Path

import numpy as np
import pytest

from data_files import COMPRESSIONS, assert_place, written
from qpkernels.arrays.files import read_number
from qpkernels.errors import DataFormatError
from qpkernels.files import load_dataset
from together import together


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("stem", ["data", "data.csv"])
def test_broken_compression(tmp_path: Path, stem: str, suffix: str) -> None:
    text = b"1,2\n" if stem.endswith(".csv") else b"1 1:2\n"
    whole = COMPRESSIONS[suffix](text * 50)
    for content in (whole[:-6], text):
        path = written(tmp_path / f"{stem}{suffix}", content)
        with pytest.raises(DataFormatError, match=f"expected a complete {suffix} file") as caught:
            load_dataset(path)
        assert_place(caught.value, path, 1, 1)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1.0), ("+.5", 0.5), ("-1.", -1.0), ("1E3", 1000.0), ("-Infinity", -np.inf), ("1e999", np.inf)],
)
def test_numbers(text: str, number: float) -> None:
    assert read_number(text) == number


@together("text", ["", " 1", "1\x1c", "1_0", "١", "0x1", "1e", ".", "1,5", "None"])
def test_what_is_no_number(text: str) -> None:
    assert read_number(text) is None
