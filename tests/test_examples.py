# SPDX-License-Identifier: BSD-3-Clause
"""Every worked example of the gallery runs, prints the numbers that its text states, and draws its pictures."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.image import imread

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"
EXAMPLES = sorted((DOCS / "examples").glob("*/*.py"))
FRONT_PAGE = DOCS / "static" / "front_page.png"
LARGEST = 60_000
"""Bytes of the picture of README.md."""

every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def stated(source: str) -> list[str]:
    """Return what the text of an example sets ``like this`` with a number in it."""
    text = source.split('"""')[1] + " ".join(re.findall(r"^#(?!.*sphinx_gallery)(.*)$", source, re.MULTILINE))
    return [literal for literal in re.findall(r"``([^`]+)``", text) if re.search(r"\d", literal)]


def test_the_gallery_has_the_examples_of_the_textbook() -> None:
    textbook = [path.stem for path in EXAMPLES if path.parent.name == "textbook"]
    assert [name.partition("_")[0] for name in textbook] == [f"w{number}" for number in range(1, 10)]
    assert all(stated(path.read_text()) for path in EXAMPLES if path.stem in textbook[:8])


@every_example
def test_an_example_prints_its_numbers_and_draws_its_pictures(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(path)])
    plt.close("all")
    with rc_context():
        runpy.run_path(str(path), run_name="__main__")
        figures = [plt.figure(number) for number in plt.get_fignums()]
        for number, figure in enumerate(figures):
            figure.savefig(tmp_path / f"{number}.png", dpi=100)
        plt.close("all")

    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    for number in stated(path.read_text()):
        assert number in printed

    # A cell draws one figure, and says in words what is to be seen.
    cells = re.split(r"^# %%", path.read_text(), flags=re.MULTILINE)
    assert len(figures) == sum("# sphinx_gallery_alt = " in cell for cell in cells) > 0
    for file in tmp_path.iterdir():
        assert_whole(file)


def assert_whole(file: Path) -> None:
    """Check that something is drawn in colours, and that nothing is cut off: it would touch the border."""
    pixels = imread(file)[..., :3]
    drawn = (pixels < 0.9).any(axis=2)
    assert 0.01 < drawn.mean() < 0.9
    assert len(np.unique(np.round(pixels[drawn], 1), axis=0)) > 3
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    assert (border == 1.0).all()


def test_the_picture_of_the_front_page_is_small_and_can_be_drawn_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert FRONT_PAGE.stat().st_size < LARGEST
    assert f"{FRONT_PAGE.relative_to(README.parent)}" in README.read_text()
    monkeypatch.setattr(sys, "argv", ["front_page.py", str(tmp_path / "picture.png")])
    with rc_context():
        runpy.run_path(str(DOCS / "front_page.py"), run_name="__main__")
        plt.close("all")
    assert_whole(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size < LARGEST
