# SPDX-License-Identifier: BSD-3-Clause
"""Regions lie where the machine decides, lines where its scores say, and rings around its support vectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import QuadContourSet
from sklearn import svm
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from display_examples import distance, drawn, moons, soft_margin, three
from formulations import (
    LeastSquaresClassifier,
    Logistic,
    NuMargin,
    OneClass,
    OneVersusOne,
    OneVersusRest,
    RelevanceClassification,
    SoftMargin,
    SoftTube,
    load,
)
from formulations.estimators import SVC, LinearSVC, NuSVC, OneClassSVM
from formulations.plots import DecisionRegionDisplay
from qpkernels import RBF, Spectrum
from qpkernels.errors import LabelError, ParameterError, ShapeError
from relevance_data import gaussians, sine

KERNEL = RBF(1.0)


def rings(display: DecisionRegionDisplay) -> np.ndarray:
    """Return the places of the rings, in order."""
    found = np.asarray(display.ax_.collections[-1].get_offsets())
    return found[np.lexsort(found.T)]


def legend_of(display: DecisionRegionDisplay) -> list[str]:
    return [text.get_text() for text in display.figure_.legends[0].get_texts()]


def in_order(X: np.ndarray) -> np.ndarray:
    return X[np.lexsort(X.T)]


def lines(display: DecisionRegionDisplay) -> list[QuadContourSet]:
    return [each for each in display.ax_.collections if isinstance(each, QuadContourSet) and not each.filled]


def test_lines_and_rings_of_two_classes() -> None:
    model, solution = soft_margin()
    display = DecisionRegionDisplay.from_solution(solution, model).plot()
    assert [float(each.levels[0]) for each in lines(display)] == [-1.0, 0.0, 1.0]
    step = np.ptp(display.xx0) / 199
    for each in lines(display):
        vertices = np.concatenate([path.vertices for path in each.get_paths()])
        # Linear in each cell: exact to the square of its width.
        assert solution.decision_function(vertices) == pytest.approx(each.levels[0], abs=20 * step**2)
    assert rings(display) == pytest.approx(in_order(moons()[0][solution.support.indices]))
    assert len(rings(display)) == solution.n_support
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["$g = 0$", r"$g = \pm 1$", "class 3", "class 7", "support vector"]
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("$x_{1}$", "$x_{2}$")


def test_the_margin_of_a_nu_machine_is_at_its_level() -> None:
    model = NuMargin(*moons(), KERNEL, nu=0.3)
    solution = model.solve()
    display = DecisionRegionDisplay.from_solution(solution, model)
    assert display.margins == (-solution.margin_level, solution.margin_level)


@pytest.mark.parametrize("model", [Logistic, LeastSquaresClassifier])
def test_a_dense_machine_has_neither_margin_nor_rings(model: Any) -> None:
    stated = model(*moons(), KERNEL)
    display = DecisionRegionDisplay.from_solution(stated.solve(), stated).plot()
    assert display.margins == ()
    assert not len(display.marked)
    assert [float(each.levels[0]) for each in lines(display)] == [0.0]


def test_probabilities() -> None:
    model = Logistic(*moons(), KERNEL)
    solution = model.solve()
    display = DecisionRegionDisplay.from_solution(
        solution, model, response_method="predict_proba", margins=[0.25, 0.75]
    )
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert display.response.ravel() == pytest.approx(solution.predict_proba(grid)[:, 1])
    assert (display.boundary, display.margins) == (0.5, (0.25, 0.75))


@pytest.mark.parametrize("scheme", [OneVersusRest, OneVersusOne])
def test_several_classes(scheme: Any) -> None:
    model = scheme(*three(), RBF(0.3), C=1.0)
    solution = model.solve(progress=False)
    display = DecisionRegionDisplay.from_solution(solution, model, grid_resolution=50).plot()
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.array_equal(model.classes[display.response.reshape(-1, 3).argmax(axis=1)], solution.predict(grid))
    machines = zip(solution.pairs, solution.solutions, strict=True)
    carrying = {int(row) for pair, each in machines for row in model.rows(pair)[each.support.indices]}
    assert rings(display) == pytest.approx(in_order(three()[0][sorted(carrying)]))


def test_one_class() -> None:
    X = moons()[0]
    model = OneClass(X, KERNEL, nu=0.2)
    solution = model.solve(tol=1e-9)
    display = DecisionRegionDisplay.from_solution(solution, model).plot()
    assert np.array_equal(np.flatnonzero(display.codes), solution.outliers)
    assert len(rings(display)) == solution.n_support
    estimator = OneClassSVM(nu=0.2, gamma=1.0, tol=1e-9).fit(X)
    assert distance(drawn(DecisionRegionDisplay.from_estimator(estimator, X)), drawn(display)) < 1e-2


def test_relevance_vectors() -> None:
    model = RelevanceClassification(*gaussians(40), RBF(0.25))
    solution = model.solve()
    display = DecisionRegionDisplay.from_solution(solution, model).plot()
    assert len(rings(display)) == solution.n_relevance
    assert display.mark == "relevance vector"


@pytest.mark.parametrize(
    ("estimator", "model"),
    [
        (SVC(C=2.0, gamma=1.0, tol=1e-9), soft_margin),
        (svm.SVC(C=2.0, gamma=1.0, tol=1e-9), soft_margin),
        (NuSVC(nu=0.3, gamma=1.0, tol=1e-9), None),
    ],
)
def test_an_estimator_looks_as_its_solution(estimator: Any, model: Any) -> None:
    estimator.fit(*moons())
    if model is None:
        stated = NuMargin(*moons(), KERNEL, nu=0.3)
        found = DecisionRegionDisplay.from_solution(stated.solve(tol=1e-9), stated)
    else:
        stated, solution = model()
        found = DecisionRegionDisplay.from_solution(solution, stated)
    shown = DecisionRegionDisplay.from_estimator(estimator, *moons())
    assert distance(drawn(shown), drawn(found)) < 1e-3
    assert in_order(shown.marked) == pytest.approx(in_order(found.marked))


@pytest.mark.parametrize(
    ("estimator", "dashed"),
    [
        (svm.LinearSVC(C=0.5), True),
        (LinearSVC(C=0.5, loss="hinge"), True),
        (make_pipeline(StandardScaler(), svm.SVC(gamma=1.0)), True),
        (GridSearchCV(make_pipeline(StandardScaler(), LinearSVC()), {"linearsvc__C": [0.5]}, cv=2), True),
        (TheirLogistic(), False),
        (make_pipeline(StandardScaler(), TheirLogistic()), False),
    ],
    ids=["linear", "own linear", "pipeline", "search over a pipeline", "logistic", "logistic pipeline"],
)
def test_a_margin_is_drawn_where_the_estimator_has_one(estimator: Any, dashed: bool) -> None:
    X, y = moons()
    display = DecisionRegionDisplay.from_estimator(estimator.fit(X, y), X, y, grid_resolution=40).plot()
    assert display.margins == ((-1.0, 1.0) if dashed else ())
    assert ("$g = \\pm 1$" in legend_of(display)) == dashed
    # A pipeline changes the samples, and its support vectors are none of these.
    assert not len(display.marked)


def test_a_search_has_the_support_vectors_of_its_best() -> None:
    X, y = moons()
    search = GridSearchCV(svm.SVC(gamma=1.0), {"C": [1.0, 2.0]}, cv=2).fit(X, y)
    shown = DecisionRegionDisplay.from_estimator(search, X, y, grid_resolution=5)
    assert shown.marked == pytest.approx(search.best_estimator_.support_vectors_)


def test_a_line_that_is_not_in_the_picture_is_not_in_the_legend() -> None:
    model, solution = soft_margin()
    for extent, absent in (((-9.0, -7.0, 6.0, 8.0), ["$g = 0$", "$g = \\pm 1$"]), (None, [])):
        display = DecisionRegionDisplay.from_solution(solution, model, extent=extent, grid_resolution=40).plot()
        named = legend_of(display)
        assert [name for name in ("$g = 0$", "$g = \\pm 1$") if name not in named] == absent


def test_an_estimator_of_several_classes_and_one_without_support_vectors() -> None:
    X, y = three()
    display = DecisionRegionDisplay.from_estimator(SVC(gamma=0.3).fit(X, y), X, y, grid_resolution=30)
    grid = np.column_stack([display.xx0.ravel(), display.xx1.ravel()])
    assert np.array_equal(display.response.argmax(axis=2).ravel(), SVC(gamma=0.3).fit(X, y).predict(grid))
    fitted = TheirLogistic().fit(X, y)
    display = DecisionRegionDisplay.from_estimator(fitted, X, y, response_method="predict_proba")
    assert display.response.sum(axis=2) == pytest.approx(1.0)
    assert not len(display.marked)


def test_a_machine_that_was_saved(tmp_path: Path) -> None:
    model, solution = soft_margin()
    loaded = load(solution.save(tmp_path / "machine.npz"))
    shown, own = (
        DecisionRegionDisplay.from_estimator(loaded, *moons()),
        DecisionRegionDisplay.from_solution(solution, model),
    )
    assert shown.response == pytest.approx(own.response)
    assert not len(shown.marked)


def test_a_section_through_more_features() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 4)), np.arange(40) % 2
    X[:, 1] += y
    model = SoftMargin(X, y, RBF(0.2), C=1.0)
    solution = model.solve()
    display = DecisionRegionDisplay.from_solution(solution, model, features=(3, 1), grid_resolution=5)
    points = np.tile(np.median(X, axis=0), (25, 1))
    points[:, 3], points[:, 1] = display.xx0.ravel(), display.xx1.ravel()
    assert display.response.ravel() == pytest.approx(solution.decision_function(points))
    assert np.array_equal(display.X, X[:, [3, 1]])
    assert (display.xlabel, display.ylabel) == ("$x_{4}$", "$x_{2}$")
    middle = np.median(X, axis=0)
    assert display.held == f"at $x_{{1}}$ = {middle[0]:.3g}, $x_{{3}}$ = {middle[2]:.3g}"
    assert display.plot().ax_.get_xlabel() == f"$x_{{4}}$\n{display.held}"
    moved = DecisionRegionDisplay.from_solution(solution, model, features=(3, 1), fixed=[9.0, 0, -9.0, 0])
    assert np.abs(moved.response - solution.intercept).max() < 1e-6


def test_features_by_name() -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(30, 3)), columns=["height", "width", "depth"])
    y = np.where(table["width"] > 0, "wide", "narrow")
    fitted = SVC().fit(table, y)
    display = DecisionRegionDisplay.from_estimator(fitted, table, y, features=("depth", "width"), grid_resolution=5)
    assert (display.xlabel, display.ylabel) == ("depth", "width")
    assert display.classes.tolist() == ["narrow", "wide"]
    model = SoftMargin(table, y, KERNEL)
    display = DecisionRegionDisplay.from_solution(
        model.solve(), model, features=("width", 0), fixed=[0, 0, 2.5], grid_resolution=5
    )
    assert (display.xlabel, display.ylabel, display.held) == ("width", "height", "at depth = 2.5")
    with pytest.raises(ParameterError, match="no feature is called 'weight'; they are height, width, depth"):
        DecisionRegionDisplay.from_estimator(fitted, table, y, features=("weight", "width"))


def test_where_many_features_are_held_is_said_of_all() -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 9)), np.arange(20) % 2
    model = SoftMargin(X, y)
    for fixed, words in ((None, "their medians"), (np.zeros(9), "the point given")):
        display = DecisionRegionDisplay.from_solution(model.solve(), model, features=(0, 1), fixed=fixed)
        assert display.held == f"with the 7 other features at {words}"


def test_what_is_no_plane() -> None:
    model, solution = soft_margin()
    make = DecisionRegionDisplay.from_solution
    for features in ((0, 0), (0,), (0, 1, 1)):
        with pytest.raises(ParameterError, match="takes two different features, but"):
            make(solution, model, features=features)
    for features in ((0, 2), (-1, 0), (0.5, 1), (True, 0)):
        with pytest.raises(ParameterError, match="a feature is a number from 0 to 1"):
            make(solution, model, features=features)
    with pytest.raises(ParameterError, match="X has no names of columns"):
        make(solution, model, features=("a", "b"))
    with pytest.raises(ParameterError, match=r"say which, as in features=\(0, 1\)"):
        DecisionRegionDisplay.from_estimator(SVC(), np.zeros((3, 4)), [0, 1, 1])
    with pytest.raises(ParameterError, match="takes two different features, but the samples have 1"):
        DecisionRegionDisplay.from_estimator(SVC(), np.zeros((3, 1)), [0, 1, 1])
    with pytest.raises(ShapeError, match="fixed"):
        make(solution, model, fixed=[1.0, 2.0, 3.0])
    for extent in ((1, 0, 0, 1), (0, 1, 1, 1), (0, 1), (0, 1, 2), (0, 1, 0, np.inf), ()):
        with pytest.raises(ParameterError, match=r"extent must be \(left, right, bottom, top\)"):
            make(solution, model, extent=extent)
    with pytest.raises(ParameterError, match="grid_resolution must be an integer of at least 2"):
        make(solution, model, grid_resolution=1)


def test_what_is_no_classifier() -> None:
    model, solution = soft_margin()
    regression = SoftTube(*sine(), KERNEL)
    with pytest.raises(ParameterError, match="regions are drawn of a model of classes, but SoftTube came"):
        DecisionRegionDisplay.from_solution(solution, regression)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="but Regression and SoftMargin came"):
        DecisionRegionDisplay.from_solution(regression.solve(), model)  # type: ignore[arg-type]
    with pytest.raises(
        ParameterError, match="the estimator must have decision_function, but a SoftTube does not have it"
    ):
        DecisionRegionDisplay.from_estimator(regression, *moons())
    with pytest.raises(ParameterError, match="no log-odds"):
        DecisionRegionDisplay.from_solution(solution, model, response_method="predict_proba")
    with pytest.raises(ParameterError, match="response_method must be"):
        DecisionRegionDisplay.from_solution(solution, model, response_method="predict")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="margins are lines between two classes, but there are 3"):
        DecisionRegionDisplay.from_estimator(TheirLogistic().fit(*three()), *three(), margins=[1.0])
    fitted = SVC(gamma=1.0).fit(*moons())
    with pytest.raises(LabelError, match=r"knows the classes \[3, 7\], but y holds others"):
        DecisionRegionDisplay.from_estimator(fitted, moons()[0], np.zeros(60))
    with pytest.raises(ShapeError, match="a label for each of the 60 samples"):
        DecisionRegionDisplay.from_estimator(fitted, moons()[0], [3, 7])
    words = SoftMargin(["ab", "ba", "bb"], [1, 2, 1], Spectrum(1))
    with pytest.raises(ShapeError, match="X must be a matrix of numbers"):
        DecisionRegionDisplay.from_solution(words.solve(), words)
