# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of many answers show every one of them, and which are proved."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import same_color

from display_examples import comparison, examination, followed, searched, soft_margin, traced, tube
from formulations import grid, path
from formulations.plots import (
    ComparisonDisplay,
    CrossExaminationDisplay,
    ExactPathDisplay,
    GridSearchDisplay,
    PathDisplay,
)
from qpkernels import RBF, Laplacian
from qpkernels.errors import ParameterError


def hollow(ax: Axes) -> list[bool]:
    """Return, of each single mark, whether it is hollow."""
    marks = [line for line in ax.lines if len(line.get_xdata()) == 1 and line.get_marker() not in ("", "None")]
    return [not same_color(line.get_markerfacecolor(), line.get_color()) for line in marks]


def test_a_path_shows_every_value() -> None:
    found = followed()
    display = PathDisplay.from_path(found).plot()
    upper, lower = display.axes_
    assert np.array_equal(np.asarray(upper.lines[0].get_ydata()), [fit.certificate.primal_value for fit in found.fits])
    assert np.array_equal(np.asarray(lower.lines[0].get_ydata()), [fit.n_support for fit in found.fits])
    assert (upper.get_xscale(), lower.get_xscale()) == ("log", "log")
    assert (lower.get_xlabel(), lower.get_ylabel()) == ("C", "support vectors")


def test_a_path_with_an_answer_that_is_not_proved() -> None:
    found = path(soft_margin()[0], C=[1.0, 100.0], options={"max_iter": 1}, solver="smo", progress=False)
    display = PathDisplay.from_path(found)
    assert np.array_equal(display.proved, [fit.status == "optimal" for fit in found.fits])
    assert not display.proved.all()
    labels = [line.get_label() for line in display.plot().axes_[0].lines]
    assert "not proved" in labels


def test_a_path_along_linear_values() -> None:
    display = PathDisplay.from_path(path(tube()[0], epsilon=[0.4, 0.2, 0.0], progress=False)).plot()
    assert display.axes_[0].get_xscale() == "linear"
    assert display.values.tolist() == [0.4, 0.2, 0.0]


def test_an_exact_path_shows_coefficients_as_shares_of_their_bounds() -> None:
    found = traced()
    display = ExactPathDisplay.from_path(found, [3, 7]).plot()
    upper, lower = display.axes_
    assert set(found.breakpoints) <= set(display.values)
    drawn = {tuple(np.asarray(line.get_ydata())) for line in upper.lines}
    assert drawn == {tuple(column) for column in display.shares.T}
    for value, shares in zip(display.values[::50], display.shares[::50], strict=True):
        np.testing.assert_allclose(shares, found.coefficients(value)[0][[3, 7]] / value, atol=1e-12)
    assert (lower.get_xlabel(), lower.get_xscale()) == ("C", "log")
    assert np.array_equal(lower.patches[0].get_data().values, found.n_free)
    assert ExactPathDisplay.from_path(found).samples.size == 60
    with pytest.raises(ParameterError, match=r"samples must be numbers from 0 to 59, but \[60\] came"):
        ExactPathDisplay.from_path(found, [60])


def test_a_grid_over_two_is_a_map() -> None:
    search = searched()
    display = GridSearchDisplay.from_search(search).plot()
    assert display.parameters == ("C", "gamma")
    for point, mean in zip(search.points, search.mean, strict=True):
        row, column = display.values[0].index(point["C"]), display.values[1].index(point["gamma"])
        assert display.mean[row, column] == mean
    assert display.mean[display.best] == search.best_score == display.mean.max()
    frame = display.ax_.patches[-1]
    assert frame.get_xy() == (display.best[1] - 0.5, display.best[0] - 0.5)
    assert [text.get_text() for text in display.ax_.texts] == [f"{score:.3g}" for score in display.mean.ravel()]


def test_a_grid_over_one_is_a_curve_at_the_best_of_the_others() -> None:
    search = searched()
    display = GridSearchDisplay.from_search(search, "C").plot()
    chosen = [k for k, point in enumerate(search.points) if point["gamma"] == search.best_params["gamma"]]
    assert np.array_equal(display.mean[:, 0], search.mean[chosen])
    assert np.array_equal(display.std[:, 0], search.std[chosen])
    best = next(line for line in display.ax_.lines if line.get_label() == "best")
    assert np.asarray(best.get_xydata()).tolist() == [[search.best_params["C"], search.best_score]]


def test_a_grid_of_kernels() -> None:
    search = grid(soft_margin()[0], kernel=[RBF(1.0), Laplacian(1.0)], folds=3, progress=False)
    display = GridSearchDisplay.from_search(search).plot()
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == ["RBF(gamma=1.0)", "Laplacian(gamma=1.0)"]


def test_names_that_are_none_of_the_grid() -> None:
    for wrong in (["C", "gamma", "degree"], ["degree"], [], ["C", "C"]):
        with pytest.raises(ParameterError, match="one or two of its hyper-parameters, which are C, gamma"):
            GridSearchDisplay.from_search(searched(), wrong)


def test_a_comparison_shows_what_has_a_gap() -> None:
    display = ComparisonDisplay.from_comparison(comparison()).plot()
    assert [row.status for row in display.rows] == ["optimal", "optimal", "uncertified"]
    assert hollow(display.ax_) == [False, False, True]
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["smo", "clarabel", "SoftMargin", "SoftMarginPrimal", "SoftMarginDual"]
    assert (display.ax_.get_xscale(), display.ax_.get_yscale()) == ("log", "log")


def test_a_cross_examination_has_a_line_for_each_solver() -> None:
    display = CrossExaminationDisplay.from_examination(examination()).plot()
    assert list(display.trials) == ["smo", "osqp"]
    assert hollow(display.ax_) == [False, False, False, True]
    assert [text.get_text().strip() for text in display.ax_.texts] == ["1e-03", "1e-06"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (PathDisplay.from_path, "formulations.path"),
        (ExactPathDisplay.from_path, "formulations.exact_path"),
        (GridSearchDisplay.from_search, "formulations.grid"),
        (ComparisonDisplay.from_comparison, "formulations.compare"),
        (CrossExaminationDisplay.from_examination, "formulations.cross_examine"),
    ],
)
def test_what_is_no_result(make: object, words: str) -> None:
    with pytest.raises(ParameterError, match=f"the result of {words} was expected, but 3 came"):
        make(3)  # type: ignore[operator]
