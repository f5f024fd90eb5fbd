# SPDX-License-Identifier: BSD-3-Clause
"""What every record has: where it was measured, and what another one must share to take its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.computer import Setting

__all__ = ["Record"]


@dataclass(frozen=True)
class Record:
    """Anything measured."""

    where: Setting

    @property
    def key(self) -> tuple[Any, ...]:
        """What another record of this kind must share to take the place of this one."""
        raise NotImplementedError

    @property
    def summary(self) -> str:
        """What came of it, in a few words for the terminal."""
        return ""
