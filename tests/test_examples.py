# SPDX-License-Identifier: BSD-3-Clause
"""Every worked example of the documentation runs, prints the numbers of the gallery, and draws its picture."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

FOLDER = Path(__file__).parent.parent / "docs" / "examples"
README = FOLDER.parent.parent / "README.md"
EXAMPLES = sorted(FOLDER.glob("w*.py"))
PICTURED = [FOLDER / "front_page.py", *EXAMPLES]

LARGEST = 60_000
"""Bytes of a picture."""


def gallery() -> dict[str, list[str]]:
    """Return, by file name, what the gallery says that the example prints."""
    rows = re.findall(r"^\| W\d+ \|.*\[(w\w+\.py)\]\(\1\) \|(.*)\|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    return {name: re.findall(r"`([^`]+)`", row) for name, row in rows}


def test_the_gallery_shows_every_example() -> None:
    assert [path.name for path in EXAMPLES] == list(gallery())
    assert {f"w{number}" for number in range(1, 9)} <= {path.stem.partition("_")[0] for path in EXAMPLES}
    assert all(gallery()[path.name] for path in EXAMPLES[:8])


@pytest.mark.parametrize("path", PICTURED, ids=lambda path: path.stem)
def test_an_example_prints_its_numbers_and_draws_its_picture(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "new" / "folder")])
    runpy.run_path(str(path), run_name="__main__")

    printed = capsys.readouterr().out
    for number in gallery().get(path.name, []):
        assert number in printed

    (picture,) = (tmp_path / "new" / "folder").iterdir()
    assert picture.name == f"{path.stem}.png"
    assert picture.stat().st_size < LARGEST
    pixels = imread(picture)[..., :3]
    drawn = (pixels < 0.9).any(axis=2)
    assert 0.01 < drawn.mean() < 0.9
    colours = np.unique(np.round(pixels[drawn], 1), axis=0)
    assert len(colours) > 3
    # What is cut off would touch the border.
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (border == 1.0).all()


@pytest.mark.parametrize("path", PICTURED, ids=lambda path: path.stem)
def test_the_pages_show_a_small_picture(path: Path) -> None:
    picture = FOLDER / "pictures" / f"{path.stem}.png"
    assert picture.stat().st_size < LARGEST
    page = README if path.stem == "front_page" else FOLDER / "README.md"
    assert f"{picture.relative_to(page.parent)}" in page.read_text()
