# SPDX-License-Identifier: BSD-3-Clause
"""The listings of modules lead back to where an object is documented.

Sphinx takes one module for the anchors of all objects of a file, although a page names its object after the module from
which it is imported; the name of the page is the right one.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

BACK = re.compile(r"(/generated/([\w.]+)\.html#)([\w.]+)(?=\")")


def setup(app: Sphinx) -> dict[str, bool]:
    """Correct the links when a listing is written."""
    app.connect("html-page-context", correct_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def correct_links(app: Sphinx, name: str, template: str, context: dict[str, Any], page: nodes.document | None) -> None:
    """Name an object as its page does."""
    del app, template, page
    if name.startswith("_modules/"):
        context["body"] = BACK.sub(_corrected, context["body"])


def _corrected(link: re.Match[str]) -> str:
    start, documented, anchor = link.groups()
    if f"{anchor}.".startswith(f"{documented}."):
        return link[0]
    found = re.search(rf"\.{documented.rpartition('.')[2]}(?=\.|$)(.*)", anchor)
    return f"{start}{documented}{found[1]}" if found else link[0]
