# SPDX-License-Identifier: BSD-3-Clause
"""Answers that are one number: the least, or the largest, at which something holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from formulations.exercises.exercise import Answers, number
from formulations.exercises.verdict import Verdict
from qpkernels.arrays import check_count

__all__ = ["Extreme"]

_BESIDE = 1e-4
"""Share of a number by which it is moved to see that what holds there does not hold beside it."""


@dataclass(frozen=True, eq=False)
class Extreme:
    """Judges whether a property holds at a number, and no longer just beside it.

    Attributes
    ----------
    letter
        What the number is called.
    holds
        The property, which holds on one side of the number that is looked for.
    which
        Whether that is the least or the largest at which it holds.
    words
        The property, as a clause that follows "at C = 0.5".
    is_count
        Whether the number is an integer of at least 1.
    """

    letter: str
    holds: Callable[[float], bool]
    which: Literal["least", "largest"]
    words: str
    is_count: bool = False

    def __call__(self, answers: Answers) -> Verdict:
        """Judge the number, and one beside it."""
        came = answers[self.letter]
        value = float(check_count(came, self.letter)) if self.is_count else number(came, self.letter)
        name = f"{self.letter} = {value:g}"
        if not value > 0.0:
            return Verdict(False, f"{self.letter} is above 0, and {value:g} is not")
        # A number with four digits is right: both sides of it are looked at, not the number itself.
        step = 1.0 if self.is_count else _BESIDE * value
        outwards = step if self.which == "largest" else -step
        inwards = 0.0 if self.is_count else -outwards
        if not self.holds(value + inwards):
            return Verdict(False, f"at {name} it is not so that {self.words}")
        if value + outwards > 0.0 and self.holds(value + outwards):
            beside = "a larger" if self.which == "largest" else "a smaller"
            return Verdict(False, f"at {name} it is so that {self.words}, but {beside} {self.letter} will do as well")
        return Verdict(True, f"{name} is right: it is the {self.which} at which {self.words}")
