# SPDX-License-Identifier: BSD-3-Clause
"""The common part of the kernels over sequences: their container, their letters as numbers and normalisation.

A sequence is text, bytes or integers. All are held as text, one array of NumPy's ``str_`` for many of them, which
files take without pickle: an integer by the character of that code point, a byte likewise. NumPy drops the code 0 at
the end of a text, so U+10FFFF, which is no character, stands for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, is_sparse, read_array
from qpkernels.arrays.intervals import UNDERFLOW, UNIT
from qpkernels.display import Card, Fact
from qpkernels.errors import NoEnclosureError, ShapeError
from qpkernels.kernels.enclosed import EnclosedMatrix, EnclosedRows
from qpkernels.kernels.kernel import Kernel, Samples

__all__ = [
    "Codes",
    "NormalisedKernel",
    "SequenceKernel",
    "as_sequences",
    "letter_codes",
]

Codes = NDArray[np.uint32]
"""Letters as numbers above 0, one row a sequence, filled up with 0."""

_ZERO = 0x10FFFF
"""The code that is held in place of 0."""

_KINDS = "text, bytes, or integers from 0 to 1114110"


class NormalisedKernel(Kernel):
    """A kernel with the option to divide by the norms of both samples, and with one bound of its relative errors.

    Attributes
    ----------
    normalise
        Whether :meth:`matrix` returns k(x, z) / sqrt(k(x, x) k(z, z)), so that long sequences have no more weight than
        short ones. A sequence with k(x, x) = 0 keeps the value 0.
    """

    normalise: bool

    @abstractmethod
    def similarities(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) before normalisation, shape (len(X), len(Z))."""

    @abstractmethod
    def cosines(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) / sqrt(k(x_i, x_i) k(z_j, z_j)), shape (len(X), len(Z))."""

    def matrix(self, X: Samples, Z: Samples) -> Matrix:
        return self.cosines(X, Z) if self.normalise else self.similarities(X, Z)

    def similarity_error(self, X: Samples, Z: Samples) -> float:
        """Return a bound on the relative error of k(x_i, z_j) before normalisation, if one is known.

        Raises
        ------
        NoEnclosureError
            If the kernel does not state such a bound.
        """
        del X, Z
        raise NoEnclosureError(
            f"{self!r} states no bound of its rounding errors; give its class similarity_error(X, Z)."
        )

    def enclosed(self, X: Samples, Z: Samples) -> EnclosedRows:
        """Return the maker of rows of k(x_i, z_j) with bounds of their errors; it holds the whole matrix."""
        error = max(self.similarity_error(A, B) for A, B in ((X, Z), (X, X), (Z, Z)))
        # Each norm is as far off as its square, at most, and rounded twice; two products follow.
        error = 2.02 * error + 7.0 * UNIT if self.normalise else error
        whole = self.matrix(X, Z)

        def rows(part: slice) -> EnclosedMatrix:
            values = whole[part]
            return EnclosedMatrix(values, values * error + (UNDERFLOW if error else 0.0))

        return rows


class SequenceKernel(NormalisedKernel):
    """A kernel over sequences of letters: an inner product of numbers n_u(x), one for each word u."""

    counted: ClassVar[str] = "how much of the word u is in x"
    """The meaning of n_u(x) in the formula."""

    def formula(self, x: str = "x", z: str = "z") -> str:
        product = f"sum_u n_u({x}) n_u({z})"
        return f"{product} / sqrt(sum_u n_u({x})^2 sum_u n_u({z})^2)" if self.normalise else product

    def card(self) -> Card:
        """Return the formula, the parameters, and what is counted."""
        card = super().card()
        return replace(card, facts=(*card.facts, Fact("n_u(x)", self.counted)))

    @abstractmethod
    def self_similarities(self, X: Samples) -> Vector:
        """Return k(x_i, x_i) before normalisation, shape (len(X),), with the factor of :meth:`similarities`."""

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X``, sequences of text, bytes or integers, as an array of text, shape (number of sequences,).

        Raises
        ------
        ShapeError
            If ``X`` lists anything else, sequences of several kinds, or an empty one.
        """
        return as_sequences(X)

    def cosines(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) / sqrt(k(x_i, x_i) k(z_j, z_j)), in which a factor of all values cancels."""
        K = self.similarities(X, Z)
        left = self._inverse_norms(X)
        right = left if X is Z else self._inverse_norms(Z)
        # What overflowed becomes NaN, which a Gram matrix refuses.
        with np.errstate(invalid="ignore"):
            return np.asarray(left[:, None] * K * right)

    def diagonal(self, X: Samples) -> Vector:
        own = self.self_similarities(X)
        return np.sign(own) if self.normalise else own

    def _inverse_norms(self, X: Samples) -> Vector:
        norms = np.sqrt(self.self_similarities(X))
        return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


def as_sequences(X: Any) -> Samples:
    """Return sequences of text, bytes or integers as an array of text; such an array comes back as it is.

    Raises
    ------
    ShapeError
        If ``X`` lists anything else, sequences of several kinds, or an empty one.
    """
    items = _items(X)
    if len(items) == 0:
        raise ShapeError("X must list at least one sequence, but it is empty.")
    kinds = [_kind(item, number) for number, item in enumerate(items)]
    other = next((number for number, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        raise ShapeError(
            f"X must list sequences of one kind, but X[0] is {kinds[0]} and X[{other}] is {kinds[other]}; "
            "convert them first."
        )
    texts = [_as_text(item, kinds[0], number) for number, item in enumerate(items)]
    empty = next((number for number, text in enumerate(texts) if not text), None)
    if empty is not None:
        raise ShapeError(f"X must list sequences of at least one letter, but X[{empty}] is empty; drop that sample.")
    return np.array(texts, dtype=np.str_)


def letter_codes(texts: Samples) -> tuple[Codes, NDArray[np.intp]]:
    """Return the letters of an array of text as numbers, and the length of each text."""
    codes = np.ascontiguousarray(texts).view(np.uint32).reshape(len(texts), -1)
    return codes, np.asarray((codes != 0).sum(axis=1))


def _items(X: Any) -> Sequence[Any]:
    if isinstance(X, str | bytes | bytearray):
        raise ShapeError(f"X must list sequences, but a single one came, {X!r}; write [{X!r}].")
    if is_sparse(X):
        raise ShapeError(f"X must list sequences ({_KINDS}), but a sparse matrix came; pass X.toarray().")
    if not isinstance(X, list | tuple):
        X = read_array(X, "X")
        if X.ndim != (2 if X.dtype.kind in "iu" else 1):
            raise ShapeError(
                f"X must list sequences ({_KINDS}), but an array of type {X.dtype} and shape {X.shape} came; "
                "list text, or integers with a row for each sequence."
            )
    return X.tolist() if isinstance(X, np.ndarray) and X.dtype.kind != "O" else X  # type: ignore[no-any-return]


def _kind(item: Any, number: int) -> str:
    if isinstance(item, str):
        return "text"
    if isinstance(item, bytes | bytearray):
        return "bytes"
    letters = read_array(item, f"X[{number}]") if isinstance(item, list | tuple | np.ndarray) else None
    if letters is None or letters.ndim != 1 or (letters.size and letters.dtype.kind not in "iu"):
        raise ShapeError(f"X must list sequences ({_KINDS}), but X[{number}] is {item!r}; convert it first.")
    return "integers"


def _as_text(item: Any, kind: str, number: int) -> str:
    if kind != "integers":
        text = str(item) if kind == "text" else item.decode("latin-1")
        return text.replace("\0", chr(_ZERO))
    if len(item) and not 0 <= min(item) <= max(item) < _ZERO:
        worst = next(letter for letter in item if not 0 <= letter < _ZERO)
        raise ShapeError(f"the integers of a sequence must lie from 0 to {_ZERO - 1}, but X[{number}] holds {worst}.")
    return "".join(chr(letter or _ZERO) for letter in item)
