# SPDX-License-Identifier: BSD-3-Clause
"""Alternative texts of the gallery's pictures, and links that open their machines in the lab.

A cell of an example that draws says what is to be seen, in one line of comment or in several that are joined::

    # sphinx_gallery_alt = "Two classes of points, and the line between them."

Where the figure shows a model that browsers solve, an expression of the example gives it, and a link below the picture
opens the lab with that machine and its samples. A figure of several models has a line for each, with a name where they
are alike::

    # sphinx_gallery_lab = "model"
    # sphinx_gallery_lab = "corner: answers[1]"

The gallery leaves these lines out of the code that it shows. Small pictures that lead to an example have its title.
"""

import ast
import re
from html import escape
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from docutils import nodes
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import matplotlib_scraper

from extensions.lab_frame import for_browsers
from formulations.lab.settings import Chosen, KernelChoice, setting_of_model

__all__ = ["scrape"]

ALT = re.compile(r"^# sphinx_gallery_alt = (.+)$", re.MULTILINE)
LAB = re.compile(r"^# sphinx_gallery_lab = (.+)$", re.MULTILINE)
THUMBNAIL = re.compile(r"images/thumb/sphx_glr_.*_thumb\.\w+$")


def setup(app: Sphinx) -> dict[str, bool]:
    """Name small pictures when links have their titles."""
    app.connect("doctree-resolved", name_thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def scrape(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figure of a cell, and return it as a picture with its alternative text.

    Raises
    ------
    ValueError
        If a cell has several figures, or a figure without the text, or the text without a figure.
    """
    text = " ".join(ast.literal_eval(part) for part in ALT.findall(block.content))
    figures = len(plt.get_fignums())
    if figures != bool(text) or set(text) & set('"<>&'):
        raise ValueError(
            f'{block_vars["src_file"]}:{block.lineno}: a cell that draws one figure has # sphinx_gallery_alt = "...", '
            f"without quotes or brackets inside, but {figures} figures came with the text {text!r}."
        )
    if figures and not len(block_vars["image_path_iterator"]):
        save_panel(plt.gcf(), Path(block_vars["target_file"]))
    picture = re.sub(r":alt: .*", lambda _: f":alt: {text}", matplotlib_scraper(block, block_vars, gallery_conf))
    lines = [ast.literal_eval(line) for line in LAB.findall(block.content)]
    return picture + "".join(link(line, dict(block_vars["example_globals"])) for line in lines)


def link(line: str, names: dict[str, Any]) -> str:
    """Return the link that opens a model of an example in the lab, for a page two folders below the first one."""
    name, _, expression = line.rpartition(": ")
    setting = for_browsers(setting_of_model(eval(expression, names)))
    words = "; ".join([*filter(None, [name.capitalize()]), *map(said, (setting.machine, *setting.kernel))])
    address = escape(f"../../lab/index.html{setting.fragment()}")
    return (
        f'\n.. raw:: html\n\n    <p class="lab-full"><a href="{address}">Open in the lab: {escape(words)}</a></p>\n\n'
    )


def said(chosen: Chosen[Any]) -> str:
    """Return a choice with its values in words."""
    values = [f"{name} = {value:.4g}" for name, value in chosen.values.items()]
    kind = " kernel" if isinstance(chosen.choice, KernelChoice) else ""
    return ", ".join([f"{chosen.choice.title}{kind}", *values])


def save_panel(figure: Figure, example: Path) -> None:
    """Save the largest panel of an example's first figure, of which its small picture is made."""
    file = example.parent / "images" / "thumb" / f"{example.stem}_panel.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    for legend in figure.legends:
        legend.set_visible(False)
    figure.canvas.draw()
    panel = max(figure.axes, key=lambda axes: axes.bbox.width * axes.bbox.height).get_tightbbox()
    inches = panel.padded(12).transformed(figure.dpi_scale_trans.inverted())
    figure.savefig(file, bbox_inches=inches, dpi=400 / inches.width)
    for legend in figure.legends:
        legend.set_visible(True)


def name_thumbnails(app: Sphinx, page: nodes.document, name: str) -> None:
    """Give small pictures the titles of the examples to which they lead."""
    del app, name
    for image in page.findall(nodes.image):
        link = image.next_node(nodes.reference, ascend=True)
        if THUMBNAIL.search(image["uri"]) and link is not None:
            image["alt"] = link.astext()
