# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: one contract for all of them, then each against its formula and an independent implementation."""

import inspect
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.gaussian_process.kernels import Matern as MaternOracle
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

import qpkernels.kernels
from builders import INDEFINITE, KERNEL_EXAMPLES, Tilt, example_samples
from qpkernels import (
    RBF,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    QuadraticMap,
    RankOne,
    ScaledQuadraticMap,
    Sigmoid,
)
from qpkernels.errors import (
    NonFiniteError,
    NotSquareError,
    NotSymmetricError,
    ParameterError,
    QPKernelsError,
    ShapeError,
)
from qpkernels.kernels import (
    Composed,
    Exponential,
    PolynomialOf,
    Power,
    Product,
    SampleFunction,
    Scaled,
    Sum,
    scale_gamma,
)
from qpkernels.kernels.base.spec import kernel_from_spec, kernel_to_spec

RNG = np.random.default_rng(3)
X = RNG.normal(size=(9, 3))
Z = RNG.normal(size=(5, 3))


def public_kernels(kind: type[Kernel] = Kernel) -> Iterator[type[Kernel]]:
    for child in kind.__subclasses__():
        hidden = child.__name__.startswith("_") or inspect.isabstract(child)
        if not hidden and child.__module__.startswith("qpkernels."):
            yield child
        yield from public_kernels(child)


ALL = sorted(set(public_kernels()), key=lambda kind: kind.__name__)
contract = pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)


def example(kind: type[Kernel]) -> tuple[Kernel, Any, Any]:
    kernel = KERNEL_EXAMPLES[kind]
    return (
        kernel,
        kernel.samples(example_samples(kernel, 8, seed=1)),
        kernel.samples(example_samples(kernel, 5, seed=2)),
    )


def by_pairs(k: Callable[[Any, Any], float], X: Any, Z: Any) -> np.ndarray:
    """The obvious double loop."""
    return np.array([[k(x, z) for z in Z] for x in X])


# --- the contract ---


def test_every_public_kernel_has_an_example() -> None:
    assert set(ALL) == set(KERNEL_EXAMPLES)
    assert {kind.__name__ for kind in ALL} <= set(qpkernels.kernels.__all__)
    assert all(type(kernel) is kind for kind, kernel in KERNEL_EXAMPLES.items())


