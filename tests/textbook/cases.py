# SPDX-License-Identifier: BSD-3-Clause
"""What a restated formula is, the samples that all of them share, and how a restated problem is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import cvxpy as cp
import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

__all__ = [
    "APART",
    "CURVE",
    "FORMULAS",
    "GAMMA",
    "MIXED",
    "PLANE",
    "TOL",
    "Pairs",
    "Samples",
    "deviation",
    "formula",
    "minimised",
    "root",
    "strictly_between",
]

GAMMA = 0.8
"""Of the Gaussian kernel exp(-gamma ||x - z||^2) of all cases."""

TOL = 1e-11
"""What the library is asked for."""

Pairs = Iterator[tuple[ArrayLike, ArrayLike]]
"""What the library gives, and what the formula gives by NumPy, SciPy and CVXPY alone."""

FORMULAS: dict[str, Callable[[], Pairs]] = {}
"""The cases by the names of their functions, which the concordance of the site gives."""


def formula(case: Callable[[], Pairs]) -> Callable[[], Pairs]:
    """Make a function one of the cases."""
    assert case.__name__ not in FORMULAS, f"two formulas are called {case.__name__}"
    FORMULAS[case.__name__] = case
    return case


def deviation(case: Callable[[], Pairs]) -> float:
    """Return the largest difference between library and formula, against the largest entry of the formula or 1."""
    found = []
    for ours, restated in case():
        given, wanted = np.asarray(ours, dtype=float), np.asarray(restated, dtype=float)
        assert given.shape == wanted.shape, f"the library gives the shape {given.shape}, the formula {wanted.shape}"
        found.append(float(np.abs(given - wanted).max() / max(1.0, np.abs(wanted).max())))
    assert found, "a formula that compares nothing"
    return max(found)


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples X with labels or targets y, and new samples N."""

    X: np.ndarray
    y: np.ndarray
    N: np.ndarray

    @cached_property
    def K(self) -> np.ndarray:
        """The Gaussian kernel matrix."""
        return self.gaussian(self.X)

    def gaussian(self, Z: np.ndarray) -> np.ndarray:
        """Return the kernel between Z and the samples."""
        return np.asarray(np.exp(-GAMMA * cdist(Z, self.X, "sqeuclidean")))

    def __len__(self) -> int:
        return len(self.y)


def _classes(seed: int, shift: float) -> Samples:
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(26) % 2, 1.0, -1.0)
    return Samples(0.7 * rng.normal(size=(26, 2)) + shift * y[:, None] + [0.5, -0.2], y, rng.normal(size=(7, 2)))


def _plane() -> Samples:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(25, 3))
    return Samples(X, X @ [1.0, -2.0, 0.5] + 0.7 + 0.4 * rng.normal(size=25), rng.normal(size=(6, 3)))


def _curve() -> Samples:
    rng = np.random.default_rng(4)
    x = np.linspace(-6.0, 6.0, 24)[:, None]
    return Samples(x, np.sin(x[:, 0]) + 0.3 * rng.normal(size=24), np.linspace(-5.0, 6.5, 6)[:, None])


APART, MIXED, PLANE, CURVE = _classes(1, 1.4), _classes(2, 0.5), _plane(), _curve()
"""Classes that a line separates, classes that none does, targets near a plane, and targets near a curve."""


def minimised(objective: cp.Expression, *rows: cp.Constraint) -> float:
    """Return the optimal value; variables and constraints hold the answer."""
    problem = cp.Problem(cp.Minimize(objective), list(rows))
    value = problem.solve(solver="CLARABEL", tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
    assert problem.status == "optimal"
    return float(value)


def root(K: np.ndarray) -> np.ndarray:
    """Return S with S S' = K: its rows are coordinates of the samples in the space of the kernel."""
    values, vectors = np.linalg.eigh(K)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def strictly_between(a: np.ndarray, upper: float) -> np.ndarray:
    """Return which multipliers are free: above 0 and below the upper bound."""
    return np.asarray((a > 1e-5) & (a < upper - 1e-5))
