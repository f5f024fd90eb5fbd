# SPDX-License-Identifier: BSD-3-Clause
"""Answers that are solved to the end, from where they were."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC, OneClassSVM

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes
from formulations import audit


def test_a_sharp_answer_needs_nothing() -> None:
    X, y = two_classes()
    (end,) = audit(SVC(gamma=GAMMA, **SHARP).fit(X, y), X, y).finish(1e-6)
    assert (end.roles, end.sides) == (0, 0)
    assert end.distance == pytest.approx(0.0, abs=1e-6)
    assert str(end).startswith("SVC: optimal after ")
    assert "0 samples change their role, 0 training samples change side" in str(end)


def test_a_loose_answer_is_finished_from_where_it_is() -> None:
    X, y = two_classes()
    found = audit(SVC(gamma=GAMMA, C=10.0, tol=0.3).fit(X, y), X, y)
    (end,) = found.finish(1e-9)
    cold = found[0].machine.model.solve(tol=1e-9)
    assert end.solution.certificate.primal_value == pytest.approx(cold.certificate.primal_value, rel=1e-8)
    step = found[0].machine.answer.beta - cold.beta
    K = found[0].machine.model.gram.dense
    assert end.distance == pytest.approx(np.sqrt(step @ K @ step), rel=1e-3)
    assert 0 < end.distance <= found[0].row.distance
    assert end.roles > 0
    assert end.seconds > 0


def test_weights_alone_are_finished() -> None:
    X, y = two_classes()
    machine = LinearSVC(tol=0.1, random_state=0).fit(X, y)
    sharp = LinearSVC(tol=1e-10, dual=False).fit(X, y)
    (end,) = audit(machine, X, y).finish(1e-12)
    apart = np.append(machine.coef_ - sharp.coef_, machine.intercept_ - sharp.intercept_)
    assert end.distance == pytest.approx(np.linalg.norm(apart), rel=1e-3)


def test_each_machine_is_finished() -> None:
    X, y = three_classes()
    ends = audit(SVC(gamma=GAMMA, tol=0.1).fit(X, y), X, y).finish()
    assert [end.machine for end in ends] == ["'b' against 'a'", "'c' against 'a'", "'c' against 'b'"]
    assert all(end.solution.status == "optimal" for end in ends)


def test_other_tasks() -> None:
    X, y = targets()
    for estimator in (Ridge(), KernelRidge(kernel="rbf")):
        (end,) = audit(estimator.fit(X, y), X, y).finish()
        assert end.sides is None
        assert "side" not in str(end)
    (end,) = audit(OneClassSVM(nu=0.2, **SHARP).fit(X), X).finish(1e-10)
    # Support vectors lie on the boundary, to rounding on either side.
    assert end.sides == 0


def test_options_are_those_of_solve() -> None:
    X, y = two_classes()
    (end,) = audit(SVC(gamma=GAMMA, C=100.0, tol=0.5).fit(X, y), X, y).finish(1e-9, solver="smo", max_iter=1)
    assert end.solution.status == "stopped"
    assert end.solution.solver == "smo"
