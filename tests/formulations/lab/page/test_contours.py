# SPDX-License-Identifier: BSD-3-Clause
"""Level lines, and the picture as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from .conftest import CLASSES

SHAPE = (24, 32)
V, U = np.mgrid[-3:3:24j, -4:4:32j]

FIELDS = {
    "a line": (U - 0.3 * V, 0.1),
    "a circle": (U**2 + V**2, 4.0),
    "a saddle": (U * V, 0.05),
    "two hills": (np.exp(-((U - 1.5) ** 2) - V**2) + np.exp(-((U + 1.5) ** 2) - V**2), 0.5),
}


def lines_of(window, field, level):
    found = window.page.evaluate(
        """async ([values, shape, level]) => {
            const { contours } = await import("/contours.js");
            return contours({ data: Float32Array.from(values), shape }, [level])[0];
        }""",
        [field.ravel().tolist(), list(field.shape), level],
    )
    return [np.array(line) for line in found]


@pytest.mark.parametrize("name", FIELDS)
def test_level_lines_lie_on_the_level_and_part_the_corners(window, name):
    field, level = FIELDS[name]
    lines = lines_of(window.open(), field, level)
    field = field.astype(np.float32)
    crossed = 0
    for line in lines:
        column, row = np.floor(line + 1e-9).astype(int).T
        across, up = (line - np.floor(line + 1e-9)).T
        right, above = np.minimum(column + 1, SHAPE[1] - 1), np.minimum(row + 1, SHAPE[0] - 1)
        value = field[row, column] + across * (field[row, right] - field[row, column])
        value += up * (field[above, column] - field[row, column])
        assert value == pytest.approx(level, abs=1e-5)
        assert np.abs(np.diff(line, axis=0)).max() <= 1 + 1e-9
        crossed += len(line) - np.array_equal(line[0], line[-1])
    inside = field > level
    assert crossed == (inside[1:] != inside[:-1]).sum() + (inside[:, 1:] != inside[:, :-1]).sum()


def test_lines_are_joined(window):
    window.open()
    closed = {"a circle": 1, "two hills": 2}
    for name, (field, level) in FIELDS.items():
        lines = lines_of(window, field, level)
        assert len(lines) == {"a line": 1, "a saddle": 2}.get(name, closed.get(name))
        assert all(np.array_equal(line[0], line[-1]) == (name in closed) for line in lines)
    assert lines_of(window, np.zeros(SHAPE), 0.0) == []


def test_lines_of_several_levels_are_those_of_each(window):
    window.open()
    together, apart = window.page.evaluate(
        """async ([values, shape]) => {
            const { contours } = await import("/contours.js");
            const field = { data: Float32Array.from(values), shape }, levels = [0, 0.7, -0.7, 0];
            return [contours(field, levels), levels.map((level) => contours(field, [level])[0])];
        }""",
        [FIELDS["a saddle"][0].ravel().tolist(), list(SHAPE)],
    )
    assert [len(lines) for lines in together] == [2, 2, 2, 2]
    assert together == apart


def test_the_picture_is_drawn_as_svg_as_well(window):
    window.open({"points": CLASSES})
    written = window.page.evaluate("""async () => {
        const [{ drawPicture }, { SvgPainter }] = await Promise.all([import("/picture.js"), import("/paint.js")]);
        const painter = new SvgPainter(400, 300);
        drawPicture(painter, window.lab.frame, window.lab.setting);
        return painter.document();
    }""")
    tags = [node.tag.rpartition("}")[2] for node in ElementTree.fromstring(written).iter()]
    assert tags.count("image") == 1
    assert tags.count("circle") > len(CLASSES)
    assert tags.count("path") >= 4
