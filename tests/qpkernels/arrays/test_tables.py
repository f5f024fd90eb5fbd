# SPDX-License-Identifier: BSD-3-Clause
"""Tables with columns of something else than numbers, and text in place of numbers."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from formulations import SoftMargin
from formulations.estimators import SVC
from qpkernels import RBF, Gram
from qpkernels.arrays import float_array
from qpkernels.errors import ShapeError

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
