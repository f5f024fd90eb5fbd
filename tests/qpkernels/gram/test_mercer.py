# SPDX-License-Identifier: BSD-3-Clause
"""Mercer's condition on a sample: eigenvalues, and the features they give."""

import numpy as np
import pytest

from builders import INDEFINITE, KERNEL_EXAMPLES, example_samples
from qpkernels import RBF, Kernel, Linear, Mercer, Polynomial, Precomputed, Sigmoid, Spectrum
from qpkernels.errors import GramTooLargeError, IndefiniteKernelError, NonFiniteError
from qpkernels.gram.definiteness import PSD_TOLERANCE
from together import together

every_kernel = together("kernel", KERNEL_EXAMPLES.values())


definite_kernel = together("kernel", [kernel for kind, kernel in KERNEL_EXAMPLES.items() if kind not in INDEFINITE])


@every_kernel
def test_the_decomposition_is_that_of_the_matrix(kernel: Kernel) -> None:
    X = example_samples(kernel)
    mercer = Mercer(kernel, X)
    K = kernel(X)
    V, eigenvalues = mercer.eigenvectors, mercer.eigenvalues
    np.testing.assert_allclose(V @ np.diag(eigenvalues) @ V.T, K, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(V.T @ V, np.eye(len(X)), atol=1e-13)
    assert (np.diff(eigenvalues) <= 0).all()
    assert mercer.smallest_eigenvalue == eigenvalues[-1]
    assert mercer.is_psd == (type(kernel) not in INDEFINITE)


@definite_kernel
def test_features_reproduce_the_matrix_on_the_sample(kernel: Kernel) -> None:
    X = example_samples(kernel)
    mercer, K = Mercer(kernel, X), kernel(X)
    assert mercer.features.shape == (len(X), mercer.rank)
    np.testing.assert_allclose(mercer.features @ mercer.features.T, K, atol=1e-12 * np.abs(K).max())
    np.testing.assert_allclose(mercer.features_of(X) @ mercer.features_of(X).T, K, atol=1e-9 * np.abs(K).max())


def test_features_by_hand() -> None:
    mercer = Mercer(Precomputed(np.array([[2.0, 1.0], [1.0, 2.0]])), [0, 1])
    np.testing.assert_allclose(mercer.eigenvalues, [3.0, 1.0], rtol=1e-14)
    np.testing.assert_allclose(np.abs(mercer.features), [[np.sqrt(1.5), np.sqrt(0.5)]] * 2, rtol=1e-14)


def test_features_of_new_samples_are_projections() -> None:
    """For a kernel of finite rank, enough samples span everything; with fewer, norms can only fall."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(12, 3)), rng.normal(size=(5, 3))
    full = Mercer(Polynomial(2), X)
    assert full.rank == 6
    np.testing.assert_allclose(full.features_of(Z) @ full.features_of(Z).T, Polynomial(2)(Z), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(full.features_of(X), full.features, atol=1e-10)
    partial = Mercer(RBF(0.5), X).features_of(Z)
    assert (np.linalg.norm(partial, axis=1) < 1.0).all()
    # Against a sample, the projection loses nothing.
    mercer = Mercer(RBF(0.5), X)
    np.testing.assert_allclose(partial @ mercer.features.T, RBF(0.5)(Z, X), atol=1e-10)


def test_the_rank_is_the_number_of_features() -> None:
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 2)), 3, axis=0)
    assert Mercer(RBF(1.0), X).rank == 4
    assert Mercer(Linear(), X).rank == 2
    assert Mercer(Linear(), np.zeros((3, 2))).features.shape == (3, 0)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_verdict_has_the_tolerance_of_the_project(scale: float) -> None:
    inside, outside = (np.diag([1.0, 0.5, -part * PSD_TOLERANCE]) * scale for part in (0.5, 2.0))
    assert Mercer(Precomputed(inside), np.arange(3)).is_psd
    assert Mercer(Precomputed(inside), np.arange(3)).features.shape == (3, 2)
    assert not Mercer(Precomputed(outside), np.arange(3)).is_psd


def test_an_indefinite_matrix_has_no_features() -> None:
    mercer = Mercer(Sigmoid(0.5, 1.0), np.random.default_rng(0).normal(size=(10, 2)))
    assert mercer.smallest_eigenvalue < -0.1
    for features in (lambda: mercer.features, lambda: mercer.features_of(np.ones((1, 2)))):
        with pytest.raises(IndefiniteKernelError, match=r"Sigmoid\(.*negative eigenvalue .*clip") as caught:
            features()
        assert caught.value.smallest_eigenvalue == mercer.smallest_eigenvalue
        assert f"{mercer.smallest_eigenvalue:.6g}" in str(caught.value)


def test_it_says_what_was_found() -> None:
    assert str(Mercer(Precomputed(np.diag([4.0, 1.0])), [0, 1])) == (
        "the matrix of Precomputed() on 2 samples is positive semidefinite (smallest eigenvalue 1, largest 4)"
    )
    assert "is not positive semidefinite: this is no Mercer kernel (smallest eigenvalue -1, largest 4)" in str(
        Mercer(Precomputed(np.diag([4.0, -1.0])), [0, 1])
    )


def test_strings_have_features_too() -> None:
    mercer = Mercer(Spectrum(2), ["abab", "baba", "cccc"])
    np.testing.assert_allclose(mercer.features @ mercer.features.T, [[5, 4, 0], [4, 5, 0], [0, 0, 9]], atol=1e-13)
    np.testing.assert_allclose(mercer.features_of(["ab"]) @ mercer.features.T, [[2, 1, 0]], atol=1e-13)


def test_refusals_are_those_of_a_kernel_matrix() -> None:
    with pytest.raises(GramTooLargeError, match="memory_limit"):
        Mercer(Linear(), np.ones((10, 1)), memory_limit=100)
    with pytest.raises(NonFiniteError, match=r"X\[0, 0\]"):
        Mercer(Linear(), [[np.nan]])
