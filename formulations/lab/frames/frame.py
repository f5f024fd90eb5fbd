# SPDX-License-Identifier: BSD-3-Clause
"""A frame: facts, and arrays by name, as one binary message.

The message is the length of the head as four bytes, the lowest first; the head, JSON in UTF-8, padded with spaces to a
multiple of four; and the arrays one after the other in float32. The head lists them as name: [offset, shape], the
offset counted in numbers from the end of the head.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame"]


@dataclass(frozen=True, eq=False)
class Frame:
    """What a page shows.

    Attributes
    ----------
    facts
        What JSON can say.
    arrays
        Numbers, as float32.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def encode(self) -> bytes:
        """Return the message."""
        listed, parts, offset = {}, [], 0
        for name, array in self.arrays.items():
            # What is beyond float32 is infinite to a page.
            with np.errstate(over="ignore"):
                part = np.ascontiguousarray(array, dtype="<f4")
            listed[name] = [offset, list(part.shape)]
            parts.append(part.tobytes())
            offset += part.size
        head = json.dumps({**self.facts, "arrays": listed}, allow_nan=False).encode()
        head += b" " * (-len(head) % 4)
        return b"".join([len(head).to_bytes(4, "little"), head, *parts])
