# SPDX-License-Identifier: BSD-3-Clause
"""The Matern kernel against scikit-learn, in closed form, and at its limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.gaussian_process.kernels import Matern as MaternOracle

from kernel_samples import X, Z, by_pairs
from qpkernels import RBF, Gram, Laplacian, Linear, Matern
from qpkernels.errors import NonFiniteError, ParameterError
from sparse_samples import with_zeros
from together import together


def test_a_distance_beyond_float64_gives_the_value_0() -> None:
    for kernel in (Laplacian(1e300), Matern(1e-300), Matern(1e-300, 0.7), Matern(1e-300, 40.0)):
        np.testing.assert_array_equal(kernel([[0.0], [1e10]]), np.eye(2))


@together("nu", [0.5, 1.5, 2.5, np.inf, 0.1, 0.7, 1.0, 2.0, 3.0, 3.3, 4.0, 7.9, 25.2])
@together("length_scale", [0.4, 3.0])
def test_matern_against_scikit_learn(nu: float, length_scale: float) -> None:
    expected = MaternOracle(length_scale, nu=nu)(X, Z)
    np.testing.assert_allclose(Matern(length_scale, nu)(X, Z), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("p", [0, 1, 2, 3, 4, 10, 30])
def test_matern_of_half_integers_against_the_closed_form(p: int) -> None:
    """exp(-x) p! / (2p)! sum_i (p+i)! / (i! (p-i)!) (2x)^(p-i), in exact integers but for x."""

    def formula(x: Any, z: Any) -> float:
        scaled = math.sqrt(2 * p + 1) * math.dist(x, z) / 0.8
        ratios = [
            math.factorial(p + i) * math.factorial(p) // (math.factorial(i) * math.factorial(p - i))
            for i in range(p + 1)
        ]
        terms = [ratio / math.factorial(2 * p) * (2 * scaled) ** (p - i) for i, ratio in enumerate(ratios)]
        return math.exp(-scaled) * sum(terms)

    np.testing.assert_allclose(Matern(0.8, p + 0.5)(X, Z), by_pairs(formula, X, Z), rtol=1e-12)
    np.testing.assert_allclose(Matern(0.8, p + 0.5 + 1e-9)(X, Z), by_pairs(formula, X, Z), rtol=1e-6)


def test_matern_tends_to_the_gaussian() -> None:
    errors = [np.abs(Matern(1.3, nu)(X, Z) - RBF.from_sigma(1.3)(X, Z)).max() for nu in (10.0, 100.0, 1000.0)]
    assert 1e-3 < errors[0] < 0.1
    # The difference falls like 1 / nu.
    assert errors[1] == pytest.approx(errors[0] / 10, rel=0.2)
    assert errors[2] == pytest.approx(errors[1] / 10, rel=0.05)
    np.testing.assert_array_equal(Matern(1.3, math.inf)(X, Z), RBF.from_sigma(1.3)(X, Z))


@pytest.mark.parametrize("nu", [0.3, 0.5, 1.0, 2.0, 2.9, 3.0, 60.0, 1000.0])
def test_matern_falls_from_1_without_breaks(nu: float) -> None:
    distances = np.concatenate([[0.0], np.logspace(-300, 3, 400)])[:, None]
    values = Matern(1.0, nu)(distances, [[0.0]])[:, 0]
    assert values[0] == 1.0
    assert values[-1] == pytest.approx(0.0, abs=1e-60)
    # Equal to rounding, or falling.
    assert np.diff(values).max() < 1e-13


def test_the_smoothness_of_a_matern_kernel_has_a_range() -> None:
    with pytest.raises(ParameterError, match=r"nu must be at most 1000, or math.inf .* Gaussian kernel, but 1001 came"):
        Matern(1.0, 1001)
    with pytest.raises(ParameterError, match="nu must be finite and above 0, but 0 came"):
        Matern(1.0, 0.0)
    with pytest.raises(ParameterError, match="between 1e-150 and 1e150"):
        Matern(1e200, math.inf)


@pytest.mark.usefixtures("either_product")
def test_a_matern_kernel_tells_close_samples_apart() -> None:
    X = with_zeros(15, d=6, seed=8)
    Z = X * (1.0 + 1e-7)
    distances = np.sqrt(((X - Z) ** 2).sum(axis=1))
    K = Matern(1e-7, 0.5)(csr_array(X), csr_array(Z))
    np.testing.assert_allclose(K.diagonal(), np.exp(-distances / 1e-7), rtol=1e-8)


def test_a_distance_of_sparse_samples_beyond_float64_gives_the_value_0() -> None:
    X = csr_array(np.array([[0.0, 1e200], [1e200, 0.0], [0.0, 0.0]]))
    for kernel in (RBF(1.0), Matern(1.0), Matern(1e-300, 0.7)):
        np.testing.assert_array_equal(kernel(X), np.eye(3))
    with pytest.raises(NonFiniteError, match="scale the features"):
        Gram(Linear(), X)
