# SPDX-License-Identifier: BSD-3-Clause
r"""Kernels that are a function of inner products, and what makes the product of two samples of them.

For the exponent or base

    x_cj = a_c'a_j - o_c - o_j,       k_cj = 2^x_cj  (degree 0)   or   x_cj^degree,

the Gaussian kernel has a_i = sqrt(2 gamma log2 e) (x_i - mean) and o_i = |a_i|^2 / 2, the polynomial one
a_i = sqrt(gamma) x_i and o_i = -coef0 / 2. Sparse samples keep their zeros: their origin is 0.
"""

from __future__ import annotations

from math import e, log2
from typing import NamedTuple

import numpy as np

from qpkernels.arrays import Samples, Vector, is_sparse
from qpkernels.kernels.base.products import squared_lengths

__all__ = ["ProductForm"]


class ProductForm(NamedTuple):
    """How a kernel's features and offsets come from samples x: a = scale (x - origin), o = |a|^2 / 2 or a constant.

    Attributes
    ----------
    origin, scale
        One number a feature. The origin is free for an exponential, and the nearer the samples are, the smaller is
        what cancels in the exponent.
    offset
        The constant, where the degree is not 0.
    degree
        0 for an exponential.

    Notes
    -----
    Arguments of the methods:

    X
        The samples, dense or sparse, shape (m, d).
    gamma
        Above 0; of an exponential also one for each feature.
    coef0, degree
        Of at least 0, and an integer of at least 1.
    """

    origin: Vector
    scale: Vector
    offset: float
    degree: int

    @classmethod
    def exponential(cls, gamma: float | tuple[float, ...], X: Samples) -> ProductForm:
        """Return that of exp(-sum_k gamma_k (x_k - z_k)^2) around the mean of ``X``, or around 0 if it is sparse."""
        origin = np.zeros(X.shape[1]) if is_sparse(X) else X.mean(axis=0)
        scale = np.sqrt(2.0 * log2(e) * np.asarray(gamma))
        return cls(origin, scale if scale.ndim else np.full(X.shape[1], scale), 0.0, 0)

    @classmethod
    def polynomial(cls, gamma: float, coef0: float, degree: int, X: Samples) -> ProductForm:
        """Return that of (gamma x'z + coef0)^degree."""
        features = X.shape[1]
        return cls(np.zeros(features), np.full(features, np.sqrt(gamma)), -0.5 * coef0, degree)

    def error(self, X: Samples) -> float:
        """Return a bound on the rounding error of an exponent in float64, from what cancels in it: |a|^2 eps."""
        if self.degree > 0:
            return 0.0
        with np.errstate(over="ignore"):
            if is_sparse(X):
                largest = float(squared_lengths(X).max()) * float((self.scale**2).max())
            else:
                reach = np.maximum(np.abs(X.max(axis=0) - self.origin), np.abs(X.min(axis=0) - self.origin))
                largest = float(((self.scale * reach) ** 2).sum())
        return largest * float(np.finfo(np.float64).eps)
