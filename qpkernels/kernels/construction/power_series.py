# SPDX-License-Identifier: BSD-3-Clause
"""Power series of a kernel: its powers, polynomials and exponential; each keeps the kernel positive semidefinite.

Source: section H of the catalogue (construction rules of Mercer kernels).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Matrix, Vector, check_count, finite_vector
from qpkernels.errors import ParameterError
from qpkernels.kernels.base import EnclosedMatrix, EnclosedRows, Rational, Samples
from qpkernels.kernels.construction.algebra import Mapped

__all__ = ["Exponential", "PolynomialOf", "Power"]


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

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(self.base.matrix(X, Z) ** self.exponent)

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        base = self.base.enclosed(X, Z)
        return lambda rows: base(rows).power(self.exponent)

    def relating(self, X: Samples, Z: Samples) -> Rational:
        return np.asarray(self.base.relating(X, Z) ** self.exponent)

    def vanishes(self, X: Samples) -> NDArray[np.bool_]:
        """Return where the base kernel does."""
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

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        base = self.base.enclosed(X, Z)
        return lambda rows: base(rows).exp()

    def diagonal(self, X: Samples) -> Vector:
        return np.exp(self.base.diagonal(X))


@dataclass(frozen=True)
class PolynomialOf(Mapped):
    """c_0 + c_1 k(x, z) + c_2 k(x, z)^2 + ... with coefficients of at least 0, one of them above 0.

    Attributes
    ----------
    coefficients
        c_0, c_1, ..., from the constant upwards.

    Raises
    ------
    ParameterError
        If a coefficient is negative, or none is above 0.

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

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return _horner(self.coefficients, self.base.matrix(X, Z))

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        base = self.base.enclosed(X, Z)

        def rows(part: slice) -> EnclosedMatrix:
            k, *coefficients = base(part), *self.coefficients
            value = EnclosedMatrix(np.full_like(k.values, coefficients.pop()), np.zeros_like(k.errors))
            while coefficients:
                value = value.times(k).affine(1.0, coefficients.pop())
            return value

        return rows

    def relating(self, X: Samples, Z: Samples) -> Rational:
        base = self.base.relating(X, Z)
        return np.asarray(sum(base**n for n, coefficient in enumerate(self.coefficients) if coefficient > 0))

    def diagonal(self, X: Samples) -> Vector:
        return _horner(self.coefficients, self.base.diagonal(X))


def _horner(coefficients: tuple[float, ...], k: NDArray[np.float64]) -> NDArray[np.float64]:
    value = np.full_like(k, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value *= k
        value += coefficient
    return value
