# SPDX-License-Identifier: BSD-3-Clause
"""A function at the samples: its values and norm, with the sizes of the sums that they were computed as."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from qpkernels.arrays import Matrix, Vector, is_sparse, same_entries
from qpkernels.functions import Expansion
from qpkernels.gram import Gram, LowRank
from qpkernels.kernels import Linear, Samples
from qpkernels.problems import FunctionAtSamples

__all__ = ["Sampling", "evaluated", "linear_values", "sampled"]


@dataclass(frozen=True, eq=False)
class Sampling:
    """f at the samples, which is computed when it is first asked for: an enclosure never asks."""

    compute: Callable[[], FunctionAtSamples]

    @classmethod
    def of(cls, known: FunctionAtSamples) -> Sampling:
        """Return what is known already."""
        return cls(partial(_itself, known))

    @cached_property
    def found(self) -> FunctionAtSamples:
        """f(x_i), shape (m,), and ||f||^2."""
        return self.compute()


def _itself(known: FunctionAtSamples) -> FunctionAtSamples:
    return known


def evaluated(function: Expansion, gram: Gram) -> FunctionAtSamples:
    """Return f at the samples, computed as for the answer itself: other sums of the same terms round otherwise."""
    if isinstance(gram, LowRank):
        return _by_factor(function, gram)
    X, centers = gram.X, function.centers
    dense = not is_sparse(X) and not is_sparse(centers)
    if dense and gram.correction is None and same_entries(centers, X):
        values = gram.product(function.coefficients)
        known = sampled(function, X, values, float(function.coefficients @ values))
        return replace(known, coefficients=function.coefficients)
    if dense and isinstance(function.kernel, Linear) and len(centers) == 1:
        values = linear_values(X, function.coefficients[0] * centers[0])
    else:
        # Added first, b would take the digits of f that it is larger by.
        values = replace(function, intercept=0.0)(X)
    return sampled(function, X, values, function.squared_norm)


def _by_factor(function: Expansion, gram: LowRank) -> FunctionAtSamples:
    """Return f at the samples from their features Z, so that samples that came as a stream are not needed."""
    w = function.in_features()
    squared_norm = float(w @ w)
    sizes = np.sqrt(squared_norm * gram.diagonal)
    return FunctionAtSamples(gram.factor @ w, squared_norm, sizes, squared_norm, w.size)


def sampled(function: Expansion, X: Samples, values: Vector, squared_norm: float) -> FunctionAtSamples:
    """Return f at the samples X, with the sizes and the number of the terms that its values are sums of."""
    kernel, centers, c = function.kernel, function.centers, function.coefficients
    terms = max((c.size, *centers.shape[1:]))
    if isinstance(kernel, Linear) and len(c) == 1 and not is_sparse(X) and not is_sparse(centers):
        w = c[0] * centers[0]
        sizes = np.abs(X - X.mean(axis=0)) @ np.abs(w) + np.abs(values)
        return FunctionAtSamples(values, squared_norm, sizes, squared_norm, terms)
    reach = float(np.abs(c) @ np.sqrt(np.maximum(kernel.diagonal(centers), 0.0)))
    sizes = reach * np.sqrt(np.maximum(kernel.diagonal(X), 0.0))
    return FunctionAtSamples(values, squared_norm, sizes, reach * reach, terms)


def linear_values(X: Matrix, w: Vector) -> Vector:
    """Return X w, around the mean of the samples, so that their offset costs no digits of their differences."""
    centre = X.mean(axis=0)
    return np.asarray((X - centre) @ w + centre @ w)
