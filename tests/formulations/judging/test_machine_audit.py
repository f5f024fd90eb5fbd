# SPDX-License-Identifier: BSD-3-Clause
"""The samples that are wrong: what each adds to the gap, and a changed coefficient is found and named."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM

from audit_data import GAMMA, SHARP, targets, three_classes, two_classes
from formulations import audit, estimators

LOOSE: dict[str, Any] = {"gamma": GAMMA, "tol": 0.5}


@pytest.mark.parametrize(
    ("estimator", "real"),
    [
        (SVC(**LOOSE), False),
        (SVC(C=3.0, **LOOSE), False),
        (NuSVC(nu=0.3, **LOOSE), False),
        (OneClassSVM(nu=0.3, **LOOSE), False),
        (SVR(**LOOSE), True),
        (NuSVR(nu=0.3, **LOOSE), True),
    ],
    ids=str,
)
def test_what_all_samples_add_is_the_gap(estimator: Any, real: bool) -> None:
    X, y = targets() if real else two_classes()
    (found,) = audit(estimator.fit(X, y), X, y)
    gap = found.certificate.primal_value - found.certificate.dual_value
    assert gap > 0
    moved = 0.0
    if found.certificate.dual_residual > 0:
        # The function is that of the coefficients as they came, the multipliers are those near them.
        step = found.machine.answer.beta - found.bounds.feasible(found.machine.answer.beta)
        moved = 0.5 * step @ found.machine.model.gram.product(step)
    assert found.violations.min() >= 0
    assert found.violations.sum() + moved == pytest.approx(gap, rel=1e-6)


def test_what_weights_alone_add_beside_their_distance_is_the_gap() -> None:
    X, y = two_classes()
    (found,) = audit(LogisticRegression(tol=0.1).fit(X, y), X, y, tol=1e-9)
    beta, w = found.machine.answer.beta, found.machine.answer.coordinates
    apart = 0.5 * np.sum((w - X.T @ beta) ** 2)
    gap = found.certificate.primal_value - found.certificate.dual_value
    assert found.violations.sum() + apart == pytest.approx(gap, rel=1e-6)


@pytest.mark.parametrize("sample", [0, 3])
def test_a_changed_coefficient_is_named(sample: int) -> None:
    X, y = two_classes()
    machine = SVC(C=2.0, gamma=GAMMA, **SHARP).fit(X, y)
    free = np.flatnonzero(np.abs(machine.dual_coef_[0]) < 1.9)[sample]
    machine.dual_coef_[0, free] *= -0.5
    (found,) = audit(machine, X, y)
    assert found.status == "uncertified"
    (remark,) = (each for each in found.remarks if "the sign of the other class" in each)
    assert f"1 coefficient, the first that of sample {machine.support_[free]};" in remark


def test_a_coefficient_left_out_is_named_with_what_it_should_be() -> None:
    X, y = targets()
    machine = SVR(C=2.0, gamma=GAMMA, epsilon=0.2, **SHARP).fit(X, y)
    place = int(np.argmax(machine.dual_coef_[0]))
    machine.dual_coef_[0, place] = 0.0
    (found,) = audit(machine, X, y)
    assert "the coefficients add up to -2, not to 0" in found.remarks[0]
    worst = next(each for each in found.row.worst if each.sample == machine.support_[place])
    assert worst.label == pytest.approx(y[worst.sample])
    assert worst.measure == "residual"
    assert worst.margin == pytest.approx(y[worst.sample] - machine.predict(X)[worst.sample])
    assert (worst.multiplier, worst.expected) == (0.0, 2.0)
    assert str(worst).startswith(f"sample {worst.sample} (")
    assert "where it should be 2; adds" in str(worst)


def test_arrays_are_those_of_the_machine() -> None:
    X, y = three_classes()
    machine = SVC(gamma=GAMMA, decision_function_shape="ovo", **SHARP).fit(X, y)
    found = audit(machine, X, y)
    assert [each.machine.name for each in found] == ["'b' against 'a'", "'c' against 'a'", "'c' against 'b'"]
    values = machine.decision_function(X)
    for column, each in enumerate(found):
        assert np.isin(each.machine.labels, [*each.machine.name.replace("'", "").split(" against ")]).all()
        assert np.array_equal(each.machine.labels, y[each.rows])
        # scikit-learn's are above 0 for the first class.
        assert each.decision == pytest.approx(-values[each.rows, column], abs=1e-6)
        assert (each.multipliers >= 0).all()
        assert np.allclose(each.expected[each.margins > 1.001], 0.0)
        assert np.allclose(each.expected[each.margins < 0.999], 1.0)


def test_dense_coefficients_are_no_support_vectors() -> None:
    X, y = targets()
    (found,) = audit(KernelRidge(alpha=0.5, kernel="rbf").fit(X, y), X, y)
    assert found.row.n_support is None
    assert found.expected == pytest.approx(found.multipliers, abs=1e-9)
    assert found.row.certain is None


def test_verdicts() -> None:
    X, y = two_classes()
    (found,) = audit(SVC(gamma=GAMMA, **SHARP).fit(X, y), X, y)
    assert found.verdict.startswith("proved optimal to 0.001: at most ")
    (found,) = audit(SVC(gamma=GAMMA, tol=0.5).fit(X, y), X, y)
    assert found.verdict.startswith("not proved to 0.001: up to ")
    machine = SVC(gamma=GAMMA, **SHARP).fit(X, y)
    machine.dual_coef_ *= 1e200
    (found,) = audit(machine, X, y)
    assert "the answer holds NaN" in found.verdict
    assert found.status == "uncertified"
    assert found.row.wrong is None
    assert found.row.worst == ()
    json = found.row.to_record()
    assert json["primal_value"] is None


@pytest.mark.parametrize("estimator", [SVC(**SHARP), NuSVC(nu=0.3, tol=1e-9), estimators.SVC(C=2.0)], ids=str)
@pytest.mark.parametrize("several", [False, True], ids=["two", "three"])
def test_what_predicts_is_audited(estimator: Any, several: bool) -> None:
    X, y = three_classes() if several else two_classes()
    machine = estimator.fit(X, y)
    assert audit(machine, X, y).status == "optimal"
    if isinstance(machine, estimators.SVC):
        right = machine._functions
        machine._functions = lambda samples: -right(samples)
    else:
        machine._dual_coef_ = -machine._dual_coef_
    found = audit(machine, X, y)
    assert found.status == "uncertified"
    for each in found:
        assert each.certificate.holds(1e-3)
        assert each.verdict.endswith("it does not predict with them")
        assert each.wrong.size == 0


def test_a_regressor_that_predicts_with_something_else() -> None:
    X, y = targets()
    machine = SVR(C=2.0).fit(X, y)
    machine._intercept_ = machine._intercept_ + 1.0
    found = audit(machine, X, y, tol=1e-2)
    assert found.status == "uncertified"
    said = re.search(r"predicts ([-\d.]+), but its coefficients say ([-\d.]+)", found[0].verdict)
    assert said is not None
    assert float(said[1]) - float(said[2]) == pytest.approx(1.0, abs=1e-4)
    machine.intercept_ = machine.intercept_ + 1.0
    assert "predict" not in audit(machine, X, y, tol=1e-2)[0].verdict


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
