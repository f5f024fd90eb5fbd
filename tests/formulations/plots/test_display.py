# SPDX-License-Identifier: BSD-3-Clause
"""What holds for every display: where it draws, what it leaves alone, and that it looks as it did."""

from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

import formulations.plots
from display_examples import BASELINES, EXAMPLES, SIDE, distance, drawn, panels_of, read, soft_margin, write
from formulations.losses import Hinge
from formulations.plots import CertificateDisplay, DecisionRegionDisplay, KKTDisplay, LossDisplay
from qpkernels.errors import MissingPackageError, ParameterError, ShapeError

TOLERANCE = 0.03
"""Root mean square of the difference of two pictures, in shares of the way from black to white."""

every_display = pytest.mark.parametrize("name", EXAMPLES)


def test_every_display_has_an_example() -> None:
    assert {type(make()).__name__ for make in EXAMPLES.values()} == set(formulations.plots.__all__)


@every_display
def test_a_display_draws_in_a_figure_of_its_own(name: str) -> None:
    before = matplotlib.rcParams.copy()
    display = EXAMPLES[name]()
    assert display.plot() is display
    assert display.figure_ is pyplot.gcf()
    assert display.ax_ is display.axes_[0]
    assert all(ax.figure is display.figure_ for ax in display.axes_)
    assert display.figure_.get_facecolor() == (1.0, 1.0, 1.0, 1.0)
    assert all(ax.get_xlabel() or ax.get_ylabel() for ax in display.axes_)
    assert matplotlib.rcParams == before
    # Nothing is cut off: the border of the picture is empty.
    display.figure_.set_dpi(100)
    display.figure_.canvas.draw()
    pixels = np.asarray(display.figure_.canvas.buffer_rgba())
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (border == 255).all()
    assert (pixels[..., :3] < 128).any(axis=2).mean() > 0.005


@every_display
def test_a_display_draws_in_axes_that_are_given(name: str) -> None:
    display = EXAMPLES[name]()
    figure, axes = panels_of(display)
    assert display.plot(axes[0] if len(axes) == 1 else np.array(axes)) is display
    assert list(display.axes_) == axes
    assert display.figure_ is figure
    assert any(ax.get_legend() for ax in axes)
    assert not pyplot.get_fignums()

    figure, axes = panels_of(display)
    display.plot(axes, legend=False)
    assert not any(ax.get_legend() for ax in axes)
    assert not figure.legends


@every_display
def test_a_display_looks_as_it_did(name: str, tmp_path: Path) -> None:
    image, baseline = drawn(EXAMPLES[name]()), BASELINES / f"{name}.png"
    write(image, tmp_path / baseline.name)
    assert baseline.exists(), f"look at {tmp_path / baseline.name}, and put it into {BASELINES}"
    assert distance(image, read(baseline)) < TOLERANCE, f"look at {tmp_path / baseline.name} beside {baseline}"
    assert baseline.stat().st_size < 10_000


def test_the_comparison_of_pictures_sees_what_is_missing() -> None:
    display = DecisionRegionDisplay.from_solution(*reversed(soft_margin()))
    before = drawn(display)
    display.marked = display.marked[:0]
    assert distance(before, drawn(display)) > TOLERANCE
    assert distance(before, np.ones((SIDE, SIDE, 3))) > TOLERANCE
    assert distance(before, np.ones((SIDE, 2 * SIDE, 3))) == float("inf")


def test_what_the_user_sets_stays() -> None:
    display = LossDisplay.from_losses(Hinge())
    with pyplot.style.context("dark_background"):
        assert display.plot().figure_.get_facecolor() == (0.0, 0.0, 0.0, 1.0)
        assert display.ax_.xaxis.label.get_color() == "white"
    with matplotlib.rc_context({"lines.markersize": 3.0}):
        regions = DecisionRegionDisplay.from_solution(*reversed(soft_margin())).plot()
    marks = [each for each in regions.ax_.collections if isinstance(each, PathCollection)]
    assert [float(each.get_sizes()[0]) for each in marks] == pytest.approx([9.0, 9.0, (1.9 * 3.0) ** 2])


def test_what_has_no_colour_is_drawn_in_that_of_the_text() -> None:
    figure = Figure()
    ax = figure.subplots()
    ax.xaxis.label.set_color("white")
    regions = DecisionRegionDisplay.from_solution(*reversed(soft_margin())).plot(ax, legend=False)
    assert regions.ax_.collections[-1].get_edgecolor().tolist() == [[1.0, 1.0, 1.0, 1.0]]


def test_axes_that_are_none() -> None:
    display = LossDisplay.from_losses(Hinge())
    figure = Figure()
    for wrong in (figure.subplots(), [1, 2], "axes", figure.subplots(1, 3)):
        with pytest.raises(ShapeError, match="ax must be a sequence of 2 Axes of matplotlib"):
            display.plot(wrong)
    with pytest.raises(ShapeError, match="ax must be one Axes of matplotlib"):
        EXAMPLES["tube"]().plot(3)


def test_drawing_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    display = EXAMPLES["tube"]()
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(MissingPackageError, match=r"pip install matplotlib"):
        display.plot()


def test_what_is_drawn_is_proved() -> None:
    model, solution = soft_margin()
    proofs = [
        CertificateDisplay.from_solution(solution).prove(),
        DecisionRegionDisplay.from_solution(solution, model).prove(),
        KKTDisplay.from_solution(solution, model).prove(),
    ]
    assert {proof.digest for proof in proofs} == {solution.prove().digest}
    with pytest.raises(ParameterError, match=r"LossDisplay draws no solution .*\.prove\(path\)"):
        LossDisplay.from_losses([Hinge()]).prove()
