# SPDX-License-Identifier: BSD-3-Clause
"""The samples of a kernel matrix in coordinates of the space of its kernel: explicit features, or those of a factor."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from qpkernels.arrays import Matrix, Vector, finite_rows
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram.factor import PivotedCholesky, pivoted_cholesky
from qpkernels.gram.features import Features, SparseFeatures, explicit_features
from qpkernels.gram.selection import Selection
from qpkernels.gram.shown_gram import ShownGram

__all__ = ["InCoordinates"]


class InCoordinates(ShownGram):
    """A kernel matrix as a product Phi Phi', whose rows are the samples in r coordinates of the space of the kernel."""

    _source: Selection | None

    @property
    def dense(self) -> Matrix:
        """The whole matrix."""
        raise NotImplementedError

    @property
    def diagonal(self) -> Vector:
        """The m values K_ii."""
        raise NotImplementedError

    @property
    def features(self) -> Matrix | None:
        """Explicit features Phi with K = Phi Phi', where the kernel has them and they are fewer than the samples."""
        return None if self.explicit is None else self.explicit.matrix

    @property
    def explicit(self) -> Features | None:
        """The same, and sums over them, wherever they are."""
        return self.factored if isinstance(self.factored, Features) else None

    @cached_property
    def sparse_features(self) -> Any:
        """Those as a csr_array, however many, where kernel and samples have such."""
        return self.kernel.sparse_features(self.X) if self._source is None else self._source.sparse_features

    @cached_property
    def factored(self) -> Features | SparseFeatures | None:
        """Those by which K multiplies a vector: dense where they are few, or sparse."""
        return explicit_features(self.kernel, self.X) if self._source is None else self._source.features

    @property
    def factor(self) -> Matrix:
        """A matrix Phi of shape (m, r) with K = Phi Phi': the samples in r coordinates of the space of the kernel.

        The features of the kernel if they are few, else the factor of a Cholesky decomposition with complete pivoting;
        then r is the numerical rank, and K is met to about 1e-13 of max K_ii.
        """
        return self._cholesky.factor if self.explicit is None else self.explicit.matrix

    def coefficients(self, coordinates: Vector | Matrix) -> Vector | Matrix:
        """Return a beta with Phi'beta = ``coordinates``, finite ones for each column of :attr:`factor`; or several."""
        coordinates = finite_rows(coordinates, "coordinates", self.factor.shape[1])
        if self.features is not None:
            with blas_threads_for(self.features.shape[1]):
                return np.asarray(np.linalg.lstsq(self.features.T, coordinates)[0])
        return self._cholesky.coefficients(coordinates)

    @cached_property
    def _cholesky(self) -> PivotedCholesky:
        return pivoted_cholesky(self.dense, self.diagonal)
