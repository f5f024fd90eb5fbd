# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of functions of samples: k(phi(x), phi(z)) and f(x) f(z).

Source: section H of the catalogue (construction rules of Mercer kernels).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, finite_matrix, finite_vector
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.enclosed import EnclosedRows, enclosed_inner_products
from qpkernels.kernels.kernel import Kernel, SampleFunction, Samples
from qpkernels.kernels.products import Rational, rational_products

__all__ = [
    "Composed",
    "QuadraticMap",
    "RankOne",
    "ScaledQuadraticMap",
]


@dataclass(frozen=True)
class QuadraticMap(SampleFunction):
    """x -> (x_1, ..., x_d, all products x_i x_j with i <= j): d + d (d + 1) / 2 features.

    A linear function of these features is a quadratic discriminant.

    Examples
    --------
    >>> from formulations import LeastSquaresFit
    >>> from qpkernels import Linear, QuadraticMap
    >>> X, y = [[-1.0], [0.0], [1.0], [2.0]], [3.0, 1.0, 1.0, 3.0]
    >>> solution = LeastSquaresFit(X, y, Linear().compose(QuadraticMap())).solve()
    >>> print(QuadraticMap()([[2.0, 3.0]]), solution.residuals.round(6) + 0.0)
    [[2. 3. 4. 6. 9.]] [0. 0. 0. 0.]
    """

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the features, shape (len(X), d + d (d + 1) / 2)."""
        samples = self.samples(X)
        return np.hstack([samples, _products(samples)])


@dataclass(frozen=True)
class ScaledQuadraticMap(SampleFunction):
    """x -> (all x_i^2, and sqrt(2) x_i x_j with i < j): d (d + 1) / 2 features, x_1's first.

    They are scaled so that <phi(x), phi(z)> = (x'z)^2. A linear function of these features is therefore a function in
    the space of the kernel ``Polynomial(2)``.

    Examples
    --------
    >>> from qpkernels import Linear, Polynomial, ScaledQuadraticMap
    >>> x, z = [[1.0, 2.0]], [[3.0, 1.0]]
    >>> print(ScaledQuadraticMap()(x).round(3))
    [[1.    2.828 4.   ]]
    >>> print(Linear().compose(ScaledQuadraticMap())(x, z).round(6), Polynomial(2)(x, z))
    [[25.]] [[25.]]
    """

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the features, shape (len(X), d (d + 1) / 2)."""
        samples = self.samples(X)
        i, j = np.triu_indices(samples.shape[1])
        return np.asarray(_products(samples) * np.where(i == j, 1.0, np.sqrt(2.0)))


def _products(X: Matrix) -> Matrix:
    """Return all x_i x_j with i <= j, in the order (1, 1), (1, 2), ..., (2, 2), ..."""
    i, j = np.triu_indices(X.shape[1])
    return np.asarray(X[:, i] * X[:, j])


@dataclass(frozen=True)
class Composed(Kernel):
    """k(phi(x), phi(z)) for a kernel k and a map phi.

    Parameters
    ----------
    base
        k.
    phi
        A function that takes samples and returns as many samples in a form that ``base`` takes. Each row of its result
        depends only on the same row of its input. A :class:`~qpkernels.kernels.SampleFunction` (such as
        :class:`~qpkernels.kernels.QuadraticMap`) states which samples it takes and can be saved; any other function is
        given a finite float64 matrix and cannot be saved.

    Raises
    ------
    ParameterError
        If phi is not a function.

    Examples
    --------
    >>> import numpy as np
    >>> from qpkernels import RBF
    >>> kernel = RBF(gamma=1.0).compose(lambda X: np.log(X))
    >>> print(kernel([[1.0]], [[np.e], [10.0]]).round(3))
    [[0.368 0.005]]
    """

    base: Kernel
    phi: Callable[[Samples], ArrayLike]

    def __post_init__(self) -> None:
        _check_function(self.phi, "phi")

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as phi takes it."""
        return _samples_of(self.phi, X)

    def formula(self, x: str = "x", z: str = "z") -> str:
        return self.base.formula(f"phi({x})", f"phi({z})")

    @property
    def positive_semidefinite(self) -> bool:
        """True when the base kernel is."""
        return self.base.positive_semidefinite

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        left = self._mapped(X)
        return self.base.matrix(left, left if X is Z else self._mapped(Z))

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the values of the base kernel, where phi(x) is exactly the value that phi returns."""
        left = self._mapped(X)
        return self.base.enclosed(left, left if X is Z else self._mapped(Z))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return the matrix of the base kernel, where phi(x) is exactly the value that phi returns."""
        return self.base.relating(self._mapped(X), self._mapped(Z))

    def diagonal(self, X: Samples) -> Vector:
        return self.base.diagonal(self._mapped(X))

    def features(self, X: Samples) -> Matrix | None:
        """Return the features of the base kernel at phi(x)."""
        return self.base.features(self._mapped(X))

    def _mapped(self, X: Samples) -> Samples:
        values = self.phi(X)
        try:
            mapped = self.base.samples(values)
        except (NonFiniteError, ParameterError, ShapeError) as error:
            raise type(error)(f"{self.base!r} does not take what {self.phi} returned: {error}") from error
        made, count = mapped.shape[0], X.shape[0]
        if made != count:
            raise ShapeError(f"phi must return one row for each sample, but of {count} samples {self.phi} made {made}.")
        return mapped


@dataclass(frozen=True)
class RankOne(Kernel):
    """f(x) f(z) for a function f with real values; its matrix has rank 1.

    ``RankOne(f) * k`` is the kernel f(x) k(x, z) f(z).

    Parameters
    ----------
    function
        The function f, which takes samples and returns one number for each; that number depends on its sample alone. A
        :class:`~qpkernels.kernels.SampleFunction` states which samples it takes and can be saved; any other function is
        given a finite float64 matrix and cannot be saved.

    Raises
    ------
    ParameterError
        If f is not a function.

    Examples
    --------
    >>> from qpkernels import RankOne
    >>> kernel = RankOne(lambda X: 1.0 + X[:, 0])
    >>> print(kernel([[0.0], [1.0]], [[2.0], [3.0]]))
    [[3. 4.]
     [6. 8.]]
    """

    function: Callable[[Samples], ArrayLike]

    def __post_init__(self) -> None:
        _check_function(self.function, "f")

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` as f takes it."""
        return _samples_of(self.function, X)

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"f({x}) f({z})"

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        values = self._values(X)
        return np.outer(values, values if X is Z else self._values(Z))

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the products, where f(x) is exactly the value that f returns."""
        return enclosed_inner_products(self.features(X), self.features(Z))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return the products, where f(x) is exactly the value that f returns."""
        return rational_products(self.features(X), self.features(Z))

    def diagonal(self, X: Samples) -> Vector:
        return self._values(X) ** 2

    def features(self, X: Samples) -> Matrix:
        """Return the values of f as a single column."""
        return self._values(X)[:, None]

    def _values(self, X: Samples) -> Vector:
        return finite_vector(self.function(X), "f(X)", X.shape[0])


def _check_function(function: Any, name: str) -> None:
    if not callable(function):
        raise ParameterError(f"{name} must be a function of samples, but {function!r} came.")


def _samples_of(function: Callable[[Samples], ArrayLike], X: ArrayLike) -> Samples:
    return function.samples(X) if isinstance(function, SampleFunction) else finite_matrix(X, "X")
