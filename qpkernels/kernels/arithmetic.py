# SPDX-License-Identifier: BSD-3-Clause
"""The operations in which kernels state their values, for the different ways to compute with them.

A kernel states its formula once, in these operations. Where they act on matrices with errors, its values are enclosed;
where they write the text of a program, it is exported; and where they follow the rounding of that program, the
difference of the two is bounded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

import numpy as np

from qpkernels.arrays import Samples
from qpkernels.kernels.enclosed import (
    EnclosedRows,
    enclosed_distances,
    enclosed_inner_products,
    enclosed_negative_squares,
)

__all__ = ["Arithmetic", "EnclosedArithmetic", "Metric", "Value", "Weights"]

Value = TypeVar("Value")
"""A type that stands for the values k(x, z) of pairs of samples."""

Weights = float | tuple[float, ...]
"""One number for all features, or one for each."""

Metric = Literal["cityblock", "euclidean"]


class _Stating(Protocol):
    def computed(self, by: Arithmetic[Value]) -> Value: ...

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows: ...


class Arithmetic(ABC, Generic[Value]):
    """Operations on values of pairs of samples x and z.

    Notes
    -----
    Arguments of the methods:

    value, left, right
        Values that these operations returned.
    """

    def of(self, kernel: _Stating) -> Value:
        """Return the values of a kernel.

        Parameters
        ----------
        kernel
            A kernel, which may itself be made of kernels.
        """
        return kernel.computed(self)

    @abstractmethod
    def inner_products(self) -> Value:
        """Return x'z."""

    @abstractmethod
    def negative_squares(self, weights: Weights) -> Value:
        """Return -sum_k w_k (x_k - z_k)^2.

        Parameters
        ----------
        weights
            The weights w_k, each at least 0.
        """

    @abstractmethod
    def distances(self, metric: Metric) -> Value:
        """Return the sum of the |x_k - z_k|, or the square root of the sum of their squares.

        Parameters
        ----------
        metric
            "cityblock" or "euclidean".
        """

    @abstractmethod
    def affine(self, value: Value, factor: float, constant: float) -> Value:
        """Return factor v + constant.

        Parameters
        ----------
        factor, constant
            Finite numbers.
        """

    @abstractmethod
    def plus(self, left: Value, right: Value) -> Value:
        """Return the sum."""

    @abstractmethod
    def times(self, left: Value, right: Value) -> Value:
        """Return the product."""

    @abstractmethod
    def power(self, value: Value, exponent: int) -> Value:
        """Return v^n.

        Parameters
        ----------
        exponent
            n, at least 1.
        """

    @abstractmethod
    def exp(self, value: Value) -> Value:
        """Return e^v."""

    @abstractmethod
    def tanh(self, value: Value) -> Value:
        """Return the hyperbolic tangent."""


@dataclass(frozen=True, eq=False)
class EnclosedArithmetic(Arithmetic[EnclosedRows]):
    """Arithmetic on kernel values with proved error bounds, for rows of X paired with all of Z."""

    X: Samples
    Z: Samples

    def of(self, kernel: _Stating) -> EnclosedRows:
        """Return the values of a kernel, which may know its errors by other means."""
        return kernel.enclosed(self.X, self.Z)

    def inner_products(self) -> EnclosedRows:
        """Return x'z."""
        return enclosed_inner_products(self.X, self.Z)

    def negative_squares(self, weights: Weights) -> EnclosedRows:
        """Return -sum_k w_k (x_k - z_k)^2."""
        return enclosed_negative_squares(self.X, self.Z, np.broadcast_to(np.asarray(weights), (self.X.shape[1],)))

    def distances(self, metric: Metric) -> EnclosedRows:
        """Return the distances."""
        return enclosed_distances(self.X, self.Z, metric)

    def affine(self, value: EnclosedRows, factor: float, constant: float) -> EnclosedRows:
        """Return factor v + constant."""
        return lambda rows: value(rows).affine(factor, constant)

    def plus(self, left: EnclosedRows, right: EnclosedRows) -> EnclosedRows:
        """Return the sum."""
        return lambda rows: left(rows).plus(right(rows))

    def times(self, left: EnclosedRows, right: EnclosedRows) -> EnclosedRows:
        """Return the product."""
        return lambda rows: left(rows).times(right(rows))

    def power(self, value: EnclosedRows, exponent: int) -> EnclosedRows:
        """Return v^n."""
        return lambda rows: value(rows).power(exponent)

    def exp(self, value: EnclosedRows) -> EnclosedRows:
        """Return e^v."""
        return lambda rows: value(rows).exp()

    def tanh(self, value: EnclosedRows) -> EnclosedRows:
        """Return the hyperbolic tangent."""
        return lambda rows: value(rows).tanh()
