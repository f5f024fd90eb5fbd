# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of kernels."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import Tilt
from kernel_samples import X, Z
from qpkernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial, QuadraticMap, RankOne, ScaledQuadraticMap
from qpkernels.errors import NonFiniteError, ParameterError
from qpkernels.kernels import Exponential, PolynomialOf, Power, Product, Scaled, Sum
from qpkernels.kernels.spec import kernel_from_spec, kernel_to_spec
from together import together

k1, k2 = RBF(0.4), Polynomial(2, 0.5, 1.0)


@together(
    "kernel, kind, formula",
    [
        (k1 + k2, Sum, lambda a, b: a + b),
        (k1 * k2, Product, lambda a, b: a * b),
        (3 * k1, Scaled, lambda a, _: 3 * a),
        (k1 * 3, Scaled, lambda a, _: 3 * a),
        (np.float64(3) * k1, Scaled, lambda a, _: 3 * a),
        (k2**3, Power, lambda _, b: b**3),
        (k2 ** np.int64(2), Power, lambda _, b: b**2),
        (k1.exp(), Exponential, lambda a, _: np.exp(a)),
        (k2.polynomial([0.5, 0.0, 3.0]), PolynomialOf, lambda _, b: 0.5 + 3.0 * b**2),
        (k1.polynomial((0, 1)), PolynomialOf, lambda a, _: a),
        (k1.polynomial([2]), PolynomialOf, lambda a, _: 2.0 + 0.0 * a),
        (k2.polynomial([1, 2, 3, 4]), PolynomialOf, lambda _, b: 1 + 2 * b + 3 * b**2 + 4 * b**3),
        (2 * (k1 + k2) * k1 + k2.exp(), Sum, lambda a, b: 2 * (a + b) * a + np.exp(b)),
    ],
)
def test_algebra_works_entry_by_entry(kernel: Kernel, kind: type[Kernel], formula: Callable[..., Any]) -> None:
    assert type(kernel) is kind
    np.testing.assert_allclose(kernel(X, Z), formula(k1(X, Z), k2(X, Z)), rtol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), formula(k1.diagonal(X), k2.diagonal(X)), rtol=1e-14)


def test_algebra_passes_on_what_is_not_known_to_be_positive_semidefinite() -> None:
    doubtful = Polynomial(3, 1.0, -1.0)
    assert not doubtful.positive_semidefinite
    assert Polynomial(3, 1.0, 0.0).positive_semidefinite
    for kernel in (doubtful + k1, k1 + doubtful, k1 * doubtful, 2 * doubtful, doubtful**2, doubtful.exp()):
        assert not kernel.positive_semidefinite
    for kernel in (doubtful.polynomial([1.0, 1.0]), doubtful.compose(QuadraticMap())):
        assert not kernel.positive_semidefinite
    assert ((k1 + k2) * Linear() ** 2).exp().positive_semidefinite


PARTS = st.recursive(
    st.one_of(
        st.just(Linear()),
        st.floats(0.01, 3.0).map(RBF),
        st.floats(0.2, 3.0).map(RBF.from_sigma),
        st.lists(st.floats(0.1, 2.0), min_size=3, max_size=3).map(RBF.from_theta),
        st.builds(Polynomial, st.integers(1, 3), st.floats(0.1, 1.0), st.floats(0.0, 2.0)),
        st.floats(0.1, 2.0).map(Laplacian),
        st.builds(Matern, st.floats(0.5, 3.0), st.floats(0.3, 8.0)),
        st.sampled_from([Linear(), RBF(0.3)]).map(lambda kernel: kernel.compose(QuadraticMap())),
    ),
    lambda inner: st.one_of(
        st.builds(Sum, inner, inner),
        st.builds(Product, inner, inner),
        st.builds(Scaled, inner, st.floats(0.01, 10.0)),
        st.builds(Power, inner, st.integers(1, 2)),
        inner.map(lambda kernel: (0.1 * kernel).exp()),
        inner.map(lambda kernel: kernel.polynomial([0.5, 0.0, 0.25])),
        inner.map(lambda kernel: RankOne(Tilt(0.5)) * kernel),
    ),
    max_leaves=4,
)


@given(kernel=PARTS, seed=st.integers(0, 2**32 - 1))
def test_any_composition_keeps_the_contract(kernel: Kernel, seed: int) -> None:
    X = 0.5 * np.random.default_rng(seed).uniform(-1, 1, size=(10, 3))
    K = kernel(X)
    assert kernel.positive_semidefinite
    np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), K.diagonal(), rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.abs(K).max()
    arrays: list[Any] = []
    assert kernel_from_spec(json.loads(json.dumps(kernel_to_spec(kernel, arrays))), arrays) == kernel


def _two(X: Any) -> Any:
    return X[:, :2]


@pytest.mark.parametrize(
    ("kernel", "columns"),
    [
        (2.5 * Linear(), 3),
        (Linear() + Linear().compose(ScaledQuadraticMap()), 9),
        (RankOne(Tilt(0.5)) * Linear(), 3),
        (3.0 * Linear() * RankOne(Tilt(0.5)) + RankOne(Tilt(2.0)), 4),
        (Linear().compose(QuadraticMap()), 9),
    ],
    ids=repr,
)
def test_features_are_passed_on(kernel: Kernel, columns: int) -> None:
    phi, psi = kernel.features(X), kernel.features(Z)
    assert phi is not None
    assert psi is not None
    assert phi.shape == (9, columns)
    np.testing.assert_allclose(phi @ psi.T, kernel.matrix(X, Z), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    "kernel",
    [
        Linear() + RBF(1.0),
        RBF(1.0) + Linear(),
        Linear().compose(_two) * Linear().compose(_two),
        2 * RBF(1.0),
        RBF(1.0).compose(np.tanh),
    ],
)
def test_features_are_not_invented(kernel: Kernel) -> None:
    assert kernel.features(X) is None


def test_repr_reads_like_the_rule() -> None:
    kernel = 2 * RBF(1.0) + Linear().compose(QuadraticMap()).polynomial([0, 1.5])
    assert repr(kernel) == (
        "Sum(left=Scaled(base=RBF(gamma=1.0), factor=2.0), right=PolynomialOf("
        "base=Composed(base=Linear(), phi=QuadraticMap()), coefficients=(0.0, 1.5)))"
    )


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([1.0, 0.0, -2.0], r"at least 0, but that of k\^2 is -2"),
        ([-1.0], r"that of k\^0 is -1"),
        ([0.0, 0.0], r"needs a coefficient above 0, but \[0.0, 0.0\] came"),
        ([], "needs a coefficient above 0"),
    ],
)
def test_the_coefficients_of_a_polynomial_of_a_kernel_are_not_negative(bad: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Linear().polynomial(bad)
    with pytest.raises(NonFiniteError, match="coefficients of a polynomial"):
        Linear().polynomial([1.0, np.nan])


@pytest.mark.parametrize("bad", [0.0, -2.0, np.nan, np.inf])
def test_a_factor_must_be_above_zero(bad: float) -> None:
    with pytest.raises(ParameterError, match="factor"):
        bad * Linear()
    with pytest.raises(ParameterError, match="factor"):
        Linear() * bad
