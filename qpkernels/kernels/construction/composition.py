# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of functions of samples: k(phi(x), phi(z)) and f(x) f(z).

Source: section H of the catalogue (construction rules of Mercer kernels).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, finite_matrix, finite_vector
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.kernels.base import EnclosedRows, Kernel, Rational, SampleFunction, Samples
from qpkernels.kernels.base.enclosed_products import enclosed_inner_products
from qpkernels.kernels.base.rational import rational_products

__all__ = ["Composed", "RankOne"]


@dataclass(frozen=True)
class Composed(Kernel):
    """k(phi(x), phi(z)) for a kernel k and a map phi.

    Parameters
    ----------
    base
        k.
    phi
        A function that takes samples and returns as many, as ``base`` takes them; each row of its answer depends on
        the same row of the samples alone. A :class:`~qpkernels.kernels.SampleFunction` (such as
        :class:`~qpkernels.kernels.QuadraticMap`) states which samples it takes and can be saved; any other function is
        given a finite float64 matrix, and cannot.

    Raises
    ------
    ParameterError
        If phi is no function.

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
        """Return those of the base kernel, phi(x) being what it returns."""
        left = self._mapped(X)
        return self.base.enclosed(left, left if X is Z else self._mapped(Z))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return that of the base kernel, phi(x) being what it returns."""
        return self.base.relating(self._mapped(X), self._mapped(Z))

    def diagonal(self, X: Samples) -> Vector:
        return self.base.diagonal(self._mapped(X))

    def features(self, X: Samples) -> Matrix | None:
        """Return those of the base kernel at phi(x)."""
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
        f: takes samples and returns one number for each, which depends on that sample alone. A
        :class:`~qpkernels.kernels.SampleFunction` states which samples it takes and can be saved; any other function
        is given a finite float64 matrix, and cannot.

    Raises
    ------
    ParameterError
        If f is no function.

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
        """Return the products, f(x) being what it returns."""
        return enclosed_inner_products(self.features(X), self.features(Z))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        """Return the products, f(x) being what it returns."""
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
