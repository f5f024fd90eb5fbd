# SPDX-License-Identifier: BSD-3-Clause
"""The power by which seconds grow with samples."""

from collections.abc import Sequence
from math import log
from statistics import linear_regression

__all__ = ["slope"]


def slope(samples: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the p of seconds ~ samples^p, by least squares of the logarithms."""
    return linear_regression([log(m) for m in samples], [log(s) for s in seconds]).slope
