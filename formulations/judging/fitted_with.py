# SPDX-License-Identifier: BSD-3-Clause
"""Samples, labels and weights that an estimator was fitted to, compared with those that it kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from formulations.estimators.parameters import sample_weights
from formulations.modelling.inputs.estimators import on_host
from formulations.modelling.inputs.samples import BoundSamples
from qpkernels.arrays import Indices, Samples, Vector, finite_samples, is_sparse, shown
from qpkernels.errors import NonFiniteError, ParameterError, ShapeError
from qpkernels.gram import Gram
from qpkernels.kernels import Linear

__all__ = ["Sampled", "Settings", "linear_samples", "numbers_of", "parted", "sampled", "vectors"]


class Settings:
    """A machine's setting: an attribute of its estimator, unless the user gave another value.

    Parameters
    ----------
    owner
        The estimator; None where there is a file only.
    what
        What it is called in messages.
    given
        Values by name that take the place of its own.
    """

    def __init__(self, owner: Any, what: str, given: Mapping[str, Any]) -> None:
        self.owner, self.what = owner, what
        self._given, self._asked = dict(given), set[str]()

    def __call__(self, name: str) -> Any:
        """Return the value of that name."""
        self._asked.add(name)
        if name in self._given:
            return self._given[name]
        if not hasattr(self.owner, name):
            raise ParameterError(
                f"{self.what} does not hold {name}; say what it was trained with: audit(..., {name}=)."
            )
        return getattr(self.owner, name)

    def default(self, name: str, value: Any) -> Any:
        """Return the value of that name, or ``value`` where there is none."""
        self._asked.add(name)
        return self._given[name] if name in self._given else getattr(self.owner, name, value)

    def gives(self, name: str) -> bool:
        """Return whether the user gave the value of that name."""
        return name in self._given

    def expect(self, name: str, value: Any, others: str) -> None:
        """Refuse an estimator whose parameter of that name, if it has one, is another than ``value``."""
        found = self.default(name, value)
        if found is not value and found != value:
            raise ParameterError(
                f"{self.what} has {name}={shown(found)}, and {others}; only {name}={value!r} is audited."
            )

    def finish(self) -> None:
        """Refuse values that nothing asked for."""
        unknown = sorted(self._given.keys() - self._asked)
        if unknown:
            has = ", ".join(sorted(self._asked)) or "none"
            raise ParameterError(
                f"{self.what} has no hyper-parameter {unknown[0]!r}; those that can be given are {has}."
            )


def numbers_of(estimator: Any, name: str) -> NDArray[np.float64]:
    """Return a fitted attribute as numbers in float64."""
    try:
        numbers = on_host(getattr(estimator, name)).astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"{name} of the estimator must hold real numbers, but {shown(getattr(estimator, name))} came; fit it again."
        ) from None
    if not np.isfinite(numbers).all():
        raise NonFiniteError(f"{name} of the estimator must hold finite numbers only, but some are not; fit it again.")
    return numbers


@dataclass(frozen=True, eq=False)
class Sampled:
    """Labels or targets of m samples, of several outputs in columns, None of one class; and how often each counts."""

    y: NDArray[Any] | None
    weights: Vector

    @property
    def rows(self) -> Indices:
        """The samples that count."""
        return np.flatnonzero(self.weights)

    @property
    def labels(self) -> NDArray[Any]:
        """The labels or targets, shape (m,)."""
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
    """Return the labels and weights of that many samples."""
    labels = None if y is None else np.asarray(y)
    if labels is not None and labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels is not None and (labels.ndim not in (1, 2) or labels.shape[0] != samples):
        raise ShapeError(
            f"X has {samples} samples, and y must hold one entry for each, but its shape is {labels.shape}."
        )
    return Sampled(labels, sample_weights(weights, samples))


def vectors(X: Any, features: int | None = None) -> Samples:
    """Return samples with features as a matrix, sparse ones in compressed rows."""
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
