# SPDX-License-Identifier: BSD-3-Clause
"""Samples, labels and weights that an estimator was fitted to, held against what it kept of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.estimators.inputs.weights import sample_weights
from formulations.inputs.samples import BoundSamples
from qpkernels.arrays import Indices, Samples, Vector, finite_samples, is_sparse
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Linear

__all__ = ["Sampled", "linear_samples", "parted", "sampled", "vectors"]


@dataclass(frozen=True, eq=False)
class Sampled:
    """Labels and weights of m samples.

    Attributes
    ----------
    y
        Labels or targets, shape (m,) or, of several outputs, (m, outputs); None of one class.
    weights
        How often each counts, shape (m,).
    """

    y: NDArray[Any] | None
    weights: Vector

    @property
    def rows(self) -> Indices:
        """The samples that count."""
        return np.flatnonzero(self.weights)

    @property
    def labels(self) -> NDArray[Any]:
        """The labels or targets, shape (m,).

        Raises
        ------
        ParameterError, ShapeError
            If there are none, or several for each sample.
        """
        y = self.targets
        if y.ndim != 1:
            raise ShapeError(f"y must hold one label or target for each sample, but an array of shape {y.shape} came.")
        return y

    @property
    def targets(self) -> NDArray[Any]:
        """The labels or targets, of several outputs in columns."""
        if self.y is None:
            raise ParameterError("the estimator was fitted to labels or targets; pass them: audit(estimator, X, y).")
        return self.y


def sampled(samples: int, y: Any, weights: ArrayLike | None) -> Sampled:
    """Return the labels and weights of that many samples.

    Raises
    ------
    ShapeError, ParameterError
        If they are not as many.
    """
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels is not None and (labels.ndim not in (1, 2) or labels.shape[0] != samples):
        raise ShapeError(
            f"X has {samples} samples, and y must hold one entry for each, but its shape is {labels.shape}."
        )
    return Sampled(labels, sample_weights(weights, samples))


def vectors(X: Any, features: int | None = None) -> Samples:
    """Return samples with features as a matrix, sparse ones in compressed rows.

    Raises
    ------
    ShapeError, NonFiniteError
        If they are none, or the estimator was fitted to another number of features.
    """
    found = finite_samples(X, "X")
    if features is not None and found.shape[1] != features:
        raise ShapeError(
            f"the estimator was fitted to samples of {features} features, but X has {found.shape[1]}; pass the X that "
            "it was fitted to."
        )
    return found


def linear_samples(X: Samples) -> BoundSamples:
    """Return the samples with their inner products as kernel, and weights of the features where these are dense."""
    return BoundSamples(Gram(Linear(), X), explicit=not is_sparse(X))


def parted(data: BoundSamples, rows: Indices) -> BoundSamples:
    """Return those of the samples; themselves where these are all."""
    if rows.size == len(data.gram):
        return data
    return BoundSamples(data.gram.part(rows), data.explicit)
