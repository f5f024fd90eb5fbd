# SPDX-License-Identifier: BSD-3-Clause
"""The data that every model starts from: samples bound to a kernel, labels of classes, real targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qpkernels.arrays import Matrix, Vector, finite_vector, frozen, is_sparse, read_array, shown, shown_label
from qpkernels.errors import LabelError, NonFiniteError, OneClassError, ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Kernel, Linear
from qpkernels.kernels.function_kernel import as_kernel

__all__ = [
    "OF_KERNELS",
    "BoundSamples",
    "KernelLike",
    "SamplesLike",
    "bind",
    "checked_labels",
    "real_targets",
    "two_classes",
]

OF_KERNELS = MappingProxyType(
    {
        "gamma": "kernel=RBF(gamma=0.1)",
        "degree": "kernel=Polynomial(degree=3)",
        "sigma": "kernel=RBF.from_sigma(1.0)",
    }
)
"""The parameters that belong to the kernel and not to a model, and how they are written."""


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
"""The samples that a model takes: as the kernel takes them, or bound to a kernel already."""


def bind(X: SamplesLike, kernel: KernelLike | None) -> BoundSamples:
    """Bind the samples to the kernel; a Gram, or what another model has bound, is shared.

    Without a kernel f has weights in the features, unless the samples are sparse. These may have too many features for
    that, and f is then the same linear function in the space of Linear().

    Raises
    ------
    ParameterError
        If ``kernel`` is not a kernel, or is given together with samples that are bound already.
    """
    if kernel is not None and not isinstance(kernel, Kernel):
        kernel = as_kernel(kernel)
    if isinstance(X, Gram | BoundSamples):
        if kernel is not None:
            raise ParameterError(f"a {type(X).__name__} is bound to its kernel already; leave kernel out.")
        return X if isinstance(X, BoundSamples) else BoundSamples(X, explicit=False)
    gram = Gram(Linear() if kernel is None else kernel, X)
    return BoundSamples(gram, explicit=kernel is None and not is_sparse(X))


def real_targets(y: ArrayLike, samples: int) -> Vector:
    """Return y as a read-only vector of that many finite numbers.

    Raises
    ------
    ShapeError
        If y is not a vector of that length; each of several outputs takes a model of its own.
    NonFiniteError
        If a target is NaN or infinite, or the squares leave float64.
    """
    shape = read_array(y, "y").shape
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
    largest = float(np.abs(targets).max())
    if largest > 0 and not 1e-100 < largest < 1e100:
        raise NonFiniteError(f"the squares of y leave float64, since max |y| is {largest:g}; scale the targets.")
    return frozen(targets)


def two_classes(y: ArrayLike, samples: int) -> tuple[Vector, NDArray[Any]]:
    """Return y as signs, and the pair of labels; the greater label (in sorted order) is +1.

    Raises
    ------
    ShapeError, NonFiniteError, LabelError
        If y is not a vector of that many labels; see :func:`checked_labels`.
    OneClassError, LabelError
        If there are not exactly two different labels.
    """
    labels = checked_labels(y, samples)
    classes = _classes(labels)
    if classes.size == 1:
        raise OneClassError(
            f"y must hold two classes, but every label is {shown_label(classes.tolist()[0])}; there is nothing to "
            "separate."
        )
    if classes.size != 2:
        some = ", ".join(map(shown_label, classes[:6].tolist())) + (", ..." if classes.size > 6 else "")
        raise LabelError(
            f"y must hold two classes, but it holds {classes.size} ({some}); "
            "set one against the rest: np.where(y == label, 1, -1), or take OneVersusRest or OneVersusOne; of real "
            "targets take a regression, such as SoftTube."
        )
    return frozen(np.where(labels == classes[1], 1.0, -1.0)), classes


def _classes(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels in ascending order; two numbers, as most often, are found without a sort."""
    if labels.dtype.kind in "iuf":
        ends = labels.min(), labels.max()
        if ends[0] < ends[1] and ((labels == ends[0]) | (labels == ends[1])).all():
            return np.array(ends)
    return np.unique(labels)


def checked_labels(y: ArrayLike, samples: int) -> NDArray[Any]:
    """Return y as a vector of labels: numbers or text.

    Raises
    ------
    ShapeError
        If y is not a vector of that many labels.
    NonFiniteError
        If a label is NaN or infinite.
    LabelError
        If the labels are neither numbers nor text.
    """
    labels = read_array(y, "y")
    given = labels.ravel().tolist() if labels.dtype == object else y
    if labels.dtype == object:
        # Text from a table arrives as objects; anything else there does not sort, or hides missing values.
        labels = read_array(labels.tolist(), "y")
    if labels.dtype.kind == "U" and isinstance(given, list | tuple):
        other = next((label for label in given if not isinstance(label, str)), None)
        if other is not None:
            raise LabelError(
                f"y must hold numbers or text, but both came, such as {shown(other)} and "
                f"{shown(next(label for label in given if isinstance(label, str)))}; convert them to one first."
            )
    if labels.dtype.kind not in "biufUS":
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
    return labels
