# SPDX-License-Identifier: BSD-3-Clause
"""A kernel bound to samples: its matrix in all its views, its products, and what it shows of itself."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from qpkernels import RBF, Expansion, Gram, Kernel, Linear, Matern, Mercer, Polynomial, Precomputed, Sigmoid, Spectrum
from qpkernels.arrays import row_blocks
from qpkernels.errors import GramTooLargeError, NonFiniteError, ParameterError, ShapeError
from qpkernels.gram import LowRank
from qpkernels.gram.definiteness import kernel_matrix
from qpkernels.kernels import Laplacian
from qpkernels.kernels.spec import kernel_from_spec
from showing import check_bundle, check_repr
from sparse_samples import assert_close, each_taker, wide, with_zeros
from together import together


@each_taker
def test_all_views_of_a_matrix_of_sparse_samples_agree(kernel: Kernel) -> None:
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


@together("kernel", [RBF(0.3), Polynomial(3, 0.2, 1.0), Polynomial(2, 0.2, -1.0), Linear()])
@together("offset", [0.0, 1e3, 1e8])
def test_a_matrix_made_by_halves_is_that_of_the_kernel(kernel: Kernel, offset: float) -> None:
    X = np.random.default_rng(3).normal(size=(161, 4))
    X[7] = X[130]
    X += offset if isinstance(kernel, RBF) else 0.0
    X[0] += 1e4
    K, diagonal = kernel(X), kernel.diagonal(X)
    made = kernel_matrix(kernel, X, np.inf)
    np.testing.assert_array_equal(made, made.T)
    np.testing.assert_allclose(made, K, rtol=2e-11, atol=1e-13 * np.abs(K).max())
    np.testing.assert_allclose(made.diagonal(), diagonal, rtol=1e-15)


def test_samples_that_no_memory_holds_dense() -> None:
    X, _ = wide(20_000)
    few = np.where(np.arange(20_000) % 100 == 0, 1.0, 0.0)
    for kernel in (RBF(0.05), Linear(), Matern(5.0), RBF(0.05) * Polynomial(2, 0.1, 1.0)):
        gram = Gram(kernel, X)
        by_rows = kernel(X[:3], X[few > 0]).sum(axis=1)
        assert_close(gram.product(few)[:3], by_rows)
        assert gram.part(np.arange(2_000)).dense.shape == (2_000, 2_000)


every_kernel = together("kernel", KERNEL_EXAMPLES.values())


@every_kernel
def test_all_views_of_the_matrix_agree(kernel: Kernel) -> None:
    X = example_samples(kernel)
    gram = Gram(kernel, X)
    K = kernel(X)
    assert len(gram) == len(X)
    np.testing.assert_array_equal(gram.dense, K)
    np.testing.assert_allclose(gram.diagonal, K.diagonal(), rtol=1e-13)
    if type(kernel) not in INDEFINITE:
        np.testing.assert_allclose(gram.factor @ gram.factor.T, K, atol=1e-12 * np.abs(K).max())
    if gram.features is not None:
        np.testing.assert_allclose(gram.features @ gram.features.T, K, atol=1e-13 * np.abs(K).max())
    v = np.random.default_rng(4).normal(size=len(X))
    np.testing.assert_allclose(gram.product(v), K @ v, rtol=1e-12, atol=1e-12 * np.abs(K).max())


@every_kernel
@together("nonzeros", [0, 1, 3, 8])
def test_product_does_not_need_the_matrix(kernel: Kernel, nonzeros: int) -> None:
    X = example_samples(kernel)
    v = np.random.default_rng(nonzeros).normal(size=len(X)) * (np.arange(len(X)) < nonzeros)
    fresh = Gram(kernel, X, memory_limit=0)
    np.testing.assert_allclose(fresh.product(v), kernel(X) @ v, rtol=1e-11, atol=1e-13)
    assert not fresh.is_formed


def test_product_in_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(23, 2))
    v = np.random.default_rng(1).normal(size=23)
    monkeypatch.setattr("qpkernels.arrays.checks._BLOCK_BYTES", 8 * 23 * 5)
    assert [(rows.start, rows.stop) for rows in row_blocks(23, 23)] == [(0, 5), (5, 10), (10, 15), (15, 20), (20, 23)]
    np.testing.assert_allclose(Gram(RBF(0.5), X).product(v), RBF(0.5)(X) @ v, rtol=1e-12, atol=1e-13)


def test_the_matrix_is_computed_once_and_cannot_be_written() -> None:
    gram = Gram(RBF(1.0), np.arange(6.0).reshape(3, 2))
    assert gram.dense is gram.dense
    for array in (gram.dense, gram.X, gram.diagonal, gram.factor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


def test_an_offset_of_the_samples_costs_no_digits_of_their_differences() -> None:
    rng = np.random.default_rng(0)
    centred, v = rng.integers(-8, 9, size=(12, 2)).astype(float), rng.integers(-8, 9, size=12).astype(float)
    v[0] -= v.sum()
    gram = Gram(Linear(), centred + 2.0**40)
    values = gram.product(v)
    np.testing.assert_array_equal(values - values[0], centred @ (centred.T @ v) - (centred @ (centred.T @ v))[0])


def test_radii_are_distances_from_the_mean() -> None:
    X = 1000.0 + np.random.default_rng(0).normal(size=(12, 2))
    expected = np.linalg.norm(X - X.mean(axis=0), axis=1)
    assert_close(Gram(Linear(), X).radii, expected)
    by_matrix = Gram(Linear(), np.repeat(X, 6, axis=1) / 6**0.5)
    assert by_matrix.features is None
    np.testing.assert_allclose(by_matrix.radii, expected, rtol=1e-8)
    np.testing.assert_allclose(by_matrix.lengths, np.linalg.norm(X, axis=1), rtol=1e-14)


def test_features_are_used_only_where_they_are_fewer_than_samples() -> None:
    X = np.random.default_rng(0).normal(size=(4, 3))
    tall, wide = Gram(Linear(), X), Gram(Linear(), X.T)
    assert tall.features is not None
    assert tall.factor.shape == (4, 3)
    assert wide.features is None
    np.testing.assert_allclose(wide.factor @ wide.factor.T, X.T @ X, atol=1e-13)


def test_the_memory_limit_is_kept_and_named() -> None:
    X = np.zeros((100, 1))
    assert Gram(Linear(), X, memory_limit=80_000).dense.shape == (100, 100)
    with pytest.raises(GramTooLargeError, match=r"100 samples takes 0\.0 GiB.* smo, LowRank.*memory_limit"):
        _ = Gram(Linear(), X, memory_limit=79_999).dense
    huge = Gram(RBF(1.0), np.zeros((50_000, 1)))
    with pytest.raises(MemoryError, match=r"18\.6 GiB, above the limit of 4\.0 GiB"):
        _ = huge.dense


def test_a_kernel_that_overflows_is_refused() -> None:
    with pytest.raises(NonFiniteError, match="scale the features"):
        Gram(Linear().exp(), np.full((2, 1), 1e3))
    with pytest.raises(NonFiniteError, match="scale the features"):
        Gram(Polynomial(9), np.full((2, 1), 1e30))


@together("make", [np.asarray, csr_array])
@together(
    "kernel", [Linear(), Polynomial(2), Linear() + Polynomial(3), 2.0 * Linear(), Linear() * RBF(1.0), Linear() ** 2]
)
def test_a_kernel_that_underflows_is_refused(kernel: Kernel, make: Any) -> None:
    X = np.array([[1e-300, 0.0], [0.0, -1e-300], [0.0, 0.0]])
    with pytest.raises(NonFiniteError, match="float64 takes for 0; scale the features"):
        Gram(kernel, make(X))
    with pytest.raises(NonFiniteError, match="scale the features"):
        Gram(kernel, make(X + 1e-160))


def test_kernels_may_be_0() -> None:
    zeros = csr_array((np.zeros(1), ([1], [0])), shape=(3, 2))
    for kernel in (Linear(), Polynomial(2), 3.0 * Linear() + Polynomial(2), Linear() * RBF(1.0)):
        for X in (zeros, zeros.toarray(), np.array([[0.0, 0.0], [1.0, 1.0]])):
            np.testing.assert_array_equal(Gram(kernel, X).diagonal == 0, ~abs(csr_array(X)).sum(axis=1).astype(bool))
    for kernel in (RBF(1.0), RBF(1.0) + Linear(), Polynomial(2, coef0=1.0)):
        np.testing.assert_allclose(Gram(kernel, np.full((2, 1), 1e-300)).diagonal, 1.0)


def test_a_product_that_overflows_is_no_number() -> None:
    with np.errstate(all="ignore"):
        values = Gram(Linear(), np.ones((3, 1))).product(np.full(3, 1.5e308))
    assert not np.isfinite(values).any()


def test_product_refuses_other_lengths() -> None:
    with pytest.raises(ShapeError, match="3 entries"):
        Gram(Linear(), np.ones((3, 1))).product(np.ones(2))


X = np.random.default_rng(0).normal(size=(1300, 5))


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("formed", [False, True], ids=["streamed", "formed"])
@pytest.mark.parametrize(
    "kernel", [RBF(0.2), Polynomial(3), Laplacian(0.3), Linear()], ids=["rbf", "polynomial", "laplacian", "linear"]
)
def test_they_are_those_of_the_whole_matrix(kernel: Kernel, formed: bool, columns: int) -> None:
    gram, V = Gram(kernel, X), np.random.default_rng(1).normal(size=(1300, columns))
    K = kernel(X, X)
    if formed:
        assert gram.dense.shape == K.shape
    found = gram.products(V)
    np.testing.assert_allclose(found, K @ V, atol=1e-10 * np.abs(K).sum(axis=1).max())
    assert gram.is_formed is formed


def test_of_sparse_samples_low_rank_and_corrected_matrices() -> None:
    thin, V = np.where(np.abs(X) > 1.5, X, 0.0), np.random.default_rng(2).normal(size=(1300, 4))
    np.testing.assert_allclose(Gram(RBF(0.2), csr_array(thin)).products(V), RBF(0.2)(thin, thin) @ V, atol=1e-9)
    low = LowRank(RBF(0.2), X, 30)
    np.testing.assert_allclose(low.products(V), low.features @ (low.features.T @ V), atol=1e-9)
    shifted = Gram(Sigmoid(1.0, -1.0), X[:80], indefinite="shift")
    for columns in (1, 4):
        np.testing.assert_allclose(shifted.products(V[:80, :columns]), shifted.dense @ V[:80, :columns], atol=1e-10)


def test_a_matrix_shows_its_samples_and_kernel() -> None:
    gram = Gram(RBF(0.5), np.eye(128, 3))
    check_repr(gram)
    assert repr(gram) == "<Gram: 128 samples, 3 features, RBF(gamma=0.5)>"
    text = check_bundle(gram, maths=True)
    assert "128 x 128, 0.125 MiB in float64, not formed yet" in text
    assert "k(x, z) = exp(−0.5 ‖x − z‖²)" in str(gram)
    gram.dense  # noqa: B018  forms it
    assert "in memory" in str(gram)
    assert "in memory" in str(gram.part(np.arange(5)))
    assert "indefinite" not in text


def test_what_becomes_of_an_indefinite_matrix_is_said() -> None:
    assert "indefinite  clip" in str(Gram(Sigmoid(1.0, 1.0), np.eye(4), indefinite="clip"))


def test_sequences_have_no_features() -> None:
    assert repr(Gram(Spectrum(2), ["abc", "bcd"])) == "<Gram: 2 samples, Spectrum(p=2, normalise=False)>"


@each_taker
def test_parts_of_a_matrix_are_those_of_the_whole(kernel: Kernel) -> None:
    X = with_zeros(9)
    gram, K, rows, columns = Gram(kernel, X), kernel(X), np.array([4, 0, 7]), slice(2, 8)
    c = np.random.default_rng(0).normal(size=3)
    assert_close(gram.entries(rows), K[np.ix_(rows, rows)])
    assert_close(gram.entries(rows, columns), K[rows, columns])
    assert_close(gram.sums_at(columns, rows, c), c @ K[rows, columns])
    features = gram.dense_features
    if features is not None:
        assert_close(features.matrix @ features.matrix.T, K)


def test_what_a_kernel_says_of_itself_is_known_of_its_matrix() -> None:
    X = np.random.default_rng(0).normal(size=(5, 8))
    linear, matern = Gram(Linear(), X), Gram(Matern(1.0, 1.5), X)
    assert (linear.terms, matern.terms) == (8, 8)
    assert linear.by_construction
    assert not Gram(Sigmoid(), X).by_construction
    assert linear.features is None
    assert linear.dense_features is not None
    assert matern.dense_features is None
    assert matern.product_form is None
    form, samples = Gram(RBF(0.5), X).panels(compressed=False)
    assert form is not None
    assert_close(samples, X)


@each_taker
def test_functions_over_samples_are_known_by_their_numbers(kernel: Kernel) -> None:
    X, rows, c = with_zeros(9), np.array([4, 0, 7]), np.array([1.0, -2.0, 0.5])
    gram, K, beta = Gram(kernel, X), kernel(X), np.zeros(9)
    beta[rows] = c
    assert_close(gram.values(gram.expansion(beta, 3.0)), K @ beta + 3.0)
    assert_close(gram.values(gram.expansion(c, 3.0, rows=rows), slice(2, 5)), (K @ beta + 3.0)[2:5])
    several = gram.expansions(np.column_stack([c, -2.0 * c]), np.array([0.0, 1.0]), rows)
    assert_close(gram.values(several), np.column_stack([K @ beta, 1.0 - 2.0 * K @ beta]))


@together("kind", ["clip", "shift"])
def test_a_function_of_rows_has_coefficients_of_the_kernel_as_it_is(kind: Any) -> None:
    X, beta = np.random.default_rng(0).normal(size=(6, 2)), np.array([1.0, 0.0, -2.0, 0.5, 0.0, 1.0])
    gram, K = Gram(Sigmoid(1.0, 1.0), X, indefinite=kind), Sigmoid(1.0, 1.0)(X)
    shift = 0.0 if gram.correction is None else gram.correction.shift
    assert_close(gram.values(gram.expansion(beta)), gram.dense @ beta - shift * beta)
    assert_close(gram.values(gram.expansion(beta, rows=slice(None))), K @ beta)
    with pytest.raises(ShapeError, match="coefficients"):
        gram.expansion(beta, rows=np.arange(2))


def test_functions_of_the_space_are_told_from_others() -> None:
    X, c = np.random.default_rng(0).normal(size=(4, 2)), np.ones(4)
    gram = Gram(RBF(0.5), X)
    own = gram.expansion(c)
    for function, contained, over in (
        (own, True, True),
        (Expansion(RBF(0.5), X[::-1], c), True, False),
        (Expansion(RBF(0.5), csr_array(X), c), True, False),
        (Expansion(RBF(0.25), X, c), False, True),
    ):
        assert (gram.contains(function), gram.is_over(function)) == (contained, over)
    gram.require_function(own)
    with pytest.raises(ParameterError, match=r"kernel RBF\(gamma=0.5\), but it is in that of Linear"):
        gram.require_function(Expansion(Linear(), X, c))
    with pytest.raises(ShapeError, match=r"of shape \(1,\), and those of the model have \(2,\)"):
        gram.require_function(Expansion(RBF(0.5), X[:, :1], c))


@together("kernel", [Linear(), RBF(0.5), Sigmoid(1.0, 1.0)])
def test_a_matrix_says_what_its_space_is(kernel: Kernel) -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    gram = Gram(kernel, X, indefinite="shift")
    assert (gram.space, gram.formula) == (repr(kernel), kernel.formula())
    assert (gram.linear is gram.X) is (kernel == Linear())
    np.testing.assert_array_equal(gram.kernel_diagonal, kernel.diagonal(X))


def test_matrices_say_in_what_they_differ() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    gram = Gram(RBF(0.5), X)
    for other, differences in (
        (gram, []),
        (Gram(RBF(0.5), X.copy()), []),
        (Gram(RBF(0.5), X, memory_limit=0), []),
        (Gram(RBF(0.7), X), ["the kernel (RBF(gamma=0.5) and RBF(gamma=0.7))"]),
        (Gram(RBF(0.5), X + 1.0), ["the samples"]),
        (Gram(RBF(0.5), csr_array(X)), ["the samples"]),
        (Gram(Linear(), X[:, :1]), ["the kernel (RBF(gamma=0.5) and Linear())", "the samples"]),
    ):
        assert list(gram.differences(other)) == differences
    sparse = Gram(RBF(0.5), csr_array(X))
    assert list(sparse.differences(Gram(RBF(0.5), csr_array(X)))) == []
    assert list(sparse.differences(Gram(RBF(0.5), csr_array(2.0 * X)))) == ["the samples"]
    clipped, shifted = (Gram(Sigmoid(1.0, 1.0), X, indefinite=kind) for kind in ("clip", "shift"))
    assert list(clipped.differences(shifted)) == ["the correction of the kernel matrix (clip and shift)"]


def test_samples_and_kernel_are_known_by_what_a_file_holds() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    digests = []
    for samples in (X, X.copy(), X[::-1], csr_array(X)):
        digest = sha256()
        Gram(RBF(0.5), samples).add_samples_to(digest)
        digests.append(digest.hexdigest())
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3
    for kernel, taken in ((2.0 * RBF(0.5), X), (Precomputed(np.eye(6)), np.arange(6))):
        found = kernel_from_spec(*Gram(kernel, taken).specification())
        np.testing.assert_array_equal(found(taken), kernel(taken))
