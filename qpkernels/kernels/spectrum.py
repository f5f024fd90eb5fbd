# SPDX-License-Identifier: BSD-3-Clause
"""The spectrum kernel: sequences are alike when they share many substrings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from qpkernels.arrays import Indices, Matrix, Vector, check_count, check_flag
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.kernel import Samples
from qpkernels.kernels.sequences import SequenceKernel, letter_codes

__all__ = [
    "Spectrum",
]

_LARGEST_NUMBER = 2**62
"""Substrings are numbered by int64."""

_SPARSE = 0.05
"""Share of counts above 0 from which on a dense product is the faster one."""


@dataclass(frozen=True)
class Spectrum(SequenceKernel):
    """sum over all words u of p letters of (times that u occurs in x) * (times that u occurs in z): the p-spectrum.

    An occurrence is p letters in a row, at any place; a sequence of fewer letters has none, and k is 0.

    Parameters
    ----------
    p
        Length of the words, at least 1. Raising it requires longer agreement, so that fewer sequences are alike.
    normalise
        Whether to divide by sqrt(k(x, x) k(z, z)), so that long sequences have no more weight than short ones.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Notes
    -----
    The time grows with the number of letters and with the number of words that two sequences share. Source: Leslie,
    Eskin and Noble, The spectrum kernel (Pacific Symposium on Biocomputing, 2002).

    Examples
    --------
    >>> from qpkernels import Spectrum
    >>> X = ["gattaca", "cattaga", "tttt"]
    >>> print(Spectrum(p=2)(X, X))
    [[6. 5. 3.]
     [5. 6. 3.]
     [3. 3. 9.]]
    """

    p: int
    normalise: bool = False
    entry = KernelEntry("spectrum", "Spectrum", takes="sequences of letters")
    counted = "how often the word u of p letters occurs in x"

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", check_count(self.p, "p"))
        object.__setattr__(self, "normalise", check_flag(self.normalise, "normalise"))

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def portable(self) -> dict[str, Any]:
        counted = {"name": "spectrum", "p": self.p}
        return {"name": "normalised", "of": [counted]} if self.normalise else counted

    def similarities(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) before normalisation."""
        counts = _counts(X if X is Z else np.concatenate([X, Z]), self.p)
        left, right = (counts, counts) if X is Z else (counts[: len(X)], counts[len(X) :])
        if counts.nnz > _SPARSE * counts.shape[0] * counts.shape[1]:
            return np.asarray(left.toarray() @ right.toarray().T)
        return np.asarray((left @ right.T).toarray())

    def self_similarities(self, X: Samples) -> Vector:
        """Return k(x_i, x_i) before normalisation."""
        return np.asarray(_counts(X, self.p).power(2).sum(axis=1))

    def similarity_error(self, X: Samples, Z: Samples) -> float:
        """Return 0: counts are integers, and so are their sums while they stay below 2^53."""
        longest = max(letter_codes(samples)[1].max() for samples in (X, Z))
        return 0.0 if int(longest) ** 2 < 2**53 else np.inf


def _counts(texts: Samples, p: int) -> csr_array:
    """Return how often each word of p letters occurs in each text, a column for each word that occurs at all."""
    letters, lengths = letter_codes(texts)
    places = letters.shape[1] - p + 1
    if places < 1:
        return csr_array((len(texts), 1), dtype=np.float64)
    used = np.arange(places) <= (lengths - p)[:, None]
    rows, _ = np.nonzero(used)
    words, number = _words(letters, p, used)
    return csr_array((np.ones(rows.size), (rows, words)), shape=(len(texts), max(number, 1)))


def _words(letters: NDArray[np.uint32], p: int, used: NDArray[np.bool_]) -> tuple[Indices, int]:
    """Return the words at the used places, numbered from 0 without gaps, and how many different ones there are.

    A word is the number whose digits are its letters. Before that number would leave int64, the words so far are
    renumbered. Equal numbers therefore mean equal words, which a hash would not guarantee.
    """
    alphabet, digits = np.unique(letters, return_inverse=True)
    digits = digits.reshape(letters.shape).astype(np.int64)
    places = used.shape[1]
    words, number = digits[:, :places][used], alphabet.size
    for shift in range(1, p):
        if number * alphabet.size > _LARGEST_NUMBER:
            words, number = _renumbered(words)
        words = words * alphabet.size + digits[:, shift : shift + places][used]
        number *= alphabet.size
    return _renumbered(words)


def _renumbered(words: NDArray[np.int64]) -> tuple[Indices, int]:
    different, ranks = np.unique(words, return_inverse=True)
    return ranks, different.size
