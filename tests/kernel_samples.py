# SPDX-License-Identifier: BSD-3-Clause
"""Two sets of samples, and the obvious way to evaluate a function on all pairs of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["X", "Z", "by_pairs"]

_RNG = np.random.default_rng(3)
X = _RNG.normal(size=(9, 3))
Z = _RNG.normal(size=(5, 3))


def by_pairs(k: Callable[[Any, Any], float], X: Any, Z: Any) -> np.ndarray:
    """The obvious double loop."""
    return np.array([[k(x, z) for z in Z] for x in X])
