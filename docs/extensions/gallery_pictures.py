# SPDX-License-Identifier: BSD-3-Clause
"""Alternative texts of the gallery's pictures.

A cell of an example that draws says what is to be seen, in one line of comment or in several that are joined::

    # sphinx_gallery_alt = "Two classes of points, and the line between them."

The gallery leaves these lines out of the code that it shows. Small pictures that lead to an example have its title.
"""

import ast
import re
from typing import Any

import matplotlib.pyplot as plt
from docutils import nodes
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import matplotlib_scraper

__all__ = ["scrape"]

ALT = re.compile(r"^# sphinx_gallery_alt = (.+)$", re.MULTILINE)
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
    return re.sub(r":alt: .*", lambda _: f":alt: {text}", matplotlib_scraper(block, block_vars, gallery_conf))


def name_thumbnails(app: Sphinx, page: nodes.document, name: str) -> None:
    """Give small pictures the titles of the examples to which they lead."""
    del app, name
    for image in page.findall(nodes.image):
        link = image.next_node(nodes.reference, ascend=True)
        if THUMBNAIL.search(image["uri"]) and link is not None:
            image["alt"] = link.astext()
