# SPDX-License-Identifier: BSD-3-Clause
"""Every picture has an alternative text: one without is an error at its line."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from extensions.gallery_pictures import THUMBNAIL

logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through every page when it has been read."""
    app.connect("doctree-read", require_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def require_words(app: Sphinx, page: nodes.document) -> None:
    """Warn of pictures without words; the small ones of the gallery are named when their links are resolved."""
    del app
    for picture in page.findall(nodes.image):
        if not picture.get("alt", "").strip() and not THUMBNAIL.search(picture["uri"]):
            logger.warning("a picture has no alternative text.", location=picture, type="docs", subtype="alt")
