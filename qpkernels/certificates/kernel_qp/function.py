# SPDX-License-Identifier: BSD-3-Clause
"""A function at the samples, as a certificate reads it: values, norm, and how far rounding may have taken them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.certificates.rounding import EPS, FunctionError, expansion_error
from qpkernels.gram import BoundedProduct, Gram

__all__ = ["FunctionAtSamples"]


@dataclass(frozen=True, eq=False)
class FunctionAtSamples:
    """All a certificate needs of f: the values f(x_i) without intercept, shape (m,), and ||f||^2 in the space of k.

    f(x_i) is a sum of that many ``terms``, whose sizes add up to ``sizes``, shape (m,), and so for ``half_size`` and
    1/2 ||f||^2: what rounding is measured by. Left out, the values are taken as exact.

    ``product`` is what the values are of an expansion whose certificate they were made for.

    Attributes
    ----------
    values
        f(x_i), shape (m,).
    squared_norm
        ||f||^2, at least 0.
    sizes, half_size, terms
        How large the sums are that f(x_i) and 1/2 ||f||^2 were computed as, and of how many terms; 0: exact.
    product
        K beta with bounds of its error, or None.
    coefficients
        Those of the expansion over the samples that it is, shape (m,); None: it is none, or nobody needs them.
    """

    values: Vector
    squared_norm: float
    sizes: Vector | float = 0.0
    half_size: float = 0.0
    terms: int = 1
    product: BoundedProduct | None = None
    coefficients: Vector | None = None

    @classmethod
    def expansion(cls, gram: Gram, coefficients: Vector, values: Vector, *, balanced: bool) -> FunctionAtSamples:
        """Return the expansion with these coefficients, whose ``values`` were computed in float64, with its rounding.

        Parameters
        ----------
        gram
            The kernel matrix of the samples.
        coefficients, values
            beta and K beta, shape (m,).
        balanced
            Whether 1'beta = 0, and f matters up to a constant only.
        """
        error = expansion_error(gram, coefficients, values, balanced=balanced)
        # Not that of the error, which is around the mean of f: a sum that is only nearly 0 counts here.
        squared_norm = max(0.0, float(coefficients @ values))
        return cls(values, squared_norm, error.values / EPS, error.half_norm / EPS, coefficients=coefficients)

    @classmethod
    def zero(cls, samples: int) -> FunctionAtSamples:
        """Return the function that is 0 everywhere.

        Parameters
        ----------
        samples
            Their number m.
        """
        return cls(np.zeros(samples), 0.0)

    @property
    def error(self) -> FunctionError:
        """How far rounding may have taken the values and 1/2 ||f||^2."""
        unit = np.sqrt(self.terms) * EPS
        return FunctionError(unit * np.broadcast_to(self.sizes, self.values.shape), unit * self.half_size)

    @property
    def is_zero(self) -> bool:
        """Whether it is 0, without any rounding."""
        return self.squared_norm == 0.0 and not self.values.any()
