# SPDX-License-Identifier: BSD-3-Clause
"""Every proved answer lies on its graph, and a wrong one beside it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn import svm

from display_examples import moons, soft_margin, three, tube
from formulations import (
    HardMargin,
    LeastAbsoluteFit,
    LinearProgramMachine,
    OneVersusRest,
    Separability,
    SoftMargin,
    audit,
)
from formulations.estimators import SVC
from formulations.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    LogisticLoss,
    LogisticResidual,
    Pinball,
    Squared,
    SquaredHinge,
    ZeroOne,
)
from formulations.plots import CertificateDisplay, GramDisplay, KKTDisplay, LossDisplay
from model_data import MODEL_CASES, Case
from qpkernels import RBF, Gram, Sigmoid
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.problems.certificate import undefined

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
    assert np.array_equal(display.free, solution.support.free if model.entry.sparse else [])
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


LOSSES = [Hinge(), SquaredHinge(), LogisticLoss(), EpsilonInsensitive(0.3), Huber(0.5), Pinball(0.2), Squared()]


@pytest.mark.parametrize("loss", [*LOSSES, LogisticResidual()], ids=lambda loss: loss.name)
def test_a_drawn_conjugate_is_that_of_the_drawn_loss(loss: object) -> None:
    display = LossDisplay.from_losses(loss, costs=2.0, extent=(-4.0, 4.0))  # type: ignore[arg-type]
    (curve,) = display.curves
    assert curve.slopes is not None
    assert curve.conjugate is not None
    sup = (np.multiply.outer(curve.slopes, display.t) - curve.value).max(axis=1)
    assert (curve.conjugate >= sup - 1e-9).all()
    # Where the best t is among those drawn.
    inner = slice(100, -100)
    assert curve.conjugate[inner] == pytest.approx(sup[inner], abs=2e-2)


def test_the_loss_of_errors_jumps_and_has_no_conjugate() -> None:
    display = LossDisplay.from_losses([ZeroOne(), Hinge()]).plot()
    assert np.isnan(display.curves[0].value).sum() == 1
    assert display.curves[0].conjugate is None
    losses, conjugates = display.axes_
    assert [line.get_label() for line in losses.lines] == ["0/1", "hinge"]
    assert len(conjugates.lines) == 2
    assert losses.get_xlabel() == "margin $z = y\\,g(x)$"
    assert np.asarray(conjugates.lines[1].get_xydata()).tolist() == [[-1.0, -1.0], [0.0, 0.0]]


def test_names_and_kinds_of_losses() -> None:
    display = LossDisplay.from_losses([EpsilonInsensitive(0.5), Squared()])
    assert [curve.name for curve in display.curves] == ["epsilon-insensitive, epsilon = 0.5", "squared"]
    assert display.xlabel == "residual $r = y - g(x)$"
    assert LossDisplay.from_losses({"mine": Hinge(), "yours": Squared()}).xlabel == "$t$"


def test_what_is_no_loss() -> None:
    for wrong in ([], None, "hinge", [Hinge(), 3], {"a": 3}, Hinge):
        with pytest.raises(ParameterError, match=r"losses must be losses of formulations\.losses"):
            LossDisplay.from_losses(wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="costs must be above 0"):
        LossDisplay.from_losses(Hinge(), costs=0.0)
    with pytest.raises(ShapeError, match="costs"):
        LossDisplay.from_losses(Hinge(), costs=[1.0, 2.0])
    with pytest.raises(ParameterError, match="lower end first"):
        LossDisplay.from_losses(Hinge(), extent=(1.0, 1.0))


def test_the_matrix_is_ordered_by_class() -> None:
    X, y = three()
    display = GramDisplay.from_gram(Gram(RBF(0.3), X), y).plot()
    assert np.array_equal(y[display.order], np.sort(y))
    assert display.starts.tolist() == [20, 40]
    assert display.matrix == pytest.approx(RBF(0.3)(X[display.order], X[display.order]))
    assert (np.diff(np.abs(display.eigenvalues)) <= 0).all()
    assert display.eigenvalues.sum() == pytest.approx(60.0)
    image, spectrum = display.axes_
    assert np.array_equal(np.asarray(image.images[0].get_array()), display.matrix)
    assert len(spectrum.lines[0].get_xdata()) == 60


def test_negative_eigenvalues_are_marked() -> None:
    X, y = moons()
    display = GramDisplay.from_gram(Gram(Sigmoid(1.0, -1.0), X), y).plot()
    (marked,) = [line for line in display.axes_[1].lines if line.get_label() == "negative, by its size"]
    assert (display.eigenvalues < -1e-10).sum() == len(marked.get_xdata()) > 0


def test_the_matrix_of_a_model() -> None:
    model = soft_margin()[0]
    display = GramDisplay.from_model(model)
    assert display.starts.tolist() == [int((model.y < 0).sum())]
    several = OneVersusRest(*three(), RBF(0.3))
    assert GramDisplay.from_model(several).starts.size == 2
    for wrong in (3, None):
        with pytest.raises(ParameterError, match="a model with a kernel matrix was expected"):
            GramDisplay.from_model(wrong)
        with pytest.raises(ParameterError, match="gram must be a Gram"):
            GramDisplay.from_gram(wrong)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="a value for each of the 60 samples"):
        GramDisplay.from_gram(model.gram, [1, 2])
    # Targets that do not repeat give an order and no lines.
    assert not GramDisplay.from_gram(model.gram, np.arange(60.0)).starts.size


def test_primal_above_and_dual_below() -> None:
    model, solution = soft_margin()
    rough = model.certify((0.9 * solution.beta, solution.intercept))
    display = CertificateDisplay.from_certificates({"rough": rough, "proved": solution.certificate}, tol=1e-3).plot()
    assert (display.primal >= 0).all()
    assert (display.dual <= 0).all()
    optimum = solution.certificate.primal_value
    gaps = [(each.primal_value - each.dual_value) / optimum for each in (rough, solution.certificate)]
    assert display.primal - display.dual == pytest.approx(gaps, rel=1e-6)
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["rough", "proved"]
    alone = CertificateDisplay.from_solution(solution)
    assert (alone.names, alone.tol) == (("smo",), 1e-9)


@pytest.mark.parametrize(
    ("gap", "tol"), [(1e-12, 1e-6), (2e-9, 1e-6), (3e-4, 1e-6), (1e-8, 1e-3), (100.0, 1e-6), (0.0, 1e-6)]
)
def test_the_labels_of_the_axis_do_not_overlap(gap: float, tol: float) -> None:
    ends = np.array([gap, max(gap, 1e-3)])
    ax = CertificateDisplay(names=("a", "b"), primal=ends, dual=-ends, tol=tol).plot().ax_
    ax.figure.draw_without_rendering()
    low, high = ax.get_ylim()
    shown = [label.get_window_extent() for label in ax.get_yticklabels() if low <= label.get_position()[1] <= high]
    assert len(shown) >= 5
    assert all(below.y1 < above.y0 for below, above in pairwise(shown))


def test_what_is_no_certificate() -> None:
    for wrong in ({}, None, {"a": 3}, [soft_margin()[1].certificate]):
        with pytest.raises(ParameterError, match="certificates by their names were expected"):
            CertificateDisplay.from_certificates(wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="without finite values"):
        CertificateDisplay.from_certificates({"a": undefined("no answer")})
    with pytest.raises(ParameterError, match="a Solution was expected"):
        CertificateDisplay.from_solution(soft_margin()[1].certificate)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="tol"):
        CertificateDisplay.from_certificates({"a": soft_margin()[1].certificate}, tol=0.0)
