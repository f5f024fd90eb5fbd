# SPDX-License-Identifier: BSD-3-Clause
"""Measure the lab in a real browser: python -m benchmarks.lab [--points 300 2000] [--site 200 500] [--soak MINUTES].

A server runs in a process of its own, and Chromium without a window drags a point of a soft margin with the Gaussian
kernel around, sixty events a second. The page measures from the newest event in a frame to the end of its drawing. The
lab of the site is measured in the same way, from files that a plain web server sends. The soak sends random events, one
when the last is answered, and looks at the memory of the server. What is found is written to lab.json and lab.md;
what is left out of a run stays as it was measured last, but for the bytes of the page.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import formulations.lab
from benchmarks.computer import Watch, this_computer
from benchmarks.lab.dragging import chromium, dragged, opened
from benchmarks.lab.page import page
from benchmarks.lab.server import running, serving
from benchmarks.lab.soak import soak
from formulations.lab.site import write_site

__all__ = ["main", "weight"]

_PAGE = Path(formulations.lab.__file__).parent / "page"

_LOOKING = 3.0
"""Seconds for which the computer is looked at, before a measurement and after it."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab", description=__doc__)
    parser.add_argument("--points", type=int, nargs="*", default=[300, 2000])
    parser.add_argument("--site", type=int, nargs="*", default=[200, 500], help="points, for the lab of the site")
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--openings", type=int, default=5, help="of the page, each on a server that has just started")
    parser.add_argument("--soak", type=float, default=60.0, help="minutes; 0: none")
    parser.add_argument("--out", type=Path, default=Path("docs/performance"))
    asked = parser.parse_args(arguments)
    path = asked.out / "lab.json"
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if asked.points:
        kept |= _in_browser(asked.points, asked.events, asked.openings)
    if asked.site:
        kept["site"] = _of_site(asked.site, asked.events, asked.openings)
    if asked.soak:
        kept |= _soaked(60.0 * asked.soak)
    kept["weight"] = weight()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(kept), encoding="utf-8")


def weight() -> int:
    """Return the bytes of all files of the page; the solver is of pages without a server."""
    return sum(file.stat().st_size for file in _PAGE.rglob("*") if file.is_file() and file.parent.name != "solver")


def _in_browser(points: Sequence[int], events: int, times: int) -> dict[str, Any]:
    """Open the page some times, and drag a point of each number of points."""
    before = _busy()
    with chromium() as browser:
        openings = []
        for _ in range(times):
            with running() as server:
                openings.append(asdict(opened(browser, server.address)))
        drags = []
        with running() as server:
            for count in points:
                drags.append(asdict(dragged(browser, server.address, count, events)))
                print(page({"drags": drags, "weight": weight()}))
    found = {"openings": openings, "drags": drags}
    return {"where": _where(before), **{name: measured for name, measured in found.items() if measured}}


def _of_site(points: Sequence[int], events: int, times: int) -> dict[str, Any]:
    """Write the lab of the site, open it some times, and drag a point of each number of points."""
    before = _busy()
    with TemporaryDirectory() as name, chromium() as browser, serving(Path(name)) as address:
        write_site(Path(name))
        weight = sum(file.stat().st_size for file in Path(name).iterdir())
        openings = [asdict(opened(browser, address)) for _ in range(times)]
        drags = [asdict(dragged(browser, address, count, events)) for count in points]
    return {"where": _where(before), "weight": weight, "openings": openings, "drags": drags}


def _soaked(seconds: float) -> dict[str, Any]:
    """Send random events."""
    before = _busy()
    with running() as server:
        readings = [reading._asdict() for reading in soak(server, seconds)]
    return {"soak": {"where": _where(before), "readings": readings}}


def _busy() -> float | None:
    """Return how many processors others keep busy; a browser's processes are not told from theirs while it runs."""
    watch = Watch(this_computer())
    sleep(_LOOKING)
    return watch.setting().others


def _where(before: float | None) -> dict[str, Any]:
    """Return computer, day, and how many processors others kept busy before or after."""
    watch = Watch(this_computer())
    sleep(_LOOKING)
    here = watch.setting()
    others = None if before is None or here.others is None else max(before, here.others)
    return {**asdict(here), "others": others}


if __name__ == "__main__":
    main()
