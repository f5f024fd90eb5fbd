# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of kernels by sums, products, powers, polynomials and exponentials; semidefinite if the parts are.

Source: section H of the catalogue (construction rules of Mercer kernels).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, check_count, check_positive, finite_vector
from qpkernels.arrays.exact_text import exact_text
from qpkernels.display import leading
from qpkernels.display.maths import grouped
from qpkernels.errors import ParameterError
from qpkernels.kernels.arithmetic import Arithmetic, Value
from qpkernels.kernels.derivatives import Axes, chain, leibniz, of_power
from qpkernels.kernels.kernel import Kernel, Samples
from qpkernels.kernels.products import Rational

__all__ = [
    "Exponential",
    "Mapped",
    "PolynomialOf",
    "Power",
    "Product",
    "Scaled",
    "Sum",
]


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels on the same samples.

    Attributes
    ----------
    left, right
        The two kernels.
    """

    left: Kernel
    right: Kernel

    @property
    def takes_sparse(self) -> bool:
        """True when both parts do."""
        return self.left.takes_sparse and self.right.takes_sparse

    @property
    def names(self) -> frozenset[str] | None:
        """The names that both parts look up."""
        left, right = self.left.names, self.right.names
        return None if left is None or right is None else left | right

    def samples(self, X: ArrayLike) -> Samples:
        """Return the samples as both kernels take them."""
        return self.right.samples(self.left.samples(X))

    @property
    def positive_semidefinite(self) -> bool:
        """True when both parts are."""
        return self.left.positive_semidefinite and self.right.positive_semidefinite


@dataclass(frozen=True)
class Sum(_Pair):
    """k1(x, z) + k2(x, z).

    Examples
    --------
    >>> from qpkernels import RBF, Linear
    >>> kernel = RBF(gamma=0.5) + Linear()
    >>> print(kernel.formula(), kernel([[1.0]], [[1.0], [2.0]]).round(3))
    exp(-0.5 ||x - z||^2) + x'z [[2.    2.607]]
    """

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"{self.left.formula(x, z)} + {self.right.formula(x, z)}"

    def portable(self) -> dict[str, Any]:
        return {"name": "sum", "of": [self.left.portable(), self.right.portable()]}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.left.matrix(X, Z) + self.right.matrix(X, Z)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        return self.left.derivative(X, Z, left, right) + self.right.derivative(X, Z, left, right)

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.plus(by.of(self.left), by.of(self.right))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return np.asarray(self.left.relating(X, Z) + self.right.relating(X, Z))

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where both parts vanish."""
        return self.left.vanishes(X) & self.right.vanishes(X)

    def diagonal(self, X: Samples) -> Vector:
        return self.left.diagonal(X) + self.right.diagonal(X)

    def features(self, X: Samples) -> Matrix | None:
        """Return the features of both parts side by side."""
        left, right = self.left.features(X), self.right.features(X)
        return None if left is None or right is None else np.hstack([left, right])


