# SPDX-License-Identifier: BSD-3-Clause
"""Kernels state their derivatives: against differences in 60 digits, by symmetry, and as inner products."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.sparse import csr_array

from builders import KERNEL_EXAMPLES, example_samples
from exact import exact, exact_kernel
from qpkernels import RBF, Columns, FunctionKernel, Kernel, Laplacian, Linear, Matching, Matern, Polynomial
from qpkernels.arrays import Matrix, Samples
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels import Nystroem, RandomFourier
from qpkernels.kernels.derivatives import Axes
from together import name_of, together

EXAMPLES = list(KERNEL_EXAMPLES.values())
REFUSING = [kernel for kernel in EXAMPLES if kernel.smoothness == 0]
SMOOTH = [kernel for kernel in EXAMPLES if kernel.smoothness > 0] + [
    RBF(0.7),
    Polynomial(degree=2, gamma=0.5, coef0=-0.25),
    *(Matern(0.8, nu) for nu in (1.2, 1.5, 2.0, 2.5, 3.5, np.inf)),
    2.0 * (RBF(0.4) + Linear()) ** 2 * Matern(1.5, 2.5),
    Columns(Matern(1.2, 2.5), (2, 0)) * Columns(Polynomial(2), 1) + Linear(),
]

ORDERS: list[tuple[Axes, Axes]] = [
    ((), ()),
    ((0,), ()),
    ((), (2,)),
    ((0,), (0,)),
    ((1,), (2,)),
    ((0, 0), ()),
    ((), (0, 2)),
    ((0, 2), (2,)),
    ((0, 0), (0, 0)),
    ((0, 1), (2, 2)),
    ((0, 2), (0, 2)),
    ((2, 2, 2), (2, 2, 2)),
]

_RNG = np.random.default_rng(7)
X = _RNG.normal(size=(2, 3))
Z = np.vstack([X[0], _RNG.normal(size=(1, 3))])
"""The first is a sample of X, too."""


def difference(kernel: Kernel, x: Any, z: Any, left: Axes, right: Axes) -> Any:
    """Return the derivative of the exact kernel, by differences with steps of 1e-19 and the digits that these take."""
    k, point = exact_kernel(kernel), [*exact(x), *exact(z)]
    orders = [left.count(axis) for axis in range(3)] + [right.count(axis) for axis in range(3)]
    with mp.workdps(15):
        return mp.diff(lambda *moved: k(moved[:3], moved[3:]), tuple(point), tuple(orders))


def allowed(kernel: Kernel) -> list[tuple[Axes, Axes]]:
    return [axes for axes in ORDERS if max(map(len, axes)) <= kernel.smoothness]


def test_which_of_the_library_have_them() -> None:
    smooth = {"Linear", "Matern", "Polynomial", "RBF", "RandomFourier", "Nystroem"}
    smooth |= {"Columns", "Exponential", "PolynomialOf", "Power", "Product", "Scaled", "Sum"}
    # A new kernel may have them, or refuse.
    assert smooth <= {type(kernel).__name__ for kernel in SMOOTH}
    assert len(SMOOTH) > 20


@pytest.mark.parametrize("kernel", SMOOTH, ids=name_of)
def test_derivatives_are_limits_of_differences(kernel: Kernel) -> None:
    for left, right in allowed(kernel):
        if not left and not right:
            continue
        expected = [float(difference(kernel, x, z, left, right)) for x, z in zip(X, Z, strict=True)]
        found = kernel.derivative(X, Z, left, right).diagonal()
        # A term of |x - z|^(2 nu - 4) shrinks so slowly in the steps at x = z.
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10, err_msg=f"{left} {right}")


@together("kernel", SMOOTH)
def test_moving_x_is_moving_z(kernel: Kernel) -> None:
    for left, right in allowed(kernel):
        one, other = kernel.derivative(X, Z, left, right), kernel.derivative(Z, X, right, left)
        assert one.shape == (2, 2)
        np.testing.assert_allclose(one, other.T, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(one, kernel.derivative(X, Z, left[::-1], right[::-1]), rtol=1e-11, atol=1e-12)


@together("kernel", SMOOTH)
def test_no_derivative_is_the_matrix(kernel: Kernel) -> None:
    np.testing.assert_allclose(kernel.derivative(X, Z, (), ()), kernel.matrix(X, Z), rtol=1e-14, atol=1e-15)


@together("kernel", [kernel for kernel in SMOOTH if kernel.positive_semidefinite])
def test_they_are_inner_products_of_functionals(kernel: Kernel) -> None:
    highest = int(min(kernel.smoothness, 2))
    functionals = [axes for order in range(highest + 1) for axes in combinations_with_replacement((0, 2), order)]
    gram = np.block([[kernel.derivative(X, X, left, right) for right in functionals] for left in functionals])
    np.testing.assert_allclose(gram, gram.T, rtol=1e-11, atol=1e-11)
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues[0] >= -1e-10 * eigenvalues[-1]


@together("nu, smoothness", [(0.3, 0), (0.5, 0), (1.0, 0), (1.5, 1), (2.0, 1), (2.5, 2), (np.inf, np.inf)])
def test_smoothness_of_matern(nu: float, smoothness: float) -> None:
    assert Matern(nu=nu).smoothness == smoothness


def test_smoothness_of_what_kernels_combine_to() -> None:
    rough, smooth = Matern(nu=1.5), Matern(nu=2.5)
    assert (rough + RBF(1.0)).smoothness == (smooth * rough).smoothness == (2.0 * rough.exp()).smoothness == 1
    assert Columns(smooth**2, (0, 1)).smoothness == smooth.polynomial([0.0, 1.0]).smoothness == 2
    assert (Linear() + Laplacian(1.0)).smoothness == RBF(1.0).compose(abs).smoothness == 0
    assert Nystroem(rough, X).smoothness == 1
    assert RandomFourier.sampled(Laplacian(1.0), 3, 8).smoothness == np.inf


@together("kernel", REFUSING)
def test_kernels_without_derivatives_name_themselves(kernel: Kernel) -> None:
    samples = kernel.samples(example_samples(kernel, 3))
    np.testing.assert_array_equal(kernel.derivative(samples, samples, (), ()), kernel.matrix(samples, samples))
    for axes in (((0,), ()), ((), (0,))):
        with pytest.raises(ParameterError, match=r"states derivatives of order 0 at most .*\(0,\).* came") as refusal:
            kernel.derivative(samples, samples, *axes)
        assert str(refusal.value).startswith(repr(kernel))


@together("axes", [((0, 0), ()), ((), (0, 1)), ((0, 1), (1,))])
def test_matern_is_refused_beyond_its_smoothness(axes: tuple[Axes, Axes]) -> None:
    with pytest.raises(
        ParameterError, match=r"Matern\(.*nu=1.5\) states derivatives of order 1 at most in each sample"
    ):
        Matern(nu=1.5).derivative(X, Z, *axes)


@together("combined", [RBF(1.0) + Laplacian(0.5), Linear() * Laplacian(0.5), Laplacian(0.5).exp()])
def test_what_is_combined_names_the_part_without_derivatives(combined: Kernel) -> None:
    with pytest.raises(ParameterError, match=r"^Laplacian\(gamma=0.5\) states"):
        combined.derivative(X, Z, (0,), ())


@together("kernel", SMOOTH)
def test_an_axis_is_a_column(kernel: Kernel) -> None:
    for axis in (3, -1, 0.5, True):
        for side, axes in (("left", ((axis,), ())), ("right", ((0,), (axis,)))):
            with pytest.raises(ParameterError, match=rf"{side} must be a tuple of axes, integers from 0 to 2 of the 3"):
                kernel.derivative(X, Z, *axes)


@together("kernel", [Linear(), Polynomial(), RBF(1.0), Matern(), 2.0 * Laplacian(1.0), Columns(RBF(1.0), 0) + Linear()])
def test_axes_are_tuples(kernel: Kernel) -> None:
    for axes in ((0, ()), ((), 0), ((), [1])):
        with pytest.raises(ParameterError, match=r"came"):
            kernel.derivative(X, Z, *axes)


@together("kernel", [Linear(), RBF(1.0), Matern(nu=2.5), Columns(RBF(1.0), 0), RBF(1.0) + Linear()])
def test_samples_are_dense(kernel: Kernel) -> None:
    for pair in ((csr_array(X), Z), (X, csr_array(Z))):
        with pytest.raises(ShapeError, match=r"dense samples, .* use toarray"):
            kernel.derivative(*pair, (0,), ())


@pytest.mark.parametrize("nu", [1.2, 1.5, 2.0, 2.5, 3.5])
def test_matern_close_to_the_origin(nu: float) -> None:
    """Factors that are infinite at 0 meet others that vanish there."""
    kernel, highest = Matern(1.0, nu), (0,) * (int(np.ceil(nu)) - 1)
    near = np.array([[0.0], [1e-200], [1e-60], [1e-9]])
    found = kernel.derivative(near, near[:1], highest, highest)
    assert np.isfinite(found).all()
    # What is left of k(0) - k(t) after so many derivatives is of the order of this power of t.
    rest = 1e-13 + 1e2 * near ** (2.0 * nu - 2.0 * len(highest))
    assert (np.abs(found / found[0] - 1.0) <= rest).all()


@together("kernel", [RBF(1.0), Matern(1.0, 2.5), Matern(1.0, 2.0)])
def test_far_samples_have_none(kernel: Kernel) -> None:
    far = np.array([[0.0], [1e150]])
    for axes in ((0,), ()), ((0,), (0,)):
        assert kernel.derivative(far, far[:1], *axes)[1] == 0.0


class TestColumns:
    def test_other_columns_do_not_move_it(self) -> None:
        kernel = Columns(RBF(0.4), (2, 0))
        assert not kernel.derivative(X, Z, (1,), ()).any()
        assert not kernel.derivative(X, Z, (0,), (0, 1)).any()
        of_its_own = RBF(0.4).derivative(X[:, [2, 0]], Z[:, [2, 0]], (1,), (0, 1))
        np.testing.assert_array_equal(kernel.derivative(X, Z, (0,), (2, 0)), of_its_own)

    def test_beside_a_kernel_without_derivatives(self) -> None:
        smooth, rough = Columns(RBF(0.4), 0), Columns(Laplacian(0.4), (1, 2))
        expected = smooth.derivative(X, Z, (0,), (0,)) * rough.matrix(X, Z)
        np.testing.assert_allclose((smooth * rough).derivative(X, Z, (0,), (0,)), expected, rtol=1e-14)
        with pytest.raises(ParameterError, match=r"^Laplacian"):
            (smooth * rough).derivative(X, Z, (1,), ())

    def test_axes_of_a_table_are_its_columns(self) -> None:
        kernel = Columns(RBF(0.4), "age") * Columns(Matching(), "sex")
        here = np.array([("f", 1.0), ("m", 2.0)], dtype=[("sex", "U1"), ("age", float)])
        there = np.array([(0.0, 1.5, "f")], dtype=[("bmi", float), ("age", float), ("sex", "U1")])
        X, Z = kernel.samples(here), kernel.samples(there)
        expected = RBF(0.4).derivative(np.array([[1.0], [2.0]]), np.array([[1.5]]), (0,), (0,)) * [[1.0], [0.0]]
        np.testing.assert_allclose(kernel.derivative(X, Z, (1,), (1,)), expected, rtol=1e-14)
        with pytest.raises(ParameterError, match="right must be a tuple of axes, integers from 0 to 2 of the 3"):
            kernel.derivative(X, Z, (), (3,))
        with pytest.raises(ParameterError, match=r"^Matching\(\) states derivatives of order 0"):
            kernel.derivative(X, Z, (0,), ())

    def test_a_column_that_is_listed_twice_counts_twice(self) -> None:
        table = np.array([(1.0,), (2.5,)], dtype=[("age", float)])
        kernel = Columns(RBF(0.2), ("age", 0))
        samples = kernel.samples(table)
        numbers = np.array([[1.0], [2.5]])
        expected = RBF(0.4).derivative(numbers, numbers, (0,), (0,))
        np.testing.assert_allclose(kernel.derivative(samples, samples, (0,), (0,)), expected, rtol=1e-14)


def test_a_subclass_with_a_matrix_of_its_own_has_no_others_derivatives() -> None:
    class Squared(Matern):
        def matrix(self, X: Samples, Z: Samples) -> Matrix:
            return super().matrix(X, Z) ** 2

    kernel = Squared(1.0, 2.5)
    assert kernel.smoothness == 0
    with pytest.raises(ParameterError, match=r"Squared\(.* states derivatives of order 0"):
        kernel.derivative(X, Z, (0,), ())


def test_a_function_has_no_derivatives_of_its_own() -> None:
    with pytest.raises(ParameterError, match=r"FunctionKernel\(.*derivative\(X, Z, left, right\)"):
        FunctionKernel(np.inner).derivative(X, Z, (0,), ())
