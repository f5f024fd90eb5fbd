# SPDX-License-Identifier: BSD-3-Clause
"""Every proved answer lies on its graph, and a wrong one beside it."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import svm

from display_examples import moons, soft_margin, three, tube
from formulations import (
    HardMargin,
    LeastAbsoluteFit,
    LinearProgramMachine,
    Separability,
    SoftMargin,
    audit,
)
from formulations.displays import KKTDisplay
from formulations.estimators import SVC
from model_data import MODEL_CASES, Case
from qpkernels import RBF
from qpkernels.errors import ParameterError

REFUSED = {"ChebyshevFit", "LaplaceFit", "LeastAbsoluteFit", "LeastSquaresFit", "LinearProgramMachine", "Separability"}
"""Models that charge no loss of each decision value by itself."""


@pytest.mark.parametrize("case", MODEL_CASES, ids=str)
def test_a_proved_answer_lies_on_its_graph(case: Case) -> None:
    model = case.state_model()
    solution = model.solve(tol=1e-8)
    assert solution.status == "optimal"
    if model.name in REFUSED:
        with pytest.raises(ParameterError, match="charges no loss of each decision value by itself"):
            KKTDisplay.from_solution(solution, model)
        return
    display = KKTDisplay.from_solution(solution, model, tolerance=2e-3)
    assert not display.off.size
    assert np.array_equal(display.free, solution.support.free if model.sparse else [])
    # Half of every multiplier is optimal nowhere but where all of them are 0.
    halved = KKTDisplay.from_solution((0.5 * solution.beta, solution.intercept), model, tolerance=2e-3)
    assert halved.off.size
    display.plot()


def test_the_graph_of_the_hinge_is_a_step() -> None:
    model, solution = soft_margin()
    display = KKTDisplay.from_solution(solution, model)
    assert display.place == pytest.approx(solution.margins)
    assert display.multiplier == pytest.approx(solution.alpha)
    inner = display.curve[(display.curve[:, 1] > 0) & (display.curve[:, 1] < 2.0)]
    assert not len(inner)
    assert set(display.curve[:, 1]) == {0.0, 2.0}
    assert display.curve[display.curve[:, 1] == 0.0, 0].min() == 1.0
    assert display.curve[display.curve[:, 1] == 2.0, 0].max() == 1.0


def test_the_graph_of_a_tube_has_two_steps() -> None:
    model, solution = tube()
    display = KKTDisplay.from_solution(solution, model)
    assert display.place == pytest.approx(solution.residuals)
    corners = {(round(float(x), 12), float(c)) for x, c in display.curve[1:-1]}
    assert corners == {(-0.2, -1.0), (-0.2, 0.0), (0.2, 0.0), (0.2, 1.0)}


def test_a_violation_is_a_distance() -> None:
    model, solution = soft_margin()
    display = KKTDisplay.from_solution(solution, model)
    sample = int(solution.support.bounded[0])
    assert display.place[sample] < 0.9
    moved = solution.beta.copy()
    moved[sample] *= 0.9
    # The other samples keep their place: it is the answer's own function that is judged.
    shown = KKTDisplay.from_solution(replace(solution, beta=moved), model)
    reach = float(np.abs(shown.place).max())
    assert shown.violation[sample] == pytest.approx(min(0.1, (1.0 - shown.place[sample]) / reach), rel=1e-6)
    assert sample in shown.off


def test_the_machine_of_an_audit() -> None:
    X, y = soft_margin()[0].gram.X, soft_margin()[0].y
    loose = audit(svm.SVC(C=2.0, gamma=1.0, tol=0.5).fit(X, y), X, y)
    display = KKTDisplay.from_audit(loose[0])
    assert display.place == pytest.approx(loose[0].margins)
    assert display.multiplier == pytest.approx(loose[0].multipliers)
    assert display.off.size
    sharp = audit(svm.SVC(C=2.0, gamma=1.0, tol=1e-10).fit(X, y), X, y)
    assert not KKTDisplay.from_audit(sharp[0]).off.size
    assert not KKTDisplay.from_audit(sharp).off.size
    with pytest.raises(ParameterError, match=r"one machine of an audit was expected, such as audit\(estimator, X, y\)"):
        KKTDisplay.from_audit(audit(svm.SVC().fit(*three()), *three()))


def test_an_estimator_of_others_is_audited() -> None:
    X, y = moons()
    theirs = KKTDisplay.from_estimator(svm.SVC(C=2.0, gamma=1.0, tol=1e-10).fit(X, y), X, y)
    own = KKTDisplay.from_solution(*reversed(soft_margin()))
    assert theirs.place == pytest.approx(own.place, abs=1e-3)
    assert not theirs.off.size
    with pytest.raises(ParameterError, match=r"KKTDisplay.from_estimator\(estimator, X, y\)"):
        KKTDisplay.from_estimator(svm.SVC().fit(X, y))


def test_costs_that_differ_are_divided_by() -> None:
    X, y = soft_margin()[0].gram.X, soft_margin()[0].y
    model = SoftMargin(X, y, RBF(1.0), C=np.where(y > 0, 1.0, 5.0))
    display = KKTDisplay.from_solution(model.solve(tol=1e-9), model)
    assert display.multiplier.max() == pytest.approx(1.0)
    assert "by its cost" in display.ylabel
    assert not display.off.size


def test_an_estimator_looks_as_its_solution() -> None:
    X, y = soft_margin()[0].gram.X, soft_margin()[0].y
    display = KKTDisplay.from_estimator(SVC(C=2.0, gamma=1.0, tol=1e-9).fit(X, y))
    own = KKTDisplay.from_solution(*reversed(soft_margin()))
    assert display.multiplier == pytest.approx(own.multiplier, abs=1e-3)
    assert display.place == pytest.approx(own.place, abs=1e-3)


def test_marks_and_words() -> None:
    model, solution = soft_margin()
    display = KKTDisplay.from_solution(solution, model).plot()
    sizes = {each.get_label(): len(each.get_offsets()) for each in display.ax_.collections}
    support = solution.support
    assert sizes == {
        "no support vector": len(model) - len(support),
        "free": support.free.size,
        "at its bound": support.bounded.size,
    }
    off = KKTDisplay.from_solution((0.8 * solution.beta, solution.intercept), model).plot()
    (crosses,) = [each for each in off.ax_.collections if each.get_label() == "not optimal"]
    assert len(crosses.get_offsets()) == off.off.size
    assert np.array_equal(np.asarray(crosses.get_array()), off.violation[off.off])
    assert len(off.figure_.axes) == 2


def test_what_has_no_graph() -> None:
    model, solution = soft_margin()
    for tolerance in (0.0, -1.0, "small"):
        with pytest.raises(ParameterError, match="tolerance"):
            KKTDisplay.from_solution(solution, model, tolerance=tolerance)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="an answer is a Solution, a pair"):
        KKTDisplay.from_solution(3, model)
    for wrong in (3, SVC(), SVC(gamma=0.3).fit(*three())):
        with pytest.raises(ParameterError, match="a fitted estimator of this project with one machine was expected"):
            KKTDisplay.from_estimator(wrong)
    with pytest.raises(ParameterError, match="a int charges no loss"):
        KKTDisplay.from_solution(solution, 3)  # type: ignore[arg-type]
    assert {each.__name__ for each in (LeastAbsoluteFit, LinearProgramMachine, Separability)} < REFUSED
    assert HardMargin.__name__ not in REFUSED
