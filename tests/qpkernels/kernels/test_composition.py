# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of functions of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from builders import Tilt
from kernel_samples import X, Z
from qpkernels import RBF, Kernel, Linear, Matern, Polynomial, QuadraticMap, RankOne, ScaledQuadraticMap
from qpkernels.arrays import finite_samples
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels import Composed
from qpkernels.kernels.kernel import SampleFunction
from sparse_samples import assert_close, with_zeros

k1, k2 = RBF(0.4), Polynomial(2, 0.5, 1.0)


def test_rank_one_is_the_product_of_values() -> None:
    kernel = RankOne(Tilt(0.7))
    values, others = 1 + 0.7 * X[:, 0], 1 + 0.7 * Z[:, 0]
    np.testing.assert_allclose(kernel(X, Z), np.outer(values, others), rtol=1e-14)
    np.testing.assert_allclose((kernel * k1)(X, Z), values[:, None] * k1(X, Z) * others, rtol=1e-13)
    assert np.linalg.matrix_rank(kernel(X)) == 1
    np.testing.assert_allclose(RankOne(lambda _: 3.0)(X, Z), 9.0, rtol=1e-15)


@pytest.mark.parametrize("base", [Linear(), RBF(0.3), Polynomial(2, 0.5, -1.0), Matern()], ids=repr)
def test_composed_is_the_kernel_at_the_images(base: Kernel) -> None:
    kernel = base.compose(np.tanh)
    assert type(kernel) is Composed
    np.testing.assert_allclose(kernel(X, Z), base(np.tanh(X), np.tanh(Z)), rtol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), base(np.tanh(X)).diagonal(), rtol=1e-13)
    assert kernel.positive_semidefinite == base.positive_semidefinite


def test_maps_compose_from_the_inside() -> None:
    kernel = Linear().compose(np.tanh).compose(np.exp)
    np.testing.assert_allclose(kernel(X, Z), np.tanh(np.exp(X)) @ np.tanh(np.exp(Z)).T, rtol=1e-13)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ParameterError, match="phi must be a function of samples, but 3 came"):
        Linear().compose(3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="f must be a function of samples, but 'x' came"):
        RankOne("x")  # type: ignore[arg-type]


def test_what_a_function_returns_is_checked() -> None:
    with pytest.raises(ShapeError, match=r"phi must return one row for each sample, but of 9 samples .* made 3"):
        Linear().compose(np.transpose)(X)
    with pytest.raises(NonFiniteError, match=r"Linear\(\) does not take what .* returned: X must hold finite"):
        Linear().compose(lambda X: X * np.nan)(X)
    with pytest.raises(ShapeError, match=r"does not take what .* returned: X must have two dimensions"):
        Linear().compose(lambda X: X[:, 0])(X)
    with pytest.raises(ShapeError, match=r"f\(X\) must have one dimension"):
        RankOne(lambda X: X)(X)
    with pytest.raises(ShapeError, match=r"f\(X\) must have 9 entries"):
        RankOne(lambda X: X[0])(X)
    with pytest.raises(NonFiniteError, match=r"f\(X\)\[0\] is inf"):
        RankOne(lambda X: np.full(len(X), np.inf))(X)


class Halved(SampleFunction):
    """A map from sparse samples to sparse ones."""

    def samples(self, X: Any) -> Any:
        return finite_samples(X, "X")

    def __call__(self, X: Any) -> Any:
        return 0.5 * X


def test_a_map_may_take_and_return_sparse_samples() -> None:
    X = with_zeros(6)
    assert_close(RBF(0.3).compose(Halved())(csr_array(X)), RBF(0.3)(0.5 * X))
    sparse_images = RBF(0.3).compose(lambda samples: csr_array(samples))
    assert_close(sparse_images(X), RBF(0.3)(X))


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