@contract
def test_contract_matrix_is_symmetric(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    assert kernel.matrix(X, Z).shape == (len(X), len(Z))
    np.testing.assert_allclose(kernel.matrix(X, Z).T, kernel.matrix(Z, X), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(kernel.matrix(X, X), kernel.matrix(X, X).T, rtol=1e-13, atol=1e-15)


@contract
def test_contract_diagonal(kind: type[Kernel]) -> None:
    kernel, X, _ = example(kind)
    np.testing.assert_allclose(kernel.diagonal(X), kernel.matrix(X, X).diagonal(), rtol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(X), kernel.matrix(X, X.copy()).diagonal(), rtol=1e-13)


@contract
def test_contract_blocks_make_up_the_whole(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    blocks = np.block(
        [[kernel.matrix(X[i], Z[j]) for j in (slice(0, 2), slice(2, 5))] for i in (slice(0, 1), slice(1, 8))]
    )
    np.testing.assert_allclose(blocks, kernel.matrix(X, Z), rtol=1e-12, atol=1e-14)


@contract
def test_contract_eigenvalues_as_claimed(kind: type[Kernel]) -> None:
    kernel, X, _ = example(kind)
    assert isinstance(kernel.positive_semidefinite, bool)
    eigenvalues = np.linalg.eigvalsh(kernel.matrix(X, X))
    if kind in INDEFINITE:
        assert not kernel.positive_semidefinite
        assert eigenvalues[0] < -1e-3
    else:
        assert eigenvalues[0] >= -1e-12 * eigenvalues[-1]


@contract
def test_contract_features(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    phi, psi = kernel.features(X), kernel.features(Z)
    if kind in (Linear, Scaled, Composed, RankOne):
        assert phi is not None
    if phi is not None:
        assert psi is not None
        np.testing.assert_allclose(phi @ psi.T, kernel.matrix(X, Z), rtol=1e-13, atol=1e-14)
    else:
        assert psi is None


@contract
def test_contract_call_validates_and_gives_the_matrix(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    np.testing.assert_array_equal(kernel(X.tolist()), kernel.matrix(X, X))
    np.testing.assert_array_equal(kernel(X, Z), kernel.matrix(X, Z))
    with pytest.raises(QPKernelsError, match=r".{20}"):
        kernel(np.full((2, 3), np.nan))
    with pytest.raises(ShapeError, match="shape"):
        kernel(np.zeros((2, 3, 2)))


@contract
def test_contract_text_and_arrays_hold_the_kernel(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    arrays: list[Any] = []
    text = json.dumps(kernel_to_spec(kernel, arrays))
    again = kernel_from_spec(json.loads(text), arrays)
    assert type(again) is kind
    np.testing.assert_array_equal(again.matrix(X, Z), kernel.matrix(X, Z))
    if kind is not Precomputed:
        assert arrays == []
        assert again == kernel
        assert hash(again) == hash(kernel)
    assert kernel == kernel
    assert len({kernel, kernel}) == 1


@contract
def test_contract_kernels_are_frozen(kind: type[Kernel]) -> None:
    kernel = KERNEL_EXAMPLES[kind]
    with pytest.raises(AttributeError):
        kernel.gamma = 3.0  # type: ignore[attr-defined]
    assert type(kernel).__name__ in repr(kernel)


# --- equality ---


def test_equal_parameters_make_equal_kernels() -> None:
    assert RBF(2) == RBF(2.0) == RBF(np.float64(2.0))
    assert RBF([1.0, 2.0]) == RBF((1.0, 2.0)) == RBF(np.array([1.0, 2.0]))
    assert hash(RBF([1.0, 2.0])) == hash(RBF((1.0, 2.0)))
    assert RBF(2.0) != RBF(2.5)
    assert Polynomial(2) != Polynomial(3)
    assert RBF(1.0) + Linear() == RBF(1.0) + Linear()
    assert RBF(1.0) + Linear() != RBF(1.0) * Linear()
    assert Linear() != RBF(1.0)


# --- each kernel against its formula ---

RBF_FORMS = [
    ("gamma", RBF(0.7), lambda x, z: np.exp(-0.7 * sum((x - z) ** 2))),
    ("sigma", RBF.from_sigma(1.3), lambda x, z: np.exp(-sum((x - z) ** 2) / (2 * 1.3**2))),
    ("c", RBF.from_c(1.3), lambda x, z: np.exp(-sum((x - z) ** 2) / 1.3**2)),
    ("theta", RBF.from_theta(0.6), lambda x, z: np.exp(-0.5 * 0.6 * sum((x - z) ** 2))),
    (
        "theta vector",
        RBF.from_theta([0.5, 0.0, 2.0]),
        lambda x, z: np.exp(-0.5 * (0.5 * (x[0] - z[0]) ** 2 + 2.0 * (x[2] - z[2]) ** 2)),
    ),
    (
        "gamma vector",
        RBF((0.5, 1.0, 2.0)),
        lambda x, z: np.exp(-0.5 * (x[0] - z[0]) ** 2 - (x[1] - z[1]) ** 2 - 2.0 * (x[2] - z[2]) ** 2),
    ),
    ("data", RBF.from_data(X), lambda x, z: np.exp(-sum((x - z) ** 2) / (3 * np.var(X.ravel())))),
]


@pytest.mark.parametrize(("kernel", "formula"), [form[1:] for form in RBF_FORMS], ids=[form[0] for form in RBF_FORMS])
def test_rbf_in_each_parametrisation(kernel: RBF, formula: Callable[..., float]) -> None:
    np.testing.assert_allclose(kernel(X, Z), by_pairs(formula, X, Z), rtol=1e-13)
    np.testing.assert_allclose(kernel(X), by_pairs(formula, X, X), rtol=1e-13)
    np.testing.assert_array_equal(kernel(X).diagonal(), 1.0)


@pytest.mark.parametrize(("degree", "gamma", "coef0"), [(1, 1.0, 0.0), (2, 0.5, 1.0), (3, 2.0, -0.7), (5, 0.1, 0.3)])
def test_polynomial_against_the_formula_and_scikit_learn(degree: int, gamma: float, coef0: float) -> None:
    K = Polynomial(degree, gamma, coef0)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: (gamma * sum(x * z) + coef0) ** degree, X, Z), rtol=1e-12)
    np.testing.assert_allclose(K, polynomial_kernel(X, Z, degree=degree, gamma=gamma, coef0=coef0), rtol=1e-13)


def test_linear_and_rbf_against_scikit_learn() -> None:
    np.testing.assert_allclose(Linear()(X, Z), linear_kernel(X, Z), rtol=1e-13)
    np.testing.assert_allclose(Linear()(X, Z), by_pairs(lambda x, z: sum(x * z), X, Z), rtol=1e-13)
    np.testing.assert_allclose(RBF(0.8)(X, Z), rbf_kernel(X, Z, gamma=0.8), rtol=1e-13)
    np.testing.assert_allclose(Linear().features(X), X)


def test_the_defaults_of_the_polynomial_kernel() -> None:
    assert Polynomial() == Polynomial(degree=3, gamma=1.0, coef0=0.0)


@pytest.mark.parametrize("mean", [1e3, 1e6, -1e6])
def test_rbf_keeps_its_digits_far_from_the_origin(mean: float) -> None:
    far = X + mean
    other = Z + mean
    exact = np.exp(-0.8 * ((far[:, None, :] - other[None, :, :]) ** 2).sum(axis=2))
    np.testing.assert_allclose(RBF(0.8)(far, other), exact, rtol=1e-11)
    exact = np.exp(-0.8 * ((far[:, None, :] - far[None, :, :]) ** 2).sum(axis=2))
    np.testing.assert_allclose(RBF(0.8)(far), exact, rtol=1e-11)


def test_rbf_of_equal_samples_is_one() -> None:
    twice = np.vstack([X, X])
    np.testing.assert_allclose(RBF(3.0)(twice)[:9, 9:].diagonal(), 1.0, rtol=1e-14)
    assert RBF(3.0)(twice).max() == 1.0


@pytest.mark.parametrize("gamma", [0.05, 0.8, 30.0])
def test_laplacian_against_the_formula_and_scikit_learn(gamma: float) -> None:
    K = Laplacian(gamma)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: np.exp(-gamma * sum(abs(x - z))), X, Z), rtol=1e-13)
    np.testing.assert_allclose(K, laplacian_kernel(X, Z, gamma=gamma), rtol=1e-13)
    np.testing.assert_array_equal(Laplacian(gamma)(X).diagonal(), 1.0)


def test_a_distance_beyond_float64_gives_the_value_0() -> None:
    for kernel in (Laplacian(1e300), Matern(1e-300), Matern(1e-300, 0.7), Matern(1e-300, 40.0)):
        np.testing.assert_array_equal(kernel([[0.0], [1e10]]), np.eye(2))


@pytest.mark.parametrize(("kappa", "b"), [(1.0, 0.0), (0.3, 1.2), (2.0, -0.4)])
def test_sigmoid_against_the_formula_and_scikit_learn(kappa: float, b: float) -> None:
    K = Sigmoid(kappa, b)(X, Z)
    np.testing.assert_allclose(K, by_pairs(lambda x, z: np.tanh(kappa * sum(x * z) - b), X, Z), rtol=1e-11)
    np.testing.assert_allclose(K, sigmoid_kernel(X, Z, gamma=kappa, coef0=-b), rtol=1e-11)


@pytest.mark.parametrize("nu", [0.5, 1.5, 2.5, np.inf, 0.1, 0.7, 1.0, 2.0, 3.0, 3.3, 4.0, 7.9, 25.2])
@pytest.mark.parametrize("length_scale", [0.4, 3.0])
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


def test_scale_gamma_is_that_of_scikit_learn() -> None:
    assert scale_gamma(X) == pytest.approx(1.0 / (X.shape[1] * X.var()), rel=1e-15)
    assert RBF.from_data(X).gamma == scale_gamma(X)
    with pytest.raises(ParameterError, match="constant"):
        scale_gamma(np.ones((4, 2)))


def test_precomputed_picks_rows_and_columns() -> None:
    K = X @ X.T
    kernel = Precomputed(K)
    np.testing.assert_allclose(kernel([2, 0], [1, 1, 5]), K[np.ix_([2, 0], [1, 1, 5])], rtol=1e-15)
    np.testing.assert_array_equal(kernel(np.array([[2], [0]])), kernel([2, 0]))
    np.testing.assert_array_equal(kernel([2.0, 0.0]), kernel([2, 0]))
    assert not kernel.positive_semidefinite


def test_precomputed_does_not_follow_later_changes_of_the_matrix() -> None:
    K = X @ X.T
    kernel = Precomputed(K)
    before = kernel([0, 1])
    K[:] = 0.0
    np.testing.assert_array_equal(kernel([0, 1]), before)
    with pytest.raises(ValueError, match="read-only"):
        kernel.K[0, 0] = 1.0


# --- algebra ---

k1, k2 = RBF(0.4), Polynomial(2, 0.5, 1.0)


@pytest.mark.parametrize(
    ("kernel", "kind", "formula"),
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
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
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


@pytest.mark.parametrize("foreign", ["text", None, [1.0]])
def test_algebra_refuses_what_is_no_kernel(foreign: Any) -> None:
    with pytest.raises(TypeError):
        k1 + foreign
    with pytest.raises(TypeError):
        k1 * foreign
    with pytest.raises(TypeError):
        foreign * k1


def test_a_number_is_not_added_to_a_kernel() -> None:
    with pytest.raises(TypeError):
        k1 + 1.0


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


# --- kernels made of functions ---


def _two(X: Any) -> Any:
    return X[:, :2]


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


# --- as text ---


def test_a_python_function_is_not_saved() -> None:
    for kernel in (RankOne(np.tanh), 2 * Linear().compose(np.tanh)):
        with pytest.raises(ParameterError, match=r"cannot hold <ufunc 'tanh'>, the .*derives from SampleFunction"):
            kernel_to_spec(kernel, [])


def test_two_kernels_of_the_same_name_are_told_apart() -> None:
    @dataclass(frozen=True)
    class Laplacian(Kernel):
        gamma: float

        def matrix(self, X: Any, Z: Any) -> Any:
            return np.zeros((len(X), len(Z)))

        def diagonal(self, X: Any) -> Any:
            return np.zeros(len(X))

    for kernel in (Laplacian(2.0), qpkernels.Laplacian(2.0)):
        again = kernel_from_spec(json.loads(json.dumps(kernel_to_spec(kernel, []))), [])
        assert type(again) is type(kernel)
        assert again == kernel
    assert kernel_to_spec(qpkernels.Laplacian(2.0), []) == {"kernel": "Laplacian", "gamma": 2.0}


@dataclass(frozen=True)
class Blend(SampleFunction):
    """A function with a kernel, an array and a tuple among its fields."""

    array: np.ndarray
    inner: Kernel
    parts: tuple[Kernel, ...]

    def __call__(self, X: Any) -> Any:
        return self.inner(X, self.array)[:, 0] + sum(part(X, self.array)[:, 0] for part in self.parts)


def test_functions_with_kernels_and_arrays_are_read_back() -> None:
    kernel = RankOne(Blend(Z, RBF(0.5), (Linear(), Matern(2.0, math.inf))))
    arrays: list[Any] = []
    again = kernel_from_spec(json.loads(json.dumps(kernel_to_spec(kernel, arrays))), arrays)
    np.testing.assert_array_equal(again(X), kernel(X))


def test_fields_that_a_file_cannot_hold_are_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"cannot hold \{1, 2\}, the value of Odd, .*numbers, text, arrays and kernels"
    ):
        kernel_to_spec(Odd({1, 2}), [])
    with pytest.raises(ParameterError, match=r"field 'kernel' of Wrapped .* rename it"):
        kernel_to_spec(Wrapped(Linear()), [])
    with pytest.raises(ParameterError, match="is no dataclass"):
        kernel_to_spec(RankOne(Plain()), [])


def test_an_unknown_function_in_a_file_is_named() -> None:
    spec = {"kernel": "RankOne", "function": {"function": "Sine", "fields": {}}}
    with pytest.raises(ParameterError, match=r"holds a function 'Sine'.*QuadraticMap.*import the module"):
        kernel_from_spec(spec, [])


class Plain(SampleFunction):
    """No dataclass."""

    def __call__(self, X: Any) -> Any:
        return np.ones(len(X))


@dataclass(frozen=True)
class Odd(Linear):
    value: Any


@dataclass(frozen=True)
class Wrapped(Linear):
    kernel: Kernel


# --- refusals ---


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, "scale", None, 1e-200j])
@pytest.mark.parametrize(
    "make",
    [RBF, RBF.from_sigma, RBF.from_c, RBF.from_theta, lambda g: Polynomial(2, g), Laplacian, Sigmoid, Matern],
)
def test_a_width_must_be_a_finite_number_above_zero(make: Callable[[Any], Kernel], bad: Any) -> None:
    with pytest.raises(ParameterError, match="above 0"):
        make(bad)


