# SPDX-License-Identifier: BSD-3-Clause
r"""Partial derivatives of kernels: the rules of Leibniz and of the chain, and the functions that kernels are made of.

A mixed derivative is stated by two tuples of axes, repeated for higher orders: x moves along the axes in ``left``, and
z along those in ``right``,

    D^(left, right) k(x, z) = d^|left| d^|right| k(x, z) / prod_(a in left) dx_a prod_(b in right) dz_b.

With the sums over the ways to share out the places of both tuples, the rules for several variables are

    D^P (k1 k2) = sum over Q within P           of  D^Q k1  D^(P - Q) k2           (Leibniz)
    D^P g(u)    = sum over partitions pi of P   of  g^(|pi|)(u) prod_(B in pi) D^B u   (Faa di Bruno).

For u = gamma x'z + c, and for a weighted squared distance s, the derivatives along two axes are constant, and those
along three vanish: the partitions that remain are pairings of some of the axes,

    du/dx_a = gamma z_a                d^2 u/dx_a dz_b = gamma [a = b]
    ds/dx_a = 2 w_a (x_a - z_a)        d^2 s/dx_a dx_b = 2 w_a [a = b] = -d^2 s/dx_a dz_b,

so that a kernel g(u) or g(s) only has to state the derivatives of g.

Source: Hardy, Combinatorics of partial derivatives (Electronic Journal of Combinatorics, 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import compress, product
from math import perm
from typing import Any, TypeAlias

import numpy as np

from qpkernels.arrays import Matrix, Samples, Vector, is_integer, is_sparse, shown
from qpkernels.errors import ParameterError, ShapeError

__all__ = [
    "Axes",
    "Derivative",
    "chain",
    "check_axes",
    "leibniz",
    "of_inner_products",
    "of_power",
    "of_squared_distances",
]

Axes: TypeAlias = tuple[int, ...]
"""Features along which a sample moves, each as often as the order of its derivative says."""

Derivative: TypeAlias = Callable[[Axes, Axes], Any]
"""D^(left, right) of a function at all pairs of samples, as an array that broadcasts to (m, n); None where it is 0."""


def leibniz(first: Derivative, second: Derivative, left: Axes, right: Axes) -> Matrix:
    """Return the derivative of a product, shape (m, n), from those of its factors, of that shape."""
    # Repeated axes lead to the same derivatives in several ways.
    one, other = cache(first), cache(second)
    total: Any = 0.0
    for inside, outside in _shared_out(left, right):
        total = total + one(*inside) * other(*outside)
    return np.asarray(total)


def chain(outer: Callable[[int], Matrix], inner: Derivative, left: Axes, right: Axes) -> Matrix:
    """Return the derivative of g(u), shape (m, n), from g^(n)(u), n = 0, 1, ..., of that shape, and those of u."""
    profile, block = cache(outer), cache(inner)

    def remaining(blocks: int, left: Axes, right: Axes) -> Any:
        if not left and not right:
            return profile(blocks)
        # The block of the first axis, with each choice of others.
        first, (left, right) = ((left[:1], ()), (left[1:], right)) if left else (((), right[:1]), (left, right[1:]))
        total: Any = 0.0
        for inside, outside in _shared_out(left, right):
            factor = block(first[0] + inside[0], first[1] + inside[1])
            if factor is not None:
                total = total + factor * remaining(blocks + 1, *outside)
        return total

    return np.asarray(remaining(0, left, right))


def _shared_out(left: Axes, right: Axes) -> Iterator[tuple[tuple[Axes, Axes], tuple[Axes, Axes]]]:
    """Yield all ways to put each place of both tuples either inside or outside."""

    def chosen(places: tuple[bool, ...]) -> tuple[Axes, Axes]:
        return tuple(compress(left, places)), tuple(compress(right, places[len(left) :]))

    for inside in product((True, False), repeat=len(left) + len(right)):
        yield chosen(inside), chosen(tuple(not each for each in inside))


def of_power(values: Matrix, exponent: int, order: int) -> Matrix:
    """Return the derivative of u^p of the given order, for an integer p of at least 0."""
    if order > exponent:
        return np.zeros_like(values)
    return np.asarray(perm(exponent, order) * values ** (exponent - order))


def of_inner_products(X: Samples, Z: Samples, gamma: float = 1.0) -> Derivative:
    """Return the derivatives of gamma x'z + c, but not its value."""

    def derivative(left: Axes, right: Axes) -> Any:
        if (len(left), len(right)) == (1, 1):
            return gamma if left == right else None
        if len(left) + len(right) > 1:
            return None
        return gamma * (Z[:, left[0]] if left else X[:, right[0], None])

    return derivative


def of_squared_distances(X: Samples, Z: Samples, weights: Vector) -> Derivative:
    """Return the derivatives of sum_k w_k (x_k - z_k)^2, but not its value, for any weights w, shape (d,)."""

    def derivative(left: Axes, right: Axes) -> Any:
        axis, *others = left + right
        factor = 2.0 * weights[axis] * (-1.0) ** len(right)
        if not others:
            return factor * (X[:, axis, None] - Z[:, axis])
        return factor if others == [axis] else None

    return derivative


def check_axes(X: Samples, Z: Samples, left: Axes, right: Axes) -> None:
    """Raise unless the samples are dense and the axes are columns of the samples.

    Raises
    ------
    ShapeError
        If samples are sparse.
    ParameterError
        If an axis is not the number of a column, counted from 0.
    """
    for samples, axes, name in ((X, left, "left"), (Z, right, "right")):
        if is_sparse(samples):
            raise ShapeError("derivatives of a kernel are taken at dense samples, but sparse ones came; use toarray().")
        # Of a table, the columns are the fields.
        width = len(samples.dtype.names or ()) or samples.shape[1]
        if not isinstance(axes, tuple) or not all(is_integer(axis) and 0 <= axis < width for axis in axes):
            raise ParameterError(
                f"{name} must be a tuple of axes, integers from 0 to {width - 1} of the {width} features, but "
                f"{shown(axes)} came; write (0,) for the first derivative along axis 0, (0, 0) for the second."
            )
