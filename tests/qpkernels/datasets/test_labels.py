# SPDX-License-Identifier: BSD-3-Clause
"""One class against the rest."""

import numpy as np
import pytest

from qpkernels.datasets import one_versus_rest
from qpkernels.errors import LabelError, NonFiniteError, ShapeError


@pytest.mark.parametrize(
    ("y", "positive", "expected"),
    [
        ([0, 1, 2, 1], 1, [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1", [-1, 1, -1, 1]),
        ([0, 1, 2, 1], "1.0", [-1, 1, -1, 1]),
        ([-1.0, 1.0], " +1 ", [-1, 1]),
        ([0.5, 1.5], 0.5, [1, -1]),
        ([True, False], 1, [1, -1]),
        ([True, False], True, [1, -1]),
        (np.array([0.1, 0.2], dtype=np.float32), np.float32(0.1), [1, -1]),
        (["a", "b"], "b", [-1, 1]),
        (["1", "01"], "01", [-1, 1]),
        (["1", "2"], 2, [-1, 1]),
        (np.array(["a", "b"], dtype=object), "a", [1, -1]),
    ],
)
def test_one_versus_rest(y: list[object], positive: str | float, expected: list[int]) -> None:
    labels = one_versus_rest(np.asarray(y), positive)
    assert labels.dtype == np.float64
    np.testing.assert_array_equal(labels, expected)


@pytest.mark.parametrize(
    ("y", "positive", "message"),
    [
        ([0, 1, 2], 3, "one of the classes 0, 1, 2, but 3 came"),
        ([0.5, 1.0], "cat", "one of the classes 0.5, 1, but 'cat' came"),
        ([0, 1], "nan", "one of the classes 0, 1, but 'nan' came"),
        (["a", "b"], "A", "one of the classes 'a', 'b', but 'A' came"),
        (["1", "2"], "1.0", "one of the classes '1', '2', but '1.0' came"),
        (range(30), 99, r"18, 19, ... \(30 in all\), but 99 came"),
        ([], 1, "of y, which is empty, but 1 came"),
    ],
)
def test_one_versus_rest_unknown_class(y: object, positive: str | float, message: str) -> None:
    with pytest.raises(LabelError, match=message):
        one_versus_rest(np.asarray(y), positive)


def test_one_versus_rest_refusals() -> None:
    with pytest.raises(ShapeError, match="y must have one dimension"):
        one_versus_rest(np.ones((2, 1)), 1)
    with pytest.raises(NonFiniteError):
        one_versus_rest(np.array([1.0, np.nan]), 1)
