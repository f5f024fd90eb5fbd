# SPDX-License-Identifier: BSD-3-Clause
"""Data, posteriors and checks that the tests of relevance machines share."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from formulations.models.relevance import (
    RelevanceClassification,
    RelevanceRegression,
    RelevanceSolution,
    ReweightedRelevance,
)
from qpkernels import RBF

Floats = NDArray[np.float64]
KERNEL = RBF.from_theta(15.0)
REGRESSIONS = [RelevanceRegression, ReweightedRelevance]
every_regression = pytest.mark.parametrize("machine", REGRESSIONS)


def sine(m: int = 20, noise: float = 0.2, seed: int = 2) -> tuple[Floats, Floats]:
    """W6: m points evenly in [-1, 1], sin(pi x) with Gaussian noise."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, m)
    return x[:, None], np.sin(np.pi * x) + noise * rng.normal(size=m)


def gaussians(m: int, seed: int = 0, distance: float = 0.9) -> tuple[Floats, Floats]:
    """W7: two Gaussian classes in the plane, whose Bayes boundary is x1 + x2 = 0."""
    y = np.repeat([-1.0, 1.0], m // 2)
    return np.random.default_rng(seed).normal(size=(m, 2)) + distance * y[:, None], y


def some_posteriors() -> list[tuple[RelevanceRegression | RelevanceClassification, Floats, float | None]]:
    """Machines of both likelihoods with hyper-parameters far from any optimum, three weights pruned."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 2))
    alpha = np.exp(rng.normal(size=31))
    alpha[[3, 7, 20]] = np.inf
    labels = np.where(rng.random(30) < expit(2 * X[:, 0]), 1, -1)
    regression = RelevanceRegression(X, X[:, 0] + 0.1 * rng.normal(size=30), RBF(0.3))
    return [(regression, alpha, 0.05), (RelevanceClassification(X, labels, RBF(0.3)), alpha, None)]


either_likelihood = pytest.mark.parametrize("case", [0, 1], ids=["gaussian", "logistic"])


def assert_never_falls(solution: RelevanceSolution) -> None:
    steps = np.diff(solution.log_evidences)
    assert steps.min() >= -1e-11 * max(map(abs, solution.log_evidences))
    assert solution.log_evidences[-1] == solution.log_evidence
    assert solution.iterations == len(steps) > 0


SMOOTH_2D = np.random.default_rng(3).uniform(-1, 1, (80, 2))
