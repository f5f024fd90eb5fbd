# SPDX-License-Identifier: BSD-3-Clause
"""Rows in a bounded piece of memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from qpkernels.solvers.smo.rows import RowCache


def test_the_least_recently_used_row_gives_way() -> None:
    cache = RowCache(samples=6, size=3 * 6 * 8, dtype=np.float64)
    slots: Any = cache.claim(np.array([0, 1, 2]))
    assert sorted(slots.tolist()) == [0, 1, 2]
    cache.find(np.array([0, 2]))
    cache.find(np.array([5]))
    assert cache.claim(np.array([5])).tolist() == [slots[1]]
    assert cache.find(np.array([0, 1, 2, 5])).tolist() == [slots[0], -1, slots[2], slots[1]]
