# SPDX-License-Identifier: BSD-3-Clause
"""Coordinate descent: proved optima, exact zeros, and what ends it otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.svm import LinearSVC

from qpkernels.arrays import Vector
from qpkernels.problems.sparse_weights import SparseWeightsBounds
from qpkernels.solvers import Claim
from qpkernels.solvers.coordinate_descent.sparse_weights import sparse_weights

RNG = np.random.default_rng(7)
DENSE, Y = RNG.normal(size=(80, 12)), np.where(RNG.random(80) < 0.5, 1.0, -1.0)
WIDE = csr_array(random_array((60, 300), density=0.05, rng=RNG, format="csr"))
SIDES = np.where(WIDE @ RNG.normal(size=300) > 0, 1.0, -1.0)

PROBLEMS = {
    "dense": (DENSE, Y, 1.0),
    "dense of small costs": (DENSE, Y, 0.1),
    "sparse and wide": (WIDE, SIDES, 1.0),
    "as good as without slack": (WIDE, SIDES, 1e4),
    "features in units far apart": (DENSE * 10.0 ** RNG.uniform(-3, 3, 12), Y, 1.0),
    "every feature twice": (np.hstack([DENSE, DENSE]), Y, 2.0),
    "every sample twice": (np.vstack([DENSE, DENSE]), np.append(Y, Y), 0.5),
    "separable": (DENSE, np.sign(DENSE[:, 0]), 1e3),
    "an empty feature": (np.hstack([DENSE, np.zeros((80, 1))]), Y, 1.0),
    "nothing but 0 is best": (DENSE, Y, 1e-4),
    "no features that differ from 0": (np.zeros((80, 2)), Y, 1.0),
}


def stated(name: str) -> SparseWeightsBounds:
    X, y, C = PROBLEMS[name]
    signed = csr_array(X * y[:, None]) if isinstance(X, csr_array) else y[:, None] * X
    return SparseWeightsBounds(signed, np.full(y.size, C))


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("name", PROBLEMS)
def test_answers_are_proved(name: str, tol: float) -> None:
    bounds = stated(name)
    found = sparse_weights(bounds, tol, None, None)
    assert found.claim is Claim.OPTIMAL
    assert bounds.certify(found.w).holds(tol)


@pytest.mark.parametrize("name", ["dense of small costs", "sparse and wide"])
def test_zeros_are_those_of_the_optimum(name: str) -> None:
    """A weight is 0 where the slope of the losses is below 1, and only there."""
    bounds = stated(name)
    w = sparse_weights(bounds, 1e-10, None, None).w
    slopes = bounds.A.T @ (2.0 * bounds.costs * np.maximum(1.0 - bounds.A @ w, 0.0))
    assert (w == 0).any()
    assert (np.abs(slopes[w == 0]) < 1.0 - 1e-6).all()
    np.testing.assert_allclose(slopes[w != 0], np.sign(w[w != 0]), rtol=0, atol=1e-4)


def test_it_is_as_good_as_liblinear() -> None:
    theirs = LinearSVC(penalty="l1", dual=False, C=0.3, fit_intercept=False, tol=1e-10, max_iter=100_000).fit(DENSE, Y)
    bounds = SparseWeightsBounds(Y[:, None] * DENSE, np.full(80, 0.3))
    np.testing.assert_allclose(sparse_weights(bounds, 1e-12, None, None).w, theirs.coef_[0], atol=1e-6)


def test_a_limit_leaves_an_answer_that_says_so() -> None:
    bounds = stated("sparse and wide")
    short = sparse_weights(bounds, 1e-8, 1, None)
    assert (short.claim, short.passes, short.message) == (Claim.STOPPED, 1, "stopped after 1 passes")
    assert short.w.any()
    assert short.certificate.primal_value == pytest.approx(value(bounds, short.w), rel=1e-12)
    assert sparse_weights(bounds, 1e-8, None, 1e-9).message == "stopped after 1e-09 s"


def test_what_float64_cannot_tell_is_not_claimed() -> None:
    found = sparse_weights(stated("dense"), 1e-17, None, None)
    assert found.claim is Claim.STOPPED
    assert found.message == "no pass makes the objective smaller"
    assert found.certificate.holds(1e-9)


def test_progress_is_logged_where_asked(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "qpkernels")
    sparse_weights(stated("dense"), 1e-6, None, None, verbose=True)
    assert "relative gap" in caplog.text


def value(bounds: SparseWeightsBounds, w: Vector) -> float:
    return float(np.abs(w).sum() + bounds.costs @ np.maximum(1.0 - bounds.A @ w, 0.0) ** 2)
