# SPDX-License-Identifier: BSD-3-Clause
"""Sparse samples: what takes them gives what it gives for the same samples dense, and never makes them all dense."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix, issparse, random_array
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVC, SVR, OneClassSVM

from builders import KERNEL_EXAMPLES, example_samples
from formulations import (
    BatchPerceptron,
    HullIntersection,
    LeastSquaresFit,
    OneClassDual,
    OneVersusOne,
    OneVersusRest,
    Perceptron,
    RelevanceRegression,
    Separability,
    SoftMarginDual,
    SoftMarginPrimal,
    SoftTubeDual,
    calibrate,
)
from formulations.estimators import with_constant
from model_data import CASES, SHARP, Case, blobs, contradiction, measured, solved
from qpkernels import (
    RBF,
    Expansion,
    Gram,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Mercer,
    Polynomial,
    Precomputed,
    QuadraticMap,
    Sigmoid,
    Spectrum,
)
from qpkernels.arrays import finite_samples
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.kernels import (
    Exponential,
    PolynomialOf,
    Power,
    Product,
    SampleFunction,
    Scaled,
    Sum,
    scale_gamma,
)

TAKERS = [kernel for kernel in KERNEL_EXAMPLES.values() if kernel.takes_sparse]
REFUSERS = [kernel for kernel in KERNEL_EXAMPLES.values() if not kernel.takes_sparse]
each_taker = pytest.mark.parametrize("kernel", TAKERS, ids=lambda kernel: type(kernel).__name__)
each_refuser = pytest.mark.parametrize("kernel", REFUSERS, ids=lambda kernel: type(kernel).__name__)


@pytest.fixture(params=[0.0, 1.1], ids=["blocks made dense", "sparse products"])
def either_product(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Force one of the two ways to multiply, whatever the share of stored entries."""
    monkeypatch.setattr("qpkernels.kernels.base.products._SPARSE", request.param)


