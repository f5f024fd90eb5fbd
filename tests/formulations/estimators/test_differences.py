# SPDX-License-Identifier: BSD-3-Clause
"""What docs/estimators/differences.md says of scikit-learn and of ours."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import svm
from sklearn.datasets import load_iris

from formulations import OneVersusOne
from formulations.estimators import SVC
from qpkernels import RBF

X, Y = load_iris(return_X_y=True)
TWO = Y > 0
WEIGHTS = np.random.default_rng(3).integers(1, 5, len(Y))


def test_a_weight_of_k_is_k_copies_in_the_variance_too() -> None:
    copied = np.repeat(np.arange(len(Y)), WEIGHTS)
    ours = SVC(tol=1e-8).fit(X, TWO, WEIGHTS).decision_function(X)
    assert ours == pytest.approx(SVC(tol=1e-8).fit(X[copied], TWO[copied]).decision_function(X), abs=1e-5)
    theirs = svm.SVC(tol=1e-8).fit(X, TWO, WEIGHTS).decision_function(X)
    assert np.abs(theirs - svm.SVC(tol=1e-8).fit(X[copied], TWO[copied]).decision_function(X)).max() > 1e-3
    gamma = SVC().fit(X, TWO, WEIGHTS).model_.gram.kernel.gamma
    assert gamma == pytest.approx(1.0 / (4 * X[copied].var()), rel=1e-12)


def test_signs_of_pairs() -> None:
    settings = {"gamma": 0.3, "tol": 1e-8, "decision_function_shape": "ovo"}
    theirs = svm.SVC(**settings).fit(X, Y).decision_function(X)
    assert SVC(**settings).fit(X, Y).decision_function(X) == pytest.approx(theirs, abs=1e-4)
    solution = OneVersusOne(X, Y, RBF(0.3), C=1.0).solve(tol=1e-8, progress=False)
    assert solution.decision_function(X) == pytest.approx(-theirs, abs=1e-4)


def test_signs_of_two_classes_are_the_same() -> None:
    theirs = svm.SVC(gamma=0.3, tol=1e-8).fit(X, TWO).decision_function(X)
    estimator = SVC(gamma=0.3, tol=1e-8).fit(X, TWO)
    assert estimator.decision_function(X) == pytest.approx(theirs, abs=1e-4)
    assert estimator.solution_.decision_function(X) == pytest.approx(theirs, abs=1e-4)
