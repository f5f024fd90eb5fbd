# SPDX-License-Identifier: BSD-3-Clause
"""The picture at the top of docs/lab.md, its page in Chromium: python docs/lab_page.py [file], or make lab-page."""

import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from benchmarks.lab.dragging import chromium
from benchmarks.lab.server import serving
from formulations.lab.site import write_site

TONES = 48
"""Colours of the file, which keep it small."""

READY = "window.lab?.frame && window.lab.frame.facts.proof?.status === 'optimal'"


def main(file: Path) -> None:
    """Open the lab of the site with what it starts with, and keep its picture once its answer is proved."""
    with TemporaryDirectory() as folder, chromium() as browser:
        write_site(Path(folder) / "lab")
        # Playwright looks again by code of its own, which the page would refuse.
        page = browser.new_page(viewport={"width": 1300, "height": 770}, color_scheme="light", bypass_csp=True)
        with serving(Path(folder)) as address:
            page.goto(f"{address}/lab/index.html")
            page.wait_for_function(READY, timeout=120_000)
            page.wait_for_load_state("networkidle")
            drawn = page.screenshot()
    tones = Image.open(BytesIO(drawn)).convert("RGB").quantize(TONES, kmeans=2, dither=Image.Dither.NONE)
    tones.save(file, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "static" / "lab.png")
