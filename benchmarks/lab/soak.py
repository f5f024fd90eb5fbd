# SPDX-License-Identifier: BSD-3-Clause
"""Random events for as long as one likes, and the memory of the server meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from websockets import Origin
from websockets.sync.client import ClientConnection, connect

from benchmarks.lab.server import Server

__all__ = ["Reading", "soak"]

_MOST, _LEAST = 300, 200
"""Points, between which their number wanders."""

_READINGS = 60

_MACHINES = ("soft-margin", "squared-hinge", "one-class", "least-squares-classifier", "logistic")
_KERNELS = ("rbf", "laplacian", "matern", "polynomial", "linear")


class Reading(NamedTuple):
    """The memory of the server in MiB after so many seconds and events."""

    seconds: float
    events: int
    memory: float


def soak(server: Server, seconds: float, seed: int = 0) -> list[Reading]:
    """Send one event after the other, each when the one before is answered, and return readings along the way."""
    readings: list[Reading] = []
    begin, events = monotonic(), 0
    with connect(server.socket, origin=Origin(server.origin), max_size=None) as page:
        page.recv()
        for message in _messages(np.random.default_rng(seed)):
            events += 1
            page.send(json.dumps({"seq": events, **message}))
            _await(page, events)
            passed = monotonic() - begin
            if passed * _READINGS >= seconds * (len(readings) + 1):
                readings.append(Reading(passed, events, server.memory()))
            if passed >= seconds:
                return readings
    raise AssertionError("the events have no end")


def _await(page: ClientConnection, seq: int) -> None:
    """Wait for the first frame of a setting; a server that compiles says so meanwhile."""
    while True:
        said = page.recv()
        if isinstance(said, str):
            if "notice" in json.loads(said):
                continue
            raise AssertionError(f"the server refused an event of the soak: {said}")
        head = json.loads(said[4 : 4 + int.from_bytes(said[:4], "little")])
        if head["seq"] == seq:
            return


def _messages(random: np.random.Generator) -> Iterator[Mapping[str, Any]]:
    """Yield messages: mostly a point moves; some are added, removed or relabelled, and at times all else changes."""
    points = [_point(random) for _ in range(_LEAST)]
    machine, kernel = _MACHINES[0], _KERNELS[0]
    yield {"setting": _setting(points, machine, kernel)}
    while True:
        i, draw = int(random.integers(len(points))), random.random()
        if draw < 0.8:
            points[i] = [*(np.clip(points[i][:2] + 0.1 * random.normal(size=2), -4, 4)).tolist(), points[i][2]]
            yield {"points": [[i, *points[i]]]}
            continue
        if draw < 0.87 and len(points) < _MOST:
            points.append(_point(random))
        elif draw < 0.94 and len(points) > _LEAST:
            points.pop(i)
        elif draw < 0.96:
            points[i] = [*points[i][:2], -points[i][2]]
        elif draw < 0.98:
            kernel = str(random.choice(_KERNELS))
        else:
            machine = str(random.choice(_MACHINES))
        yield {"setting": _setting(points, machine, kernel)}


def _point(random: np.random.Generator) -> list[float]:
    label = int(random.choice([-1, 1]))
    return [*(random.normal(size=2) + 0.7 * label).tolist(), label]


def _setting(points: list[list[float]], machine: str, kernel: str) -> Mapping[str, Any]:
    return {"machine": {"name": machine}, "kernel": [{"name": kernel}], "points": points}
