# SPDX-License-Identifier: BSD-3-Clause
"""A point dragged in a browser without a window, sixty events a second as a mouse sends them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["Dragged", "Opened", "chromium", "dragged", "find_chromium", "opened"]

_RATE = 60.0
"""Events a second."""

_PATIENCE = 60.0
"""Seconds until the first frame must be there."""

_WATCH = """() => {
  const { lab } = window, { conversation } = lab, { transport } = conversation;
  const seen = window.seen = { frames: [], longest: 0 };
  const [send, frame] = [transport.send.bind(transport), conversation.frame.bind(conversation)];
  const waiting = new Set();
  transport.send = (text) => {
    const { seq, ask } = JSON.parse(text);
    if (!ask) waiting.add(seq);
    seen.longest = Math.max(seen.longest, waiting.size);
    send(text);
  };
  conversation.frame = (came) => {
    const { status, gap } = came.facts.proof ?? {};
    seen.frames.push([status ?? "no answer", gap ?? null]);
    waiting.delete(came.facts.seq);
    frame(came);
  };
  lab.latencies.length = 0;
}"""


def find_chromium() -> str | None:
    """Return where Chromium is; None where it is not installed."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser, and end it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


@dataclass(frozen=True)
class Opened:
    """How a page comes up: milliseconds from the request on."""

    first_paint: float
    first_frame: float


@dataclass(frozen=True)
class Dragged:
    """What became of the events.

    Attributes
    ----------
    points, events
        How many.
    latencies
        Milliseconds from the newest event in a frame to the end of its drawing.
    statuses, worst_gap
        How many frames said what, and the largest relative gap of those that said ``optimal``.
    queue
        Settings that had been sent and were not answered, at most.
    """

    points: int
    events: int
    latencies: list[float]
    statuses: dict[str, int]
    worst_gap: float
    queue: int


def opened(browser: Browser, address: str) -> Opened:
    """Open the page as it begins, and return how long it took."""
    page = browser.new_page()
    page.goto(address)
    _until(page, "window.lab?.frame")
    first_frame = page.evaluate("() => performance.now()")
    # A picture may be drawn before the browser has painted any.
    _until(page, "performance.getEntriesByName('first-contentful-paint').length")
    paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.close()
    return Opened(float(paint), float(first_frame))


def dragged(browser: Browser, address: str, count: int, events: int) -> Dragged:
    """Drag a point of ``count`` points of a soft margin around, and return what the page measured."""
    setting = _setting(count)
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(f"{address}#{quote(json.dumps(setting))}")
    _until(page, "window.lab?.frame && window.lab.frame.setting === window.lab.setting")
    box = page.locator(".lab-over").bounding_box()
    assert box is not None
    left, right, bottom, top = setting["window"]

    def at(u: float, v: float) -> tuple[float, float]:
        across, up = (u - left) / (right - left), (top - v) / (top - bottom)
        return box["x"] + across * box["width"], box["y"] + up * box["height"]

    u, v = setting["points"][0][:2]
    page.mouse.move(*at(u, v))
    page.mouse.down()
    page.mouse.move(*at(u + 0.05, v + 0.05), steps=5)
    sleep(0.5)
    page.evaluate(_WATCH)
    begin = monotonic()
    for k in range(events):
        turn = 2.0 * np.pi * k / 250.0
        page.mouse.move(*at(u + 1.2 * np.sin(turn), v + 0.9 * (1.0 - np.cos(turn))))
        sleep(max(0.0, begin + (k + 1) / _RATE - monotonic()))
    sleep(1.0)
    page.mouse.up()
    found = page.evaluate("() => ({ latencies: window.lab.latencies, ...window.seen })")
    page.close()
    statuses = [status for status, _ in found["frames"]]
    gaps = [gap for status, gap in found["frames"] if status == "optimal"]
    counted = {status: statuses.count(status) for status in sorted(set(statuses))}
    return Dragged(count, events, found["latencies"], counted, max(gaps, default=np.nan), found["longest"])


def _setting(count: int) -> Mapping[str, Any]:
    """Return two overlapping classes of as many points, the first of which lies where they meet."""
    random = np.random.default_rng(0)
    labels = np.where(np.arange(count) % 2 == 0, 1, -1)
    places = np.round(1.1 * random.normal(size=(count, 2)) + np.outer(labels, [0.8, 0.5]), 4)
    places[0] = 0.0
    points = [[x, y, int(label)] for (x, y), label in zip(places.tolist(), labels, strict=True)]
    return {
        "machine": {"name": "soft-margin", "values": {"C": 1}},
        "kernel": [{"name": "rbf", "values": {"gamma": 1}}],
        "points": points,
        "window": [-4, 4, -3, 3],
    }


def _until(page: Page, condition: str) -> None:
    end = monotonic() + _PATIENCE
    while not page.evaluate(f"() => !!({condition})"):
        if monotonic() > end:
            raise TimeoutError(f"the page never came to {condition}")
        page.wait_for_timeout(5)
