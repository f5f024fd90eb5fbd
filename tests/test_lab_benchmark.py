# SPDX-License-Identifier: BSD-3-Clause
"""The measurements of the lab run, and random events leave no memory behind. No time is asserted."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from types import SimpleNamespace

import pytest

from benchmarks.lab.__main__ import main, weight
from benchmarks.lab.dragging import find_chromium
from benchmarks.lab.server import running
from benchmarks.lab.soak import _await, soak

DOCS = Path(__file__).parents[1] / "docs"

SECONDS = 2.0
"""Of the first events, and of all others; make lab-benchmark goes on for an hour."""

GROWTH = 0.1
"""Part of its memory by which a server may differ between one such time and what went before."""


def test_random_events_leave_no_memory_behind() -> None:
    with running() as server:
        soak(server, SECONDS, seed=0)
        before = soak(server, SECONDS / 2, seed=1)
        after = soak(server, SECONDS / 2, seed=2)
    assert after[-1].events > 10
    first, second = (median(reading.memory for reading in readings) for readings in (before, after))
    assert second < (1.0 + GROWTH) * first


def test_the_soak_waits_for_a_server_that_compiles_and_ends_where_one_refuses() -> None:
    frame = json.dumps({"seq": 3}).encode()
    said = iter([json.dumps({"notice": "compiling"}), len(frame).to_bytes(4, "little") + frame, '{"refused": "why"}'])
    page = SimpleNamespace(recv=lambda: next(said))
    _await(page, 3)
    with pytest.raises(AssertionError, match="why"):
        _await(page, 4)


def test_the_page_that_states_the_bytes_of_the_lab_is_of_this_lab() -> None:
    kept = json.loads((DOCS / "performance" / "lab.json").read_text())
    # As near as a page need say it; python -m benchmarks.lab --points --site --soak 0 writes it anew.
    assert kept["weight"] == pytest.approx(weight(), rel=0.05)
    assert f"together have {kept['weight'] / 1e3:.0f} kB" in (DOCS / "performance" / "lab.md").read_text()


@pytest.mark.skipif(find_chromium() is None, reason="make browser installs it")
def test_a_point_is_dragged_and_the_page_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.lab.__main__._LOOKING", 0.1)
    arguments = [
        "--points",
        "40",
        "--site",
        "30",
        "--events",
        "30",
        "--openings",
        "1",
        "--soak",
        "0.02",
        "--out",
        str(tmp_path),
    ]
    # A browser that other tests keep open is driven by this thread, and there can be one in each.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(main, arguments).result()
    found = json.loads((tmp_path / "lab.json").read_text())
    (drag,) = found["drags"]
    assert drag["statuses"].keys() == {"optimal"}
    assert 0 < len(drag["latencies"]) <= 30
    assert drag["worst_gap"] <= 1e-6
    assert drag["queue"] == 1
    assert found["weight"] == weight() <= 300_000
    text = (tmp_path / "lab.md").read_text()
    assert "| 40" in text
    assert found["site"]["drags"][0]["statuses"].keys() == {"optimal"}
    assert found["site"]["weight"] <= 250_000
    assert "## Without a server" in text
    assert "MiB" in text
