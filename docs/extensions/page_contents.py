# SPDX-License-Identifier: BSD-3-Clause
"""A page with many headings has its contents beside it; formulas and code of the others have all the room."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

MANY = 5


def setup(app: Sphinx) -> dict[str, bool]:
    """Decide after the theme has filled the side."""
    app.connect("html-page-context", keep_side, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def keep_side(app: Sphinx, name: str, template: str, context: dict[str, Any], page: nodes.document | None) -> None:
    """Leave the side away where there is little to list."""
    del app, name, template
    if page is None or context.get("toc", "").count("<li>") <= MANY:  # the title is one of them
        context["secondary_sidebar_items"] = []
