# SPDX-License-Identifier: BSD-3-Clause
"""Errors quote what came as JSON has it."""

from __future__ import annotations

from typing import Any

import pytest

from formulations.lab.settings import quoted, read_setting
from formulations.lab.views import VIEWS
from qpkernels.errors import QPKernelsError

NOTHING: dict[str, dict[str, Any]] = {
    "value of a machine": {"machine": {"name": "soft-margin", "values": {"C": None}}},
    "values of a machine": {"machine": {"name": "soft-margin", "values": None}},
    "value of a kernel": {"kernel": [{"name": "rbf", "values": {"gamma": None}}]},
    "kernel": {"kernel": [None]},
    "coordinate": {"points": [[0, None, 1]]},
    "end of a window": {"window": [None, 1, 0, 1]},
    "step": {"view": {"name": "smo", "step": None}},
}


@pytest.mark.parametrize("case", NOTHING)
def test_null_is_called_null(case: str) -> None:
    with pytest.raises(QPKernelsError) as caught:
        read_setting(NOTHING[case], VIEWS)
    assert "null" in str(caught.value)
    assert "None" not in str(caught.value)


def test_what_is_long_or_cannot_be_written_is_shortened() -> None:
    assert quoted([True, "a"]) == '[true, "a"]'
    assert len(quoted(["a" * 10_000])) < 100
    assert quoted(10**5000) == "<int>"
    assert quoted({1, 2}) == "{1, 2}"
