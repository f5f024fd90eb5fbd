# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as text that loses nothing: floats in hexadecimal, and quotients of hexadecimal integers."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from qpkernels.arrays.checks import Matrix

__all__ = ["exact_text", "exact_texts", "triangle_texts"]


def exact_text(value: float | Fraction) -> str:
    """Return a number as a hexadecimal float, or, if no float is it, as a quotient of hexadecimal integers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from qpkernels.arrays.exact_text import exact_text
    >>> print(exact_text(0.75), exact_text(Fraction(-1, 3)), exact_text(float("inf")))
    0x1.8p-1 -1/3 inf
    """
    if isinstance(value, Fraction):
        try:
            nearest = float(value)
        except OverflowError:
            nearest = float("inf")
        if not isfinite(nearest) or nearest != value:
            return f"{value.numerator:x}/{value.denominator:x}"
        value = nearest
    value = float(value) + 0.0
    if not isfinite(value):
        return str(value)
    digits, exponent = value.hex().split("p")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}p{exponent}"


def exact_texts(values: Any) -> Any:
    """Return each of an array of numbers of one or two dimensions as text; a text alone where all of a row are equal.

    Parameters
    ----------
    values
        An array of float64, or a sequence of numbers; those of a matrix stay rows of equal length.
    """
    if isinstance(values, np.ndarray) and values.ndim == 2:
        return [_row(row) for row in values.tolist()]
    row = _row(values.tolist() if isinstance(values, np.ndarray) else values)
    return row[0] if len(set(row)) == 1 else row


def triangle_texts(G: Matrix) -> list[Any]:
    """Return the rows of a lower triangle, each up to its diagonal entry; a text alone where all of a row are equal."""
    return [exact_texts(row[: i + 1]) for i, row in enumerate(G)]


def _row(values: Iterable[float | Fraction]) -> list[str]:
    return [exact_text(value) for value in values]
