# SPDX-License-Identifier: BSD-3-Clause
"""docs/performance/lab.md, of what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from benchmarks.pages import FOOTNOTE, mark, table

__all__ = ["page"]

_OPENING = """# The lab: from the hand to the picture

`make lab-benchmark` measures `qpkernels lab` in Chromium without a window: a point of a soft margin with the Gaussian
kernel is dragged around, sixty events a second, and the page measures from the newest event in a frame to the end of
its drawing. Every frame has the certified answer for the points where they are, and the decision values at 160 x 120
places.
"""


_READING = """`proved` are the frames that are optimal to a relative gap of 1e-6, with the largest gap of these;
`waiting` are the settings that the page had sent and that were not answered, at most.
"""


_SITE = """The lab of the site solves and proves in a worker of the browser, without Python. It is measured in the same
way.
"""

_HEADS = ("points", "events", "frames", "p50", "p95", "longest", "proved", "largest gap", "waiting")


def page(found: Mapping[str, Any]) -> str:
    """Return the page."""
    return "\n".join(_parts(found))


def _parts(found: Mapping[str, Any]) -> Iterator[str]:
    yield _OPENING
    sign = _mark(found.get("where"))
    if "drags" in found:
        yield table(_HEADS, (_drag(drag, sign) for drag in found["drags"]))
        yield _READING
    if "openings" in found:
        yield f"On a server that has just started, {_opened(found['openings'])}{sign}.\n"
    yield f"All files of the page together have {found['weight'] / 1e3:.0f} kB.\n"
    if "soak" in found:
        yield _soak(found["soak"])
    if "site" in found:
        yield from _site(found["site"])
    marks = [_mark(each.get("where")) for each in (found, found.get("soak", {}), found.get("site", {}))]
    if any(marks):
        yield FOOTNOTE
    if "where" in found:
        day, computer = found["where"]["day"], found["where"]["computer"]
        yield f"{day}: {computer['processor']}, {computer['cores']} cores; Python {computer['python']}.\n"


def _site(site: Mapping[str, Any]) -> Iterator[str]:
    yield "## Without a server\n"
    yield _SITE
    sign = _mark(site["where"])
    yield table(_HEADS, (_drag(drag, sign) for drag in site["drags"]))
    if site["openings"]:
        yield f"From a web server on the same computer, {_opened(site['openings'])}{sign}.\n"
    yield f"Its files weigh {site['weight'] / 1e3:.0f} kB, before a web server compresses them.\n"


def _opened(openings: Sequence[Mapping[str, float]]) -> str:
    paint, frame = (median(each[name] for each in openings) for name in ("first_paint", "first_frame"))
    return (
        f"the page paints {paint:.0f} ms after it is asked for, and its first answer is drawn after\n{frame:.0f} ms "
        f"(medians of {len(openings)})"
    )


def _drag(drag: Mapping[str, Any], sign: str) -> list[str]:
    latencies, statuses = drag["latencies"], drag["statuses"]
    middle, late, longest = np.quantile(latencies, [0.5, 0.95, 1.0])
    frames = sum(statuses.values())
    return [
        f"{drag['points']}{sign}",
        str(drag["events"]),
        str(frames),
        *(f"{value:.1f} ms" for value in (middle, late, longest)),
        "all" if statuses.get("optimal", 0) == frames else f"{statuses.get('optimal', 0)}",
        f"{drag['worst_gap']:.0e}",
        str(drag["queue"]),
    ]


def _soak(soak: Mapping[str, Any]) -> str:
    """Return what the memory did: in the third quarter of the time beside the last one, long after all was loaded."""
    readings, sign = soak["readings"], _mark(soak["where"])
    half = readings[len(readings) // 2 :]
    middle = (len(half) + 1) // 2
    before, after = (median(each["memory"] for each in part) for part in (half[:middle], half[-middle:]))
    minutes, events = readings[-1]["seconds"] / 60, readings[-1]["events"]
    return (
        f"Of {events} random events in {minutes:.0f} minutes on 200 to 300 points{sign}, the server held\n"
        f"{before:.0f} MiB in the third quarter of the time and {after:.0f} MiB in the last.\n"
    )


def _mark(where: Mapping[str, Any] | None) -> str:
    return mark(None if where is None else where["others"])