@pytest.mark.parametrize("make", [RBF.from_sigma, RBF.from_c])
@pytest.mark.parametrize("bad", [1e-200, 1e200])
def test_a_width_whose_square_leaves_float64_is_refused(make: Callable[[float], Kernel], bad: float) -> None:
    with pytest.raises(ParameterError):
        make(bad)


@pytest.mark.parametrize("bad", [[], [0.0, 0.0], [1.0, -1.0]])
def test_a_vector_gamma_needs_one_entry_above_zero(bad: list[float]) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        RBF(bad)
    with pytest.raises(ParameterError, match="gamma"):
        RBF.from_theta(bad)


def test_a_vector_gamma_is_finite_and_fits_the_features() -> None:
    with pytest.raises(NonFiniteError, match="gamma"):
        RBF([1.0, np.nan])
    with pytest.raises(ShapeError, match="gamma"):
        RBF([[1.0, 2.0]])
    with pytest.raises(ShapeError, match="gamma has 2 entries"):
        RBF.from_theta([1.0, 2.0])(X)


@pytest.mark.parametrize("bad", [0, -1, 2.5, 2.0, True, "2", None])
def test_an_exponent_must_be_an_integer_of_at_least_one(bad: Any) -> None:
    with pytest.raises(ParameterError, match="degree"):
        Polynomial(bad)
    with pytest.raises(ParameterError, match="exponent"):
        Linear() ** bad


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "1", None])
def test_constants_must_be_finite(bad: Any) -> None:
    with pytest.raises(ParameterError, match="coef0 must be a finite number"):
        Polynomial(2, 1.0, bad)
    with pytest.raises(ParameterError, match="b must be a finite number"):
        Sigmoid(1.0, bad)


