# SPDX-License-Identifier: BSD-3-Clause
"""Formulas put together: numbers before and behind others, and parentheses where a sum needs them."""

from __future__ import annotations

import re

__all__ = ["grouped", "leading", "signed"]


def leading(value: float) -> str:
    """Return a factor to put before others: nothing for 1."""
    return "" if value == 1 else f"{value:g} "


def signed(value: float) -> str:
    """Return a number to put behind others, with its sign: nothing for 0."""
    return "" if value == 0 else f" {'+' if value > 0 else '-'} {abs(value):g}"


def grouped(formula: str) -> str:
    """Return a formula as a factor: in parentheses if it is a sum."""
    outer = re.sub(r'"[^"]*"', "", formula)
    while (inner := re.sub(r"\([^()]*\)", "", outer)) != outer:
        outer = inner
    # The difference within a norm is no sum.
    outer = re.sub(r"\|\|[^|]*\|\|", "", outer)
    return f"({formula})" if re.search(r" [+-] ", outer) else formula
