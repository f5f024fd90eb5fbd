# SPDX-License-Identifier: BSD-3-Clause
"""A figure of a page stands before the code that draws it, and one of several panels stays legible on a phone.

A picture that is much wider than a phone is marked as ``wide`` or ``widest``; the style sheet keeps it from shrinking
to the width of a small screen, where it is swiped instead.
"""

from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from PIL import Image
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_gallery.directives import imgsgnode

WIDE, WIDEST = 900, 1150
"""Pixels of pictures that have two panels or more, and three or more."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Arrange cells once MyST-NB has folded them, and mark pictures."""
    app.add_post_transform(FiguresFirst)
    app.add_post_transform(WidePictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class FiguresFirst(SphinxPostTransform):
    """Put folded code below what it draws."""

    default_priority = 205  # MyST-NB folds at 199
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Move it to the end of its cell."""
        for folded in list(self.document.findall(HideCodeCellNode)):
            cell = folded.parent  # None, where a cell is folded as a whole
            if cell is not None and folded is not cell[-1]:
                cell.remove(folded)
                cell.append(folded)


class WidePictures(SphinxPostTransform):
    """Give wide pictures a class."""

    default_priority = 206
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Look at the size of each."""
        for picture in list(self.document.findall(lambda node: isinstance(node, nodes.image | imgsgnode))):
            file = Path(self.app.srcdir) / picture["uri"].lstrip("/")
            if file.suffix != ".png" or file.parent.name == "static" or not file.exists():
                continue
            with Image.open(file) as drawn:
                width = drawn.width
            if width >= WIDE:
                word = "widest" if width >= WIDEST else "wide"
                picture["classes"].append(word)
                if isinstance(picture, imgsgnode):  # which the gallery writes into its section
                    picture["class"] = [f"sphx-glr-single-img {word}"]
                    picture.replace_self(nodes.container("", picture.deepcopy()))