@pytest.mark.parametrize("bad", [0.0, -2.0, np.nan, np.inf])
def test_a_factor_must_be_above_zero(bad: float) -> None:
    with pytest.raises(ParameterError, match="factor"):
        bad * Linear()
    with pytest.raises(ParameterError, match="factor"):
        Linear() * bad


@pytest.mark.parametrize(
    "kernel",
    [Linear(), RBF(1.0), Polynomial(2), Laplacian(1.0), Matern(), Sigmoid(), Linear().compose(np.tanh), RankOne(len)],
    ids=lambda kernel: type(kernel).__name__,
)
@pytest.mark.parametrize(
    ("bad", "error", "words"),
    [
        (np.array([[1.0, np.nan]]), NonFiniteError, r"X\[0, 1\] is nan"),
        (np.array([[1.0], [np.inf]]), NonFiniteError, r"X\[1, 0\] is inf"),
        (np.array([1.0, 2.0]), ShapeError, "reshape"),
        (np.zeros((0, 2)), ShapeError, "at least one sample"),
        (np.zeros((2, 0)), ShapeError, "at least one sample"),
        ([["a", "b"]], ShapeError, "real numbers"),
        ([[1.0, 2.0], [3.0]], ShapeError, "rectangular"),
        (np.array([[1j, 2.0]]), ShapeError, "real numbers"),
    ],
)
def test_samples_must_be_a_finite_matrix(kernel: Kernel, bad: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        kernel(bad)


def test_both_sets_of_samples_must_have_the_same_features() -> None:
    for kernel in (Linear(), RBF(1.0), Polynomial(2), Linear() + RBF(1.0)):
        with pytest.raises(ShapeError, match="same features"):
            kernel(X, Z[:, :2])


def test_precomputed_refuses_matrices_that_are_no_kernel_matrix() -> None:
    with pytest.raises(NotSquareError, match=r"\(2, 3\)"):
        Precomputed(np.ones((2, 3)))
    with pytest.raises(NotSymmetricError, match=r"K\[0, 1\] = 2 and K\[1, 0\] = 1"):
        Precomputed(np.array([[1.0, 2.0], [1.0, 1.0]]))
    with pytest.raises(NonFiniteError, match=r"K\[1, 1\]"):
        Precomputed(np.array([[1.0, 0.0], [0.0, np.nan]]))
    rounding = np.array([[1.0, 0.5], [0.5 + 1e-12, 1.0]])
    np.testing.assert_array_equal(Precomputed(rounding).K, Precomputed(rounding).K.T)


@pytest.mark.parametrize("bad", [[0, 3], [-1], [0.5], [], ["a"], [np.nan], [np.inf]])
def test_precomputed_refuses_what_is_no_row_number(bad: list[Any]) -> None:
    with pytest.raises(ParameterError, match="row numbers of K"):
        Precomputed(np.eye(3))(bad)


def test_precomputed_refuses_samples_with_several_columns() -> None:
    with pytest.raises(ShapeError, match="row numbers of K"):
        Precomputed(np.eye(3))(np.zeros((2, 2)))


def test_an_unknown_kernel_in_a_file_is_named() -> None:
    with pytest.raises(ParameterError, match=r"'Quantum'.*RBF.*import the module"):
        kernel_from_spec({"kernel": "Quantum"}, [])


def test_a_kernel_of_ones_own_combines_and_is_read_back() -> None:
    @dataclass(frozen=True)
    class Constant(Kernel):
        value: float

        def matrix(self, X: Any, Z: Any) -> Any:
            return np.full((len(X), len(Z)), self.value)

        def diagonal(self, X: Any) -> Any:
            return np.full(len(X), self.value)

    combined = Constant(2.0) * RBF(1.0)
    np.testing.assert_allclose(combined(X, Z), 2 * RBF(1.0)(X, Z))
    assert kernel_from_spec(kernel_to_spec(combined, []), []) == combined


@pytest.mark.parametrize("distance", [1e8, 1e10, 1e14])
def test_near_pairs_of_far_clusters(distance: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[::2] += distance
    assert RBF(0.5)(X) == pytest.approx(np.exp(-0.5 * cdist(X, X, "sqeuclidean")), abs=1e-11)
