# SPDX-License-Identifier: BSD-3-Clause
"""The maps of quadratic discriminants."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qpkernels import Linear, Polynomial, QuadraticMap, ScaledQuadraticMap
from qpkernels.errors import NonFiniteError, ShapeError


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 6))
def test_the_scaled_quadratic_map_is_that_of_the_squared_inner_product(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(5, d)), rng.normal(size=(4, d))
    phi = ScaledQuadraticMap()
    assert phi(X).shape == (5, d * (d + 1) // 2)
    np.testing.assert_allclose(phi(X) @ phi(Z).T, Polynomial(2)(X, Z), rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(Linear().compose(phi)(X, Z), (X @ Z.T) ** 2, rtol=1e-11, atol=1e-12)


def test_quadratic_maps_by_hand() -> None:
    np.testing.assert_array_equal(QuadraticMap()([[2.0, 3.0, 5.0]]), [[2, 3, 5, 4, 6, 10, 9, 15, 25]])
    np.testing.assert_allclose(ScaledQuadraticMap()([[2.0, 3.0]]), [[4, 6 * math.sqrt(2), 9]], rtol=1e-15)
    with pytest.raises(ShapeError, match="reshape"):
        QuadraticMap()([1.0, 2.0])
    with pytest.raises(NonFiniteError, match=r"X\[0, 1\]"):
        ScaledQuadraticMap()([[1.0, np.nan]])
