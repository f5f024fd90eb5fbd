# SPDX-License-Identifier: BSD-3-Clause
"""The gap-weighted subsequence kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Matrix, Vector, check_count, check_flag, check_positive
from qpkernels.arrays.intervals import gamma
from qpkernels.errors import ParameterError
from qpkernels.kernels.catalogue import KernelEntry
from qpkernels.kernels.kernel import Samples
from qpkernels.kernels.sequences import SequenceKernel, letter_codes

__all__ = [
    "Subsequence",
]


@dataclass(frozen=True)
class Subsequence(SequenceKernel):
    r"""Gap-weighted subsequences: :math:`\sum_u \sum_{i: x[i]=u} \sum_{j: z[j]=u} \lambda^{l(i)+l(j)}`.

    u runs over the words of n letters, i and j over the increasing places where x and z spell u, with gaps allowed,
    and l(i) = i_n - i_1 + 1 is the length that the occurrence spans. A sequence of fewer letters has none, and k is 0.

    Parameters
    ----------
    length
        n, at least 1. Raising it requires longer agreement.
    decay
        lambda, above 0 and at most 1. Lowering it penalises gaps: close to 0, only words without gaps count, and k /
        lambda^(2n) is the spectrum kernel.
    normalise
        Whether to divide by sqrt(k(x, x) k(z, z)), so that long sequences have no more weight than short ones.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.

    Notes
    -----
    The time for a pair of sequences grows with n |x| |z|.
    Source: Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins, Text classification using string kernels (JMLR 2,
    2002).

    Examples
    --------
    >>> from qpkernels import Subsequence
    >>> X = ["cat", "cart", "dog"]
    >>> print(Subsequence(length=2, decay=0.5, normalise=True)(X, X).round(3))
    [[1.    0.574 0.   ]
     [0.574 1.    0.   ]
     [0.    0.    1.   ]]
    """

    length: int
    decay: float
    normalise: bool = False
    entry = KernelEntry("subsequence", "Subsequence", takes="sequences of letters")
    counted = "the sum of decay^(letters spanned) over all places where x spells the word u, with gaps"

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", check_count(self.length, "length"))
        object.__setattr__(self, "decay", check_positive(self.decay, "decay"))
        if self.decay > 1:
            raise ParameterError(f"decay must be at most 1, where gaps cost nothing, but {self.decay:g} came.")
        object.__setattr__(self, "normalise", check_flag(self.normalise, "normalise"))

    @property
    def positive_semidefinite(self) -> bool:
        return True

    def similarities(self, X: Samples, Z: Samples) -> Matrix:
        """Return k(x_i, z_j) before normalisation."""
        # numba takes most of a second to import, for a kernel that few programs use.
        from qpkernels.kernels.gap_weighted import all_pairs

        codes, lengths = letter_codes(X)
        others, other_lengths = (codes, lengths) if X is Z else letter_codes(Z)
        return self._factor * all_pairs(codes, lengths, others, other_lengths, self.length, self.decay, X is Z)

    def self_similarities(self, X: Samples) -> Vector:
        """Return k(x_i, x_i) before normalisation."""
        from qpkernels.kernels.gap_weighted import own_pairs

        return np.asarray(self._factor * own_pairs(*letter_codes(X), self.length, self.decay))

    def similarity_error(self, X: Samples, Z: Samples) -> float:
        """Return gamma_n of sums of positive terms, for the n operations on the longest way through the recursion."""
        left, right = (int(letter_codes(samples)[1].max()) for samples in (X, Z))
        return gamma(2 * self.length * (left + right) + left * right + 20)

    @property
    def _factor(self) -> float:
        """The weight of an occurrence without gaps in both sequences; it cancels, and may vanish, when normalised."""
        return 1.0 if self.normalise else self.decay ** (2 * self.length)
