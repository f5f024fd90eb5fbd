# SPDX-License-Identifier: BSD-3-Clause
"""What counts as a number in a text file."""

import re

__all__ = ["read_number"]

# ``float`` alone accepts the underscores of Python literals and the digits of every script, so that the
# identifier 1_0 would silently read as ten.
_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE)


def read_number(text: str) -> float | None:
    """Return the number that ``text`` spells in decimal notation, or None if it spells none.

    White space around a number makes it none. The result may be NaN or infinite: ``nan``, ``inf`` and
    ``1e999`` are numbers here, for the caller to refuse by name.
    """
    return float(text) if _NUMBER.fullmatch(text) else None
