# SPDX-License-Identifier: BSD-3-Clause
"""Relevance vectors of two classes."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from formulations.models.relevance import (
    RelevanceClassification,
    RelevanceRegression,
)
from qpkernels import RBF
from qpkernels.errors import OneClassError, ParameterError
from relevance_data import KERNEL, gaussians, sine


def test_w7_is_near_bayes_with_few_vectors() -> None:
    X, y = gaussians(100)
    solution = RelevanceClassification(X, np.where(y > 0, "right", "left"), RBF(0.5)).solve()
    test, truth = gaussians(20000, seed=9)
    error = np.mean((solution.function.predict(test) == "right") != (truth > 0))
    assert error < norm.cdf(-0.9 * np.sqrt(2)) + 0.02
    assert solution.n_relevance <= 6
    assert solution.noise is None
    plain, moderated = solution.probability(test, moderated=False), solution.probability(test)
    np.testing.assert_allclose(plain, expit(solution.mean(test)), atol=1e-12)
    assert (np.abs(moderated - 0.5) <= np.abs(plain - 0.5)).all()
    assert ((moderated > 0.5) == (solution.function.predict(test) == "right")).all()
    np.testing.assert_allclose(
        moderated, expit(solution.mean(test) / np.sqrt(1 + np.pi / 8 * solution.variance(test))), atol=1e-12
    )


def test_labels_of_one_class_are_refused_and_a_regression_has_no_probability() -> None:
    X, y = sine()
    with pytest.raises(OneClassError, match="every label is 1"):
        RelevanceClassification(X, np.ones(20), KERNEL)
    with pytest.raises(ParameterError, match="has no classes"):
        RelevanceRegression(X, y, KERNEL).solve().probability(X)
