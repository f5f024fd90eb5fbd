# SPDX-License-Identifier: BSD-3-Clause
"""What pages say, also in bad faith: each message is understood or refused in words, and the page lives on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formulations.lab.desk import Ask, Show, read_message
from lab_client import Page, opened, points, setting
from qpkernels.errors import QPKernelsError
from together import together

HUGE = 10**400
NUMBERS = st.one_of(
    st.integers(), st.sampled_from([HUGE, -HUGE, 2**63, 2**53, -1, 0, 1]), st.floats(), st.sampled_from([1e308, 5e-324])
)
LEAVES = st.one_of(st.none(), st.booleans(), NUMBERS, st.text(), st.text(st.characters(categories=["Cs"]), max_size=2))
JUNK = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
)
GOOD: dict[str, Any] = {
    "machine": {"name": "soft-margin", "values": {"C": 1.0}},
    "kernel": [{"name": "polynomial", "values": {"degree": 2}}],
    "points": points(4),
    "window": [-4, 4, -3, 3],
    "view": {"name": "picture", "step": 0},
}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with opened() as it:
        yield it


def paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every part of a message."""
    yield ()
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from ((key, *rest) for rest in paths(part))


MESSAGES: list[dict[str, Any]] = [
    {"seq": 1, "setting": GOOD},
    {"seq": 2, "points": [[0, 0.5, -1.2, 1]]},
    {"seq": 3, "ask": "explain", "sample": 1},
]
PLACES = [(message, path) for message in MESSAGES for path in paths(message)]


def replaced(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], junk)
    return copy


SEQ = count(10**6)


def survives(page: Page, text: str | bytes) -> None:
    """Send a message, and see that the next setting is shown, and that nothing has failed meanwhile."""
    if isinstance(text, bytes):
        page.socket.send_bytes(text)
    else:
        page.socket.send_text(text)
    shown = page.shown(next(SEQ), **GOOD)
    assert shown["proof"]["status"] == "optimal"


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.sampled_from(PLACES), junk=JUNK)
def test_a_part_replaced_by_anything(page: Page, caplog: pytest.LogCaptureFixture, place: Any, junk: Any) -> None:
    survives(page, json.dumps(replaced(*place, junk)))
    assert caplog.records == []


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(), JUNK.map(json.dumps), st.binary()))
def test_anything(page: Page, caplog: pytest.LogCaptureFixture, text: str | bytes) -> None:
    survives(page, text)
    assert caplog.records == []


@pytest.mark.parametrize("cut", range(1, 120, 17))
def test_half_of_a_message(page: Page, cut: int) -> None:
    survives(page, json.dumps(MESSAGES[0])[:-cut])


@together(
    "text, words",
    [
        ("", "must be JSON"),
        ("[" * 100_000, "must be JSON"),
        ('{"seq":1,"setting":' + '{"a":' * 500 + "1" + "}" * 501, 'a setting has no "a"'),
        ('{"seq":1,"setting":{"points":' + "[" * 900 + "]" * 900 + "}}", "a point of a classification must be"),
        ("[1, 2]", "must be an object"),
        ('{"seq":NaN,"setting":{}}', "must be JSON"),
        ('{"seq":' + "9" * 5000 + ',"setting":{}}', "must be JSON"),
        ('{"setting":{}}', "must have a number seq"),
        ('{"seq":true,"setting":{}}', "must have a number seq"),
        ('{"seq":1}', "must have a setting, points, or ask"),
        ('{"seq":1,"setting":{},"ask":"explain"}', "must have a setting, points, or ask"),
        ('{"seq":1,"setting":{"points":[[1e999,0,1]]}}', "within 1e+06 of 0"),
        ('{"seq":1,"setting":{"points":[[' + "9" * 400 + ",0,1]]}}", "within 1e+06 of 0"),
        ('{"seq":1,"setting":{"points":[[1,0,2]]}}', "label of a point must be -1 or 1"),
        ('{"seq":1,"setting":{"points":[' + "[0,0,1]," * 5000 + "[0,0,1]]}}", "at most 5000 points, but 5001"),
        ('{"seq":1,"setting":{"window":[0,' + "9" * 400 + ",0,1]}}", "window must be"),
        ('{"seq":1,"setting":{"machine":{"name":"soft-margin","values":{"C":{}}}}}', "C of soft-margin must be"),
        ('{"seq":1,"setting":{"machine":{"name":"soft-margin","values":{"C":null}}}}', "C of soft-margin must be"),
        ('{"seq":1,"setting":{"kernel":[{"name":"rbf"},{},{},{},{}]}}', "1 to 4 kernels"),
        ('{"seq":1,"setting":{"view":{"name":["picture"]}}}', "a view is one of"),
        ('{"seq":1,"setting":{"view":{"step":1e3}}}', "step of a view"),
        ('{"seq":1,"points":[[0,1,1,1]]}', "before there was a setting"),
    ],
)
def test_refusals(text: str, words: str) -> None:
    with pytest.raises(QPKernelsError) as refused:
        read_message(text, None)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500


def test_points_are_changed_by_their_numbers() -> None:
    first = read_message(json.dumps({"seq": 1, "setting": setting(3)}), None)
    assert isinstance(first, Show)
    moved = read_message('{"seq":2,"points":[[1,0.25,0.5,-1],[0,1,1,1]]}', first.setting)
    assert isinstance(moved, Show)
    assert moved.setting.points[:2].tolist() == [[1.0, 1.0, 1.0], [0.25, 0.5, -1.0]]
    assert moved.setting.points[2].tolist() == first.setting.points[2].tolist()
    for number in (3, -1, True, 1.0, "0", None):
        with pytest.raises(QPKernelsError, match="there are points 0 to 2"):
            read_message(json.dumps({"seq": 3, "points": [[number, 0, 0, 1]]}), first.setting)


def test_questions() -> None:
    assert read_message('{"seq":1,"ask":"explain","sample":3}', None) == Ask(1, "explain", 3)
    for sample in (-1, 1.5, True, "1", [1], 5000, HUGE):
        with pytest.raises(QPKernelsError, match="the number of a point"):
            read_message(json.dumps({"seq": 1, "ask": "explain", "sample": sample}), None)
