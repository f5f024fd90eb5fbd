# SPDX-License-Identifier: BSD-3-Clause
"""The spectrum kernel by hand and against counting."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import random_texts
from qpkernels import Gram, Spectrum, Subsequence
from qpkernels.errors import NonFiniteError, ParameterError

texts = st.lists(st.text("abcé日", min_size=1, max_size=9), min_size=1, max_size=6)


def spectrum(x: str, z: str, p: int) -> int:
    return sum(x[i : i + p] == z[j : j + p] for i in range(len(x) - p + 1) for j in range(len(z) - p + 1))


def test_spectrum_by_hand() -> None:
    # aba: ab, ba; bab: ba, ab; aaaa: aa three times.
    np.testing.assert_array_equal(Spectrum(2)(["aba", "bab", "aaaa"]), [[2, 2, 0], [2, 2, 0], [0, 0, 9]])
    np.testing.assert_array_equal(Spectrum(1)(["aab"], ["ab", "ba", "c"]), [[3, 3, 0]])


@given(left=texts, right=texts, p=st.integers(1, 4))
def test_spectrum_against_counting(left: list[str], right: list[str], p: int) -> None:
    expected = [[spectrum(x, z, p) for z in right] for x in left]
    np.testing.assert_array_equal(Spectrum(p)(left, right), expected)
    np.testing.assert_array_equal(Spectrum(p)(left), [[spectrum(x, z, p) for z in left] for x in left])


@pytest.mark.parametrize("alphabet", ["ab", "acgt", "abcdefghijklmnopqrstuvwxyz"])
@pytest.mark.parametrize("p", [1, 4, 12, 40])
def test_long_words_over_any_alphabet(alphabet: str, p: int) -> None:
    """26^40 leaves int64, and few letters make the counts dense: every way of counting is taken."""
    X = random_texts(8, alphabet, 30, 80, seed=3)
    X += [text[3:] + text[:3] for text in X]
    expected = [[spectrum(x, z, p) for z in X] for x in X]
    np.testing.assert_array_equal(Spectrum(p)(X), expected)
    np.testing.assert_array_equal(Spectrum(p)(X[:3], X), expected[:3])


def test_long_words_are_told_apart_by_their_first_letter() -> None:
    """Four symbols, the end of a text among them: numbers in base 4 lose their first digits after 32 of them."""
    rest = random_texts(1, "abc", 39, 39)[0]
    np.testing.assert_array_equal(Spectrum(40)(["a" + rest, "b" + rest, "c" + rest, rest]), np.diag([1, 1, 1, 0]))


def test_counts_beyond_float64_are_refused() -> None:
    """530 over 265 is about 1e158, and squared beyond float64."""
    for normalise in (False, True):
        with pytest.raises(NonFiniteError, match="choose other parameters"):
            _ = Gram(Subsequence(265, 1.0, normalise), ["a" * 530]).dense


@pytest.mark.parametrize("bad", [0, -1, 2.0, "3", None, True])
def test_the_length_of_a_word_is_an_integer_of_at_least_1(bad: Any) -> None:
    with pytest.raises(ParameterError, match="p must be an integer of at least 1"):
        Spectrum(bad)
    with pytest.raises(ParameterError, match="length must be an integer of at least 1"):
        Subsequence(bad, 0.5)
