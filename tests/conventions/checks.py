# SPDX-License-Identifier: BSD-3-Clause
"""What a check of a convention is, and what all of them share: samples, and how two answers are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

__all__ = ["CHECKS", "GAMMA", "Samples", "agree", "check", "found_by", "spread", "two_classes"]

GAMMA = 0.4
"""Of the Gaussian kernel exp(-gamma ||x - z||^2) of all checks."""

CHECKS: dict[str, Callable[[], None]] = {}
"""Fits their machine, or states it in their terms, and compares it with ours translated; by the name of the line."""


def check(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Name the check of a line of the table."""

    def named(function: Callable[[], None]) -> Callable[[], None]:
        assert name not in CHECKS, f"two checks are called {name}"
        CHECKS[name] = function
        return function

    return named


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples X, and their labels or targets."""

    X: np.ndarray
    labels: np.ndarray

    @cached_property
    def y(self) -> np.ndarray:
        """+1 for the greater label, -1 for the other."""
        return np.where(self.labels == self.labels.max(), 1.0, -1.0)

    @cached_property
    def K(self) -> np.ndarray:
        """The Gaussian kernel matrix, by SciPy alone."""
        return np.asarray(np.exp(-GAMMA * cdist(self.X, self.X, "sqeuclidean")))

    def __len__(self) -> int:
        return len(self.X)


def two_classes(shift: float = 1.0, samples: int = 60) -> Samples:
    """Return two Gaussian classes of different size in three features; ``shift`` apart in each, labels 3 and 7."""
    rng = np.random.default_rng(7)
    labels = np.where(rng.random(samples) < 0.4, 7, 3)
    return Samples(rng.normal(size=(samples, 3)) + shift * (labels == 7)[:, None], labels)


def spread(fitted: Any, samples: int) -> np.ndarray:
    """Return the coefficients dual_coef_ of all samples."""
    beta = np.zeros(samples)
    beta[fitted.support_] = fitted.dual_coef_[0]
    return beta


def found_by(fitted: Any, samples: int) -> tuple[np.ndarray, float]:
    """Return (beta, b) of a machine of scikit-learn's LIBSVM."""
    return spread(fitted, samples), fitted.intercept_[0]


def agree(
    objective: Callable[..., float], theirs: tuple[Any, ...], ours: tuple[Any, ...], tolerance: float = 1e-5
) -> None:
    """Compare two answers in their terms: the values of their objective there, and each of their parts.

    ``objective`` is what they minimise, of the parts of an answer; ``ours`` is our answer, translated. The value at
    ours may not exceed theirs by more than 1e-7 of it, and the parts differ by at most ``tolerance`` of their size.
    """
    reference = objective(*theirs)
    assert abs(objective(*ours) - reference) <= tolerance * abs(reference)
    assert objective(*ours) <= reference + 1e-7 * abs(reference)
    for their, our in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(our, their, atol=tolerance * float(np.abs(their).max()), rtol=0)
