# SPDX-License-Identifier: BSD-3-Clause
"""The contract that every public kernel keeps, and what samples it takes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix

import qpkernels.kernels
from builders import HOLDS_ARRAYS, INDEFINITE, KERNEL_EXAMPLES, example_samples
from kernel_samples import X, Z
from qpkernels import (
    RBF,
    FunctionKernel,
    Gram,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    QuadraticMap,
    RankOne,
    Sigmoid,
    Spectrum,
)
from qpkernels.errors import NonFiniteError, ParameterError, QPKernelsError, ShapeError
from qpkernels.kernels import Composed, Scaled
from qpkernels.kernels.functionals import FunctionalKernel
from qpkernels.kernels.kernel import parameters_of, with_parameters
from qpkernels.kernels.series import SeriesKernel
from qpkernels.kernels.spec import kernel_from_spec, kernel_to_spec
from sparse_samples import assert_close, each_refuser, each_taker, with_zeros
from together import together


def public_kernels(kind: type[Kernel] = Kernel) -> Iterator[type[Kernel]]:
    for child in kind.__subclasses__():
        hidden = child.__name__.startswith("_") or inspect.isabstract(child)
        if not hidden and child.__module__.startswith("qpkernels."):
            yield child
        yield from public_kernels(child)


# Its samples are sums of what statements look at, not of anybody's data: see test_functionals.
ALL = sorted(set(public_kernels()) - {FunctionalKernel}, key=lambda kind: kind.__name__)


contract = together("kind", ALL)


def example(kind: type[Kernel]) -> tuple[Kernel, Any, Any]:
    kernel = KERNEL_EXAMPLES[kind]
    return (
        kernel,
        kernel.samples(example_samples(kernel, 8, seed=1)),
        kernel.samples(example_samples(kernel, 5, seed=2)),
    )


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
    # Such an array lists two series of three vectors.
    with pytest.raises(ShapeError, match="shape"):
        kernel(np.zeros((2, 3, 2, 2) if isinstance(kernel, SeriesKernel) else (2, 3, 2)))


@contract
def test_contract_text_and_arrays_hold_the_kernel(kind: type[Kernel]) -> None:
    kernel, X, Z = example(kind)
    arrays: list[Any] = []
    if kind is FunctionKernel:
        with pytest.raises(ParameterError, match=r"cannot hold .* a kernel that is one from Kernel"):
            kernel_to_spec(kernel, arrays)
        return
    text = json.dumps(kernel_to_spec(kernel, arrays))
    again = kernel_from_spec(json.loads(text), arrays)
    assert type(again) is kind
    np.testing.assert_array_equal(again.matrix(X, Z), kernel.matrix(X, Z))
    if kind not in HOLDS_ARRAYS:
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


def test_equal_parameters_make_equal_kernels() -> None:
    assert RBF(2) == RBF(2.0) == RBF(np.float64(2.0))
    assert RBF([1.0, 2.0]) == RBF((1.0, 2.0)) == RBF(np.array([1.0, 2.0]))
    assert hash(RBF([1.0, 2.0])) == hash(RBF((1.0, 2.0)))
    assert RBF(2.0) != RBF(2.5)
    assert Polynomial(2) != Polynomial(3)
    assert RBF(1.0) + Linear() == RBF(1.0) + Linear()
    assert RBF(1.0) + Linear() != RBF(1.0) * Linear()
    assert Linear() != RBF(1.0)


k1, k2 = RBF(0.4), Polynomial(2, 0.5, 1.0)


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


@pytest.mark.parametrize("bad", [0, -1, 2.5, 2.0, True, "2", None])
def test_an_exponent_must_be_an_integer_of_at_least_one(bad: Any) -> None:
    with pytest.raises(ParameterError, match="degree"):
        Polynomial(bad)
    with pytest.raises(ParameterError, match="exponent"):
        Linear() ** bad


@together(
    "kernel",
    [Linear(), RBF(1.0), Polynomial(2), Laplacian(1.0), Matern(), Sigmoid(), Linear().compose(np.tanh), RankOne(len)],
)
@together(
    "bad, error, words",
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


def test_what_is_made_of_a_kernel_without_sparse_samples_takes_none() -> None:
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


@together(
    "kernel",
    [
        RBF(0.7),
        Matern(0.8, 0.5),
        Matern(1.5, np.inf),
        2 * (RBF((0.1, 1.0, 0.0)) + Linear()) * Matern() + Polynomial(2, 0.5, -1.0).exp(),
        (Linear() ** 2).polynomial([1.0, 0.5]),
    ],
)
@pytest.mark.usefixtures("either_product")
def test_more_kernels_and_their_algebra(kernel: Kernel) -> None:
    X, Z = with_zeros(12, seed=3), with_zeros(7, seed=4)
    assert_close(kernel(csr_array(X), csr_array(Z)), kernel(X, Z))
    assert_close(kernel(csr_array(X), Z), kernel(X, Z))


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


def test_both_sets_of_sparse_samples_must_have_the_same_features() -> None:
    X = with_zeros(4)
    for left, right in ((csr_array(X), csr_array(X[:, :2])), (csr_array(X), X[:, :2]), (X, csr_array(X[:, :2]))):
        with pytest.raises(ShapeError, match="same features"):
            RBF(1.0)(left, right)
    with pytest.raises(ShapeError, match="gamma has 2 entries"):
        RBF((1.0, 2.0))(csr_array(X))


@together("kernel", [RBF(3.0), RBF(1e9), RBF((1.0, 0.2, 5.0)), Matern(0.5, 0.5), Matern(1e-6, 2.2)])
@pytest.mark.usefixtures("either_product")
def test_equal_samples_have_the_value_1(kernel: Kernel) -> None:
    X = with_zeros(9)
    twice = kernel(csr_array(np.vstack([X, X])))
    np.testing.assert_allclose(twice[:9, 9:].diagonal(), 1.0, rtol=1e-14)
    assert twice.max() == 1.0
    np.testing.assert_array_equal(twice.diagonal(), 1.0)
    for left, right in ((csr_array(X), X), (X, csr_array(X)), (csr_array(X), csr_array(X))):
        np.testing.assert_allclose(kernel(left, right).diagonal(), 1.0, rtol=1e-14)


@together("kernel", KERNEL_EXAMPLES.values())
def test_a_kernel_is_made_of_its_parameters(kernel: Kernel) -> None:
    again = with_parameters(kernel, parameters_of(kernel))
    assert type(again) is type(kernel)
    assert parameters_of(again).keys() == parameters_of(kernel).keys()
    assert with_parameters(kernel, {}) is kernel


def test_those_of_kernels_in_a_kernel() -> None:
    kernel = RBF(1.0) + 2.0 * Polynomial(2)
    assert parameters_of(kernel)["right__base__degree"] == 2
    changed = with_parameters(kernel, {"left__gamma": 3.0, "right__factor": 5.0, "right__base__degree": 4})
    assert changed == RBF(3.0) + 5.0 * Polynomial(4)
    assert with_parameters(kernel, {"left": Polynomial(3), "left__degree": 5}) == Polynomial(5) + 2.0 * Polynomial(2)


@pytest.mark.parametrize(
    ("kernel", "changes", "words"),
    [
        (RBF(1.0), {"sigma": 1.0}, r"has no parameter 'sigma'; it has gamma"),
        (Linear(), {"gamma": 1.0}, r"has no parameter 'gamma'; it has none"),
        (RBF(1.0), {"gamma__x": 1.0}, r"has no parameter 'gamma__x'"),
        (RBF(1.0) + Linear(), {"right__gamma": 1.0}, r"Linear\(\) has no parameter 'gamma'"),
        (RBF(1.0), {"gamma": "wide"}, "gamma must be"),
    ],
)
def test_what_a_kernel_does_not_take(kernel: Kernel, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        with_parameters(kernel, changes)
