# SPDX-License-Identifier: BSD-3-Clause
"""Inner products of functionals: sums of values and derivatives of one function, and of several."""

from itertools import product

import numpy as np
import pytest
from scipy.special import erf

import qpkernels.kernels.functionals as module
from qpkernels import RBF, Gram, Linear, Matern, Polynomial
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import Kernel
from qpkernels.kernels.functionals import FunctionalKernel, Representers, box_rule, largest_norm
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


def integral_of_bell(gamma: float, z: float, low: float, high: float) -> float:
    root = np.sqrt(gamma)
    return float(0.5 * np.sqrt(np.pi / gamma) * (erf(root * (high - z)) - erf(root * (low - z))))


@pytest.mark.parametrize("gamma", [1e-6, 0.3, 1.0, 40.0, 1e4])
@pytest.mark.parametrize("z", [-0.7, 0.1, 0.9, 3.0])
def test_an_integral_of_an_rbf_kernel_is_that_of_the_error_function(gamma: float, z: float) -> None:
    points, weights = box_rule([RBF(gamma)], np.array([0.0]), np.array([1.0]))
    found = weights @ RBF(gamma)(points, [[z]])[:, 0]
    assert found == pytest.approx(integral_of_bell(gamma, z, 0.0, 1.0), rel=1e-13, abs=1e-15)


def test_an_integral_of_a_sum_has_the_points_that_each_kernel_needs() -> None:
    kernel = RBF((0.5, 20.0)) + 2.0 * Polynomial(4, coef0=1.0) + Linear()
    low, high, z = np.array([-1.0, 0.0]), np.array([1.0, 2.0]), np.array([[0.3, -0.4]])
    points, weights = box_rule([kernel], low, high)
    bells = integral_of_bell(0.5, 0.3, -1.0, 1.0) * integral_of_bell(20.0, -0.4, 0.0, 2.0)
    x, w = np.polynomial.legendre.leggauss(40)
    polynomial = sum(
        a * b * (2.0 * (s * 0.3 - 0.4 * (t + 1.0) + 1.0) ** 4 + (s * 0.3 - 0.4 * (t + 1.0)))
        for s, a in zip(x, w, strict=True)
        for t, b in zip(x, w, strict=True)
    )
    assert weights @ kernel(points, z)[:, 0] == pytest.approx(bells + polynomial, rel=1e-12)


def test_integrals_that_are_not_closed_or_take_too_many_points_are_refused_by_name() -> None:
    unit = np.zeros(1), np.ones(1)
    with pytest.raises(ParameterError, match="the kernel is Matern"):
        box_rule([RBF(1.0), Matern(1.0)], *unit)
    with pytest.raises(ParameterError, match=r"a sum of 2 x 2 x .* values, and 4096 are taken at most"):
        box_rule([Polynomial(2)], np.zeros(13), np.ones(13))