@dataclass(frozen=True)
class Product(_Pair):
    """k1(x, z) k2(x, z).

    Examples
    --------
    >>> from qpkernels import RBF, Linear
    >>> kernel = RBF(gamma=0.5) * Linear()
    >>> print(kernel.formula(), kernel([[1.0]], [[1.0], [2.0]]).round(3))
    exp(-0.5 ||x - z||^2) x'z [[1.    1.213]]
    """

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"{grouped(self.left.formula(x, z))} {grouped(self.right.formula(x, z))}"

    def portable(self) -> dict[str, Any]:
        return {"name": "product", "of": [self.left.portable(), self.right.portable()]}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.left.matrix(X, Z) * self.right.matrix(X, Z)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        """Return the derivative by the Leibniz rule."""
        return leibniz(partial(self.left.derivative, X, Z), partial(self.right.derivative, X, Z), left, right)

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.times(by.of(self.left), by.of(self.right))

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return np.asarray(self.left.relating(X, Z) * self.right.relating(X, Z))

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where at least one of the two parts vanishes."""
        return self.left.vanishes(X) | self.right.vanishes(X)

    def diagonal(self, X: Samples) -> Vector:
        return self.left.diagonal(X) * self.right.diagonal(X)

    def features(self, X: Samples) -> Matrix | None:
        """Return the products of the features where one part has a single feature; otherwise they are too many."""
        left, right = self.left.features(X), self.right.features(X)
        if left is None or right is None or min(left.shape[1], right.shape[1]) > 1:
            return None
        return np.asarray(left * right)


@dataclass(frozen=True)
class Mapped(Kernel):
    """One kernel, transformed entry by entry.

    Attributes
    ----------
    base
        The kernel k.
    """

    base: Kernel

    @property
    def takes_sparse(self) -> bool:
        """True when the base kernel does."""
        return self.base.takes_sparse

    @property
    def names(self) -> frozenset[str] | None:
        """The names that the base kernel looks up."""
        return self.base.names

    def samples(self, X: ArrayLike) -> Samples:
        """Return the samples as the base kernel takes them."""
        return self.base.samples(X)

    @property
    def positive_semidefinite(self) -> bool:
        """True when the base kernel is."""
        return self.base.positive_semidefinite


@dataclass(frozen=True)
class Scaled(Mapped):
    """a k(x, z) with a > 0.

    Attributes
    ----------
    factor
        a, above 0.

    Examples
    --------
    >>> from qpkernels import Linear
    >>> kernel = 2.5 * Linear()
    >>> print(kernel.formula(), kernel([[1.0]], [[1.0], [2.0]]))
    2.5 x'z [[2.5 5. ]]
    """

    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", check_positive(self.factor, "the factor of a kernel"))

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"{leading(self.factor)}{grouped(self.base.formula(x, z))}"

    def portable(self) -> dict[str, Any]:
        factor = {"name": "constant", "value": exact_text(self.factor)}
        return {"name": "product", "of": [factor, self.base.portable()]}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.factor * self.base.matrix(X, Z)

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.affine(by.of(self.base), self.factor, 0.0)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        return self.factor * self.base.derivative(X, Z, left, right)

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return self.base.relating(X, Z)

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where the base kernel vanishes."""
        return self.base.vanishes(X)

    def diagonal(self, X: Samples) -> Vector:
        return self.factor * self.base.diagonal(X)

    def features(self, X: Samples) -> Matrix | None:
        """Return the features of the base kernel times the square root of the factor."""
        features = self.base.features(X)
        return None if features is None else np.sqrt(self.factor) * features

    def sparse_features(self, X: Samples) -> Any:
        """Return the features of the base kernel times the square root of the factor."""
        features = self.base.sparse_features(X)
        return None if features is None else np.sqrt(self.factor) * features


