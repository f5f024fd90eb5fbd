# SPDX-License-Identifier: BSD-3-Clause
"""Every page of the site as a file: its links lead somewhere, its pictures exist and are described in words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

from matplotlib.image import imread

from formulations.exercises import exercises

LARGEST = 60 * 2**20
"""Bytes of the site."""

LARGEST_PICTURE = 60_000
"""Bytes of a picture that is kept with the source."""

DOCS = Path(__file__).parent.parent


@dataclass
class Read:
    """What a page refers to, and what in it can be referred to."""

    links: set[str] = field(default_factory=set)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


class Reader(HTMLParser):
    """Collects links, pictures with their words, and anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.read = Read()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to."""
        found = {name: value or "" for name, value in attributes}
        self.read.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.read.links.add(found["href"])
        if tag in ("link", "script"):
            self.read.links |= {found[name] for name in ("href", "src") if name in found}
        if tag == "img":
            self.read.pictures.append((found.get("src", ""), found.get("alt", "")))


@cache
def read(page: Path) -> Read:
    """Read a page."""
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader.read


def pages(folder: Path) -> list[Path]:
    """Return all pages but the files of the theme, which nobody wrote for the site."""
    return [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts]


def is_internal(link: str) -> bool:
    """Whether a link stays on the site."""
    return not urlsplit(link).scheme and not link.startswith("//")


def missing(page: Path, link: str) -> bool:
    """Whether a link leads to no file, or to no place in it."""
    file, anchor = urldefrag(unquote(link))
    target = (page.parent / urlsplit(file).path).resolve() if file else page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return True
    if anchor.startswith("{"):  # a setting, which the lab reads
        return target.parent.name != "lab"
    return bool(anchor) and target.suffix == ".html" and anchor not in read(target).anchors


def test_every_internal_link_leads_somewhere(folder: Path) -> None:
    lost = [
        f"{page.relative_to(folder)}: {link}"
        for page in pages(folder)
        for link in sorted(read(page).links)
        if is_internal(link) and missing(page, link)
    ]
    assert lost == []


def test_the_reference_shows_examples_and_leads_to_those_of_the_gallery(folder: Path) -> None:
    for name in ("formulations.SoftMargin", "formulations.grid", "qpkernels.RBF", "formulations.plots.TubeDisplay"):
        page = folder / "api" / "generated" / f"{name}.html"
        assert "&gt;&gt;&gt; " in page.read_text(encoding="utf-8")
        assert any(re.search(r"/gallery/\w+/\w+\.html", link) for link in read(page).links), name


def test_an_example_of_the_gallery_shows_its_figure_before_its_code_and_no_assertion(folder: Path) -> None:
    for example in sorted((DOCS / "examples").glob("*/*.py")):
        text = (folder / "gallery" / example.relative_to(DOCS / "examples").with_suffix(".html")).read_text("utf-8")
        article = text[text.index("<article") :]
        assert 'class="k">assert<' not in article, example.name
        if "sphinx_gallery_alt" in example.read_text(encoding="utf-8"):
            assert article.index("<img") < article.index("highlight-Python"), example.name


def test_nothing_is_loaded_from_elsewhere(folder: Path) -> None:
    scripts = {link for page in pages(folder) for link in read(page).links if link.endswith((".js", ".css", ".woff2"))}
    assert [link for link in scripts if not is_internal(link)] == []


def test_every_exercise_can_be_taken_away_as_a_notebook(folder: Path) -> None:
    notebooks = {
        path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.rglob("_downloads/*/*.ipynb")
    }
    for exercise in exercises.values():
        question, check = notebooks[exercise.name]["cells"]
        assert exercise.statement in "".join(question["source"])
        compile("".join(check["source"]), exercise.name, "exec")


def test_every_picture_exists_and_is_described(folder: Path) -> None:
    wrong = [
        f"{page.relative_to(folder)}: {source} ({words!r})"
        for page in pages(folder)
        for source, words in read(page).pictures
        if is_internal(source) and (missing(page, source) or len(words.split()) < 2)
    ]
    assert wrong == []


def test_the_site_is_small(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= LARGEST


def test_the_picture_of_the_lab_is_small_and_can_be_made_anew(tmp_path: Path) -> None:
    kept, made = DOCS / "static" / "lab.png", tmp_path / "lab.png"
    subprocess.run([sys.executable, str(DOCS / "lab_page.py"), str(made)], check=True)
    assert max(kept.stat().st_size, made.stat().st_size) < LARGEST_PICTURE
    assert imread(kept).shape == imread(made).shape
