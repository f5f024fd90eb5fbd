# SPDX-License-Identifier: BSD-3-Clause
"""Tables as structured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from qpkernels.arrays.structured import as_table
from qpkernels.errors import ShapeError


class Polars:
    """What the data frames of polars have of those of pandas."""

    def __init__(self, columns: dict[str, list[Any]]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, name: str) -> np.ndarray:
        values = self._columns[name]
        return np.array(values, dtype=object if isinstance(values[0], str) else None)


COLUMNS = {"age": [1, 2], "size": [0.5, np.nan], "sex": ["f", "m"], "gone": ["x", None]}


@pytest.mark.parametrize("frame", [pd.DataFrame(COLUMNS), Polars(COLUMNS)], ids=["pandas", "polars"])
def test_a_frame(frame: Any) -> None:
    table = as_table(frame)
    assert table is not None
    assert table.dtype == np.dtype([("age", "f8"), ("size", "f8"), ("sex", "U1")])
    assert table["age"].tolist() == [1.0, 2.0]
    assert table["sex"].tolist() == ["f", "m"]
    assert as_table(table) is table
    assert as_table(table[[1]]) is not None


def test_categories_truth_values_and_dates() -> None:
    frame = pd.DataFrame(
        {
            "city": pd.Categorical(["a", "b"]),
            "grade": pd.Categorical([3, 1]),
            "old": [True, False],
            "when": pd.date_range("2020", periods=2),
            "count": pd.array([1, 2], dtype="Int64"),
        }
    )
    table = as_table(frame)
    assert table is not None
    assert table.dtype.names == ("city", "grade", "old", "count")
    assert table["grade"].tolist() == [3.0, 1.0]


def test_rows_with_text() -> None:
    for rows in ([[1.5, "a"], [2, "bb"]], np.array([[1.5, "a"], [2, "bb"]], dtype=object)):
        table = as_table(rows)
        assert table is not None
        assert table.dtype == np.dtype([("0", "f8"), ("1", "U2")])
    structured = np.array([(1, "a"), (2, "b")], dtype=[("n", "i4"), ("t", "U1")])
    table = as_table(structured)
    assert table is not None
    assert table.dtype["n"] == np.float64


@pytest.mark.parametrize("X", [np.eye(3), [[1, 2]], csr_array(np.eye(2)), ["a", "b"], 3.0])
def test_what_is_no_table(X: Any) -> None:
    assert as_table(X) is None


def test_bad_tables() -> None:
    frame = pd.DataFrame({"a": [1.0]})
    with pytest.raises(ShapeError, match="'a' came more than once"):
        as_table(pd.concat([frame, frame], axis=1))
    with pytest.raises(ShapeError, match="it has none; convert"):
        as_table(pd.DataFrame({"when": pd.date_range("2020", periods=2)}))
