# SPDX-License-Identifier: BSD-3-Clause
"""Several functions of the space of a kernel over the same samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_diag, csr_array, vstack

from qpkernels.arrays import FeatureNames, Matrix, Vector, check_feature_names, is_sparse, row_blocks
from qpkernels.gram.expansion import Expansion, check_width
from qpkernels.kernels.base import Kernel, Samples

__all__ = ["Expansions"]


@dataclass(frozen=True, eq=False)
class Expansions:
    r"""f_k(x) + b_k with :math:`f_k(x) = \sum_j \beta_{jk} k(x_j, x)`, for several k.

    A kernel value is computed once, however many functions use it.

    Attributes
    ----------
    kernel
        k.
    centers
        The samples x_j, as the kernel takes them; none, but of the shape of samples, where all functions are constant.
    coefficients
        beta, shape (number of centers, number of functions); sparse where few functions use a center.
    intercepts
        b, shape (number of functions,).
    feature_names
        The columns of the data frame that the centers come from, or None.
    """

    kernel: Kernel
    centers: Samples = field(repr=False)
    coefficients: Matrix | csr_array = field(repr=False)
    intercepts: Vector
    feature_names: FeatureNames = None

    @classmethod
    def of(cls, functions: Sequence[Expansion]) -> Expansions:
        """Return functions in the space of one kernel, which need not share their centers."""
        first = functions[0]
        intercepts = np.array([each.intercept for each in functions])
        if len(functions) == 1:
            centers: Any = first.centers
            coefficients: Any = first.coefficients[:, None]
        else:
            parts = [each.centers for each in functions]
            centers = csr_array(vstack(parts)) if is_sparse(first.centers) else np.concatenate(parts)
            coefficients = csr_array(block_diag([each.coefficients[:, None] for each in functions]))
        return cls(first.kernel, centers, coefficients, intercepts, first.feature_names)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: the fields alone, from which the rest is made anew."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __call__(self, X: ArrayLike) -> Matrix:
        """Return the values, shape (number of samples, number of functions); memory stays bounded.

        Raises
        ------
        ShapeError, FeatureNamesError
            If ``X`` has other features than the centers.
        """
        check_feature_names(X, self.feature_names, self.kernel.names)
        samples = self.kernel.samples(X)
        if not self.centers.shape[0]:
            check_width(samples, self.centers)
            return np.tile(self.intercepts, (samples.shape[0], 1))
        if self.intercepts.size == 1:
            return self._only(samples)[:, None]
        values = np.empty((samples.shape[0], self.intercepts.size))
        weights = self._weights
        for rows in row_blocks(samples.shape[0], (self.centers if weights is None else weights).shape[0]):
            if weights is None:
                values[rows] = self.kernel(samples[rows], self.centers) @ self.coefficients
            else:
                values[rows] = np.asarray(self.kernel.features(samples[rows])) @ weights
        return np.asarray(values + self.intercepts)

    @cached_property
    def _only(self) -> Expansion:
        """The function, where there is one."""
        return self[0]

    @cached_property
    def _weights(self) -> Matrix | None:
        """The weights of the functions in the features of the kernel, one a column, or None if it has none."""
        if not self.centers.shape[0] or self.kernel.features(self.centers[:1]) is None:
            return None
        return np.column_stack([self[number].in_features() for number in range(self.intercepts.size)])

    def condensed(self) -> Expansions:
        """Return the same functions over fewer points, where the kernel has such."""
        few = None if self._weights is None else self.kernel.condensed(self._weights)
        return self if few is None else replace(self, centers=few[0], coefficients=few[1])

    def __getitem__(self, number: int) -> Expansion:
        """Return a function by itself, over the centers that it has a coefficient for."""
        column = self.coefficients[:, [number]]
        own = np.asarray(column.todense() if isinstance(column, csr_array) else column).ravel()
        used = np.flatnonzero(own)
        used = used if used.size else np.arange(1)
        b = float(self.intercepts[number])
        return Expansion.over(self.kernel, self.centers[used], own[used], b, None, self.feature_names)
