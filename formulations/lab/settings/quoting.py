# SPDX-License-Identifier: BSD-3-Clause
"""What came in a message, as an error quotes it: in JSON, as its sender wrote it."""

from __future__ import annotations

import json

from qpkernels.arrays import shown

__all__ = ["quoted"]

_LONGEST = 80


def quoted(value: object) -> str:
    """Return what JSON said, shortened: null and true, not None and True."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        # Not of JSON, or an integer of so many digits that Python refuses to write it.
        return shown(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
