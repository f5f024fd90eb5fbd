# SPDX-License-Identifier: BSD-3-Clause
"""Vectors that a matrix of rational numbers maps to 0 exactly, found by Bareiss' elimination, which needs no fractions.

Source: Bareiss, Sylvester's identity and multistep integer-preserving Gaussian elimination (1968).
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.intervals.interval import Interval

__all__ = ["enclose_null_vector"]

_PRIME = 2**61 - 1


def enclose_null_vector(R: Any, v: Vector) -> Interval | None:
    """Return an enclosure of a vector w with R w = 0, near v where v is nearly one; None where only 0 is one.

    As many entries as R has independent columns are solved for, the largest of v first; the others stay as they are.

    Parameters
    ----------
    R
        Integers, fractions or floats, shape (n, k), as an array of objects.
    v
        Shape (k,), in floats.
    """
    order = np.argsort(-np.abs(v), kind="stable")
    rows = [_integers(row) for row in R[:, order].tolist()]
    if _is_regular(rows):
        return None
    solved, divisor = _eliminated(rows)
    free = [column for column in range(v.size) if column not in solved]
    if not free:
        return None
    values = [Fraction(value) for value in v[order].tolist()]
    for row, column in enumerate(solved):
        values[column] = -sum((rows[row][each] * values[each] for each in free), Fraction(0)) / divisor
    low, high = np.empty_like(v), np.empty_like(v)
    try:
        low[order], high[order] = zip(*map(_ends, values), strict=True)
    except OverflowError:
        return None
    return Interval(low, high)


def _integers(row: list[Any]) -> list[int]:
    entries = [Fraction(entry) for entry in row]
    unit = lcm(*(entry.denominator for entry in entries))
    return [entry.numerator * (unit // entry.denominator) for entry in entries]


def _is_regular(rows: list[list[int]]) -> bool:
    """Return whether the columns are independent modulo a prime, and so are independent."""
    left = [[entry % _PRIME for entry in row] for row in rows]
    for column in range(len(rows[0])):
        found = next((number for number, row in enumerate(left) if row[column]), None)
        if found is None:
            return False
        pivot = left.pop(found)
        inverse = pow(pivot[column], -1, _PRIME)
        for number, row in enumerate(left):
            if row[column]:
                share = row[column] * inverse % _PRIME
                left[number] = [(a - share * b) % _PRIME for a, b in zip(row, pivot, strict=True)]
    return True


def _eliminated(rows: list[list[int]]) -> tuple[list[int], int]:
    """Eliminate in place; return the columns solved for, each alone in a row, and the number that it has there."""
    solved: list[int] = []
    divisor = 1
    for column in range(len(rows[0])):
        rank = len(solved)
        found = next((number for number in range(rank, len(rows)) if rows[number][column]), None)
        if found is None:
            continue
        rows[rank], rows[found] = rows[found], rows[rank]
        pivot = rows[rank]
        for number, row in enumerate(rows):
            if number != rank:
                share, own = row[column], pivot[column]
                rows[number] = [(own * a - share * b) // divisor for a, b in zip(row, pivot, strict=True)]
        divisor = pivot[column]
        solved.append(column)
    return solved, divisor


def _ends(value: Fraction) -> tuple[float, float]:
    near = float(value)
    return (
        near if Fraction(near) <= value else float(np.nextafter(near, -np.inf)),
        near if Fraction(near) >= value else float(np.nextafter(near, np.inf)),
    )
