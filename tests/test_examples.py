# SPDX-License-Identifier: BSD-3-Clause
"""Every worked example of the documentation runs, prints the numbers of the gallery, and draws its picture."""

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

FOLDER = Path(__file__).parent.parent / "docs" / "examples"
EXAMPLES = sorted(FOLDER.glob("w*.py"))


def gallery() -> dict[str, list[str]]:
    """Return, by file name, what the gallery says that the example prints."""
    rows = re.findall(r"^\| W\d+ \|.*\[(w\w+\.py)\]\(\1\) \|(.*)\|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    return {name: re.findall(r"`([^`]+)`", row) for name, row in rows}


def test_the_gallery_shows_every_example() -> None:
    assert [path.name for path in EXAMPLES] == list(gallery())
    assert {f"w{number}" for number in range(1, 9)} <= {path.stem.partition("_")[0] for path in EXAMPLES}
    assert all(gallery()[path.name] for path in EXAMPLES[:8])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_its_numbers_and_draws_its_picture(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path / "new" / "folder")])
    runpy.run_path(str(path), run_name="__main__")

    printed = capsys.readouterr().out
    for number in gallery()[path.name]:
        assert number in printed

    (picture,) = (tmp_path / "new" / "folder").iterdir()
    assert picture.name == f"{path.stem}.png"
    pixels = imread(picture)
    drawn = pixels[..., 3] > 0.5
    assert 0.01 < drawn.mean() < 0.9
    colours = np.unique(np.round(pixels[drawn][:, :3], 1), axis=0)
    assert len(colours) > 3
    # What is cut off would touch the border.
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert not border[:, 3].any()


@pytest.mark.parametrize("name", ["INK", "BLUE", "ORANGE", "GREEN", "PURPLE"])
def test_a_colour_reads_on_white_and_on_black(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    import figures

    channels = np.array(to_rgb(getattr(figures, name)))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    # Contrast ratios of the Web Content Accessibility Guidelines: 4.5 for text, 3 for graphics.
    least = 4.5 if name == "INK" else 3.0
    assert 1.05 / (luminance + 0.05) >= least
    assert (luminance + 0.05) / 0.05 >= least
