# SPDX-License-Identifier: BSD-3-Clause
"""Every picture has an alternative text: one without is an error at its line.

Thumbnails of the gallery, which nobody writes, have the name of their example.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

THUMBNAIL = re.compile(r"sphx_glr_(?:w\d+_)?(\w+?)_thumb")


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through every page when it has been read."""
    app.connect("doctree-read", require_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def require_words(app: Sphinx, page: nodes.document) -> None:
    """Name thumbnails by their examples, and warn of pictures without words."""
    del app
    for picture in page.findall(nodes.image):
        if thumbnail := THUMBNAIL.search(picture["uri"]):
            picture["alt"] = f"The picture of the example {thumbnail[1].replace('_', ' ')}"
        elif not picture.get("alt", "").strip():
            logger.warning("a picture has no alternative text.", location=picture, type="docs", subtype="alt")
