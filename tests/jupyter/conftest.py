# SPDX-License-Identifier: BSD-3-Clause
"""Notebooks in JupyterLab itself: one server and one browser for all, and a notebook with a kernel for each test."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page

from benchmarks.lab.dragging import chromium, find_chromium

PATIENCE = 120.0
"""Seconds until something that is waited for must be there: kernels compile, and the computer may be busy."""

TOKEN = "token-of-the-tests"

READY = """() => {
    const { context, sessionContext } = window.jupyterapp?.shell.currentWidget ?? {};
    return context?.isReady && sessionContext?.isReady && sessionContext.session?.kernel?.status === "idle";
}"""

RUN = """async (i) => {
    const { content, sessionContext } = window.jupyterapp.shell.currentWidget;
    content.activeCellIndex = i;
    await window.jupyterapp.commands.execute("notebook:run-cell");
    const outputs = content.widgets[i].model.outputs.toJSON();
    const error = outputs.find((output) => output.output_type === "error");
    if (error) throw new Error(error.evalue);
    return outputs.map((output) => output.text ?? "").join("");
}"""


class Notebook:
    """A notebook in a window of JupyterLab."""

    def __init__(self, page: Page, address: str, path: Path) -> None:
        self.page = page
        self.path = path
        self.complaints: list[str] = []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("pageerror", lambda error: self.complaints.append(str(error.stack)))
        page.goto(f"{address}/lab/workspaces/{path.stem}/tree/{path.name}?token={TOKEN}")
        self.until(READY)

    def until(self, condition: str, argument: Any = None) -> None:
        """Wait until a function of JavaScript returns true."""
        end = time.monotonic() + PATIENCE
        while not self.page.evaluate(condition, argument):
            assert time.monotonic() < end, f"never came true: {condition}; the page said {self.complaints}"
            self.page.wait_for_timeout(50)

    def run(self, cell: int) -> str:
        """Run a cell, and return what it printed."""
        return self.page.evaluate(RUN, cell)

    def command(self, name: str, **arguments: Any) -> None:
        """Execute a command of JupyterLab."""
        self.page.evaluate("([name, args]) => window.jupyterapp.commands.execute(name, args)", [name, arguments])

    def settle(self) -> None:
        """Wait until the picture of the lab that was built last is that of its setting."""
        self.until("() => window.lab?.frame && window.lab.frame.setting === window.lab.setting")

    @property
    def lab(self) -> Locator:
        """Each place in which a lab is shown."""
        return self.page.locator(".qp-lab")

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.page.locator(".jp-Notebook .jp-Cell").count()

    def pixel(self, across: float, up: float, place: int = 0) -> tuple[float, float]:
        """Return where parts of the width and of the height of a picture are in the window."""
        over = self.lab.nth(place).locator(".lab-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        assert box is not None
        return box["x"] + across * box["width"], box["y"] + (1.0 - up) * box["height"]

    def says(self, words: str, place: int = 0) -> None:
        """Wait until the status of a lab has these words."""
        condition = "([i, words]) => document.querySelectorAll('.lab-status')[i]?.textContent.includes(words)"
        self.until(condition, [place, words])


def _write(path: Path, cells: tuple[str, ...]) -> None:
    listed = [
        {"cell_type": "code", "id": f"cell-{i}", "metadata": {}, "execution_count": None, "outputs": [], "source": text}
        for i, text in enumerate(cells)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {"cells": listed, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), encoding="utf-8")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebooks")


@pytest.fixture(scope="session")
def address(request: pytest.FixtureRequest, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the folder by JupyterLab, with settings of its own."""
    home = tmp_path_factory.mktemp("home")
    own = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    command = [
        request.config.getoption("--jupyter"),
        "--no-browser",
        "--allow-root",
        "--expose-app-in-browser",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        f"--IdentityProvider.token={TOKEN}",
        "--LabApp.news_url=None",
    ]
    environment = {**os.environ, **own, "IPYTHONDIR": str(home / "ipython")}
    log = home / "log.txt"
    with log.open("w") as said, subprocess.Popen(command, env=environment, stdout=said, stderr=said) as server:
        try:
            _await(f"http://127.0.0.1:{port}/api?token={TOKEN}", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


def _await(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            urlopen(address).close()
            return
        except URLError:
            assert server.poll() is None, f"JupyterLab has ended: {log.read_text()}"
            assert time.monotonic() < end, f"JupyterLab does not answer: {log.read_text()}"
            time.sleep(0.1)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    assert find_chromium() is not None, "there is no Chromium: make browser installs it"
    with chromium() as browser:
        yield browser


@pytest.fixture
def notebook(
    browser: Browser, address: str, folder: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Notebook]]:
    """Return a function that opens a notebook with these cells; its page must not complain."""
    context = browser.new_context(viewport={"width": 1500, "height": 1000}, reduced_motion="reduce")
    opened: list[Notebook] = []

    def notebook(*cells: str) -> Notebook:
        path = folder / f"{request.node.name}.ipynb"
        _write(path, cells)
        opened.append(Notebook(context.new_page(), address, path))
        return opened[-1]

    yield notebook
    for each in opened:
        each.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    context.close()
    assert not [words for each in opened for words in each.complaints]
