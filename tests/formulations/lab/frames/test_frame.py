# SPDX-License-Identifier: BSD-3-Clause
"""What a frame says is what its message says."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from formulations.lab.frames import Frame


def decoded(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[np.float32]]]:
    """Read a message as page/protocol.js does."""
    length = int.from_bytes(message[:4], "little")
    head: dict[str, Any] = json.loads(message[4 : 4 + length])
    numbers = np.frombuffer(message, "<f4", offset=4 + length)
    listed = head.pop("arrays")
    arrays = {name: numbers[at : at + int(np.prod(shape))].reshape(shape) for name, (at, shape) in listed.items()}
    return head, arrays


def test_facts_and_arrays_arrive() -> None:
    arrays = {"field": np.arange(6.0).reshape(2, 3), "roles": np.array([1, 0, 2]), "none": np.empty(0)}
    facts, found = decoded(Frame({"proof": {"gap": 1e-7}, "words": "möglich"}, arrays).encode())
    assert facts == {"proof": {"gap": 1e-7}, "words": "möglich"}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("words", ["", "a", "ab", "abc"])
def test_numbers_begin_at_a_multiple_of_four(words: str) -> None:
    message = Frame({"words": words}, {"one": np.array([1.5])}).encode()
    assert int.from_bytes(message[:4], "little") % 4 == 0
    assert len(message) % 4 == 0
    assert decoded(message)[1]["one"] == 1.5


def test_arrays_of_any_layout() -> None:
    array = np.arange(12.0).reshape(3, 4).T[::2]
    np.testing.assert_array_equal(decoded(Frame({}, {"part": array}).encode())[1]["part"], array)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        Frame({"gap": value}).encode()
