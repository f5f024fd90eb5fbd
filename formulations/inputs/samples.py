# SPDX-License-Identifier: BSD-3-Clause
"""Samples bound to a kernel: what every kernel machine starts from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from qpkernels.arrays import Matrix, is_sparse
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Linear, as_kernel

__all__ = ["OF_KERNELS", "BoundSamples", "KernelLike", "SamplesLike", "bind"]

OF_KERNELS = MappingProxyType(
    {
        "gamma": "kernel=RBF(gamma=0.1)",
        "degree": "kernel=Polynomial(degree=3)",
        "sigma": "kernel=RBF.from_sigma(1.0)",
    }
)
"""What is no parameter of a model but of its kernel, and how that is written."""


@dataclass(frozen=True, eq=False)
class BoundSamples:
    """Samples bound to a kernel.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    explicit
        Whether a primal form has weights w in the features, rather than coordinates in the space of the kernel.
    """

    gram: Gram
    explicit: bool

    @property
    def coordinates(self) -> Matrix:
        """The features of the samples, or their coordinates in the space of the kernel, one sample a row."""
        return self.gram.X if self.explicit else self.gram.factor

    @cached_property
    def radius(self) -> float:
        """The largest distance of a sample from the mean of all, in the space of the kernel."""
        return float(self.gram.radii.max())


KernelLike: TypeAlias = Kernel | Callable[[Any, Any], ArrayLike]
"""A kernel, or a plain function of two sets of samples that returns the matrix of its values."""

SamplesLike: TypeAlias = ArrayLike | Gram | BoundSamples
"""What a model takes as its samples: as the kernel takes them, or bound to a kernel already."""


def bind(X: SamplesLike, kernel: KernelLike | None) -> BoundSamples:
    """Bind the samples to the kernel; a Gram, or what another model has bound, is shared.

    Without a kernel f has weights in the features, unless the samples are sparse: they may have too many features for
    that, and f is then the same linear function in the space of Linear().

    Raises
    ------
    ParameterError
        If ``kernel`` is no kernel, or is given beside samples that are bound already.
    """
    if kernel is not None:
        kernel = as_kernel(kernel)
    if isinstance(X, Gram | BoundSamples):
        if kernel is not None:
            raise ParameterError(f"a {type(X).__name__} is bound to its kernel already; leave kernel out.")
        return X if isinstance(X, BoundSamples) else BoundSamples(X, explicit=False)
    gram = Gram(Linear() if kernel is None else kernel, X)
    return BoundSamples(gram, explicit=kernel is None and not is_sparse(X))
