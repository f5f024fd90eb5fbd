# SPDX-License-Identifier: BSD-3-Clause
"""What the compiled loops of a path work on: the problem in its parameter p, and a point with its active set."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["FIXED", "FREE", "LOWER", "UPPER", "ZERO", "Line", "Point", "Record"]

FIXED, LOWER, UPPER, ZERO, FREE = -1, 0, 1, 2, 3
"""Where a coefficient is: at 0 for good, at its lower or upper bound, at the kink of epsilon |beta|, or free."""


class Line(NamedTuple):
    """The vectors of a KernelQP, each ``base + p * rate``, of shape (m,).

    Attributes
    ----------
    K, shift
        The kernel matrix, and what is added to each entry where 1'beta is given, so that the matrix of free samples is
        definite whenever the equations have one solution: it changes nothing but b.
    ridge
        What is added to the diagonal.
    target, lower, upper, epsilon
        The bases.
    target_rate, lower_rate, upper_rate, epsilon_rate
        The rates.
    kinked
        Which samples have an epsilon.
    lower_side, upper_side
        The sign that epsilon has inside the lower bound, and inside the upper one: -1, 1, or 0 without an epsilon.
    balanced
        Whether 1'beta is given, so that there is a b.
    size
        The largest |target| and epsilon: what the slopes, and the tolerance of their signs, are measured by.
    entry
        The largest entry of the diagonal, with the ridge.
    """

    K: Matrix
    shift: float
    ridge: Vector
    target: Vector
    target_rate: Vector
    lower: Vector
    lower_rate: Vector
    upper: Vector
    upper_rate: Vector
    epsilon: Vector
    epsilon_rate: Vector
    kinked: NDArray[np.bool_]
    lower_side: Vector
    upper_side: Vector
    balanced: bool
    size: float
    entry: float


class Point(NamedTuple):
    """A point of the path, which the loops move.

    Attributes
    ----------
    beta, slopes
        beta, and (K + diag(ridge)) beta - target, shape (m,).
    level
        The parameter p, and b.
    status, side
        Where each coefficient is, and the sign that epsilon has there while it is free.
    free, sizes
        The free samples in the order of the rows of ``memory``; and the numbers of free samples, of pieces, of free
        samples noted in these, and of changes.
    memory
        In its first rows and columns the inverse of K + shift + diag(ridge) over the free samples.
    drift
        (K + diag(ridge)) d over what the coefficients at bounds move, shape (m,).
    order
        The numbers from 0 on, as many as there are rows of ``memory``.
    changes
        Room for what becomes of samples that are free no more, shape (n, 3): the sample, where it is then, and the
        number of the piece that it begins with.
    """

    beta: Vector
    slopes: Vector
    level: Vector
    status: NDArray[np.int8]
    side: Vector
    free: Indices
    sizes: Indices
    memory: Matrix
    drift: Vector
    order: Indices
    changes: NDArray[np.intp]


class Record(NamedTuple):
    """The pieces that a sweep passed, with room for a number of them.

    Attributes
    ----------
    ends
        p and b where each piece begins and ends, shape (n, 4): p, b, p, b.
    counts
        Number of free samples on each.
    samples, first, last
        The free samples of all pieces, one after the other, with their coefficients where it begins and ends.
    """

    ends: Matrix
    counts: Indices
    samples: Indices
    first: Vector
    last: Vector
