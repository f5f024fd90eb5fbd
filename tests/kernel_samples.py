# SPDX-License-Identifier: BSD-3-Clause
"""Two sets of samples, short series, and the obvious way to evaluate a function on all pairs of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

__all__ = ["SHORT_SERIES", "X", "Z", "by_pairs"]

_RNG = np.random.default_rng(3)
X = _RNG.normal(size=(9, 3))
Z = _RNG.normal(size=(5, 3))

SHORT_SERIES = st.lists(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=4), min_size=1, max_size=4)
"""Series of numbers that all ways through a table can be listed of."""


def by_pairs(k: Callable[[Any, Any], float], X: Any, Z: Any) -> np.ndarray:
    """The obvious double loop."""
    return np.array([[k(x, z) for z in Z] for x in X])
