# SPDX-License-Identifier: BSD-3-Clause
"""Kernels as plain functions of two sets of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import inner_products
from kernel_samples import X, Z
from qpkernels import RBF, Expansion, FunctionKernel, Gram, Linear
from qpkernels.errors import (
    IndefiniteKernelError,
    NonFiniteError,
    NotSymmetricError,
    ParameterError,
    QPKernelsError,
    ShapeError,
)
from qpkernels.kernels.function_kernel import as_kernel


def shared_letters(A: Any, B: Any) -> list[list[float]]:
    return [[float(len(set(a) & set(b))) for b in B] for a in A]


def test_it_is_a_kernel_like_any_other() -> None:
    own = FunctionKernel(inner_products)
    np.testing.assert_array_equal(own(X, Z), X @ Z.T)
    np.testing.assert_allclose((2.0 * own + RBF(1.0))(X, Z), 2.0 * X @ Z.T + RBF(1.0)(X, Z))
    np.testing.assert_allclose((own * RBF(1.0) ** 2)(X), (Linear() * RBF(1.0) ** 2)(X))
    np.testing.assert_allclose(own(csr_array(X), csr_array(Z)), X @ Z.T, atol=1e-14)
    f = Expansion(own, X, np.arange(9.0), 0.5)
    np.testing.assert_allclose(f(Z), Z @ X.T @ np.arange(9.0) + 0.5)
    assert repr(own) == "FunctionKernel(inner_products)"


def test_samples_of_any_kind() -> None:
    own = FunctionKernel(shared_letters)
    words = ["abc", "cde", "a"]
    np.testing.assert_array_equal(own(words), [[3, 1, 1], [1, 3, 0], [1, 0, 1]])
    graphs = [np.eye(2), np.eye(2), np.ones((3, 3))]
    sizes = FunctionKernel(lambda A, B: [[float(len(a) == len(b)) for b in B] for a in A])
    np.testing.assert_array_equal(sizes(graphs), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    sets = FunctionKernel(lambda A, B: [[float(len(a & b)) for b in B] for a in A])
    np.testing.assert_array_equal(sets([{1, 2}, {2}]), [[2, 1], [1, 1]])
    assert len(Gram(own, words).part(np.array([2, 0]))) == 2


def test_it_is_equal_where_its_function_is_the_same() -> None:
    def other(A: Any, B: Any) -> Any:
        return A @ B.T

    assert FunctionKernel(other) == FunctionKernel(other)
    assert hash(FunctionKernel(other)) == hash(FunctionKernel(other))
    assert FunctionKernel(other) != FunctionKernel(inner_products)
    assert as_kernel(other) == FunctionKernel(other)
    assert as_kernel(RBF(1.0)) == RBF(1.0)


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (lambda A, B: (A @ B.T)[0], ShapeError, r"shape \(9, 9\) of 9 and 9, but its shape is \(9,\)"),
        (
            lambda A, B: f"{len(A)} {len(B)}",
            ShapeError,
            "returns must hold real numbers, but text came",
        ),
        (lambda A, B: A[:, :1] + 0.0 * B[:, 0], NotSymmetricError, "must be symmetric, but FunctionKernel"),
        (lambda A, B: -A @ B.T, IndefiniteKernelError, "smallest eigenvalue is -"),
        (lambda A, B: np.nan * (A @ B.T), NonFiniteError, "not finite"),
    ],
)
def test_what_is_no_kernel(function: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Gram(FunctionKernel(function), X).require_psd()


def test_a_value_that_depends_on_other_samples() -> None:
    many = np.tile(X, (5, 1))
    centred = FunctionKernel(lambda A, B: (A - A.mean(axis=0)) @ (B - B.mean(axis=0)).T)
    with pytest.raises(ParameterError, match="must depend on this pair alone"):
        Gram(centred, many).require_psd()


@pytest.mark.parametrize("X", [[], "abc", 3.0, np.zeros((2, 2, 2)), [[1.0, np.nan]], np.array(["a"]).reshape(1, 1)])
def test_what_lists_no_samples(X: Any) -> None:
    with pytest.raises(QPKernelsError, match="X must"):
        FunctionKernel(inner_products)(X)


@pytest.mark.parametrize("kernel", ["rbf", None, 3, RBF, dict])
def test_what_is_neither_kernel_nor_function(kernel: Any) -> None:
    with pytest.raises(ParameterError, match=r"but .* came"):
        as_kernel(kernel)
    with pytest.raises(ParameterError, match="takes a function of two sets of samples"):
        FunctionKernel(kernel)
