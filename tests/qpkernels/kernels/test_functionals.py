# SPDX-License-Identifier: BSD-3-Clause
"""Inner products of functionals: sums of values and derivatives of one function, and of several."""

from itertools import product

import numpy as np
import pytest

import qpkernels.kernels.functionals as module
from qpkernels import RBF, Gram, Linear, Matern, Polynomial
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import Kernel
from qpkernels.kernels.functionals import FunctionalKernel, Representers, largest_norm
from qpkernels.solvers.smo.rows import MixtureRows
from together import together

X = np.random.default_rng(0).normal(size=(5, 2))
FIRST, SECOND = RBF(0.5), Linear()


@pytest.mark.parametrize("kept", [0, 2**20])
def test_entries_are_those_of_all_representers_mixed(kept: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT", kept)
    kernel = FunctionalKernel(
        [[Representers(FIRST, X), Representers(FIRST, X[:2], (1,))], [Representers(SECOND, X[:3])]]
    )
    K = np.zeros((10, 10))
    K[:5, :5], K[5:7, 5:7], K[7:, 7:] = FIRST(X), FIRST.derivative(X[:2], X[:2], (1,), (1,)), SECOND(X[:3])
    K[5:7, :5] = FIRST.derivative(X[:2], X, (1,), ())
    K[:5, 5:7] = K[5:7, :5].T
    mixing = np.random.default_rng(1).normal(size=(4, 10)) * (np.random.default_rng(2).random((4, 10)) < 0.5)
    assert kernel(mixing) == pytest.approx(mixing @ K @ mixing.T, abs=1e-12)
    assert FunctionalKernel(kernel.functions, 1)(mixing) == pytest.approx(
        mixing[:, 7:] @ K[7:, 7:] @ mixing[:, 7:].T, abs=1e-12
    )
    assert Gram(kernel, mixing).diagonal == pytest.approx(np.diag(mixing @ K @ mixing.T), abs=1e-12)


def test_many_sums_of_few_representers_are_products_with_these() -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(8, 2))
    first, second = np.arange(40) % 8, (np.arange(40) * 3 + 1) % 8
    differences = np.eye(8)[first] - np.eye(8)[second]
    gram = Gram(FunctionalKernel([[Representers(FIRST, points)]]), differences)
    assert gram.mixture is not None
    K, rows, v = differences @ FIRST(points) @ differences.T, MixtureRows(*gram.mixture), random.normal(size=40)
    assert gram.product(v) == pytest.approx(K @ v, abs=1e-12)
    chosen = np.array([3, 17, 30])
    block = rows.block(chosen)
    assert block.rows(np.arange(3)) == pytest.approx(K[np.ix_(chosen, chosen)], abs=1e-12)
    some, values = np.array([1, 5, 39]), np.zeros(3)
    rows.part(some).add(np.array([0, 2]), np.array([2.0, -1.0]), np.ones(2, np.int64), values)
    assert values == pytest.approx(2.0 * K[some, 1] - K[some, 39], abs=1e-12)
    # What rounding is a share of is the size of the terms, not of a difference in which they cancel.
    near = Gram(FunctionalKernel([[Representers(FIRST, points[[0, 0]] + [[0.0], [1e-9]])]]), [[1.0, -1.0]])
    assert near.diagonal[0] < 1e-15
    assert near.lengths == pytest.approx([2.0])


def test_samples_have_a_coefficient_for_each_representer() -> None:
    with pytest.raises(ShapeError, match="sum of 5 representers here, but 3 coefficients came"):
        FunctionalKernel([[Representers(FIRST, X)]])([[1.0, 0.0, 0.0]])


@together(
    "kernel, axes",
    product(
        [
            RBF(0.7),
            Matern(1.3, nu=2.5),
            Linear(),
            Polynomial(3, 0.5, 1.0),
            RBF(0.7) + 2.0 * Polynomial(2),
            Linear().exp(),
        ],
        [(), (0,), (0, 1)],
    ),
)
def test_no_representer_in_a_box_is_larger_than_the_largest_norm(kernel: Kernel, axes: tuple[int, ...]) -> None:
    box = np.array([[-1.5, 0.5], [0.2, 1.0]])
    points = np.stack(np.meshgrid(*(np.linspace(low, high, 9) for low, high in box)), axis=-1).reshape(-1, 2)
    largest = largest_norm(kernel, axes, box)
    norms = np.sqrt(Representers(kernel, points, axes).squared_norms())
    assert norms.max() <= largest * (1 + 1e-12)
    # The corner (-1.5, 1) has the largest of each |x_k|.
    assert norms.max() == pytest.approx(largest, rel=1e-12)


def test_a_kernel_whose_derivatives_may_be_larger_elsewhere_is_refused() -> None:
    class Own(RBF):
        pass

    for kernel in (RBF(1.0) * Linear(), Own(1.0), Polynomial(2, 1.0, -0.5), (RBF(1.0) + Linear()) ** 2):
        with pytest.raises(ParameterError, match="not known how large"):
            largest_norm(kernel, (), np.array([[0.0, 1.0]]))
