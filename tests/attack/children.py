# SPDX-License-Identifier: BSD-3-Clause
"""Attacks in a child process: back-ends that hang, or take their process with them, end one attack and not the run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from attack.runner import Record, attack

__all__ = ["run_batch", "run_here"]

WALL = 120.0
"""Seconds without a word from a child after which its attack counts as hung."""

_ROOT = Path(__file__).parents[2]


def run_here(seeds: Iterable[int]) -> int:
    """Run attacks one after the other, and print a line of JSON for each and for what begins."""
    for seed in seeds:
        record = attack(seed, tell=lambda words: _say({"begins": words}))
        _say(asdict(record))
    return 0


def _say(message: dict[str, Any]) -> None:
    print("@" + json.dumps(message), flush=True)


def run_batch(seeds: Iterable[int]) -> Iterator[Record]:
    """Yield the records of these seeds; where a child hangs or dies, the record says so and another goes on."""
    left = list(seeds)
    while left:
        words, ended = "", "died"
        for message in _messages(left):
            if "begins" in message:
                words = message["begins"]
            elif "hangs" in message:
                ended = "hung"
            else:
                yield Record(**message)
                left = left[1:]
        if left:
            yield Record(left[0], words.split("(")[0], words, [], 0, [(ended, words)])
            left = left[1:]


def _messages(seeds: list[int]) -> Iterator[dict[str, Any]]:
    """Yield what a child says, and at its end nothing more; it is ended if it is silent for too long."""
    command = [sys.executable, "-m", "tests.attack", "--child", *map(str, seeds)]
    child = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    lines: Queue[str | None] = Queue()

    def listen(stream: Any = child.stdout) -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    Thread(target=listen, daemon=True).start()
    try:
        while (line := lines.get(timeout=WALL)) is not None:
            if line.startswith("@"):
                yield json.loads(line[1:])
    except Empty:
        yield {"hangs": True}
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
