# SPDX-License-Identifier: BSD-3-Clause
"""The elastic edit kernel against the list of all edits, and against the inner products that it is."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel_samples import SHORT_SERIES
from qpkernels import ElasticEdit
from qpkernels.errors import ParameterError
from together import together


def cost(x: Any, z: Any) -> float:
    return float(np.sum((np.asarray(x) - np.asarray(z)) ** 2))


def by_edits(x: list[Any], z: list[Any], gamma: float, gap: float) -> float:
    """The definition: the sum over all lists of edits, made one after the other from the end."""
    if not x and not z:
        return 1.0
    total = np.exp(-gamma * cost(x[-1], z[-1])) * by_edits(x[:-1], z[:-1], gamma, gap) if x and z else 0.0
    total += np.exp(-gamma * cost(x[-1], gap)) * by_edits(x[:-1], z, gamma, gap) if x else 0.0
    return float(total + (np.exp(-gamma * cost(z[-1], gap)) * by_edits(x, z[:-1], gamma, gap) if z else 0.0))


def by_cuts(x: list[float], z: list[float], gamma: float, gap: float) -> float:
    """The proof that it is an inner product: the sum over all cuts of both series at equally many elements."""
    total = 0.0
    for n in range(min(len(x), len(z)) + 1):
        for left in combinations(range(len(x)), n):
            for right in combinations(range(len(z)), n):
                weight = np.exp(-gamma * sum(cost(x[i], z[j]) for i, j in zip(left, right, strict=True)))
                for series, chosen in ((x, left), (z, right)):
                    weight *= np.exp(-gamma * sum(cost(each, gap) for k, each in enumerate(series) if k not in chosen))
                stretches = [np.diff([-1, *chosen, len(series)]) - 1 for series, chosen in ((x, left), (z, right))]
                total += weight * np.prod([comb(p + q, p) for p, q in zip(*stretches, strict=True)])
    return float(total)


@given(X=SHORT_SERIES, gamma=st.floats(0.01, 5.0), gap=st.floats(-2.0, 2.0))
def test_it_is_the_sum_over_all_edits(X: Any, gamma: float, gap: float) -> None:
    expected = [[by_edits(list(x), list(z), gamma, gap) for z in X] for x in X]
    np.testing.assert_allclose(ElasticEdit(gamma, gap, normalise=False)(X), expected, rtol=1e-11)


def test_it_is_the_sum_over_all_cuts() -> None:
    x, z = [0.3, -1.0, 0.7, 1.2], [0.1, 0.8, -0.4]
    expected = by_cuts(x, z, 0.7, 0.2)
    assert ElasticEdit(0.7, 0.2, normalise=False)([x], [z])[0, 0] == pytest.approx(expected, rel=1e-13)


@together("bad, words", [({"gamma": -1.0}, "gamma must be"), ({"gap": np.inf}, "gap must be a fin")])
def test_parameters_outside_their_ranges_are_refused(bad: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ElasticEdit(**{"gamma": 1.0, **bad})
