# SPDX-License-Identifier: BSD-3-Clause
"""MathJax and its fonts as files of the site, so that formulas are set without a network.

The package ``sphinx-mathjax-offline`` holds all of MathJax, 24 MB; a page needs one file and the fonts.
"""

from importlib.metadata import distribution
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

DISTRIBUTION = "sphinx-mathjax-offline"
NEEDED = ("tex-chtml.js", "output/chtml/fonts")


def setup(app: Sphinx) -> dict[str, bool]:
    """Let pages load MathJax from the site."""
    app.config.mathjax_path = "mathjax/tex-chtml.js"
    app.connect("build-finished", copy_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def copy_files(app: Sphinx, exception: Exception | None) -> None:
    """Copy what pages load."""
    if exception is not None or app.builder.format != "html":
        return
    source = Path(str(distribution(DISTRIBUTION).locate_file(DISTRIBUTION))) / "static" / "mathjax"
    for name in NEEDED:
        target = app.outdir / "_static" / "mathjax" / name
        copy_asset(source / name, target if (source / name).is_dir() else target.parent)
