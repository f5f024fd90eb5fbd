# SPDX-License-Identifier: BSD-3-Clause
"""Large pictures of the site have a palette, since a figure of lines and areas needs a third of the bytes in it."""

from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx

LARGE = 40_000
"""Bytes of a picture from which this is worth it."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Look through the pictures when all are copied."""
    app.connect("build-finished", lighten)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def lighten(app: Sphinx, exception: Exception | None) -> None:
    """Write opaque pictures in 128 colours, each of which is the mean of those that it stands for."""
    if exception is not None or app.builder.format != "html":
        return
    for path in sorted((Path(app.outdir) / "_images").glob("*.png")):
        if path.stat().st_size > LARGE:
            with Image.open(path) as picture:
                drawn = picture.convert("RGBA")
            if drawn.getextrema()[3] == (255, 255):
                drawn.convert("RGB").quantize(128, kmeans=2, dither=Image.Dither.NONE).save(path, optimize=True)
