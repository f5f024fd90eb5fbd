# SPDX-License-Identifier: BSD-3-Clause
"""No number of a table is broken, neither behind the sign of its exponent nor before its unit."""

import re

from docutils import nodes
from sphinx.application import Sphinx

EXPONENT = re.compile(r"(?<=\de-)(?=\d)")
NUMBER = re.compile(r"[^A-Za-z]{0,3}\d.{0,16}")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through the tables of a page when it has been read."""
    app.connect("doctree-read", keep_whole)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def keep_whole(app: Sphinx, page: nodes.document) -> None:
    """Join what belongs together."""
    del app
    for cell in page.findall(nodes.entry):
        if NUMBER.fullmatch(cell.astext()):
            cell["classes"].append("number")
        for text in list(cell.findall(nodes.Text)):
            joined = EXPONENT.sub("\u2060", text)
            if joined != text:
                text.parent.replace(text, nodes.Text(joined))
