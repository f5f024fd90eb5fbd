# SPDX-License-Identifier: BSD-3-Clause
"""How far the optimal function may be: it never is farther than the gap says, and certain decisions are certain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM

from audit_data import GAMMA, targets, three_classes, two_classes
from formulations import HardMargin, NormConstrainedRegression, SoftMargin, audit, estimators
from formulations.judging.findings import faults_of, nearness
from formulations.losses import Squared
from qpkernels.problems import KernelQP

MACHINES: dict[str, Any] = {
    "SVC": lambda tol: SVC(C=2.0, gamma=GAMMA, tol=tol),
    "SVC hard to tell": lambda tol: SVC(C=50.0, gamma=0.5, tol=tol),
    "OneClassSVM": lambda tol: OneClassSVM(nu=0.3, gamma=GAMMA, tol=tol),
    "LinearSVC": lambda tol: LinearSVC(tol=tol, random_state=0),
    "LogisticRegression": lambda tol: LogisticRegression(tol=tol),
    "NuSVC": lambda tol: NuSVC(nu=0.3, gamma=GAMMA, tol=tol),
}


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("name", MACHINES)
def test_the_optimal_machine_is_within_the_bounds(name: str, tol: float) -> None:
    X, y = two_classes()
    found = audit(MACHINES[name](tol).fit(X, y), X, y)
    (end,) = found.finish(1e-10)
    near = found[0].nearness
    assert near is not None
    assert end.solution.status == "optimal"
    assert end.distance <= near.radius * (1 + 1e-6)
    slack = 1e-6 * np.abs(end.solution.decision).max()
    assert (near.lower - slack <= end.solution.decision).all()
    assert (end.solution.decision <= near.upper + slack).all()
    decided = (near.lower > 0) | (near.upper < 0)
    assert near.certain == decided.sum()
    assert (np.sign(end.solution.decision[decided]) == np.sign(found[0].decision[decided])).all()


def test_a_sharp_machine_decides_for_certain() -> None:
    X, y = two_classes()
    (found,) = audit(SVC(gamma=GAMMA, tol=1e-9).fit(X, y), X, y)
    assert found.row.certain == len(y)
    (loose,) = audit(SVC(gamma=GAMMA, tol=0.01).fit(X, y), X, y)
    assert 0 < loose.row.certain < len(y)
    # The level of a nu-machine is free as well, so that nothing is said of b.
    (free,) = audit(NuSVC(nu=0.3, gamma=GAMMA, tol=1e-9).fit(X, y), X, y)
    assert free.row.certain is None
    assert np.isfinite(free.row.distance)


def test_real_targets_have_bounds_of_their_values() -> None:
    X, y = targets()
    for estimator in (SVR(tol=1e-3), Ridge(), KernelRidge(kernel="rbf")):
        found = audit(estimator.fit(X, y), X, y)
        near = found[0].nearness
        assert near is not None
        best = found.finish(1e-10)[0].solution.decision
        assert (near.lower - 1e-7 <= best).all()
        assert (best <= near.upper + 1e-7).all()


def test_a_hard_margin_says_nothing_of_its_intercept() -> None:
    X, y = three_classes()
    found = audit(estimators.SVC(C=np.inf, kernel="linear").fit(X, y), X, y)
    for each, end in zip(found, found.finish(1e-10), strict=True):
        assert each.nearness is not None
        assert end.distance <= each.nearness.radius + 1e-7
        assert each.row.certain is None


def test_a_ball_is_no_penalty_that_says_how_near() -> None:
    X, y = targets()
    model = NormConstrainedRegression(X, y, loss=Squared(), R=0.1)
    solution = model.solve(tol=1e-8)
    answer = model.candidate(solution)
    assert nearness(answer, model.bounds(), solution.certificate, model.gram) is None


X, Y = np.array([[0.0], [1.0], [3.0], [4.0]]), [-1, -1, 1, 1]


def program(C: float = 0.5) -> KernelQP:
    stated = SoftMargin(X, Y, C=C).qp()
    assert stated is not None
    return stated


@pytest.mark.parametrize(
    ("beta", "unbalanced", "other_sign", "beyond"),
    [
        ([0.0, -0.5, 0.5, 0.0], False, [], []),
        ([0.0, -0.4, 0.5, 0.0], True, [], []),
        ([0.2, -0.5, 0.3, 0.0], False, [0], []),
        ([0.0, -0.7, 0.5, 0.2], False, [], [1]),
        ([0.1, -0.7, 0.5, -0.2], True, [0, 3], [1]),
    ],
)
def test_each_constraint_is_named(
    beta: list[float], unbalanced: bool, other_sign: list[int], beyond: list[int]
) -> None:
    faults = faults_of(np.array(beta), program())
    assert faults.is_unbalanced is unbalanced
    assert np.flatnonzero(faults.other_sign).tolist() == other_sign
    assert np.flatnonzero(faults.beyond).tolist() == beyond
    assert faults.any is bool(unbalanced or other_sign or beyond)
    assert not faults.shares[faults.other_sign].any()


def test_what_has_no_bound_does_not_exceed_it() -> None:
    stated = HardMargin(X, Y).qp()
    faults = faults_of(np.array([0.0, -1e6, 1e6, 0.0]), stated)
    assert not faults.any
    assert not faults.shares.any()


def test_the_digits_of_single_precision_are_no_fault() -> None:
    beta = np.array([0.0, -0.5, 0.5, 0.0]) * (1 + 2.0**-24)
    assert not faults_of(beta, program()).any
