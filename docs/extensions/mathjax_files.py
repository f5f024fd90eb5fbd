# SPDX-License-Identifier: BSD-3-Clause
"""MathJax and its fonts as files of the site, so that formulas are set without a network.

The package ``sphinx-mathjax-offline`` holds all of MathJax, 24 MB; a page needs the parts that read TeX and set it. The
file that has these together, ``tex-chtml.js``, holds a menu of 400 kB as well.
"""

from importlib.metadata import distribution
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.fileutil import copy_asset

DISTRIBUTION = "sphinx-mathjax-offline"
LOADED = ("input/tex", "output/chtml", "a11y/assistive-mml")
FONTS = "output/chtml/fonts/woff-v2"
NEEDED = ("startup", "core", *LOADED, "output/chtml/fonts/tex")


def setup(app: Sphinx) -> dict[str, bool]:
    """Let pages load MathJax from the site."""
    app.config.mathjax_path = "mathjax/startup.js"
    app.config.mathjax3_config = {"loader": {"load": list(LOADED)}}
    app.connect("build-finished", copy_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def copy_files(app: Sphinx, exception: Exception | None) -> None:
    """Copy what pages load."""
    if exception is not None or app.builder.format != "html":
        return
    source = Path(str(distribution(DISTRIBUTION).locate_file(DISTRIBUTION))) / "static" / "mathjax"
    target = app.outdir / "_static" / "mathjax"
    for name in NEEDED:
        copy_asset(source / f"{name}.js", (target / name).parent)
    copy_asset(source / FONTS, target / FONTS)