@dataclass(frozen=True)
class Power(Mapped):
    """k(x, z)^n with an integer n >= 1.

    Attributes
    ----------
    exponent
        n, at least 1.

    Examples
    --------
    >>> from qpkernels import Linear
    >>> kernel = Linear() ** 3
    >>> print(kernel.formula(), kernel([[1.0]], [[1.0], [2.0]]))
    (x'z)^3 [[1. 8.]]
    """

    exponent: int

    def __post_init__(self) -> None:
        advice = "; other powers do not keep a kernel positive semidefinite"
        object.__setattr__(self, "exponent", check_count(self.exponent, "the exponent of a kernel", advice))

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"({self.base.formula(x, z)})^{self.exponent}"

    def portable(self) -> dict[str, Any]:
        return {"name": "power", "degree": self.exponent, "of": [self.base.portable()]}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(self.base.matrix(X, Z) ** self.exponent)

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.power(by.of(self.base), self.exponent)

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        k = self.base.matrix(X, Z)
        return chain(lambda n: of_power(k, self.exponent, n), partial(self.base.derivative, X, Z), left, right)

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return np.asarray(self.base.relating(X, Z) ** self.exponent)

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where the base kernel vanishes."""
        return self.base.vanishes(X)

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray(self.base.diagonal(X) ** self.exponent)


@dataclass(frozen=True)
class Exponential(Mapped):
    """exp(k(x, z)).

    Examples
    --------
    >>> from qpkernels import Linear
    >>> kernel = Linear().exp()
    >>> print(kernel.formula(), kernel([[1.0]], [[0.0], [1.0]]).round(3))
    exp(x'z) [[1.    2.718]]
    """

    def formula(self, x: str = "x", z: str = "z") -> str:
        return f"exp({self.base.formula(x, z)})"

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.exp(self.base.matrix(X, Z))

    def computed(self, by: Arithmetic[Value]) -> Value:
        return by.exp(by.of(self.base))

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        value = self.matrix(X, Z)
        return chain(lambda _: value, partial(self.base.derivative, X, Z), left, right)

    def diagonal(self, X: Samples) -> Vector:
        return np.exp(self.base.diagonal(X))


@dataclass(frozen=True)
class PolynomialOf(Mapped):
    """c_0 + c_1 k(x, z) + c_2 k(x, z)^2 + ... with nonnegative coefficients, at least one of them positive.

    Attributes
    ----------
    coefficients
        c_0, c_1, ..., from the constant upwards.

    Raises
    ------
    ParameterError
        If a coefficient is negative, or if all of them are 0.

    Examples
    --------
    >>> from qpkernels import Linear
    >>> kernel = Linear().polynomial([1.0, 0.0, 2.0])
    >>> print(kernel.formula(), kernel([[1.0]], [[1.0], [2.0]]))
    1 + 2 (x'z)^2 [[3. 9.]]
    """

    coefficients: tuple[float, ...]

    def __post_init__(self) -> None:
        values = finite_vector(self.coefficients, "the coefficients of a polynomial of a kernel")
        if values.size and values.min() < 0:
            n = int(values.argmin())
            raise ParameterError(
                f"the coefficients of a polynomial of a kernel must be at least 0, but that of k^{n} is "
                f"{values[n]:g}; negative ones do not keep a kernel positive semidefinite."
            )
        if not values.any():
            raise ParameterError(
                f"a polynomial of a kernel needs a coefficient above 0, but {values.tolist()} came; "
                "list them from the constant upwards: c_0, c_1, ..."
            )
        object.__setattr__(self, "coefficients", tuple(values.tolist()))

    def formula(self, x: str = "x", z: str = "z") -> str:
        base = self.base.formula(x, z)
        powers = ("", f" ({base})", *(f" ({base})^{n}" for n in range(2, len(self.coefficients))))
        terms = zip(self.coefficients, powers, strict=False)
        return " + ".join(f"{value:g}{power}" for value, power in terms if value)

    def portable(self) -> dict[str, Any]:
        terms = []
        for n, value in enumerate(self.coefficients):
            constant = {"name": "constant", "value": exact_text(value)}
            power = {"name": "power", "degree": n, "of": [self.base.portable()]}
            if value:
                terms.append({"name": "product", "of": [constant, power]} if n else constant)
        return {"name": "sum", "of": terms}

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return _horner(self.coefficients, self.base.matrix(X, Z))

    def computed(self, by: Arithmetic[Value]) -> Value:
        k, first, *others = by.of(self.base), *reversed(self.coefficients)
        if not others:
            return by.affine(k, 0.0, first)
        value = by.affine(k, first, others[0])
        for coefficient in others[1:]:
            value = by.affine(by.times(value, k), 1.0, coefficient)
        return value

    def relating(self, X: Samples, Z: Samples) -> Rational:
        base = self.base.relating(X, Z)
        return np.asarray(sum(base**n for n, coefficient in enumerate(self.coefficients) if coefficient > 0))

    def derivative(self, X: Samples, Z: Samples, left: Axes, right: Axes) -> Matrix:
        k = self.base.matrix(X, Z)

        def outer(order: int) -> Matrix:
            return _horner(tuple(np.polynomial.polynomial.polyder(self.coefficients, order)), k)

        return chain(outer, partial(self.base.derivative, X, Z), left, right)

    def diagonal(self, X: Samples) -> Vector:
        return _horner(self.coefficients, self.base.diagonal(X))


def _horner(coefficients: tuple[float, ...], k: NDArray[np.float64]) -> NDArray[np.float64]:
    value = np.full_like(k, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= k
        value += coefficient
    return value
