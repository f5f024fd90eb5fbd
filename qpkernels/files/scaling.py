# SPDX-License-Identifier: BSD-3-Clause
"""Maps that bring features to a common range or a common spread, and that also apply to new samples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import (
    Matrix,
    Samples,
    Vector,
    check_finite,
    finite_samples,
    finite_vector,
    frozen,
    is_sparse,
    row_blocks,
)
from qpkernels.arrays.checks import MappedRows, is_mapped
from qpkernels.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "Scaling",
    "scale_features",
]


@dataclass(frozen=True, eq=False)
class Scaling:
    """An affine map of each feature, which takes low_j to ``lower`` and high_j to ``upper``.

    x_j -> (upper - lower) (x_j - low_j) / (high_j - low_j) + lower, and x_j -> 0 where low_j = high_j. Its numbers come
    from the samples that it was made from, so new samples may leave the range.

    Parameters
    ----------
    low, high
        The values of each feature, in its own unit, that become ``lower`` and ``upper``, shape (features,).
    lower, upper
        Their images. Sparse samples stay sparse if low = 0 and lower = 0.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, shape (m, d), dense or sparse, or in a file.
    lower, upper
        The ends of the range, ``lower`` below ``upper``.

    Examples
    --------
    >>> from qpkernels.files import Scaling
    >>> scaling = Scaling.to_range([[0.0, 10.0], [2.0, 30.0]])
    >>> print(scaling.transform([[1.0, 15.0], [3.0, 30.0]]))
    [[ 0.  -0.5]
     [ 2.   1. ]]
    """

    low: Vector = field(repr=False)
    high: Vector = field(repr=False)
    lower: float = -1.0
    upper: float = 1.0

    def __post_init__(self) -> None:
        low = finite_vector(self.low, "low")
        object.__setattr__(self, "low", frozen(low))
        object.__setattr__(self, "high", frozen(finite_vector(self.high, "high", low.size)))
        if check_finite(self.lower, "lower") >= check_finite(self.upper, "upper"):
            raise ParameterError(f"lower must be below upper, but {self.lower:g} and {self.upper:g} came.")

    @classmethod
    def to_range(cls, X: ArrayLike, lower: float = -1.0, upper: float = 1.0) -> Scaling:
        """Return the map that takes the smallest and largest value of each feature in X to the ends of a range.

        For sparse samples it is x_j -> x_j / max |x_j|, which keeps their zeros and has no ends to choose.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If ``X`` does not hold samples, or if the ends do not form a range.
        """
        samples = finite_samples(X, "X")
        if not is_sparse(samples):
            return cls(samples.min(axis=0), samples.max(axis=0), lower, upper)
        if (lower, upper) != (-1.0, 1.0):
            raise ParameterError(
                f"sparse samples are divided by max |x|, which keeps their zeros, so that the range [{lower:g}, "
                f"{upper:g}] cannot be chosen; pass X.toarray() for it."
            )
        largest = np.zeros(samples.shape[1])
        np.maximum.at(largest, samples.indices, np.abs(samples.data))
        return cls(np.zeros(largest.size), largest, 0.0, 1.0)

    @classmethod
    def standardise(cls, X: ArrayLike) -> Scaling:
        """Return the map that gives each feature of X the mean 0 and the variance 1; sparse ones keep their zeros.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` does not hold samples.
        """
        samples = finite_samples(X, "X")
        if not is_sparse(samples):
            mean = samples.mean(axis=0)
            deviation = _spread(samples, mean) if is_mapped(samples) else samples.std(axis=0)
            return cls(mean, np.where(np.ptp(samples, axis=0) > 0, mean + deviation, mean), 0.0, 1.0)
        mean = np.asarray(samples.mean(axis=0))
        squares = np.asarray(samples.multiply(samples).mean(axis=0))
        return cls(np.zeros(mean.size), np.sqrt(np.maximum(squares - mean**2, 0.0)), 0.0, 1.0)

    @property
    def features(self) -> int:
        """The number of features."""
        return self.low.size

    @property
    def keeps_zeros(self) -> bool:
        """Whether 0 is mapped to 0, so that sparse samples stay sparse."""
        return self.lower == 0.0 and not self.low.any()

    def transform(self, X: ArrayLike) -> Samples:
        """Return the mapped samples, dense or sparse as before; samples in a file are mapped to another file.

        Raises
        ------
        ShapeError, NonFiniteError
            If ``X`` does not hold samples with this number of features.
        ParameterError
            If they are sparse and the map would fill them with numbers that are not 0.
        """
        samples = finite_samples(X, "X")
        if samples.shape[1] != self.low.size:
            raise ShapeError(
                f"the scaling is that of samples with {self.low.size} features, but those of X have {samples.shape[1]}."
            )
        if is_sparse(samples):
            return self._of_sparse(samples)
        if not is_mapped(samples):
            return self._of_dense(samples)
        rows = MappedRows()
        for part in row_blocks(*samples.shape):
            rows.append(self._of_dense(np.asarray(samples[part])))
        return rows.matrix()

    def _of_dense(self, samples: Matrix) -> Matrix:
        # Where high - low exceeds the largest float64, the column is halved; elsewhere that would lose subnormals.
        with np.errstate(over="ignore"):
            factor = np.where(np.isinf(self.high - self.low), 0.5, 1.0)
        low, high = self.low * factor, self.high * factor
        constant = low == high
        share = (samples * factor - low) / np.where(constant, 1.0, high - low)
        scaled: NDArray[np.float64] = (self.upper - self.lower) * share + self.lower
        scaled[:, constant] = 0.0
        return scaled

    def _of_sparse(self, samples: csr_array) -> csr_array:
        if not self.keeps_zeros:
            raise ParameterError(
                "this scaling maps 0 to other numbers, which would fill sparse samples; make it from sparse samples, "
                "or pass X.toarray()."
            )
        divisor = np.where(self.high == 0.0, np.inf, self.high / self.upper)
        samples.data /= divisor[samples.indices]
        return samples


def _spread(samples: Matrix, mean: Vector) -> Vector:
    """Return the standard deviation of each feature, holding few of the samples at a time."""
    squares = np.zeros(mean.size)
    for part in row_blocks(*samples.shape):
        squares += np.square(samples[part] - mean).sum(axis=0)
    return np.asarray(np.sqrt(squares / len(samples)))


def scale_features(X: ArrayLike) -> Samples:
    """Map each feature into [-1, 1]: x -> 2 (x - min) / (max - min) - 1, or x -> x / max |x| if X is sparse.

    Minimum and maximum are those of the feature's column. The extremes map to -1 and 1 exactly, and no entry leaves
    the interval through rounding. Where the quotient is undefined, the feature maps to 0. The first map would fill
    a sparse X with numbers that are not 0; the second keeps its zeros. Pass ``X.toarray()`` for the first. New samples
    need the map of the first ones: take ``Scaling.to_range(X)``.

    Parameters
    ----------
    X
        Samples, shape (m, d), dense or sparse; a feature with one value becomes 0.

    Examples
    --------
    >>> from qpkernels.files import scale_features
    >>> print(scale_features([[0.0, 10.0], [1.0, 15.0], [2.0, 30.0]]))
    [[-1.  -1. ]
     [ 0.  -0.5]
     [ 1.   1. ]]
    """
    return Scaling.to_range(X).transform(X)
