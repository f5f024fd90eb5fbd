# SPDX-License-Identifier: BSD-3-Clause
r"""Matrices of kernel values with proved bounds of their errors, entry by entry.

With u = 2^-53 the unit of rounding, one operation is exact to u times its result, and what the operands may be wrong
by passes through it by its derivative:

    a + b      e_a + e_b                          a b      |a| e_b + |b| e_a + e_a e_b
    exp(a)     exp(a) (exp(e_a) - 1)              tanh(a)  e_a

The errors are sums of products of numbers of at least 0; a factor of 1 + 2^-30 pays for their own rounding, and 2^-1000
for whatever underflows.

Elementary functions are exact to :data:`~qpkernels.intervals.ELEMENTARY`, by assumption.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Matrix
from qpkernels.intervals import ELEMENTARY, UNDERFLOW, UNIT

__all__ = ["EnclosedMatrix", "EnclosedRows"]

_OWN_ROUNDING = 1.0 + 2.0**-30
"""What the computed sum of errors may be short of the exact one."""

_SMALL = 2.0**-10
"""Up to this t, exp(t) - 1 < (1 + 2^-10) t."""


@dataclass(frozen=True, eq=False)
class EnclosedMatrix:
    """The matrices A with |A - values| <= errors + floor, entry by entry."""

    values: Matrix
    errors: Matrix
    floor: float = 0.0

    @property
    def reach(self) -> Matrix:
        """The errors, with all that adds to them."""
        return self.errors + self.floor if self.floor else self.errors

    def plus(self, other: EnclosedMatrix) -> EnclosedMatrix:
        """Return the sums."""
        return _rounded(self.values + other.values, self.reach + other.reach)

    def times(self, other: EnclosedMatrix) -> EnclosedMatrix:
        """Return the products, entry by entry."""
        errors = np.abs(self.values) * other.reach
        errors += (np.abs(other.values) + other.reach) * self.reach
        return _rounded(self.values * other.values, errors)

    def scaled(self, factor: float) -> EnclosedMatrix:
        """Return the products with one number."""
        return _rounded(self.values * factor, self.reach * abs(factor))

    def negated(self) -> EnclosedMatrix:
        """Return the negatives."""
        return EnclosedMatrix(-self.values, self.errors, self.floor)

    def within(self, relative: float) -> EnclosedMatrix:
        """Return the same values with so large a relative error on top."""
        return _rounded(self.values, 1.0 * self.reach, relative)

    def affine(self, factor: float, constant: float) -> EnclosedMatrix:
        """Return factor a + constant."""
        values = self.values * factor
        if constant == 0.0:
            return _rounded(values, self.reach * abs(factor))
        values += constant
        # The product is no larger than the sum and the constant together.
        errors = self.reach * abs(factor)
        errors += 1.02 * UNIT * abs(constant)
        return _rounded(values, errors, 2.1 * UNIT)

    def power(self, exponent: int) -> EnclosedMatrix:
        """Return a^n for n of at least 1: (|a| + e)^n - |a|^n is at most n e (|a| + e)^(n-1)."""
        if exponent == 1:
            return self
        largest = np.abs(self.values)
        largest += self.reach
        values, errors = self.values * self.values, (exponent * 1.0) * self.reach
        slope = largest
        for _ in range(exponent - 2):
            values *= self.values
            slope = slope * largest
        errors *= slope
        errors *= 1.0 + 4.0 * exponent * UNIT
        return _rounded(values, errors, 1.01 * exponent * UNIT)

    def exp(self) -> EnclosedMatrix:
        """Return the exponentials."""
        values = np.exp(self.values)
        if float(self.errors.max(initial=0.0)) + self.floor <= _SMALL:
            errors = self.errors * (1.0 + 2.0 * _SMALL)
        else:
            errors = np.expm1(self.reach) * (1.0 + 4.0 * ELEMENTARY)
        # What exp loses, and the floor, which is so small that it is not worth a pass of its own.
        errors += 1.01 * ELEMENTARY + 2.0 * self.floor
        errors *= values
        return EnclosedMatrix(values, errors, UNDERFLOW)

    def tanh(self) -> EnclosedMatrix:
        """Return the hyperbolic tangents, which rise by 1 at most."""
        return _rounded(np.tanh(self.values), 1.0 * self.reach, 1.01 * ELEMENTARY)


EnclosedRows: TypeAlias = Callable[[slice], EnclosedMatrix]
"""Makes some rows of an enclosed matrix, of samples that were prepared once."""


def _rounded(values: Matrix, errors: Matrix, relative: float = 1.01 * UNIT) -> EnclosedMatrix:
    """Return the result of an operation that was rounded; ``errors``, to be written over, passed through it."""
    errors += relative * np.abs(values)
    errors *= _OWN_ROUNDING
    return EnclosedMatrix(values, errors, UNDERFLOW)
