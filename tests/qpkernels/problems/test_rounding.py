# SPDX-License-Identifier: BSD-3-Clause
"""The rounding that certificates count is above the true one, found in rational arithmetic, and not far above."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from qpkernels import Gram, Linear, Precomputed
from qpkernels.problems.rounding import EPS, expansion_error, expansion_vanishes, sum_error, together


def exact(matrix: np.ndarray, vector: np.ndarray) -> list[Fraction]:
    """Return the product of float64 numbers without rounding."""
    return [sum((Fraction(a) * Fraction(b) for a, b in zip(row, vector, strict=True)), Fraction(0)) for row in matrix]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("units", [(1.0, 1.0), (1e-6, 1e6)], ids=str)
def test_the_bounds_hold_for_features_and_matrices(seed: int, units: tuple[float, float]) -> None:
    rng = np.random.default_rng(seed)
    X, beta = rng.normal(size=(40, 2)) * units, rng.normal(size=40) * 10.0 ** rng.integers(0, 8, 40)
    for gram in (Gram(Linear(), X), Gram(Precomputed(X @ X.T), np.arange(40))):
        K = np.asarray(gram.dense) if gram.features is None else None
        truth = exact(X, np.zeros(2)) if K is None else exact(K, beta)
        if K is None:
            weights = exact(X.T, beta)
            truth = [sum(Fraction(x) * w for x, w in zip(row, weights, strict=True)) for row in X]
        values = gram.product(beta)
        error = expansion_error(gram, beta, values, balanced=False)
        half = sum((Fraction(b) * v for b, v in zip(beta, truth, strict=True)), Fraction(0)) / 2
        assert abs(Fraction(0.5 * float(beta @ values)) - half) <= Fraction(error.half_norm)
        if K is not None:
            assert all(abs(Fraction(v) - t) <= Fraction(e) for v, t, e in zip(values, truth, error.values, strict=True))


def test_sums_of_terms_and_of_errors() -> None:
    assert sum_error(np.array([3.0, -4.0])) == pytest.approx(2**0.5 * EPS * 7.0)
    assert together(np.array([3.0, -4.0])) == pytest.approx(5.0)


def test_no_feature_vanishes_beside_another() -> None:
    gram = Gram(Linear(), np.array([[1e-9, 1e9], [1e-9, -1e9], [2e-9, 0.0]]))
    assert not expansion_vanishes(gram, np.array([0.5, 0.5, 0.0]), balanced=False)
    assert expansion_vanishes(gram, np.array([0.5, 0.5, -0.5]), balanced=False)
    assert expansion_vanishes(gram, np.zeros(3), balanced=False)
