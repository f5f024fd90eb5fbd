# SPDX-License-Identifier: BSD-3-Clause
"""Colours that everybody can tell apart."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib import rc_context, rcParams
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from formulations.plots.style import COLOURS, DASHES, GREY, INK, MARKERS, STYLE, class_mark, explain, style

# Machado, Oliveira and Fernandes (2009): what is left of linear RGB without each kind of cone.
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> np.ndarray:
    channels = np.array(to_rgb(colour))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    relative = XYZ @ np.clip(rgb, 0.0, 1.0) / XYZ.sum(axis=1)
    f = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colour", [*COLOURS, GREY])
def test_a_colour_reads_on_white(colour: str) -> None:
    # Contrast ratios of the Web Content Accessibility Guidelines: 4.5 for text, 3 for graphics.
    contrast = 1.05 / (float(XYZ[1] @ linear(colour)) + 0.05)
    assert contrast >= (4.5 if colour in (INK, GREY) else 3.0)


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_are_told_apart(sight: str) -> None:
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in COLOURS]
    # A difference of 2.3 is just noticeable.
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 15.0


def test_every_colour_has_a_mark_and_a_line_style_of_its_own() -> None:
    assert len(set(COLOURS)) == len(COLOURS) <= len(set(MARKERS))
    assert len(set(DASHES)) == len(COLOURS)
    assert class_mark(0, 2) != class_mark(1, 2)
    assert len({class_mark(code, 7) for code in range(7)}) == 7
    assert {class_mark(0, 2), class_mark(1, 2)} == {class_mark(0, 3), class_mark(1, 3)}


def test_a_legend_names_everything_once() -> None:
    figure = Figure()
    axes = figure.subplots(1, 2)
    for ax in axes:
        ax.plot([0, 1], label="line")
        ax.plot([1, 0], label="other")
    explain(axes, own=True)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["line", "other"]
    explain([figure.add_subplot()], own=False)
    assert figure.axes[-1].get_legend() is None


def test_our_settings_are_taken_back_and_no_others() -> None:
    with rc_context({"font.size": 7.0, "interactive": False}):
        before = {name: rcParams[name] for name in STYLE}
        with style():
            assert rcParams["axes.edgecolor"] == INK
            assert rcParams["font.size"] == 7.0
            # As the back-end of notebooks does when the first figure starts it; without it no later cell has figures.
            rcParams["interactive"] = True
        assert {name: rcParams[name] for name in STYLE} == before
        assert rcParams["interactive"]
