# SPDX-License-Identifier: BSD-3-Clause
"""The gap-weighted subsequence kernel by hand and against its definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import random_texts
from qpkernels import Spectrum, Subsequence
from qpkernels.errors import ParameterError

texts = st.lists(st.text("abcé日", min_size=1, max_size=9), min_size=1, max_size=6)


def subsequence(x: str, z: str, length: int, decay: float) -> float:
    """The definition: all places that spell the same word, weighted by the length they span."""
    return sum(
        decay ** (i[-1] - i[0] + 1 + j[-1] - j[0] + 1)
        for i in combinations(range(len(x)), length)
        for j in combinations(range(len(z)), length)
        if all(x[k] == z[m] for k, m in zip(i, j, strict=True))
    )


def test_subsequences_of_the_paper() -> None:
    """Lodhi et al., section 2: of cat and car only c-a is common; normalised, the value is 1 / (2 + decay^2)."""
    decay = 0.3
    K = Subsequence(2, decay)(["cat", "car", "bat", "bar"])
    assert K[0, 0] == pytest.approx(2 * decay**4 + decay**6, rel=1e-14)
    assert K[0, 1] == pytest.approx(decay**4, rel=1e-14)
    assert K[0, 2] == pytest.approx(decay**4, rel=1e-14)
    assert K[0, 3] == 0.0
    assert Subsequence(2, decay, normalise=True)(["cat"], ["car"])[0, 0] == pytest.approx(1 / (2 + decay**2), rel=1e-14)


@given(left=texts, right=texts, length=st.integers(1, 4), decay=st.floats(0.05, 1.0))
def test_subsequences_against_the_definition(left: list[str], right: list[str], length: int, decay: float) -> None:
    expected = [[subsequence(x, z, length, decay) for z in right] for x in left]
    np.testing.assert_allclose(Subsequence(length, decay)(left, right), expected, rtol=1e-12)
    symmetric = [[subsequence(x, z, length, decay) for z in left] for x in left]
    np.testing.assert_allclose(Subsequence(length, decay)(left), symmetric, rtol=1e-12)
    np.testing.assert_allclose(Subsequence(length, decay).diagonal(np.array(left)), np.diag(symmetric), rtol=1e-12)


def test_without_gaps_subsequences_are_substrings() -> None:
    X = random_texts(6, "abc", 3, 12)
    decay = 1e-9
    np.testing.assert_allclose(Subsequence(3, decay)(X) / decay**6, Spectrum(3)(X), atol=1e-7)
    np.testing.assert_allclose(Subsequence(1, 0.7)(X), 0.49 * Spectrum(1)(X), rtol=1e-14)


def test_normalisation_survives_weights_that_vanish() -> None:
    """0.001^(2 * 60) is 0 in float64, and cancels."""
    text = "ab" * 30
    np.testing.assert_allclose(Subsequence(60, 1e-3, normalise=True)([text, text]), 1.0, rtol=1e-13)
    assert Subsequence(60, 1e-3)([text])[0, 0] == 0.0


def test_the_decay_lies_between_0_and_1() -> None:
    with pytest.raises(ParameterError, match=r"decay must be at most 1, where gaps cost nothing, but 1\.5 came"):
        Subsequence(2, 1.5)
    for bad in (0.0, -0.5, np.nan, "x"):
        with pytest.raises(ParameterError, match="decay must be"):
            Subsequence(2, bad)