def with_zeros(m: int, d: int = 3, seed: int = 0, share: float = 0.6) -> np.ndarray:
    """m dense samples with about that share of entries other than 0, the second sample without any."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d)) * (rng.random((m, d)) < share)
    X[1] = 0.0
    return X


def labels_of(X: np.ndarray, seed: int = 0) -> np.ndarray:
    """Labels that follow the samples but for some noise."""
    noise = np.random.default_rng(seed).normal(size=len(X))
    return np.where(X.sum(axis=1) + 0.5 * noise > 0, 1, -1)


def assert_close(actual: Any, expected: Any) -> None:
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12 * scale)


# --- kernels ---


def test_which_kernels_take_sparse_samples() -> None:
    assert {type(kernel) for kernel in TAKERS} == {
        *(Linear, Polynomial, Sigmoid, RBF, Matern),
        *(Sum, Product, Scaled, Power, Exponential, PolynomialOf),
    }
    for combined in (Linear() + Laplacian(1.0), Laplacian(1.0) * Linear(), 2 * Laplacian(1.0)):
        assert not combined.takes_sparse


@each_taker
@pytest.mark.usefixtures("either_product")
def test_the_matrix_is_that_of_dense_samples(kernel: Kernel) -> None:
    for m, n in ((9, 5), (5, 9), (1, 4)):
        X, Z = with_zeros(max(m, 2))[:m], with_zeros(n, seed=1)
        expected, A, B = kernel(X, Z), csr_array(X), csr_array(Z)
        for left, right in ((A, B), (A, Z), (X, B)):
            K = kernel(left, right)
            assert type(K) is np.ndarray
            assert K.dtype == np.float64
            assert_close(K, expected)
        assert_close(kernel(A), kernel(X))
        assert_close(kernel.diagonal(kernel.samples(A)), kernel.diagonal(X))
        np.testing.assert_allclose(kernel(A), kernel(A).T, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(0.7),
        Matern(0.8, 0.5),
        Matern(1.5, np.inf),
        2 * (RBF((0.1, 1.0, 0.0)) + Linear()) * Matern() + Polynomial(2, 0.5, -1.0).exp(),
        (Linear() ** 2).polynomial([1.0, 0.5]),
    ],
    ids=str,
)
@pytest.mark.usefixtures("either_product")
def test_more_kernels_and_their_algebra(kernel: Kernel) -> None:
    X, Z = with_zeros(12, seed=3), with_zeros(7, seed=4)
    assert_close(kernel(csr_array(X), csr_array(Z)), kernel(X, Z))
    assert_close(kernel(csr_array(X), Z), kernel(X, Z))


@given(
    m=st.integers(1, 12),
    n=st.integers(1, 12),
    d=st.integers(1, 40),
    share=st.floats(0.0, 1.0),
    scale=st.sampled_from([1e-8, 1.0, 1e4]),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_sparse_samples(m: int, n: int, d: int, share: float, scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, Z = (scale * random_array((rows, d), density=share, rng=rng, format="csr") for rows in (m, n))
    for kernel in (Linear(), RBF(0.1 / scale**2), RBF(3.0), Matern(scale, 0.5)):
        K, expected = kernel(X, Z), kernel(X.toarray(), Z.toarray())
        np.testing.assert_allclose(K, expected, rtol=1e-10, atol=1e-12 * scale**2 * isinstance(kernel, Linear))


def test_products_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X = with_zeros(40, d=30, seed=1, share=0.2)
    # Close to samples from all blocks, so that distances in all of them are computed anew.
    Z = X[7:] + 1e-4 * with_zeros(33, d=30, seed=2, share=0.2)
    kernels = (Linear(), RBF(0.1), RBF(1e6), Matern())
    expected = [kernel(X, Z) for kernel in kernels]
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 70)
    for share in (0.0, 1.1):
        monkeypatch.setattr("qpkernels.kernels.base.products._SPARSE", share)
        for kernel, K in zip(kernels, expected, strict=True):
            for left, right in ((csr_array(X), csr_array(Z)), (csr_array(X), Z), (X, csr_array(Z))):
                assert_close(kernel(left, right), K)


@pytest.mark.parametrize(
    ("kernel", "m", "entries", "limit"),
    [(Linear(), 300, 200, 4.0), (Linear(), 600, 20, 4.5), (RBF(1.0), 300, 60, 6.0), (Matern(), 300, 60, 6.0)],
)
def test_memory_beyond_the_result_stays_bounded(
    kernel: Kernel, m: int, entries: int, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 2**18)
    rng = np.random.default_rng(0)
    columns = np.sort(rng.permutation(4_000)[:entries])
    # Close to each other and far from 0, so that every distance is computed anew.
    data = 1e3 + 1e-2 * rng.normal(size=m * entries)
    X = csr_array((data, np.tile(columns, m), entries * np.arange(m + 1)), shape=(m, 4_000))
    samples = kernel.samples(X)
    tracemalloc.start()
    try:
        kernel.matrix(samples, samples.copy())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # In MiB. Dense, the samples take 9 or 18, and the result 0.7 or 2.7; distances have intermediate results as large.
    assert peak < limit * 2**20


def test_the_ways_to_multiply_are_chosen_by_the_share_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    import qpkernels.kernels.base.products as products

    calls: list[tuple[int, ...]] = []
    monkeypatch.setattr(products, "_multiply", lambda *arguments: calls.append(arguments[1].shape))
    rng = np.random.default_rng(0)
    thin, thick = (random_array((20, 1000), density=share, rng=rng, format="csr") for share in (0.01, 0.05))
    Linear().matrix(thin, thin)
    assert calls == []
    Linear().matrix(thick, thick[:5])
    Linear().matrix(thick[:5], thick)
    # The side with fewer samples is the one made dense.
    assert calls == [(5, 1000), (5, 1000)]


@each_refuser
def test_other_kernels_say_that_samples_must_be_dense(kernel: Kernel) -> None:
    X = example_samples(kernel)
    # Of no use for text, but sparse all the same.
    bad = csr_array(X if X.dtype.kind == "f" else np.eye(3))
    for refused in (bad, csr_matrix(bad), bad.tocoo()):
        with pytest.raises(ShapeError, match="sparse matrix came"):
            kernel(refused)
        with pytest.raises(ShapeError, match="sparse matrix came"):
            Gram(kernel, refused)
    if not isinstance(kernel, Precomputed):
        with pytest.raises(ShapeError, match=r"pass X\.toarray\(\)"):
            kernel(bad)


def test_a_refusal_names_the_part_that_is_dense_only() -> None:
    X = csr_array(np.eye(3))
    for kernel in (RBF(1.0) + Laplacian(0.5), Laplacian(0.5) * Linear(), (2 * Laplacian(0.5)).exp()):
        with pytest.raises(ShapeError, match=r"Laplacian\(gamma=0\.5\) takes dense samples only.*toarray.*RBF"):
            kernel(X)
    with pytest.raises(ShapeError, match=r"K must be a dense array.*K\.toarray"):
        Precomputed(X)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="list sequences"):
        Spectrum(2)(X)
    with pytest.raises(ShapeError, match=r"X\.toarray"):
        Linear().compose(QuadraticMap())(X)


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


def test_both_sets_of_samples_must_have_the_same_features() -> None:
    X = with_zeros(4)
    for left, right in ((csr_array(X), csr_array(X[:, :2])), (csr_array(X), X[:, :2]), (X, csr_array(X[:, :2]))):
        with pytest.raises(ShapeError, match="same features"):
            RBF(1.0)(left, right)
    with pytest.raises(ShapeError, match="gamma has 2 entries"):
        RBF((1.0, 2.0))(csr_array(X))


def test_scale_gamma_of_sparse_samples() -> None:
    X = with_zeros(30, d=7) + 0.0
    assert scale_gamma(csr_array(X)) == pytest.approx(scale_gamma(X), rel=1e-14)
    # Far from 0, a difference of means would have no digit left.
    far = np.where(X == 0.0, 1e8, 1e8 + X)
    assert scale_gamma(csr_array(far)) == pytest.approx(scale_gamma(far), rel=1e-6)


# --- accuracy ---


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
@pytest.mark.usefixtures("either_product")
def test_distances_keep_their_digits_where_the_samples_are_far_from_0(scale: float) -> None:
    rng = np.random.default_rng(5)
    X = scale * with_zeros(20, d=8, seed=6)
    Z = X[:12] + rng.normal(size=(12, 8)) * (X[:12] != 0)
    exact = ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    weights = np.linspace(0.0, 0.7, 8)
    weighted = (weights * (X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)
    for left, right in ((csr_array(X), csr_array(Z)), (csr_array(X), Z), (X, csr_array(Z))):
        np.testing.assert_allclose(RBF(0.3)(left, right), np.exp(-0.3 * exact), rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(RBF(tuple(weights))(left, right), np.exp(-weighted), rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(Matern(2.0, 0.5)(left, right), np.exp(-np.sqrt(exact) / 2), rtol=1e-8, atol=1e-300)


@pytest.mark.usefixtures("either_product")
def test_a_matern_kernel_tells_close_samples_apart() -> None:
    X = with_zeros(15, d=6, seed=8)
    Z = X * (1.0 + 1e-7)
    distances = np.sqrt(((X - Z) ** 2).sum(axis=1))
    K = Matern(1e-7, 0.5)(csr_array(X), csr_array(Z))
    np.testing.assert_allclose(K.diagonal(), np.exp(-distances / 1e-7), rtol=1e-8)


@pytest.mark.parametrize("kernel", [RBF(3.0), RBF(1e9), RBF((1.0, 0.2, 5.0)), Matern(0.5, 0.5), Matern(1e-6, 2.2)])
@pytest.mark.usefixtures("either_product")
def test_equal_samples_have_the_value_1(kernel: Kernel) -> None:
    X = with_zeros(9)
    twice = kernel(csr_array(np.vstack([X, X])))
    np.testing.assert_allclose(twice[:9, 9:].diagonal(), 1.0, rtol=1e-14)
    assert twice.max() == 1.0
    np.testing.assert_array_equal(twice.diagonal(), 1.0)
    for left, right in ((csr_array(X), X), (X, csr_array(X)), (csr_array(X), csr_array(X))):
        np.testing.assert_allclose(kernel(left, right).diagonal(), 1.0, rtol=1e-14)


def test_a_distance_beyond_float64_gives_the_value_0() -> None:
    X = csr_array(np.array([[0.0, 1e200], [1e200, 0.0], [0.0, 0.0]]))
    for kernel in (RBF(1.0), Matern(1.0), Matern(1e-300, 0.7)):
        np.testing.assert_array_equal(kernel(X), np.eye(3))
    with pytest.raises(NonFiniteError, match="scale the features"):
        Gram(Linear(), X)


# --- what is taken, and what becomes of it ---


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int8, np.bool_])
def test_every_format_and_every_real_type_becomes_csr_in_float64(form: str, kind: type) -> None:
    X = np.round(2 * with_zeros(7)).astype(kind)
    for make in (csr_array, csr_matrix):
        given_matrix = make(X).asformat(form)
        samples = Linear().samples(given_matrix)
        assert type(samples) is csr_array
        assert samples.dtype == np.float64
        np.testing.assert_array_equal(samples.toarray(), X.astype(np.float64))
        np.testing.assert_array_equal(RBF(0.5)(given_matrix), RBF(0.5)(csr_array(X.astype(float))))


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_duplicates_are_added_up_unsorted_entries_sorted_and_zeros_left(kind: type) -> None:
    rows, columns = np.array([0, 0, 1, 0, 2]), np.array([2, 0, 1, 2, 1])
    values = np.array([100, 3, 0, 100, -5], dtype=kind)
    expected = np.array([[3.0, 0.0, 200.0], [0.0, 0.0, 0.0], [0.0, -5.0, 0.0]])
    unsorted = csr_array((values[[0, 1, 3, 2, 4]], columns[[0, 1, 3, 2, 4]], [0, 3, 4, 5]), shape=(3, 3))
    for given_matrix in (coo_array((values, (rows, columns)), shape=(3, 3)), unsorted):
        samples = Linear().samples(given_matrix)
        assert samples.has_canonical_format
        assert samples.nnz == 4
        assert given_matrix.nnz == 5
        np.testing.assert_array_equal(samples.toarray(), expected)
        assert_close(RBF(1e-4)(given_matrix), RBF(1e-4)(expected))
        assert_close(Linear()(given_matrix, expected), expected @ expected.T)


def test_flags_of_the_matrix_are_not_trusted() -> None:
    X = csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    X.has_sorted_indices = True
    X.has_canonical_format = True
    samples = Linear().samples(X)
    np.testing.assert_array_equal(samples.indices, [0, 2])
    np.testing.assert_array_equal(samples.data, [2.0, 5.0])


def test_the_users_matrix_is_neither_changed_nor_followed() -> None:
    X = csr_array((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    gram = Gram(RBF(0.1), X)
    f = Expansion(RBF(0.1), X, [1.0, -1.0])
    values, K = f(X), gram.dense.copy()
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)
    X.data[:] = 7.0
    X.indices[:] = 0
    np.testing.assert_array_equal(Gram(RBF(0.1), gram.X).dense, K)
    np.testing.assert_array_equal(f(gram.X), values)


def test_read_only_matrices_are_taken() -> None:
    X = csr_array(with_zeros(5))
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    assert_close(RBF(0.3)(X, X[:2]), RBF(0.3)(X.toarray(), X.toarray()[:2]))


def test_bound_samples_cannot_be_written() -> None:
    X = csr_array(with_zeros(5))
    bound = (Gram(RBF(1.0), X).X, Expansion(RBF(1.0), X, np.ones(5)).centers, Mercer(RBF(1.0), X).X)
    for samples in bound:
        assert type(samples) is csr_array
        for part in (samples.data, samples.indices, samples.indptr):
            with pytest.raises(ValueError, match="read-only"):
                part[0] = 0


class TestBadInput:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_entries_that_are_not_finite(self, value: float, form: str) -> None:
        X = np.eye(5, 4)
        X[3, 2], X[4, 0] = value, value
        words = rf"X must hold finite numbers only, but X\[3, 2\] is {value} \(2 such entries\); drop"
        for act in (RBF(1.0), Linear(), lambda bad: Gram(Polynomial(), bad), scale_gamma, with_constant):
            with pytest.raises(NonFiniteError, match=words):
                act(csr_array(X).asformat(form))
        with pytest.raises(NonFiniteError, match=words):
            SoftMarginDual(csr_array(X), [1, -1, 1, -1, 1], RBF(1.0))
        with pytest.raises(NonFiniteError, match=words):
            Expansion(RBF(1.0), np.eye(4), np.ones(4))(csr_array(X))

    def test_sums_beyond_float64(self) -> None:
        X = coo_array((np.full(2, 1e308), ([1, 1], [0, 0])), shape=(2, 2))
        with pytest.raises(NonFiniteError, match=r"X\[1, 0\] is inf"):
            Linear()(X)

    def test_shapes(self) -> None:
        for shape in ((0, 3), (3, 0)):
            with pytest.raises(ShapeError, match=rf"at least one sample and one feature, .* \({shape[0]}, {shape[1]}"):
                RBF(1.0)(csr_array(shape))
        with pytest.raises(ShapeError, match=r"X must have two dimensions .* \(3,\)"):
            RBF(1.0)(coo_array(np.ones(3)))

    def test_entries_that_are_no_real_numbers(self) -> None:
        with pytest.raises(ShapeError, match="X must hold real numbers, but complex128 came; convert it first"):
            RBF(1.0)(csr_array(np.eye(2) * 1j))

    def test_a_matrix_that_contradicts_itself(self) -> None:
        X = csr_array(np.eye(3))
        X.indices[1] = 7
        with pytest.raises(ShapeError, match=r"X is no valid sparse matrix: .*; build it anew"):
            RBF(1.0)(X)

    def test_lengths_and_features_that_do_not_fit(self) -> None:
        X = csr_array(with_zeros(6))
        with pytest.raises(ShapeError, match="X has 6 samples and y has 5 labels"):
            SoftMarginDual(X, [1, -1, 1, -1, 1], RBF(1.0))
        with pytest.raises(ShapeError, match="coefficients must have 6 entries"):
            Expansion(RBF(1.0), X, np.ones(5))
        with pytest.raises(ShapeError, match=r"fitted to samples of shape \(3,\), but those of X have \(2,\)"):
            Expansion(RBF(1.0), X, np.ones(6))(X[:, :2])


# --- the kernel matrix and the function ---


@each_taker
def test_all_views_of_the_gram_matrix_agree(kernel: Kernel) -> None:
    X = with_zeros(9)
    gram, K, v = Gram(kernel, csr_array(X)), kernel(X), np.random.default_rng(1).normal(size=9)
    few = np.where(np.arange(9) < 3, v, 0.0)
    assert len(gram) == 9
    assert_close(gram.product(few), K @ few)
    assert_close(Gram(kernel, csr_array(X), memory_limit=0).product(v), K @ v)
    assert_close(gram.diagonal, K.diagonal())
    assert_close(gram.dense, K)
    assert_close(gram.product(v), K @ v)
    rows = np.array([4, 0, 7])
    for part in (gram.part(rows), Gram(kernel, csr_array(X)).part(rows)):
        assert_close(part.dense, K[np.ix_(rows, rows)])
    if kernel.positive_semidefinite:
        np.testing.assert_allclose(gram.factor @ gram.factor.T, K, atol=1e-12 * np.abs(K).max())
        u = gram.factor.T @ v
        np.testing.assert_allclose(gram.factor.T @ gram.coefficients(u), u, atol=1e-9 * np.abs(u).max())
        assert_close(Mercer(kernel, csr_array(X)).eigenvalues, Mercer(kernel, X).eigenvalues)


def test_few_features_are_made_dense_and_many_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    X = with_zeros(6, d=4)
    features = Gram(Linear(), csr_array(X)).features
    np.testing.assert_array_equal(features, X)
    assert Gram(Linear(), csr_array(X.T)).features is None
    assert Linear().features(csr_array(X.T)) is None
    assert Gram(2 * Linear() + Linear(), csr_array(X)).features is None
    monkeypatch.setattr("qpkernels.kernels.vectors.linear._FEW_BYTES", 8 * 6 * 4 - 1)
    gram, v = Gram(Linear(), csr_array(X)), np.arange(6.0)
    assert gram.features is None
    assert_close(gram.product(v), X @ (X.T @ v))


@each_taker
def test_a_function_and_its_file(kernel: Kernel, tmp_path: Path) -> None:
    centers, X, beta = with_zeros(6), with_zeros(8, seed=2), np.random.default_rng(3).normal(size=6)
    dense = Expansion(kernel, centers, beta, 1 / 3)
    sparse = Expansion(kernel, csr_array(centers), beta, 1 / 3)
    for f, samples in ((sparse, csr_array(X)), (sparse, X), (dense, csr_array(X))):
        assert_close(f(samples), dense(X))
    assert sparse.squared_norm == pytest.approx(dense.squared_norm, rel=1e-11)
    path = sparse.save(tmp_path / "model")
    again = Expansion.load(path)
    assert type(again.centers) is csr_array
    np.testing.assert_array_equal(again.centers.toarray(), centers)
    np.testing.assert_array_equal(again(X), sparse(X))
    assert again.intercept == sparse.intercept
    with np.load(path, allow_pickle=False) as file:
        contents = {name: file[name] for name in file.files}
    assert "centers" not in contents
    for name in ("centers_indptr", "kernel"):
        np.savez(tmp_path / "part.npz", **{key: value for key, value in contents.items() if key != name})
        with pytest.raises(ShapeError, match=r"no function written by Expansion\.save"):
            Expansion.load(tmp_path / "part.npz")


def test_values_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    f, X = Expansion(RBF(0.5), csr_array(with_zeros(6)), np.arange(6.0)), with_zeros(50, seed=1)
    whole = f(X)
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 6 * 7)
    assert_close(f(csr_array(X)), whole)


def test_the_weights_of_a_linear_function_are_a_dense_vector() -> None:
    X, beta = with_zeros(6, d=5), np.arange(6.0)
    f = Expansion(Linear(), csr_array(X), beta, 0.5)
    assert type(f.weights) is np.ndarray
    assert_close(f.weights, X.T @ beta)
    assert_close(f(X), X @ f.weights + 0.5)


# --- models ---

LAST_CASES = [case for case in CASES if case.intercept and case.kernel == case.example.kernels[-1]]
ROUTES = [(case, solver) for case in LAST_CASES for solver in case.routes[:1]]
ROUTES += [(case, "clarabel") for case in LAST_CASES if len(case.routes) > 1][::4]
EXPLICIT_ROUTES = [
    (case, case.routes[0])
    for case in CASES
    if case.intercept and case.kernel == "explicit" and len(case.example.kernels) > 1
]


@pytest.mark.parametrize(("case", "solver"), ROUTES + EXPLICIT_ROUTES, ids=str)
def test_every_model_finds_what_it_finds_for_dense_samples(case: Case, solver: str) -> None:
    dense, expected = solved(case, solver)
    X = case.data()[0]
    model = case.state(X=csr_array(X))
    assert not model.data.explicit
    solution = model.solve(solver, tol=SHARP[solver])
    assert solution.status == expected.status
    assert solution.objective == pytest.approx(expected.objective, rel=1e-7, abs=1e-9)
    # Each answer is proved by the other model, which knows nothing of how it was found.
    if case.form is not Separability:
        assert dense.certify(solution).holds(1e-7)
        assert model.certify(expected).holds(1e-7)
    f = solution.function
    assert_close(f(csr_array(X)), f(X))
    np.testing.assert_allclose(f(X), expected.function(X), atol=1e-3 * np.abs(expected.function(X)).max())


@pytest.mark.parametrize("machine", [OneVersusRest, OneVersusOne])
@pytest.mark.parametrize("kernel", [RBF(0.5), None], ids=str)
def test_several_classes(machine: Any, kernel: Kernel | None) -> None:
    X = with_zeros(45, d=4)
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.1, axis=1)]
    dense = machine(X, y, kernel, C=2.0).solve("smo", tol=1e-9)
    sparse = machine(csr_array(X), y, kernel, C=2.0).solve("smo", tol=1e-9)
    assert sparse.status == dense.status == "optimal"
    np.testing.assert_allclose(sparse(csr_array(X)), dense(X), atol=1e-3)
    assert_close(sparse(csr_array(X)), sparse(X))
    np.testing.assert_array_equal(sparse.predict(csr_array(X)), sparse.predict(X))


def test_estimators_fitted_to_sparse_samples_are_certified() -> None:
    X = with_zeros(40, d=6)
    y, t, S = labels_of(X), X @ np.arange(6.0) + labels_of(X, 1), csr_matrix(X)
    for X_model in (S, X):
        svc = SVC(C=0.7, gamma=0.3, tol=1e-8).fit(S, y)
        assert SoftMarginDual(X_model, y, RBF(0.3), C=0.7).certify(svc).holds(1e-6)
        assert not SoftMarginDual(X_model, y, RBF(0.4), C=0.7).certify(svc).holds(1e-6)
        linear = SVC(C=0.7, kernel="linear", tol=1e-8).fit(S, y)
        assert SoftMarginDual(X_model, y, C=0.7).certify(linear).holds(1e-6)
        svr = SVR(C=0.7, gamma=0.3, epsilon=0.2, tol=1e-8).fit(S, t)
        assert SoftTubeDual(X_model, t, RBF(0.3), C=0.7, epsilon=0.2).certify(svr).holds(1e-6)
        novelty = OneClassSVM(nu=0.3, gamma=0.3, tol=1e-9).fit(S)
        assert OneClassDual(X_model, RBF(0.3), nu=0.3).certify(novelty).holds(1e-5)
        assert LeastSquaresFit(X_model, t).certify(LinearRegression(tol=1e-12).fit(S, t)).holds(1e-6)


def test_samples_without_a_kernel_are_bound_to_the_linear_one() -> None:
    X, y = blobs(seed=1, samples=30, features=4, distance=1.0)
    model = SoftMarginPrimal(csr_array(X), y)
    assert model.gram.kernel == Linear()
    with pytest.raises(AttributeError, match="sparse samples, the variable of a SoftMarginPrimal is u"):
        _ = model.w
    solution = model.solve("clarabel", tol=1e-9)
    dense = SoftMarginPrimal(X, y).solve("clarabel", tol=1e-9)
    np.testing.assert_allclose(solution.function.weights, dense.function.weights[:], atol=1e-5)
    assert issparse(solution.function.centers)


def test_a_gram_of_sparse_samples_is_shared() -> None:
    X, y = blobs(seed=1, samples=30, features=4, distance=1.0)
    gram = Gram(RBF(0.5), csr_array(X))
    first, second = (SoftMarginDual(gram, y, C=C).solve("smo", tol=1e-10) for C in (0.5, 2.0))
    for solution, C in ((first, 0.5), (second, 2.0)):
        assert SoftMarginDual(X, y, RBF(0.5), C=C).certify(solution).holds(1e-9)


def test_separability_is_decided() -> None:
    X, y = contradiction()
    for kernel in (None, RBF(0.5)):
        proof = Separability(csr_array(X), y, kernel).decide()
        assert isinstance(proof, HullIntersection)
        assert proof.distance < 1e-6
        assert proof.coordinates is None
        assert issparse(proof.positive.centers)
        apart = blobs(seed=3, samples=24, features=3, distance=12.0)
        assert Separability(csr_array(apart[0]), apart[1], kernel).decide().status == "optimal"


@pytest.mark.parametrize("rule", [Perceptron, BatchPerceptron])
def test_perceptrons_separate(rule: Any) -> None:
    X, y = blobs(seed=3, samples=24, features=3, distance=12.0)
    for kernel in (None, RBF(0.1)):
        sparse = rule(csr_array(X), y, kernel).solve()
        assert sparse.separated
        np.testing.assert_array_equal(sparse.alpha, rule(X, y, Linear() if kernel is None else kernel).solve().alpha)
        np.testing.assert_array_equal(np.sign(sparse.function(csr_array(X))), y)


def test_scores_are_calibrated() -> None:
    X = with_zeros(40, d=5)
    y = labels_of(X)

    def state(samples: Any, labels: Any) -> SoftMarginDual:
        return SoftMarginDual(samples, labels, RBF(0.3))

    for make in (csr_array, csr_matrix, coo_array):
        sparse, dense = (calibrate(state, samples, y, folds=4) for samples in (make(X), X))
        np.testing.assert_allclose(sparse.probability(csr_array(X)), dense.probability(X), atol=1e-3)
    with pytest.raises(ShapeError, match="X has 40 samples and y has 39"):
        calibrate(state, csr_array(X), y[1:])


def test_relevance_vectors_are_found() -> None:
    X, t = measured()
    sparse, dense = (RelevanceRegression(samples, t, RBF(0.5)).solve() for samples in (csr_array(X), X))
    np.testing.assert_array_equal(sparse.relevance, dense.relevance)
    assert sparse.log_evidence == pytest.approx(dense.log_evidence, rel=1e-9)
    np.testing.assert_allclose(sparse.variance(csr_array(X)), dense.variance(X), rtol=1e-6)


def test_a_constant_feature_is_added() -> None:
    X = with_zeros(5)
    extended = with_constant(csr_array(X), 2.0)
    assert type(extended) is csr_array
    np.testing.assert_array_equal(extended.toarray(), with_constant(X, 2.0))


# --- size ---

FEATURES = 2_000_000


def wide(m: int, seed: int = 0) -> tuple[csr_array, np.ndarray]:
    """m samples of 2 000 000 features with about 20 entries each, and labels."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(m), 20)
    # Half of the entries fall on features that other samples have as well.
    columns = np.where(
        rng.random(rows.size) < 0.5, rng.integers(0, 50, rows.size), rng.integers(0, FEATURES, rows.size)
    )
    X = csr_array((rng.normal(size=rows.size), (rows, columns)), shape=(m, FEATURES))
    return X, np.where(X[:, :25].sum(axis=1) > X[:, 25:50].sum(axis=1), 1, -1)


