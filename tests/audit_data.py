# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the audit share: real data of two classes, of three, and with real targets, all standardised."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes, load_wine

SHARP = {"tol": 1e-9}
GAMMA = 0.05


@cache
def three_classes() -> tuple[np.ndarray, np.ndarray]:
    """Return wine, shuffled: labels 'a', 'b' and 'c'."""
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return ((X - X.mean(axis=0)) / X.std(axis=0))[order], np.array(["a", "b", "c"])[y[order]]


@cache
def two_classes() -> tuple[np.ndarray, np.ndarray]:
    """Return wine, 'b' against the others, without the features that make that easy."""
    X, y = three_classes()
    return X[:, :5], np.where(y == "b", "yes", "no")


@cache
def targets() -> tuple[np.ndarray, np.ndarray]:
    """Return 150 samples of diabetes."""
    X, y = load_diabetes(return_X_y=True)
    few = np.random.default_rng(1).permutation(len(y))[:150]
    X, y = X[few], y[few]
    return (X - X.mean(axis=0)) / X.std(axis=0), (y - y.mean()) / y.std()


def weights(samples: int) -> np.ndarray:
    """Return how often samples count, some of them not at all."""
    drawn = np.random.default_rng(8).uniform(0.2, 3.0, samples)
    drawn[::17] = 0.0
    return drawn


def changed(estimator: Any, **attributes: Any) -> Any:
    """Return the estimator with other values of its fitted attributes."""
    for name, value in attributes.items():
        setattr(estimator, name, value)
    return estimator
