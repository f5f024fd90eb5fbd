# SPDX-License-Identifier: BSD-3-Clause
"""An interval that holds the optimal value in exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

import numpy as np

from qpkernels.errors import NoEnclosureError

__all__ = ["Enclosure", "no_enclosure", "quiet"]

P = ParamSpec("P")


def quiet(enclose: Callable[P, Enclosure]) -> Callable[P, Enclosure]:
    """Let numbers overflow in silence: an end that comes out infinite, or no number, is no bound."""

    @wraps(enclose)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> Enclosure:
        with np.errstate(all="ignore"):
            found = enclose(*args, **kwargs)
        lower, upper = (float(end) for end in (found.lower, found.upper))
        return Enclosure(-np.inf if np.isnan(lower) else lower, np.inf if np.isnan(upper) else upper)

    return wrapped


@dataclass(frozen=True)
class Enclosure:
    """lower <= optimal value <= upper, proved for the data as they are in float64, whatever was rounded on the way.

    Attributes
    ----------
    lower, upper
        The ends; infinite where no finite bound is proved.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=1.0)
    >>> enclosure = model.enclose(model.solve(tol=1e-9))
    >>> print(f"{enclosure.lower:.6f}, {enclosure.upper:.6f}", enclosure.width < 1e-8)
    2.888889, 2.888889 True
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Upper less lower end."""
        return self.upper - self.lower

    @property
    def middle(self) -> float:
        """A value that is no further than half of the width from the optimum, where both ends are finite."""
        return self.lower + 0.5 * (self.upper - self.lower)

    def contains(self, value: float) -> bool:
        """Return whether a value is not refuted as the optimum.

        Parameters
        ----------
        value
            What somebody claims the optimum to be.
        """
        return self.lower <= value <= self.upper

    def __str__(self) -> str:
        ends = f"[{self.lower:.17g}, {self.upper:.17g}]"
        if np.isfinite(self.width):
            return f"{ends} (width {self.width:.1e})"
        sides = [side for side, end in (("lower", self.lower), ("upper", self.upper)) if not np.isfinite(end)]
        return (
            f"{ends} (no {' or '.join(sides)} bound is proved from this answer: its point, or its multipliers, cannot "
            "be moved to where they are feasible in exact arithmetic; enclose one that was solved to a smaller tol)"
        )


def no_enclosure(problem: str) -> NoEnclosureError:
    """Return the error of a problem whose optimum is not enclosed."""
    return NoEnclosureError(
        f"{problem} has no enclosure: its bounds are known up to rounding only; see its certificate, or export a form "
        "as a ConeProgram."
    )
