# SPDX-License-Identifier: BSD-3-Clause
"""A cell of a page that fails is named by file and line, with the exception that it raised."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through every page when it has been read."""
    app.connect("doctree-read", name_failures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def name_failures(app: Sphinx, page: nodes.document) -> None:
    """Warn of the cells that raised an exception."""
    for cell in page.findall(nodes.container):
        if cell.get("nb_element") != "cell_code":
            continue
        for output in cell.findall(nodes.literal_block):
            if output.get("language") == "ipythontb":
                where = (app.env.docname, cell.line)
                logger.warning("this cell failed:\n%s", output.astext(), location=where, type="docs", subtype="cell")