def test_samples_that_no_memory_holds_dense() -> None:
    X, _ = wide(20_000)
    few = np.where(np.arange(20_000) % 100 == 0, 1.0, 0.0)
    for kernel in (RBF(0.05), Linear(), Matern(5.0), RBF(0.05) * Polynomial(2, 0.1, 1.0)):
        gram = Gram(kernel, X)
        by_rows = kernel(X[:3], X[few > 0]).sum(axis=1)
        assert_close(gram.product(few)[:3], by_rows)
        assert gram.part(np.arange(2_000)).dense.shape == (2_000, 2_000)


@pytest.mark.parametrize("kernel", [RBF(0.05), None], ids=str)
def test_models_of_samples_that_no_memory_holds_dense(kernel: Kernel | None, tmp_path: Path) -> None:
    X, y = wide(20_000)
    train = X[:600], y[:600]
    solution = SoftMarginDual(*train, kernel).solve("smo", tol=1e-8)
    assert solution.status == "optimal"
    assert SoftMarginDual(*train, kernel).solve("clarabel", tol=1e-8).objective == pytest.approx(
        solution.objective, rel=1e-6
    )
    f = Expansion.load(solution.function.save(tmp_path / "model"))
    assert np.mean(f.predict(X) == y) > 0.7
    if kernel is None:
        assert f.weights.shape == (FEATURES,)
