# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that stay in a file, mapped to memory."""

from __future__ import annotations

import numpy as np

__all__ = ["is_mapped"]


def is_mapped(values: object) -> bool:
    """Return whether ``values`` are rows of float64 in a file that is mapped to memory to be read only."""
    return (
        isinstance(values, np.memmap)
        and values.dtype == np.dtype(np.float64)
        and values.flags.c_contiguous
        and not values.flags.writeable
    )
