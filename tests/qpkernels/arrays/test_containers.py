# SPDX-License-Identifier: BSD-3-Clause
"""Tables as structured arrays, and the names of their columns."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from formulations.commands.samples import check_unique_names
from qpkernels.arrays import check_feature_names
from qpkernels.arrays.containers import as_table, first_twice
from qpkernels.errors import FeatureNamesError, ShapeError


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


_COLUMNS = 2000


class Counted(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return str(self) == str(other)

    __hash__ = str.__hash__


def _names(begin: int = 0) -> tuple[str, ...]:
    """Return names, of which each is an object of its own: equal ones are no longer the same."""
    return tuple(Counted(f"c{k}") for k in range(begin, begin + _COLUMNS))


class _Table(SimpleNamespace):
    """A table of which only the names of its columns are asked for."""

    def __getitem__(self, name: str) -> list[float]:
        return [0.0]


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_unique_names("set", _names()),
        lambda: check_unique_names("set", (*_names(), "c5")),
        lambda: check_feature_names(SimpleNamespace(columns=_names()), _names(1)),
        lambda: check_feature_names(SimpleNamespace(columns=_names()), _names(1), frozenset(_names(1))),
        lambda: as_table(_Table(columns=(*_names(), Counted("c5")))),
    ],
)
def test_names_are_compared_as_often_as_there_are_columns(check: Callable[[], object]) -> None:
    Counted.times = 0
    with suppress(ValueError):
        check()
    assert Counted.times < 10 * _COLUMNS


def test_the_first_name_that_comes_twice() -> None:
    assert first_twice(["a", "b", "c", "b", "a"]) == "b"
    assert first_twice(["a", "b"]) is None
    with pytest.raises(FeatureNamesError, match="the column 'b' of set occurs twice"):
        check_unique_names("set", ("a", "b", "b"))
