# SPDX-License-Identifier: BSD-3-Clause
"""``{model-map}`` draws which model answers which question, and who solves it, with a link behind every name.

The rows are those of the tables of ``models/index.md``, the data that a model takes are read off its class, and its
solvers off the catalogue. The picture is text and lines within the page, in the colours of its theme.
"""

import re
from dataclasses import dataclass
from html import escape
from os.path import relpath
from statistics import mean

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import formulations
from extensions.model_pages import lines_of
from extensions.named_pages import FOLDER, pages
from formulations.models.classification.two_class_model import TwoClassModel

FAMILIES = (
    ("One linear system", ("linear", "conjugate-gradient")),
    ("Newton's method", ("newton",)),
    ("Interior points of a linear program", ("frisch-newton",)),
    ("Steps in the coefficients", ("smo", "coordinate-descent", "interior-point", "semismooth-newton")),
    ("A program over cones", ("clarabel",)),
    ("A rule of their own", ()),
)
"""Each with its solvers; the first one that solves a model is drawn beside it."""

DATA = ("Two classes", "Several classes", "No labels", "Scores", "Real targets")
"""What a model is fitted to, from above."""

ROW = re.compile(r"^\| \[([^]]+)\]\((\S+)\.md\) \| ([^|]+) \|", re.MULTILINE)
TOP, STEP, WIDTH = 28, 25, 1000
"""Pixels of the headings, of a row, and of the whole picture."""

USE, MODEL, LINES, SOLVER = 118, 450, 650, 760
"""Where uses, their models, the lines to the solvers, and the solvers begin."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Know the directive."""
    app.add_directive("model-map", Map)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


@dataclass(frozen=True)
class Place:
    """A model on the map."""

    title: str
    page: str
    use: str
    data: str
    family: int


def places() -> list[Place]:
    """Return the models, those for the same data together, and among them those of the same solvers.

    Raises
    ------
    ValueError
        If a page of the tables shows no model.
    """
    models = {page.stem: name for name, page in reversed(pages("forms", "solvers").items())}
    found = []
    for title, page, use in ROW.findall((FOLDER / "index.md").read_text(encoding="utf-8")):
        if page not in models:
            raise ValueError(f"docs/models/index.md lists {page}.md, which shows no model.")
        found.append(Place(title, page, _plain(use), data_of(models[page]), family_of(models[page])))
    return sorted(found, key=lambda each: (DATA.index(each.data), each.family))


def data_of(model: str) -> str:
    """Return what a model is fitted to, in words."""
    kind = getattr(formulations, model)
    if kind in (formulations.OneVersusOne, formulations.OneVersusRest):
        return "Several classes"
    if kind is formulations.OneClass:
        return "No labels"
    if kind is formulations.PlattCalibration:
        return "Scores"
    two = (TwoClassModel, formulations.Perceptron, formulations.BatchPerceptron, formulations.RelevanceClassification)
    return "Two classes" if issubclass(kind, two) else "Real targets"


def family_of(model: str) -> int:
    """Return the number of the family that the catalogue has first for a model."""
    solvers = {name for line in lines_of(model) for name in line[3].split(", ")}
    return next(number for number, (_, names) in enumerate(FAMILIES) if solvers & set(names) or not names)


def _plain(text: str) -> str:
    """Return Markdown without its formulas' signs."""
    return re.sub(
        r"\$\\?(\w+)\$", lambda formula: {"tau": "\u03c4", "lambda": "\u03bb"}.get(formula[1], formula[1]), text
    )


class Map(SphinxDirective):
    """The picture."""

    def run(self) -> list[nodes.Node]:
        """Draw it into the page."""
        folder = (self.env.srcdir / self.env.docname).parent
        return [nodes.raw("", draw(relpath(FOLDER, folder), relpath(FOLDER.parent / "use", folder)), format="html")]


def draw(models: str, use: str) -> str:
    """Return the picture, with the folders of the pages as seen from the one that shows it."""
    rows = places()
    height = TOP + STEP * len(rows)
    centres = [TOP + STEP * (number + 0.5) for number in range(len(rows))]
    families = _families(dict(zip(centres, rows, strict=True)), height)
    parts = [
        f'<text x="{x}" y="16" class="heading">{heading}</text>'
        for x, heading in ((0, "You have"), (USE, "You want"), (MODEL, "You take"), (SOLVER, "It is solved by"))
    ]
    for y, each, above in zip(centres, rows, [None, *rows], strict=False):
        if above is None or above.data != each.data:
            rule = y - STEP / 2
            parts.append(f'<line x1="0" x2="{LINES - 8}" y1="{rule}" y2="{rule}" class="rule"/>')
            parts.append(f'<text x="0" y="{y + 4}" class="data">{each.data}</text>')
        end, bend = families[each.family], (LINES + SOLVER) / 2
        curve = f"M{LINES} {y}C{bend} {y} {bend} {end} {SOLVER - 8} {end}"
        parts += [
            f'<path d="{curve}" class="family-{each.family}"/>',
            _link(f"{models}/{each.page}.html", MODEL, y + 4, each.title),
            f'<text x="{USE}" y="{y + 4}" class="use">{escape(each.use)}</text>',
        ]
    for number, y in families.items():
        title, names = FAMILIES[number]
        parts.append(_link(f"{use}/which-solver.html#how-it-chooses", SOLVER, y + 4, title))
        for place, line in enumerate((names[:2], names[2:]), start=1):
            parts.append(f'<text x="{SOLVER}" y="{y + 4 + 17 * place}" class="solver">{", ".join(line)}</text>')
    words = "; ".join(f"{each.title}: {each.use} ({FAMILIES[each.family][0].lower()})" for each in rows)
    about = f'role="group" aria-label="Which model, which solver. {escape(words)}"'
    return f'<div class="model-map"><svg viewBox="0 0 {WIDTH} {height}" {about}>{"".join(parts)}</svg></div>'


def _families(rows: dict[float, Place], height: float) -> dict[int, float]:
    """Return where each family is drawn: at equal distances, in the order of the mean places of its models."""
    means = {
        number: mean(y for y, each in rows.items() if each.family == number)
        for number in {each.family for each in rows.values()}
    }
    step = (height - TOP) / len(means)
    return {number: TOP + step * (place + 0.5) for place, number in enumerate(sorted(means, key=means.__getitem__))}


def _link(page: str, x: float, y: float, title: str) -> str:
    return f'<a href="{page}"><text x="{x}" y="{y}" class="model">{escape(title)}</text></a>'
