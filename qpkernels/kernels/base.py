# SPDX-License-Identifier: BSD-3-Clause
"""What a kernel is: a function k(x, z) with its matrix, its diagonal and its algebra."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Samples, Vector, finite_samples, is_sparse
from qpkernels.errors import ShapeError

if TYPE_CHECKING:
    from qpkernels.kernels.algebra import Exponential, PolynomialOf, Power, Product, Scaled, Sum
    from qpkernels.kernels.composition import Composed

__all__ = ["Kernel", "Samples"]

_NUMBER = (int, float, np.integer, np.floating)


class Kernel(ABC):
    r"""A symmetric function :math:`k(x, z)`, evaluated on all pairs of two sets of samples.

    A subclass is a frozen dataclass whose fields are its parameters, and gives :meth:`matrix` and :meth:`diagonal`.
    The laws that the contract tests check for every kernel:

    * ``matrix(X, Z).T == matrix(Z, X)``
    * ``diagonal(X) == matrix(X, X).diagonal()``
    * ``features(X) @ features(Z).T == matrix(X, Z)`` where there are features
    * ``matrix(X, X)`` has no negative eigenvalue when :attr:`positive_semidefinite` is true.

    Kernels combine: ``k1 + k2``, ``k1 * k2``, ``a * k`` with a > 0, ``k ** n`` with an integer n >= 1, ``k.exp()``,
    ``k.polynomial([c0, c1, c2])`` with coefficients >= 0, ``k.compose(phi)`` for k(phi(x), phi(z)), and
    ``RankOne(f)`` is the kernel f(x) f(z).
    """

    @abstractmethod
    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        """Return the matrix k(x_i, z_j), dense, of m and n samples that :meth:`samples` returned; shape (m, n)."""

    @abstractmethod
    def diagonal(self, X: Samples) -> Vector:
        """Return k(x_i, x_i), shape (m,), of m samples that :meth:`samples` returned."""

    @property
    def positive_semidefinite(self) -> bool:
        """Whether every matrix of this kernel is positive semidefinite by construction (a Mercer kernel)."""
        return True

    @property
    def takes_sparse(self) -> bool:
        """Whether :meth:`matrix` works on sparse samples, SciPy's csr_array, beside dense ones and mixed with them.

        :mod:`qpkernels.kernels.products` has the inner products and distances of either.
        """
        return False

    def features(self, X: Samples) -> Matrix | None:
        """Return features Phi, dense, shape (m, d), with k(x, z) = phi(x)'phi(z), or None if they are not few."""
        del X
        return None

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` checked and in the container this kernel works on; here: finite float64, samples x features.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` is not such a matrix, or sparse and the kernel does not take that.
        """
        if is_sparse(X) and not self.takes_sparse:
            raise ShapeError(
                f"{self} takes dense samples only, but a sparse matrix came; pass X.toarray(), or choose a kernel that "
                "takes it: Linear, Polynomial, Sigmoid, RBF, Matern, and what they combine to."
            )
        return finite_samples(X, "X")

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Matrix:
        """Return the matrix k(x_i, z_j); of ``X`` with itself when ``Z`` is left out.

        Parameters
        ----------
        X, Z
            Samples, one a row, with the same number of features. Either may be sparse if the kernel takes that.
        """
        left = self.samples(X)
        right = left if Z is None else self.samples(Z)
        if left.shape[1:] != right.shape[1:]:
            raise ShapeError(
                f"X and Z must have the same features, but a sample of X has shape {left.shape[1:]} "
                f"and one of Z {right.shape[1:]}."
            )
        return self.matrix(left, right)

    def __add__(self, other: Kernel) -> Sum:
        """Return the kernel k1(x, z) + k2(x, z)."""
        from qpkernels.kernels.algebra import Sum

        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Any) -> Product | Scaled:
        """Return the kernel k1(x, z) k2(x, z), or a k(x, z) for a number a > 0."""
        from qpkernels.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, float(other)) if isinstance(other, _NUMBER) else NotImplemented

    def __rmul__(self, factor: Any) -> Scaled:
        """Return the kernel a k(x, z) for a number a > 0."""
        from qpkernels.kernels.algebra import Scaled

        return Scaled(self, float(factor)) if isinstance(factor, _NUMBER) else NotImplemented

    def __pow__(self, exponent: int) -> Power:
        """Return the kernel k(x, z)^n for an integer n >= 1."""
        from qpkernels.kernels.algebra import Power

        return Power(self, exponent)

    def exp(self) -> Exponential:
        """Return the kernel exp(k(x, z))."""
        from qpkernels.kernels.algebra import Exponential

        return Exponential(self)

    def polynomial(self, coefficients: ArrayLike) -> PolynomialOf:
        """Return the kernel c_0 + c_1 k(x, z) + c_2 k(x, z)^2 + ... for coefficients of at least 0."""
        from qpkernels.kernels.algebra import PolynomialOf

        return PolynomialOf(self, coefficients)  # type: ignore[arg-type]

    def compose(self, phi: Callable[[Samples], ArrayLike]) -> Composed:
        """Return the kernel k(phi(x), phi(z)); see :class:`~qpkernels.kernels.Composed` for what phi may be."""
        from qpkernels.kernels.composition import Composed

        return Composed(self, phi)
