# SPDX-License-Identifier: BSD-3-Clause
"""The kernel of categories."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from qpkernels import Matching
from qpkernels.errors import QPKernelsError

NUMBERS = np.random.default_rng(0).integers(0, 3, (12, 4))
TEXTS = np.array(["red", "green", "blue"])[NUMBERS]


def test_it_is_one_less_the_hamming_distance() -> None:
    expected = 1.0 - cdist(NUMBERS[:7], NUMBERS[7:], "hamming")
    for X in (NUMBERS, TEXTS, TEXTS.astype(object), TEXTS.tolist()):
        np.testing.assert_allclose(Matching()(X[:7], X[7:]), expected, rtol=1e-15)


def test_a_list_of_text_is_one_feature_and_kinds_may_mix() -> None:
    np.testing.assert_array_equal(Matching()(["a", "b"], ["b"]), [[0.0], [1.0]])
    mixed = np.array([["a", 1], ["a", 2]], dtype=object)
    np.testing.assert_array_equal(Matching()(mixed), [[1.0, 0.5], [0.5, 1.0]])


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ([["a", None]], "holds None"),
        (np.array([["a", np.nan]], dtype=object), "holds nan"),
        (np.array([["a", ()]], dtype=object), r"holds \(\)"),
        ([[1.0, np.nan]], "is nan"),
        (np.array([[["a"]]]), r"its shape is \(1, 1, 1\)"),
        ([1.0, 2.0], "two dimensions"),
    ],
)
def test_what_is_no_category(X: Any, words: str) -> None:
    with pytest.raises(QPKernelsError, match=words):
        Matching()(X)


def test_text_is_not_compared_with_numbers() -> None:
    with pytest.raises(QPKernelsError, match="one is text and the other numbers"):
        Matching()([["1"]], [[1.0]])
