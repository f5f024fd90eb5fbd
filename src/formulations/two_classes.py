# SPDX-License-Identifier: BSD-3-Clause
"""Samples of two classes, bound to a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Vector, frozen
from qpkernels.errors import LabelError, NonFiniteError, OneClassError, ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Linear

__all__ = ["TwoClasses", "two_classes"]


@dataclass(frozen=True, eq=False)
class TwoClasses:
    """Samples of two classes.

    Attributes
    ----------
    gram
        The kernel matrix of the samples.
    y
        +1.0 or -1.0 for each sample.
    classes
        The labels that -1 and +1 stand for.
    explicit
        Whether a primal form has weights w in the features, rather than coordinates in the space of the kernel.
    """

    gram: Gram
    y: Vector
    classes: NDArray[Any]
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
    def from_arrays(cls, X: ArrayLike | Gram, y: ArrayLike, kernel: Kernel | None) -> TwoClasses:
        """Check the data and bind the kernel to them; ``X`` may be a Gram, which has done so already."""
        if kernel is not None and not isinstance(kernel, Kernel):
            raise ParameterError(f"kernel must be a Kernel object, such as RBF(gamma=0.1), but {kernel!r} came.")
        if isinstance(X, Gram) and kernel is not None:
            raise ParameterError("a Gram is bound to its kernel already; leave kernel out.")
        gram = X if isinstance(X, Gram) else Gram(Linear() if kernel is None else kernel, X)
        signs, classes = two_classes(y, len(gram))
        gram.require_psd()
        return cls(gram, signs, classes, explicit=kernel is None and not isinstance(X, Gram))


def two_classes(y: ArrayLike, samples: int) -> tuple[Vector, NDArray[Any]]:
    """Return y as signs, and the pair of labels; the greater label (in sorted order) is +1.

    Raises
    ------
    ShapeError
        If y is no vector of that many labels.
    NonFiniteError
        If a label is NaN or infinite.
    OneClassError, LabelError
        If there are not exactly two different labels.
    """
    labels = np.asarray(y)
    if labels.dtype == object:
        # Text from a table arrives as objects; anything else there does not sort, or hides missing values.
        labels = np.array(labels.tolist())
    if labels.dtype.kind not in "biufUS" or np.ma.isMaskedArray(y):
        raise LabelError(f"y must hold numbers or text, but labels of type {labels.dtype} came; convert them first.")
    if labels.ndim != 1:
        raise ShapeError(f"y must have one dimension, one label for each sample, but its shape is {labels.shape}.")
    if labels.size != samples:
        raise ShapeError(
            f"X and y must have the same length, but X has {samples} samples and y has {labels.size} labels."
        )
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        first = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise NonFiniteError(f"y must hold finite labels only, but y[{first}] is {labels[first]}; drop those samples.")
    classes = np.unique(labels)
    if classes.size == 1:
        raise OneClassError(
            f"y must hold two classes, but every label is {classes.tolist()[0]!r}; there is nothing to separate."
        )
    if classes.size != 2:
        shown = ", ".join(map(str, classes[:6])) + (", ..." if classes.size > 6 else "")
        raise LabelError(
            f"y must hold two classes, but it holds {classes.size} ({shown}); "
            "set one against the rest: np.where(y == label, 1, -1)."
        )
    return frozen(np.where(labels == classes[1], 1.0, -1.0)), classes
