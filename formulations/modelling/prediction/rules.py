# SPDX-License-Identifier: BSD-3-Clause
"""How labels follow from values by comparisons, for programs that make them, and for values known within bounds.

A rule is one of three: the number of thresholds that a value exceeds, the largest of several values, or the winner of a
ballot of pairs. A writer of programs states each of these once, as a :class:`Ruled`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Matrix, Vector

__all__ = ["Ballot", "Largest", "Rule", "Ruled", "Thresholds"]

Stated = TypeVar("Stated")
"""What a program has for the number of a class."""


class Ruled(ABC, Generic[Stated]):
    """Who writes rules down.

    Notes
    -----
    Arguments of the methods:

    rule
        Which is written.
    """

    @abstractmethod
    def of_thresholds(self, rule: Thresholds) -> Stated:
        """Return how many thresholds the value is above."""

    @abstractmethod
    def of_largest(self, rule: Largest) -> Stated:
        """Return the number of the largest value, the first of several."""

    @abstractmethod
    def of_ballot(self, rule: Ballot) -> Stated:
        """Return the number of the class that wins."""


@dataclass(frozen=True, eq=False)
class Rule(ABC):
    """How the number of a class follows from values.

    Attributes
    ----------
    classes
        The labels, by their numbers.

    Notes
    -----
    Arguments of the methods:

    by
        The writer of the rule.
    lower, upper
        Bounds of the values, shape (n, functions).
    unit
        The largest relative error of one operation on the values.
    """

    classes: NDArray[Any]

    @abstractmethod
    def stated(self, by: Ruled[Stated]) -> Stated:
        """Return what another makes of it."""

    @abstractmethod
    def settled(self, lower: Matrix, upper: Matrix, unit: float) -> Indices:
        """Return the number of the class that all values between lower and upper have, or -1 if they may differ."""


@dataclass(frozen=True, eq=False)
class Thresholds(Rule):
    """The class whose number is the number of thresholds that the value exceeds.

    Attributes
    ----------
    thresholds
        Ascending, one fewer than classes.
    """

    thresholds: Vector

    def stated(self, by: Ruled[Stated]) -> Stated:
        """Return what another makes of it."""
        return by.of_thresholds(self)

    def settled(self, lower: Matrix, upper: Matrix, unit: float) -> Indices:
        """Return the number that both ends have; a threshold may have been rounded."""
        reach = 2.0 * unit * np.abs(self.thresholds)
        least = np.searchsorted(self.thresholds + reach, lower[:, 0])
        most = np.searchsorted(self.thresholds - reach, upper[:, 0])
        return np.where(least == most, least, -1)


@dataclass(frozen=True, eq=False)
class Largest(Rule):
    """The class whose value is the largest, the first of several."""

    def stated(self, by: Ruled[Stated]) -> Stated:
        """Return what another makes of it."""
        return by.of_largest(self)

    def settled(self, lower: Matrix, upper: Matrix, unit: float) -> Indices:
        """Return the class that is above all others."""
        del unit
        return _above(lower, upper)


@dataclass(frozen=True, eq=False)
class Ballot(Rule):
    """A vote for each pair of classes. Ties go to the first class, or to the one with the largest sum of values.

    With v_c votes and the sum s_c of the values for c minus those against it, the largest v_c + s_c / (3 (|s_c| + 1))
    decides.

    Attributes
    ----------
    pairs
        For each value, the numbers of the classes that it votes for where it is at most 0, and above 0.
    ties_to_first
        Whether the first of the classes with most votes wins.
    """

    pairs: tuple[tuple[int, int], ...]
    ties_to_first: bool

    def stated(self, by: Ruled[Stated]) -> Stated:
        """Return what another makes of it."""
        return by.of_ballot(self)

    def settled(self, lower: Matrix, upper: Matrix, unit: float) -> Indices:
        """Return the class that wins whichever way values of uncertain sign vote."""
        shape = len(lower), self.classes.size
        few, many, least, most, sizes = (np.zeros(shape) for _ in range(5))
        for (negative, positive), low, high in zip(self.pairs, lower.T, upper.T, strict=True):
            few[:, positive] += low > 0
            many[:, positive] += high > 0
            few[:, negative] += high <= 0
            many[:, negative] += low <= 0
            least[:, positive] += low
            most[:, positive] += high
            least[:, negative] -= high
            most[:, negative] -= low
            sizes[:, [negative, positive]] += np.maximum(np.abs(low), np.abs(high))[:, None]
        if self.ties_to_first:
            # A later class needs a vote more than an earlier one.
            order = np.arange(shape[1]) / shape[1]
            return _above(few - order, many - order)
        # Twice what the sums, one for each pair of a class, and three operations may lose.
        lost = 2.0 * unit * (len(self.pairs) + 4)
        slack = 8.0 * unit * self.classes.size
        return _above(few + _squeezed(least - lost * sizes) - slack, many + _squeezed(most + lost * sizes) + slack)


def _squeezed(favour: Matrix) -> Matrix:
    """Return numbers squeezed into (-1/3, 1/3), in the same order."""
    with np.errstate(invalid="ignore"):
        return np.asarray(favour / (3.0 * (np.abs(favour) + 1.0)))


def _above(lower: Matrix, upper: Matrix) -> Indices:
    """Return the column whose lower end is above the upper ends of all others; -1: there is none."""
    best = np.argmax(lower, axis=1)
    others = upper.copy()
    rows = np.arange(len(lower))
    others[rows, best] = -np.inf
    return np.where(lower[rows, best] > others.max(axis=1), best, -1)
