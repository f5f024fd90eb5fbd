# SPDX-License-Identifier: BSD-3-Clause
r"""What the kernels over time series share: their container, numbers beyond the range of float64, and normalisation.

A series is a list of numbers, or of vectors of one size d, of any length. Many of them are held as text, one array of
NumPy's ``str_``, as sequences of letters are: it has any lengths side by side, and files take it without pickle. The
first letter says d, and four letters of 16 bits follow for each float64.

Sums over all alignments grow and vanish exponentially with the length. They are held as v * 2^(500 e) with an integer
e, so that nothing overflows or is lost before :math:`k(x, z) / \sqrt{k(x, x) k(z, z)}` is formed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, is_sparse, read_array
from qpkernels.arrays.intervals import ELEMENTARY, UNIT, gamma
from qpkernels.display import Card, Fact
from qpkernels.errors import NonFiniteError, ShapeError
from qpkernels.kernels.kernel import Samples
from qpkernels.kernels.sequences import NormalisedKernel, letter_codes

__all__ = [
    "SERIES_SCALE",
    "ScaledSums",
    "SeriesKernel",
    "SeriesValues",
    "as_series",
    "series_values",
]

SERIES_SCALE = 500
"""The binary digits of the unit of e."""

_LETTER = 0x10000
"""What is added to 16 bits to make a letter, so that none is 0 or half of a surrogate pair."""

_LETTERS = 4
"""Letters of a number."""

_KINDS = "lists of numbers, or of vectors of one size"


class SeriesValues(NamedTuple):
    """Series as numbers: values of shape (n, longest, d), of which the first ``lengths`` of each count."""

    values: NDArray[np.float64]
    lengths: NDArray[np.intp]


class ScaledSums(NamedTuple):
    """Numbers v * 2^(500 e), in arrays of one shape."""

    v: NDArray[np.float64]
    e: NDArray[np.int64]


class SeriesKernel(NormalisedKernel):
    """A kernel over series of numbers or vectors, of unequal lengths."""

    gamma: float

    embedding: ClassVar[str]
    """What phi_n(x) is in the formula."""

    def formula(self, x: str = "x", z: str = "z") -> str:
        product = f"sum_n <phi_n({x}), phi_n({z})>"
        return f"{product} / sqrt(sum_n ||phi_n({x})||^2 sum_n ||phi_n({z})||^2)" if self.normalise else product

    def card(self) -> Card:
        """Return the formula, the parameters, and what its features are."""
        card = super().card()
        return replace(card, facts=(*card.facts, Fact("phi_n(x)", self.embedding)))

    @abstractmethod
    def sums(self, X: SeriesValues, Z: SeriesValues, *, paired: bool = False) -> ScaledSums:
        """Return k(x_i, z_j) before normalisation, shape (m, n).

        Parameters
        ----------
        X, Z
            The series as numbers.
        paired
            Whether to return k(x_i, z_i) alone, shape (m,).
        """

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def samples(self, X: ArrayLike) -> Samples:
        """Return series as an array of text, shape (number of series,).

        Parameters
        ----------
        X
            Series of numbers, shape (length,), or of vectors, shape (length, d): a list of these, an array with a
            series for each entry of its first axis, or what this method returned.

        Raises
        ------
        ShapeError
            If ``X`` lists anything else, vectors of several sizes, or an empty series.
        NonFiniteError
            If a number is not finite.
        """
        return as_series(X)

    def similarities(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) before normalisation, infinite where it is beyond float64."""
        K = self.sums(*self._both(X, Z))
        return _unscaled(K.v, SERIES_SCALE * K.e)

    def cosines(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) / sqrt(k(x_i, x_i) k(z_j, z_j)), whatever the size of these."""
        left, right = self._both(X, Z)
        K, own = self.sums(left, right), self.sums(left, left, paired=True)
        others = own if X is Z else self.sums(right, right, paired=True)
        cosines = (1.0 / np.sqrt(own.v))[:, None] * K.v * (1.0 / np.sqrt(others.v))
        return _unscaled(cosines, SERIES_SCALE * K.e - SERIES_SCALE // 2 * (own.e[:, None] + others.e))

    def diagonal(self, X: Samples) -> Vector:
        if self.normalise:
            return np.ones(len(X))
        values = series_values(X)
        own = self.sums(values, values, paired=True)
        return _unscaled(own.v, SERIES_SCALE * own.e)

    def similarity_error(self, X: Samples, Z: Samples) -> float:
        """Return gamma_n of sums of products of positive factors, for the n operations on the longest way to the end.

        A factor exp(-t) is as far off as t is, absolutely, beside the rounding of exp; t is at most gamma times the
        squared diagonal of the box around all values.
        """
        left, right = self._both(X, Z)
        largest, size = self.gamma * self._squared_box(left, right), left.values.shape[2]
        factor = 2.0 * ((size + 8.0) * (1.01 * largest + 1.0) + ELEMENTARY / UNIT) + 20.0
        cells = int(left.lengths.max()) + int(right.lengths.max()) + 2
        return gamma(int(np.ceil(cells * factor))) if cells * factor < 1e15 else np.inf

    def _squared_box(self, *series: SeriesValues) -> float:
        """Return the squared diagonal of the box around all numbers that are compared, those of the series here."""
        every = [each.values[np.arange(each.values.shape[1]) < each.lengths[:, None]] for each in series]
        numbers = np.concatenate(every)
        return float(((numbers.max(axis=0) - numbers.min(axis=0)) ** 2).sum())

    def _both(self, X: Samples, Z: Samples) -> tuple[SeriesValues, SeriesValues]:
        """Return the series as numbers, as one object where they are the same."""
        left = series_values(X)
        right = left if X is Z else series_values(Z)
        sizes = left.values.shape[2], right.values.shape[2]
        if sizes[0] != sizes[1]:
            raise ShapeError(
                f"all series must hold vectors of one size, but those of X have {sizes[0]} numbers and those of Z "
                f"{sizes[1]}."
            )
        return left, right


def _unscaled(v: NDArray[np.float64], exponent: NDArray[np.int64]) -> Matrix:
    # Beyond 4000 binary digits every v is 0 or infinite, and NumPy takes exponents of 32 bits.
    return np.asarray(np.ldexp(v, np.clip(exponent, -4000, 4000).astype(np.int32)))


def as_series(X: Any) -> Samples:
    """Return series of numbers or vectors as an array of text; such text comes back as it is.

    Raises
    ------
    ShapeError
        If ``X`` lists anything else, vectors of several sizes, or an empty series.
    NonFiniteError
        If a number is not finite.
    """
    listed = _items(X)
    if len(listed) and all(isinstance(item, str) for item in listed):
        texts = np.asarray(X, dtype=np.str_)
        if _is_series(texts):
            return texts
    items = [_one_series(item, number) for number, item in enumerate(listed)]
    if not items:
        raise ShapeError("X must list at least one series, but it is empty.")
    size = items[0].shape[1]
    other = next((number for number, item in enumerate(items) if item.shape[1] != size), None)
    if other is not None:
        raise ShapeError(
            f"all series must hold vectors of one size, but those of X[0] have {size} numbers and those of X[{other}] "
            f"{items[other].shape[1]}."
        )
    codes = np.zeros((len(items), 1 + _LETTERS * size * max(map(len, items))), np.uint32)
    codes[:, 0] = _LETTER + size
    for row, item in zip(codes, items, strict=True):
        # The sum makes -0.0 the same text as 0.0.
        letters = np.ascontiguousarray(item + 0.0, "<f8").ravel().view("<u2")
        row[1 : letters.size + 1] = letters.astype(np.uint32) + _LETTER
    return codes.view(f"U{codes.shape[1]}").ravel()


def series_values(texts: Samples) -> SeriesValues:
    """Return the numbers of series that :func:`as_series` returned."""
    codes, letters = letter_codes(texts)
    size = int(codes[0, 0]) - _LETTER
    lengths = (letters - 1) // (_LETTERS * size)
    halves = np.where(codes[:, 1:] > 0, codes[:, 1:] - np.uint32(_LETTER), 0).astype("<u2")
    used = halves[:, : _LETTERS * size * int(lengths.max())]
    values = np.ascontiguousarray(used).view("<f8").astype(np.float64)
    return SeriesValues(values.reshape(len(texts), -1, size), lengths)


def _is_series(texts: Samples) -> bool:
    codes, letters = letter_codes(texts)
    sizes = codes[:, 0].astype(np.int64) - _LETTER
    if (sizes < 1).any() or (sizes != sizes[0]).any() or ((letters - 1) % (_LETTERS * sizes[0])).any():
        return False
    return bool(((codes == 0) | ((codes >= _LETTER) & (codes < 2 * _LETTER))).all())


def _items(X: Any) -> Sequence[Any]:
    if isinstance(X, list | tuple):
        return X
    if is_sparse(X):
        raise ShapeError(f"X must list series ({_KINDS}), but a sparse matrix came; pass X.toarray().")
    array = read_array(X, "X")
    if array.ndim == 0 or (array.ndim not in (2, 3) and array.dtype.kind not in "OU"):
        raise ShapeError(
            f"X must list series ({_KINDS}), but an array of type {array.dtype} and shape {array.shape} came; a single "
            "series x is [x]."
        )
    return list(array)


def _one_series(item: Any, number: int) -> NDArray[np.float64]:
    try:
        values = np.asarray(item, dtype=np.float64) if not isinstance(item, str | bytes) else None
    except (TypeError, ValueError):
        values = None
    if values is None or values.ndim not in (1, 2):
        raise ShapeError(f"X must list series ({_KINDS}), but X[{number}] is {item!r}; a single series x is [x].")
    if values.size == 0:
        raise ShapeError(f"a series must hold at least one number, but X[{number}] is empty; drop that sample.")
    if not np.isfinite(values).all():
        raise NonFiniteError(
            f"X[{number}] holds a number that is not finite; fill gaps, and cut off what pads short series."
        )
    return values[:, None] if values.ndim == 1 else values
