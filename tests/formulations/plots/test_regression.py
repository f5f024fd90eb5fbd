# SPDX-License-Identifier: BSD-3-Clause
"""The tube, its samples and their places; and the band of a relevance machine."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from sklearn import svm

from display_examples import distance, drawn, soft_margin, tube
from formulations import KernelRidge, RelevanceRegression, SoftTube
from formulations.estimators import SVR
from formulations.plots import RelevanceDisplay, TubeDisplay
from qpkernels import RBF
from qpkernels.errors import ParameterError, ShapeError
from relevance_data import sine


def places(ax: Axes, label: str) -> np.ndarray:
    """Return the places of the marks with that label."""
    (found,) = [each for each in ax.collections if each.get_label() == label]
    return np.asarray(found.get_offsets())


def test_every_sample_has_its_place() -> None:
    model, solution = tube()
    display = TubeDisplay.from_solution(solution, model).plot()
    X, y = sine()
    points = np.column_stack([X[:, 0], y])
    outside = np.concatenate([solution.tube.above, solution.tube.below])
    for label, rows in (("inside", solution.tube.inside), ("on the edge", solution.tube.edge), ("outside", outside)):
        assert places(display.ax_, label) == pytest.approx(points[rows])
    assert len(places(display.ax_, "support vector")) == solution.n_support
    assert display.response == pytest.approx(solution.predict(display.grid[:, None]))
    assert display.ax_.lines[0].get_ydata() == pytest.approx(display.response - 0.2)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("$x$", "$y$")


def test_a_sample_is_as_far_from_the_curve_as_from_the_function() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3))
    y = np.sin(X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=40)
    model = SoftTube(X, y, RBF(0.2), C=2.0, epsilon=0.2)
    solution = model.solve()
    display = TubeDisplay.from_solution(solution, model, feature=0, fixed=[0.0, 0.5, -0.5])
    line = np.column_stack([X[:, 0], np.full(40, 0.5), np.full(40, -0.5)])
    assert display.partial - solution.predict(line) == pytest.approx(solution.residuals)
    assert display.ylabel == "$y$, as partial residuals"


@pytest.mark.parametrize("kind", [SVR, svm.SVR])
def test_an_estimator_looks_as_its_solution(kind: type) -> None:
    model, solution = tube()
    estimator = kind(C=1.0, epsilon=0.2, gamma=7.5, tol=1e-9).fit(*sine())
    shown = TubeDisplay.from_estimator(estimator, *sine(), epsilon=0.2)
    assert distance(drawn(shown), drawn(TubeDisplay.from_solution(solution, model))) < 1e-3
    assert np.array_equal(shown.support, solution.support.indices)
    if kind is SVR:
        assert TubeDisplay.from_estimator(estimator, *sine()).epsilon == 0.2


def test_without_a_tube_there_is_one_kind_of_sample() -> None:
    model = KernelRidge(*sine(), RBF(5.0), regularisation=0.1)
    display = TubeDisplay.from_solution(model.solve(), model).plot()
    assert len(places(display.ax_, "sample")) == 20
    assert not display.support.size
    assert len(display.ax_.lines) == 1


def test_the_band_of_a_relevance_machine() -> None:
    model = RelevanceRegression(*sine(), RBF.from_theta(15.0))
    solution = model.solve()
    display = RelevanceDisplay.from_solution(solution, model, extent=(-2.0, 2.0)).plot()
    line = np.linspace(-2.0, 2.0, 400)[:, None]
    assert display.mean == pytest.approx(solution.mean(line))
    low, high = (display.ax_.lines[k].get_ydata() for k in (0, 1))
    assert np.asarray(high) - np.asarray(low) == pytest.approx(4.0 * np.sqrt(solution.variance(line)))
    X, y = sine()
    assert places(display.ax_, "sample") == pytest.approx(np.column_stack([X[:, 0], y]))
    assert len(places(display.ax_, "relevance vector")) == solution.n_relevance


def test_a_line_says_where_the_other_features_are_held() -> None:
    X, t = sine()
    wider = np.column_stack([X[:, 0], np.linspace(0.0, 1.0, len(X))])
    model = SoftTube(wider, t, RBF(1.0))
    display = TubeDisplay.from_solution(model.solve(), model, feature=0).plot()
    assert (display.held, display.ax_.get_xlabel()) == ("at $x_{2}$ = 0.5", "$x_{1}$\nat $x_{2}$ = 0.5")
    machine = RelevanceRegression(wider, t, RBF(1.0))
    band = RelevanceDisplay.from_solution(machine.solve(), machine, feature=1, fixed=[0.25, 0.0]).plot()
    assert band.ax_.get_xlabel() == "$x_{2}$\nat $x_{1}$ = 0.25"


def test_what_is_no_line_or_no_regression() -> None:
    model, solution = tube()
    with pytest.raises(ParameterError, match="but Classification and SoftMargin came"):
        TubeDisplay.from_solution(*reversed(soft_margin()))
    with pytest.raises(ParameterError, match="but Regression and SoftTube came"):
        RelevanceDisplay.from_solution(solution, model)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"extent must be \(left, right\), lower ends first"):
        TubeDisplay.from_solution(solution, model, extent=(1.0, 0.0))
    with pytest.raises(ParameterError, match="a feature is a number from 0 to 0"):
        TubeDisplay.from_solution(solution, model, feature=1)
    with pytest.raises(ParameterError, match="say which, as in feature=0"):
        TubeDisplay.from_estimator(SVR(), np.zeros((3, 2)), np.zeros(3))
    with pytest.raises(ParameterError, match="epsilon"):
        TubeDisplay.from_estimator(SVR().fit(*sine()), *sine(), epsilon=-1.0)
    with pytest.raises(ShapeError):
        TubeDisplay.from_estimator(SVR().fit(*sine()), sine()[0], [1.0])


def test_the_tube_of_a_peer_and_no_tube_of_classes() -> None:
    x, t = sine()
    display = TubeDisplay.from_estimator(svm.SVR(epsilon=0.2).fit(x, t), x, t)
    assert display.epsilon == 0.2
    with pytest.raises(ParameterError, match="a tube is that of a regression, but SVC came"):
        TubeDisplay.from_estimator(svm.SVC().fit(x, t > 0), x, t > 0)
