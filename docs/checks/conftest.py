# SPDX-License-Identifier: BSD-3-Clause
"""The site that ``make docs`` has built, served on this computer, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from benchmarks.lab.dragging import chromium, find_chromium
from benchmarks.lab.server import serving


@pytest.fixture(scope="session")
def folder() -> Path:
    """Return where the site is."""
    folder = Path(__file__).parent.parent / "_build" / "html"
    if not (folder / "index.html").exists():
        pytest.fail(f"the site was expected in {folder}, but is not there; make docs builds it.", pytrace=False)
    return folder


@pytest.fixture(scope="session")
def address(folder: Path) -> Iterator[str]:
    """Serve the site."""
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a browser."""
    if find_chromium() is None:
        pytest.fail("a browser was expected, but there is no Chromium; make browser installs it.", pytrace=False)
    with chromium() as browser:
        yield browser
