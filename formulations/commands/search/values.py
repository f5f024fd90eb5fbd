# SPDX-License-Identifier: BSD-3-Clause
"""Values to try, as options write them: ``C=0.1,1,10`` and, as grid.py has ranges, ``gamma=log2:3,-15,-2``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from qpkernels.datasets.text import read_number
from qpkernels.errors import ParameterError

__all__ = ["read_values"]

_MOST = 1000
"""Values of one name; more would be a slip."""


def read_values(tries: Iterable[str]) -> dict[str, Any]:
    """Return the values by name.

    ``log2:begin,end,step`` are the powers of 2 with the exponents begin, begin + step and so on up to end; those of 10
    are ``log10``.

    Raises
    ------
    ParameterError
        If the text is no such list.
    """
    found: dict[str, Any] = {}
    for text in tries:
        name, _, listed = text.partition("=")
        if name.strip() in found:
            raise ParameterError(f"the values of {name.strip()} came twice; list them together.")
        values = _values(listed)
        if not name.strip() or not values:
            raise ParameterError(
                f"--try takes NAME=VALUE,VALUE,... or NAME=log2:BEGIN,END,STEP, such as C=0.1,1,10, but {text!r} came."
            )
        found[name.strip()] = values
    return found


def _values(text: str) -> list[float | int]:
    kind, separator, rest = text.partition(":")
    if not separator:
        return _numbers(text)
    base = {"log2": 2.0, "log10": 10.0}.get(kind.strip())
    ends = _numbers(rest)
    if base is None or len(ends) != 3 or ends[2] == 0:
        return []
    begin, end, step = ends
    count = int((end - begin) / step + 1e-9) + 1
    return [base ** (begin + k * step) for k in range(min(count, _MOST))]


def _numbers(text: str) -> list[float | int]:
    numbers = [read_number(field.strip()) for field in text.split(",")]
    whole = [field.strip().lstrip("+-").isdecimal() for field in text.split(",")]
    finite = [number for number in numbers if number is not None]
    if len(finite) < len(numbers):
        return []
    return [int(number) if exact else number for number, exact in zip(finite, whole, strict=True)]
