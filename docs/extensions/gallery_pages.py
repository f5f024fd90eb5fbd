# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the gallery show a figure before the code that draws it, and no assertions.

The first figure stands below the problem, with the words that explain it. The files to download are the examples as
they are. A small picture that leads to an example shows one panel of its figure.
"""

import ast
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx_gallery.directives import imgsgnode

SIZE = (400, 280)
"""Pixels of a small picture."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Arrange a page when it has been read, and shrink panels when the gallery has been drawn."""
    app.connect("builder-inited", write_thumbnails, priority=900)
    app.connect("doctree-read", arrange)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_thumbnails(app: Sphinx) -> None:
    """Put the panels in place of the small pictures of whole figures."""
    for panel in sorted(Path(app.srcdir).glob("gallery/*/images/thumb/*_panel.png")):
        shown = Image.new("RGB", SIZE, "white")
        with Image.open(panel) as drawn:
            small = drawn.convert("RGB")
            small.thumbnail(SIZE, Image.Resampling.LANCZOS)
        shown.paste(small, ((SIZE[0] - small.width) // 2, (SIZE[1] - small.height) // 2))
        name = panel.stem.removesuffix("_panel")
        shown.quantize(64, kmeans=2, dither=Image.Dither.NONE).save(
            panel.with_name(f"sphx_glr_{name}_thumb.png"), optimize=True
        )


def arrange(app: Sphinx, page: nodes.document) -> None:
    """Move the figures, and take assertions out of the code that is shown."""
    figures = list(page.findall(imgsgnode)) if app.env.docname.startswith("gallery/") else []
    if not figures:
        return
    blocks = [each for each in page.findall(nodes.literal_block) if str(each.get("language")).lower() == "python"]
    order = {id(node): number for number, node in enumerate(page.findall())}
    codes = [[block for block in blocks if order[id(block)] < order[id(figure)]][-1] for figure in figures]
    for figure, code in zip(figures, codes, strict=True):
        first = figure is figures[0]
        target = blocks[0] if first else code
        words = _words_before(code) if first and code is not target else []
        for node in [*words, figure, *_links_behind(figure)]:
            node.parent.remove(node)
            target.parent.insert(target.parent.index(target), node)
    for block in blocks:
        shown = without_assertions(block.astext())
        if shown.strip():
            block.rawsource = shown
            block.children[:] = [nodes.Text(shown)]
        else:
            block.parent.remove(block)


def _words_before(code: nodes.Element) -> list[nodes.Node]:
    """Return the paragraphs, formulas and lists right before some code."""
    words = (nodes.paragraph, nodes.math_block, nodes.bullet_list, nodes.enumerated_list, nodes.comment)
    before = code.parent.children[: code.parent.index(code)]
    return list(takewhile(lambda node: isinstance(node, words), reversed(before)))[::-1]


def _links_behind(figure: nodes.Element) -> list[nodes.Node]:
    """Return the links that open a figure in the lab."""
    behind = figure.parent.children[figure.parent.index(figure) + 1 :]
    return list(takewhile(lambda node: isinstance(node, nodes.raw), behind))


def without_assertions(code: str) -> str:
    """Return code without its assertions, and without loops and conditions that hold nothing else."""
    lines = code.split("\n")
    for start, end in _assertions(ast.parse(code).body):
        lines[start - 1 : end] = [None] * (end - start + 1)  # type: ignore[list-item]
    return "\n".join(line for line in lines if line is not None).strip("\n")


def _assertions(statements: list[ast.stmt]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each."""
    for each in statements:
        if _only_asserts(each):
            yield each.lineno, each.end_lineno or each.lineno
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _assertions(getattr(each, part, []))


def _only_asserts(statement: ast.stmt) -> bool:
    parts = [*getattr(statement, "body", []), *getattr(statement, "orelse", [])]
    return isinstance(statement, ast.Assert) or (bool(parts) and all(map(_only_asserts, parts)))
