# SPDX-License-Identifier: BSD-3-Clause
"""What the page says of its picture: the letters of its problem, the samples that are named, and why it is empty."""

from __future__ import annotations

import numpy as np
import pytest

from .conftest import CLASSES, WAVE

LINEAR = [{"name": "linear"}]
CROSSED = [[9, 9, 1], [0, 0, 1], [2, 2, 1], [0, 2, -1], [2, 0, -1]]
AROUND = [[1, 0, 1], [-1, 0.5, 1], [0, -1, 1], [0.2, 0.8, 1]]


def legend(lab):
    return lab.page.locator(".lab-legend").inner_text()


@pytest.mark.parametrize(
    ("machine", "points", "line"),
    [
        ("soft-margin", CLASSES, "f(x) + b = 0"),
        ("one-class", CLASSES, "f(x) − ρ = 0"),
        ("soft-tube", WAVE, "f(x) + b ± ε"),
        ("huber", WAVE, "f(x) + b ± δ"),
    ],
)
def test_the_legend_has_the_letters_of_the_problem(window, machine, points, line):
    lab = window.open({"machine": {"name": machine}, "points": points})
    assert line in legend(lab)
    letters = lab.facts["coefficient"]
    assert f"|β|, {letters}" in legend(lab)
    assert letters.replace("⁺", "+").replace("⁻", "−") in lab.page.locator(".lab-formulas").inner_text()
    lab.page.mouse.move(*lab.pixel(*points[1][:2]))
    lab.says(f"coefficient {letters} = ", ".lab-sentence")


def test_samples_that_an_error_names_have_rings(window):
    setting = {"machine": {"name": "hard-margin"}, "kernel": LINEAR, "points": CROSSED, "window": [-1, 10, -1, 10]}
    lab = window.open(setting)
    marked = lab.facts["view"]["marked"]
    assert 2 <= len(marked) < len(CROSSED)
    assert f"samples {', '.join(map(str, marked))};" in lab.page.locator(".lab-why").inner_text()
    assert legend(lab) == "sample that the words name"
    accent = lab.page.evaluate("() => getComputedStyle(document.body).getPropertyValue('--accent')").strip()
    wanted = np.array([int(accent[k : k + 2], 16) for k in (1, 3, 5)])
    picture = lab.picture().astype(int)
    box = lab.page.locator(".lab-over").bounding_box()
    for i, (u, v, _) in enumerate(CROSSED):
        x, y = lab.pixel(u, v)
        column, row = round(x - box["x"]), round(y - box["y"])
        # Left of the sample, where no number stands.
        ring = picture[row - 2 : row + 3, column - 16 : column - 8]
        assert (np.abs(ring - wanted).sum(axis=-1).min() < 60) == (i in marked)


def test_an_empty_picture_says_why(window):
    lab = window.open({"machine": {"name": "one-class"}, "kernel": LINEAR, "points": AROUND})
    assert "the origin of the feature space lies among the samples" in legend(lab)
    assert "= 0, so" in legend(lab)
    assert "f(x) − ρ = 0" not in legend(lab)
    lab.choose("Kernel", "rbf")
    assert "f(x) − ρ = 0" in legend(lab)
    assert "origin" not in legend(lab)


def test_many_samples_at_their_bound_leave_the_line_to_be_seen(window):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(1500) % 2, 1, -1)
    points = np.round(np.column_stack([rng.normal(size=(1500, 2)) * [1, 0.9] + 0.5 * y[:, None] * [1, 0], y]), 3)
    lab = window.open({"kernel": LINEAR, "points": points.tolist()})
    lab.says("Proved optimal")
    assert (np.array(lab.page.evaluate("() => Array.from(window.lab.frame.arrays.roles.data)")) == 2).sum() > 700
    picture = lab.picture().astype(int)
    # The line is nearly upright, and darker than all samples, which lie over it in most rows.
    dark = (picture.max(axis=-1) < 60).any(axis=1)
    assert dark.mean() > 0.3
