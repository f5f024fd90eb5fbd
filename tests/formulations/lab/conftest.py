# SPDX-License-Identifier: BSD-3-Clause
"""The lab looks for garbage where a page leaves, in a process that here also holds what earlier tests have kept."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def earlier_objects_are_frozen() -> Iterator[None]:
    """Freeze what there is, as the command of the lab does: else each page that leaves waits for a walk through it."""
    gc.freeze()
    yield
    gc.unfreeze()
