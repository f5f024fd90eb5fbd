# SPDX-License-Identifier: BSD-3-Clause
"""What a matrix of low rank stands for: the exact kernel, on all samples or some, and what is left of its diagonal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.gram.gram import Gram
from qpkernels.gram.low_rank.low_rank import LowRank
from qpkernels.gram.selection import selection_of
from qpkernels.kernels.approximations import Nystroem
from qpkernels.kernels.base import Kernel

__all__ = ["Approximation"]

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Approximation:
    """K~, of low rank, beside K, the matrix of the exact kernel of the same samples, which is never stored.

    Attributes
    ----------
    whole
        The matrix of all samples.
    rows
        The numbers of those that this is about; None: all.
    """

    whole: LowRank
    rows: Indices | None = None

    @classmethod
    def of(cls, gram: Gram) -> Approximation | None:
        """Return what ``gram`` approximates, which may be a part of a LowRank; None: nothing.

        Parameters
        ----------
        gram
            Any kernel matrix.
        """
        rows = None
        while not isinstance(gram, LowRank):
            selected = selection_of(gram)
            if selected is None:
                return None
            gram, rows = selected.whole, selected.rows if rows is None else selected.rows[rows]
        return cls(gram, rows)

    @property
    def kernel(self) -> Kernel:
        """The exact kernel k."""
        return self.whole.base

    @property
    def is_projection(self) -> bool:
        """Whether functions in the space of k~ are functions in that of k, with their norm: so it is with landmarks."""
        return isinstance(self.whole.kernel, Nystroem)

    @property
    def exact(self) -> Gram:
        """K, of which nothing is computed before it is asked for.

        Raises
        ------
        ParameterError
            If the samples came as a stream.
        """
        return self.whole.exact if self.rows is None else self.whole.exact.part(self.rows)

    def exact_part(self, numbers: Indices) -> Gram:
        """Return the part of K of these samples, a stream being visited once for them.

        Parameters
        ----------
        numbers
            Numbers of samples.
        """
        chosen = numbers if self.rows is None else self.rows[numbers]
        return Gram(self.kernel, self.whole.source.take(chosen), self.whole.memory_limit)

    @property
    def exact_lengths(self) -> Vector:
        """The m values sqrt(K_ii), of a projection."""
        return self._of_rows(np.sqrt(self.whole.residual + self.whole.diagonal))

    @property
    def distances(self) -> Vector:
        """Bounds of the m distances sqrt(K_ii - K~_ii) of k(x_i, .) from the span of the landmarks, of a projection.

        They hold to first order in the rounding errors of Z = K_{:S} L^{-T}, which divides by the diagonal of L.
        """
        kernel = self.whole.kernel
        assert isinstance(kernel, Nystroem)
        pivots = kernel.triangle.diagonal()
        rounding = np.sqrt(kernel.rank) * _EPS * float(pivots.max() / pivots.min())
        return np.asarray(np.sqrt(self._of_rows(self.whole.residual) + rounding * self.exact_lengths**2))

    def _of_rows(self, values: Vector) -> Vector:
        return values if self.rows is None else values[self.rows]
