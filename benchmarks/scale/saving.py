# SPDX-License-Identifier: BSD-3-Clause
"""Measurements in a file, one a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["save_beside"]


def save_beside(path: Path, record: Mapping[str, Any], same: tuple[str, ...] = ()) -> None:
    """Write a measurement beside the others of the file, in place of those that are equal to it in ``same``, if any."""
    path.parent.mkdir(parents=True, exist_ok=True)
    known = json.loads(path.read_text()) if path.exists() else []
    kept = [each for each in known if not same or any(each[name] != record[name] for name in same)]
    path.write_text("[\n" + ",\n".join(map(json.dumps, [*kept, record])) + "\n]\n")
