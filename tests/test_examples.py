# SPDX-License-Identifier: BSD-3-Clause
"""Every worked example of the gallery runs, prints the numbers that its text states, and draws its pictures."""

import ast
import importlib.util
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.image import imread
from matplotlib.text import Text

from formulations import Machine

DOCS = Path(__file__).parent.parent / "docs"
README = DOCS.parent / "README.md"


def figures_of_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FIGURES = figures_of_docs()
EXAMPLES: list[Path] = FIGURES.EXAMPLES
OWN = [path for path in EXAMPLES if path.parent.name == "own"]
FRONT_PAGE = DOCS / "static" / "front_page.png"
LARGEST = 60_000
"""Bytes of the picture of README.md."""

SHOWN = {
    "w1_hard_margin": [r"margin $1/\|w\| = \sqrt{2}$", "1/4"],
    "w2_gaussian_margins": [
        "corner, hard margin: 4 support vectors",
        "corner, soft margin: 19 support vectors",
        "exclusive or, hard margin: 8 support vectors",
        "exclusive or, soft margin: 39 support vectors",
    ],
    "w3_cost_and_width": [
        rf"$C = {C}$, $\theta = {theta}$: {support} support vectors" + f"\noptimal value {optimum}"
        for C, theta, support, optimum in (
            ("0.5", 1, 25, "8.3485"),
            ("1", 1, 19, "12.7482"),
            ("10", 1, 10, "44.4268"),
            ("0.5", 5, 21, "4.9511"),
            ("1", 5, 15, "6.5343"),
            ("10", 5, 7, "14.4781"),
            ("0.5", 10, 26, "4.8982"),
            ("1", 10, 22, "6.1423"),
            ("10", 10, 19, "9.1186"),
        )
    ],
    "w5_tube": [
        r"$\theta = 10$: 7 support vectors of 20, 5 on the edge and 2 outside",
        r"$\theta = 15$: 8 support vectors of 20, 7 on the edge and 1 outside",
    ],
    "w6_relevance_regression": ["3 relevance vectors of 20 samples", r"$\ln p = -5.991$"],
    "w7_relevance_classes": ["4 relevance vectors of 100", "26 support vectors of 100", "-12.248", "-10.853"],
    "w8_outlier": ["squares: 0.36", "absolute: 0.47", "Chebyshev: -0.01"],
    "dimension_and_margin": ["= 1$: 133", "= 5$: 26", "= 10$: 18", "degree 2: 6", "degree 3: 10"],
    "exclusive_or": ["margin 1/4"],
    "tube_and_squares": [
        r"tube, $c = 8$, $C = 0.5$, $\epsilon = 0.2$: 18 support vectors of 21",
        "least squares, $c = 8$, $C = 40$: 21 coefficients of 21",
    ],
}
"""Numbers that the figures of the sources' own data show."""

every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def stated(source: str) -> list[str]:
    """Return what the text of an example sets ``like this`` with a number in it."""
    text = source.split('"""')[1] + " ".join(re.findall(r"^#(?!.*sphinx_gallery)(.*)$", source, re.MULTILINE))
    return [literal for literal in re.findall(r"``([^`]+)``", text) if re.search(r"\d", literal)]


def test_the_gallery_has_the_examples_of_the_textbook() -> None:
    textbook = [path.stem for path in EXAMPLES if path.parent.name == "textbook"]
    assert [name.partition("_")[0] for name in textbook] == [f"w{number}" for number in range(1, 10)]
    assert all(stated(path.read_text()) for path in EXAMPLES if path.stem in textbook[:8])


def statement_of(source: str) -> int:
    """Return how many lines the statement of an example has, from the cell that says so to its first Machine."""
    tree, start = ast.parse(source), source[: source.index("\n# %%\n# The statement")].count("\n")
    following = [node for node in tree.body if node.lineno > start]
    last = next(node for node in following if "Machine(" in (ast.get_source_segment(source, node) or ""))
    stated = following[: following.index(last) + 1]
    return sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in stated)


def test_problems_of_ones_own_are_stated_in_a_few_lines() -> None:
    lengths = [statement_of(path.read_text()) for path in OWN]
    assert max(lengths) <= 15
    assert np.mean(lengths) <= 8


@every_example
def test_an_example_prints_its_numbers_and_draws_its_pictures(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found, run = {}, runpy.run_path
    monkeypatch.setattr(runpy, "run_path", lambda *names, **others: found.update(run(*names, **others)))
    monkeypatch.setattr(sys, "argv", [str(path)])
    drawn = FIGURES.draw(path, tmp_path)

    printed = re.sub(r"\s+", " ", capsys.readouterr().out)
    for number in stated(path.read_text()):
        assert number in printed
    shown = [text.get_text() for figure in drawn.values() for text in figure.findobj(Text)]
    for number in SHOWN.get(path.stem, ()):
        assert any(number in text for text in shown), number

    # A cell draws one figure, and says in words what is to be seen.
    cells = re.split(r"^# %%", path.read_text(), flags=re.MULTILINE)
    assert len(drawn) == sum("# sphinx_gallery_alt = " in cell for cell in cells) > 0
    for file in drawn:
        assert_whole(file)

    # The optimum of a problem of one's own is that of its matrices.
    machines = {id(each): each for each in found.values() if isinstance(each, Machine)}
    assert machines or path not in OWN
    for machine in machines.values():
        ours, theirs = machine.solve(tol=1e-7), machine.solve("clarabel", tol=1e-7)
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-6, abs=1e-6)


def test_the_figures_of_the_sources_are_examples() -> None:
    assert SHOWN.keys() <= {path.stem for path in EXAMPLES}


def test_figures_are_drawn_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FIGURES, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(sys, "argv", ["figures.py", "w1", "w6"])
    FIGURES.main(["w1", "w6"])
    drawn = sorted(file.name for file in (tmp_path / "figures").iterdir())
    assert drawn == ["w1_hard_margin.png", "w6_relevance_regression-1.png", "w6_relevance_regression-2.png"]


def test_a_name_without_an_example_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FIGURES, "DOCS", tmp_path / "docs")
    with pytest.raises(SystemExit, match=r"no example begins with w0; there are .*w1_hard_margin"):
        FIGURES.main(["w0"])


def assert_whole(file: Path) -> None:
    """Check that something is drawn in colours, and that nothing is cut off: it would touch the border."""
    pixels = imread(file)[..., :3]
    drawn = (pixels < 0.9).any(axis=2)
    assert 0.01 < drawn.mean() < 0.9
    colours = np.round(10 * pixels[drawn]) @ [1, 11, 121]
    assert np.unique(colours).size > 3
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
