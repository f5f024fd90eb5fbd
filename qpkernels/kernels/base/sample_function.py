# SPDX-License-Identifier: BSD-3-Clause
"""Functions of samples that kernels are built with."""

from abc import ABC, abstractmethod
from typing import Any

from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Samples, finite_matrix

__all__ = ["SampleFunction"]


class SampleFunction(ABC):
    """A function of samples that a file can hold: a frozen dataclass, whose fields are its parameters.

    It acts on each sample by itself: a row of its answer depends on the same row of ``X`` alone.

    Notes
    -----
    Arguments of the methods:

    X
        Samples, shape (m, d).
    """

    @abstractmethod
    def __call__(self, X: ArrayLike) -> NDArray[Any]:
        """Return one row, or one number, for each sample."""

    def samples(self, X: ArrayLike) -> Samples:
        """Return ``X`` checked and in the container this function works on; here: a finite float64 matrix."""
        return finite_matrix(X, "X")
