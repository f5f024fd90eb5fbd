# SPDX-License-Identifier: BSD-3-Clause
"""Tables and what programs print fit their page.

No number of a table is broken, neither behind the sign of its exponent nor before its unit. A table in plain text that
is wider than the page is set smaller, and sentences that are longer than its lines are wrapped.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

EXPONENT = re.compile(r"(?<=\de-)(?=\d)")
COLUMNS = 118
"""Characters of a line of plain text on a page."""

RULE = re.compile(r"\s*\u2500+\s*")
"""The line below the head of a table in plain text."""

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
    for block in page.findall(nodes.literal_block):
        lines = block.astext().split("\n")
        if max(map(len, lines)) > COLUMNS and "py" not in str(block.get("language")).lower():
            rules = [len(line) for line in lines if RULE.fullmatch(line)]
            block["classes"].append("wide-table" if max(rules, default=0) > COLUMNS else "wrapped")
