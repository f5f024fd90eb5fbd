# SPDX-License-Identifier: BSD-3-Clause
"""A file that a page offers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Export"]


@dataclass(frozen=True)
class Export:
    """A file.

    Attributes
    ----------
    file
        Its name.
    content
        Text, or bytes.
    """

    file: str
    content: str | bytes

    def message(self) -> Mapping[str, str]:
        """Return what JSON can say: the file with its text, or with its bytes in base64."""
        if isinstance(self.content, str):
            return {"file": self.file, "text": self.content}
        return {"file": self.file, "base64": b64encode(self.content).decode()}
