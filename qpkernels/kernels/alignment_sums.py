# SPDX-License-Identifier: BSD-3-Clause
"""The compiled loops of kernels over time series: sums over all ways through a table of two series.

    D(i, j) = a_ij D(i-1, j) + b_ij D(i, j-1) + c_ij D(i-1, j-1),      D(0, 0) = 1

The weights of an alignment are all the local kernel, and 0 at the edges; those of an edit are that of leaving x_i out,
that of leaving z_j out, and that of a match. Every term is positive, so nothing cancels. Each entry is held as
v * 2^(500 e) with 2^-250 <= v < 2^250, or v = 0 with an e below all others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays.compiled import compiled
from qpkernels.kernels.series import ScaledSums, SeriesValues

__all__ = [
    "alignment_sums",
]

_Values = NDArray[np.float64]
_Lengths = NDArray[np.intp]
_Exponents = NDArray[np.int64]

_UP = 2.0**500
_DOWN = 2.0**-500
_HIGH = 2.0**250
_LOW = 2.0**-250
_LOGARITHM = 500.0 * 0.6931471805599453
_NOTHING = -(2**60)


def alignment_sums(
    X: SeriesValues, Z: SeriesValues, gamma: float, edits: bool, special: float, paired: bool
) -> ScaledSums:
    """Return the sums for pairs of series.

    Parameters
    ----------
    gamma
        That of exp(-gamma ||x - z||^2).
    edits
        Whether the ways are edits; else they are alignments.
    special
        The value that elements are left out for; for alignments, the width T of the band, 0 for none.
    paired
        Whether each series of X meets its counterpart in Z alone.
    """
    if paired:
        return ScaledSums(*_each(X.values, X.lengths, Z.values, Z.lengths, gamma, edits, special))
    return ScaledSums(*_all(X.values, X.lengths, Z.values, Z.lengths, gamma, edits, special, X is Z))


@compiled
def _all(
    X: _Values,
    lengths: _Lengths,
    Z: _Values,
    other_lengths: _Lengths,
    gamma: float,
    edits: bool,
    special: float,
    symmetric: bool,
) -> tuple[_Values, _Exponents]:
    v, e = np.zeros((X.shape[0], Z.shape[0])), np.zeros((X.shape[0], Z.shape[0]), np.int64)
    for i in range(X.shape[0]):
        for j in range(i if symmetric else 0, Z.shape[0]):
            v[i, j], e[i, j] = _sum(X[i, : lengths[i]], Z[j, : other_lengths[j]], gamma, edits, special)
            if symmetric:
                v[j, i], e[j, i] = v[i, j], e[i, j]
    return v, e


@compiled
def _each(
    X: _Values, lengths: _Lengths, Z: _Values, other_lengths: _Lengths, gamma: float, edits: bool, special: float
) -> tuple[_Values, _Exponents]:
    v, e = np.zeros(X.shape[0]), np.zeros(X.shape[0], np.int64)
    for i in range(X.shape[0]):
        v[i], e[i] = _sum(X[i, : lengths[i]], Z[i, : other_lengths[i]], gamma, edits, special)
    return v, e


@compiled
def _exponential(t: float) -> tuple[float, int]:
    """Return exp(-t) for t >= 0."""
    if t < 150.0:
        return np.exp(-t), 0
    if t > 1e15:
        return 0.0, _NOTHING
    q = int(t / _LOGARITHM)
    return np.exp(-(t - q * _LOGARITHM)), -q


@compiled
def _sum(x: _Values, z: _Values, gamma: float, edits: bool, special: float) -> tuple[float, int]:
    """Return D at the last elements of both; ``v`` and ``e`` hold a row of D, which becomes the next one."""
    n, size = z.shape[0], x.shape[1]
    v, e = np.zeros(n + 1), np.full(n + 1, _NOTHING)
    v[0], e[0] = 1.0, 0
    left_v, left_e = np.zeros(n), np.full(n, _NOTHING)
    if edits:
        for j in range(n):
            left_v[j], left_e[j] = _exponential(gamma * _squared(z[j], special))
            v[j + 1], e[j + 1] = _product(left_v[j], left_e[j], v[j], e[j])
    for i in range(x.shape[0]):
        out_v, out_e = 0.0, _NOTHING
        if edits:
            out_v, out_e = _exponential(gamma * _squared(x[i], special))
        corner_v, corner_e = v[0], e[0]
        v[0], e[0] = _product(out_v, out_e, v[0], e[0])
        for j in range(n):
            t = 0.0
            for k in range(size):
                difference = x[i, k] - z[j, k]
                t += difference * difference
            w, f = _exponential(gamma * t)
            # Both neighbours are added first, so that x and z may change places without another rounding.
            if edits:
                above_v, above_e = _product(out_v, out_e, v[j + 1], e[j + 1])
                beside_v, beside_e = _product(left_v[j], left_e[j], v[j], e[j])
                match_v, match_e = _product(w, f, corner_v, corner_e)
                total, power = _add(above_v, above_e, beside_v, beside_e)
                total, power = _add(total, power, match_v, match_e)
            else:
                if special > 0.0:
                    w *= max(0.0, 1.0 - abs(i - j) / special)
                w = w / (2.0 - w) if f == 0 else 0.5 * w
                total, power = _add(v[j + 1], e[j + 1], v[j], e[j])
                total, power = _add(total, power, corner_v, corner_e)
                total, power = _product(w, f, total, power)
            corner_v, corner_e = v[j + 1], e[j + 1]
            v[j + 1], e[j + 1] = total, power
    return float(v[n]), int(e[n])


@compiled
def _squared(x: _Values, value: float) -> float:
    """Return the squared distance of x from the vector whose entries are all ``value``."""
    total = 0.0
    for each in x:
        total += (each - value) * (each - value)
    return total


@compiled
def _product(v: float, e: int, w: float, f: int) -> tuple[float, int]:
    """Return the product of a factor, of at least 2^-500 or 0, and a number."""
    total, power = v * w, e + f
    if total == 0.0:
        return 0.0, _NOTHING
    while total < _LOW:
        total, power = total * _UP, power - 1
    return total, power


@compiled
def _add(v: float, e: int, w: float, f: int) -> tuple[float, int]:
    """Return the sum of two numbers; what is 2^-500 of the other one, or less, is left out."""
    if e < f:
        v, e, w, f = w, f, v, e
    if e == f:
        v += w
    elif e == f + 1:
        v += w * _DOWN
    if v >= _HIGH:
        return v * _DOWN, e + 1
    return v, e
