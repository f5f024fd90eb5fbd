# SPDX-License-Identifier: BSD-3-Clause
"""Kernels made of kernels; each rule keeps the kernel positive semidefinite.

Source: section H of the catalogue (construction rules of Mercer kernels).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, Vector, check_positive
from qpkernels.errors import ParameterError
from qpkernels.kernels.base import Kernel, Samples

__all__ = ["Exponential", "Power", "Product", "Scaled", "Sum"]


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels on the same samples."""

    left: Kernel
    right: Kernel

    def samples(self, X: ArrayLike) -> Samples:
        """Return the samples as both kernels take them."""
        return self.right.samples(self.left.samples(X))

    @property
    def positive_semidefinite(self) -> bool:
        """True when both parts are."""
        return self.left.positive_semidefinite and self.right.positive_semidefinite


@dataclass(frozen=True)
class Sum(_Pair):
    """k1(x, z) + k2(x, z)."""

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.left.matrix(X, Z) + self.right.matrix(X, Z)

    def diagonal(self, X: Samples) -> Vector:
        return self.left.diagonal(X) + self.right.diagonal(X)


@dataclass(frozen=True)
class Product(_Pair):
    """k1(x, z) k2(x, z)."""

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.left.matrix(X, Z) * self.right.matrix(X, Z)

    def diagonal(self, X: Samples) -> Vector:
        return self.left.diagonal(X) * self.right.diagonal(X)


@dataclass(frozen=True)
class _Mapped(Kernel):
    """One kernel, transformed entry by entry."""

    base: Kernel

    def samples(self, X: ArrayLike) -> Samples:
        """Return the samples as the base kernel takes them."""
        return self.base.samples(X)

    @property
    def positive_semidefinite(self) -> bool:
        """True when the base kernel is."""
        return self.base.positive_semidefinite


@dataclass(frozen=True)
class Scaled(_Mapped):
    """a k(x, z) with a > 0."""

    factor: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", check_positive(self.factor, "the factor of a kernel"))

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.factor * self.base.matrix(X, Z)

    def diagonal(self, X: Samples) -> Vector:
        return self.factor * self.base.diagonal(X)


@dataclass(frozen=True)
class Power(_Mapped):
    """k(x, z)^n with an integer n >= 1."""

    exponent: int

    def __post_init__(self) -> None:
        if isinstance(self.exponent, bool) or not isinstance(self.exponent, int | np.integer) or self.exponent < 1:
            raise ParameterError(
                f"the exponent of a kernel must be an integer of at least 1, but {self.exponent!r} came; "
                "other powers do not keep a kernel positive semidefinite."
            )
        object.__setattr__(self, "exponent", int(self.exponent))

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.asarray(self.base.matrix(X, Z) ** self.exponent)

    def diagonal(self, X: Samples) -> Vector:
        return np.asarray(self.base.diagonal(X) ** self.exponent)


@dataclass(frozen=True)
class Exponential(_Mapped):
    """exp(k(x, z))."""

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return np.exp(self.base.matrix(X, Z))

    def diagonal(self, X: Samples) -> Vector:
        return np.exp(self.base.diagonal(X))
