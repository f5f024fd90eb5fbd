# SPDX-License-Identifier: BSD-3-Clause
"""Samples bound to a kernel: what every kernel machine starts from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import is_sparse
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Linear

__all__ = ["BoundSamples", "bind", "is_explicit"]


@dataclass(frozen=True, eq=False)
class BoundSamples:
    """Samples without targets.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    explicit
        Whether a primal form has weights w in the features, rather than coordinates in the space of the kernel.
    """

    gram: Gram
    explicit: bool

    @cached_property
    def radius(self) -> float:
        """The largest distance of a sample from the mean of all, in the space of the kernel."""
        if self.gram.features is not None:
            centred = self.gram.features - self.gram.features.mean(axis=0)
            return float(np.sqrt(np.einsum("ij,ij->i", centred, centred).max()))
        means = self.gram.product(np.full(len(self.gram), 1.0 / len(self.gram)))
        return float(np.sqrt(max(0.0, float((self.gram.diagonal - 2.0 * means + means.mean()).max()))))

    @classmethod
    def unlabelled(cls, X: ArrayLike | Gram, kernel: Kernel | None) -> BoundSamples:
        """Check the samples and bind the kernel to them."""
        gram = bind(X, kernel)
        gram.require_psd()
        return cls(gram, explicit=is_explicit(X, kernel))


def bind(X: ArrayLike | Gram, kernel: Kernel | None) -> Gram:
    """Return the kernel matrix of the samples; ``X`` may be a Gram, which is bound already.

    Raises
    ------
    ParameterError
        If ``kernel`` is no kernel, or is given beside a Gram.
    """
    if kernel is not None and not isinstance(kernel, Kernel):
        raise ParameterError(f"kernel must be a Kernel object, such as RBF(gamma=0.1), but {kernel!r} came.")
    if isinstance(X, Gram):
        if kernel is not None:
            raise ParameterError("a Gram is bound to its kernel already; leave kernel out.")
        return X
    return Gram(Linear() if kernel is None else kernel, X)


def is_explicit(X: ArrayLike | Gram, kernel: Kernel | None) -> bool:
    """Return whether f is to have weights in the features: no kernel was named, and the samples are dense.

    Sparse ones may have too many features for that; f is then the same linear function in the space of Linear.
    """
    return kernel is None and not isinstance(X, Gram) and not is_sparse(X)
