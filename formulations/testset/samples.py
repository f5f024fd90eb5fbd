# SPDX-License-Identifier: BSD-3-Clause
"""The data of the set: from seeds, and from the bundled data sets."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from qpkernels.arrays import Matrix, Vector
from qpkernels.datasets import load_dataset, one_versus_rest, scale_features

__all__ = [
    "Labelled",
    "bundled_classes",
    "bundled_targets",
    "clouds",
    "contradiction",
    "curve",
    "far_from_origin",
    "separable",
]

Labelled: TypeAlias = tuple[Matrix, Vector]
"""Samples, shape (m, d), and labels or targets, shape (m,)."""


def clouds(m: int, features: int = 4, distance: float = 1.0, share: float = 0.5) -> Labelled:
    """Return two Gaussian clouds, their centres that far apart in each feature, and a share of the samples positive."""
    rng = np.random.default_rng(m)
    y = np.where(np.arange(m) < max(1, round(share * m)), 1.0, -1.0)
    return rng.normal(size=(m, features)) + 0.5 * distance * y[:, None], y


def separable(m: int, features: int = 9) -> Labelled:
    """Return two clouds with a gap between them along the first feature."""
    X, y = clouds(m, features)
    X[:, 0] = y * (0.3 + np.abs(X[:, 0]))
    return X, y


def contradiction(m: int) -> Labelled:
    """Return separable samples, the first of them twice: in each class once."""
    X, y = separable(m - 1)
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


def curve(m: int) -> Labelled:
    """Return samples of sin(x) + noise with heavy tails, x in [0, 6]."""
    rng = np.random.default_rng(m)
    x = np.sort(rng.uniform(0.0, 6.0, m))
    return x[:, None], np.sin(x) + 0.1 * rng.standard_t(3, m)


def far_from_origin(m: int) -> tuple[Matrix]:
    """Return one cloud without labels, off the origin."""
    return (np.random.default_rng(m).normal(size=(m, 3)) + np.array([2.5, 1.0, 0.5]),)


def bundled_classes(name: str, positive: float, most: int) -> Labelled:
    """Return at most so many samples of a bundled set, taken evenly, scaled to [-1, 1], one class against the rest."""
    dataset = load_dataset(name)
    chosen = np.unique(np.linspace(0, len(dataset.y) - 1, min(most, len(dataset.y))).astype(int))
    return scale_features(dataset.X)[chosen], one_versus_rest(dataset.y, positive)[chosen]


def bundled_targets(most: int) -> Labelled:
    """Return at most so many samples of diabetes, features in [-1, 1], targets in units of their standard deviation."""
    dataset = load_dataset("diabetes")
    y = (dataset.y - dataset.y.mean()) / dataset.y.std()
    return scale_features(dataset.X)[:most], y[:most]
