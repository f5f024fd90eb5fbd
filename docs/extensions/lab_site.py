# SPDX-License-Identifier: BSD-3-Clause
"""The lab as a page of the site, lab/index.html, which solves in the browser."""

from pathlib import Path

from sphinx.application import Sphinx

from formulations.lab.site import write_site


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the page beside the others."""
    app.connect("build-finished", write_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_page(app: Sphinx, exception: Exception | None) -> None:
    """Write its files."""
    if exception is None and app.builder.format == "html":
        write_site(Path(str(app.outdir)) / "lab")
