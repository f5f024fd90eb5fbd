# SPDX-License-Identifier: BSD-3-Clause
"""Every picture has an alternative text: one without is an error at its line."""

import re

from docutils import nodes
from matplotlib.sphinxext.plot_directive import PlotDirective
from sphinx.application import Sphinx
from sphinx.util import logging

from extensions.gallery_pictures import THUMBNAIL

logger = logging.getLogger(__name__)

PLOTTED = re.compile(r"\bplot_directive/")
MISSING = "a picture has no alternative text."


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every directive that draws, and through every page when it has been read."""
    app.add_directive("plot", DescribedPlot, override=True)
    app.connect("doctree-read", require_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def warn(location: object) -> None:
    """Warn of a picture without words."""
    logger.warning(MISSING, location=location, type="docs", subtype="alt")


class DescribedPlot(PlotDirective):
    """The directive that draws, which writes pictures whose lines are no longer those of the page."""

    def run(self) -> list[nodes.Node]:
        """Warn where words are missing, and draw."""
        if not (self.options.get("alt") or "").strip():
            source, line = self.state_machine.get_source_and_line(self.lineno)
            warn(f"{source}:{line}")
        return super().run()


def require_words(app: Sphinx, page: nodes.document) -> None:
    """Warn of other pictures without words; the small ones of the gallery are named when their links are resolved."""
    del app
    for picture in page.findall(nodes.image):
        elsewhere = THUMBNAIL.search(picture["uri"]) or PLOTTED.search(picture["uri"])
        if not picture.get("alt", "").strip() and not elsewhere:
            warn(_with_line(picture))


def _with_line(node: nodes.Node) -> nodes.Node:
    """Return the node, or the nearest one around it of which the line is known."""
    while not node.line and node.parent is not None:
        node = node.parent
    return node
