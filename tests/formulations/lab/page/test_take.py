# SPDX-License-Identifier: BSD-3-Clause
"""What is taken from the page: files as the browser saves them, and text as it copies it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from formulations.lab.exports import EXPORTS
from formulations.lab.settings import read_setting
from formulations.lab.views import VIEWS
from qpkernels.files import load_dataset, read

SETTING = {
    "machine": {"name": "soft-margin", "values": {"C": 2}},
    "kernel": [{"name": "rbf", "values": {"gamma": 0.5}}],
    "points": [[-1, 0.25, -1], [-2, 1, -1], [0.5, 0.125, -1], [1, 1, 1], [2, -1, 1]],
}


@pytest.fixture
def saved(window: Any, tmp_path: Path) -> Callable[[str], Path]:
    """Return how a button saves a file."""
    window.open(SETTING)

    def save(words: str) -> Path:
        with window.page.expect_download() as download:
            window.page.get_by_role("button", name=words).click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    return save


def test_points_are_saved_as_the_library_reads_them(saved: Callable[[str], Path]) -> None:
    path = saved("Download the points")
    assert path.name == "points.csv"
    data, setting = load_dataset(str(path)), read_setting(SETTING, VIEWS)
    assert np.array_equal(data.X, setting.X)
    assert np.array_equal(data.y, setting.y)
    assert data.feature_names == ("x1", "x2")


def test_the_program_is_saved_whole(saved: Callable[[str], Path]) -> None:
    program = read(saved("Download the convex program as matrices"))
    assert program.q.size > 5
    assert "margin" in {block.name for block in program.rows}


def test_the_picture_is_saved_for_print_and_for_slides(saved: Callable[[str], Path]) -> None:
    root = ElementTree.parse(saved("Download the picture for print")).getroot()
    assert root.get("viewBox") == "0 0 800 600"
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert len(circles) >= 2
    pixels = np.asarray(Image.open(saved("Download the picture for slides")).convert("RGB"))
    assert pixels.shape == (1200, 1600, 3)
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50


def test_the_lines_of_python_and_the_link_are_copied(window: Any) -> None:
    window.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.open(SETTING)

    def copied(words: str, said: str) -> str:
        window.page.get_by_role("button", name=words).click()
        window.until(f"document.querySelector('.lab-taken').textContent.includes('{said}')")
        return window.page.evaluate("() => navigator.clipboard.readText()")

    lines = copied("Copy the lines of Python that solve and draw this", "Python lines copied.")
    assert lines == EXPORTS["python"](read_setting(SETTING, VIEWS)).content
    link = copied("Copy a link that shows this to others", "opied")
    assert "token" not in link
    assert "127.0.0.1" not in link
    linked = read_setting(json.loads(unquote(link.partition("#")[2].rstrip("'"))), VIEWS)
    assert linked.same_problem(read_setting(SETTING, VIEWS))


def test_what_is_refused_is_said(window: Any) -> None:
    window.open({**SETTING, "points": []})
    window.page.get_by_role("button", name="Download the points").click()
    window.until("document.querySelector('.lab-taken').textContent")
    assert (
        window.page.locator(".lab-taken").inner_text()
        == "Not taken: there are no points to take along; add some first."
    )
