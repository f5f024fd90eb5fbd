# SPDX-License-Identifier: BSD-3-Clause
"""Samples with real targets, bound to a kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from formulations.samples import BoundSamples, bind, is_explicit
from qpkernels.arrays import Vector, finite_vector, frozen
from qpkernels.errors import ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel

__all__ = ["Targets", "real_targets"]


@dataclass(frozen=True, eq=False)
class Targets(BoundSamples):
    """Samples with a real target each.

    Attributes
    ----------
    y
        The targets, shape (m,).
    """

    y: Vector

    @classmethod
    def of(cls, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None, *, psd: bool = True) -> Targets:
        """Check the data and bind the kernel to them; ``psd``: whether the model needs a positive semidefinite K."""
        gram = bind(X, kernel)
        targets = real_targets(y, len(gram))
        if psd:
            gram.require_psd()
        return cls(gram, is_explicit(X, kernel), targets)


def real_targets(y: ArrayLike, samples: int) -> Vector:
    """Return y as a read-only vector of that many finite numbers.

    Raises
    ------
    ShapeError
        If y is no vector of that length; several outputs take a model each.
    NonFiniteError
        If a target is NaN or infinite.
    """
    shape = np.shape(y)
    if len(shape) == 2:
        hint = "pass y.ravel()" if shape[1] == 1 else "fit one model to each column"
        raise ShapeError(
            f"y must have one dimension, one real target for each sample, but its shape is {shape}; {hint}."
        )
    targets = finite_vector(y, "y")
    if targets.size != samples:
        raise ShapeError(
            f"X and y must have the same length, but X has {samples} samples and y has {targets.size} targets."
        )
    return frozen(targets)
