# SPDX-License-Identifier: BSD-3-Clause
"""The global alignment kernel against the list of all alignments, and against the inner products that it is."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_samples import SHORT_SERIES, by_pairs
from qpkernels import GlobalAlignment
from qpkernels.errors import ParameterError
from together import together

Pair = tuple[int, int]


def alignments(m: int, n: int) -> list[list[Pair]]:
    """All alignments of m elements with n."""
    if m == 0 or n == 0:
        return [[]] if m == n == 0 else []
    before = alignments(m - 1, n) + alignments(m, n - 1) + alignments(m - 1, n - 1)
    return [[*each, (m - 1, n - 1)] for each in before if each or m == n == 1]


def by_alignments(x: Any, z: Any, gamma: float, band: int | None) -> float:
    """The definition."""

    def weight(i: int, j: int) -> float:
        g = np.exp(-gamma * np.sum((np.atleast_1d(x[i]) - np.atleast_1d(z[j])) ** 2))
        g *= max(0.0, 1.0 - abs(i - j) / band) if band else 1.0
        return float(g / (2.0 - g))

    return sum(float(np.prod([weight(*pair) for pair in each])) for each in alignments(len(x), len(z)))


def repeated(x: list[float], n: int) -> list[list[float]]:
    """All series of n elements that are those of x in their order, each at least once."""
    counts = [each for each in product(range(1, n + 1), repeat=len(x)) if sum(each) == n]
    return [[value for value, times in zip(x, each, strict=True) for _ in range(times)] for each in counts]


@given(X=SHORT_SERIES, gamma=st.floats(0.01, 5.0), band=st.none() | st.integers(1, 5))
def test_it_is_the_sum_over_all_alignments(X: Any, gamma: float, band: int | None) -> None:
    expected = [[by_alignments(x, z, gamma, band) for z in X] for x in X]
    np.testing.assert_allclose(GlobalAlignment(gamma, band, normalise=False)(X), expected, rtol=1e-11)


def test_it_is_the_inner_product_of_all_repetitions() -> None:
    x, z = [0.3, 1.0], [0.1, 0.8, 1.3]
    total = sum(
        np.prod([0.5 * np.exp(-0.7 * (a - b) ** 2) for a, b in zip(left, right, strict=True)])
        for n in range(1, 40)
        for left in (repeated(x, n) if n < 12 else [])
        for right in repeated(z, n)
    )
    exact = GlobalAlignment(0.7, normalise=False)([x], [z])[0, 0]
    # What is left out has 12 elements and more, each of which weighs half at most.
    assert total < exact < total + sum(0.5**n * (n - 1) * (n - 1) * (n - 2) / 2 for n in range(12, 60))


def test_the_gaussian_itself_makes_no_kernel_of_all_alignments() -> None:
    """The weight of a pair must be tau / (1 - tau) for a kernel tau."""
    X = [[2.74, 3.09], [-0.13], [-1.45], [-0.24, -0.02], [0.67], [-0.55, -0.89], [1.36], [0.15, 0.4]]

    def by_gaussians(x: list[float], z: list[float]) -> float:
        return sum(np.exp(-0.0958 * sum((x[i] - z[j]) ** 2 for i, j in each)) for each in alignments(len(x), len(z)))

    K = by_pairs(by_gaussians, X, X)
    assert np.linalg.eigvalsh(K / np.sqrt(np.outer(K.diagonal(), K.diagonal())))[0] < -3e-4
    assert np.linalg.eigvalsh(GlobalAlignment(0.0958)(X))[0] > 0.0


@together("bad, words", [({"gamma": 0.0}, "gamma must be"), ({"band": 0}, "band must be")])
def test_parameters_outside_their_ranges_are_refused(bad: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        GlobalAlignment(**{"gamma": 1.0, **bad})
