# SPDX-License-Identifier: BSD-3-Clause
"""Convex functions of ||f|| that a problem adds to its losses, each with its conjugate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

__all__ = ["Ball", "HalfSquaredNorm", "Regulariser"]


class Regulariser(Protocol):
    """A convex function Omega of ||f||, given the squares of its arguments.

    Value and conjugate are exact to 8 units of rounding, relative: enclosures rely on it.

    Attributes
    ----------
    is_half_square
        Whether it is 1/2 ||f||^2.

    Notes
    -----
    squared_norm
        The square of the argument: ||f||^2, or s^2 of the conjugate; at least 0 up to rounding.
    """

    is_half_square: ClassVar[bool]

    def shrinkage(self, squared_norm: float) -> float:
        """Return the largest factor of at most 1 by which f comes into the domain."""

    def value(self, squared_norm: float) -> float:
        """Return Omega(||f||) within its domain."""

    def conjugate(self, squared_norm: float) -> float:
        """Return Omega*, the largest t s - Omega(t), at the s of this square."""


@dataclass(frozen=True)
class HalfSquaredNorm:
    """1/2 ||f||^2, which is its own conjugate.

    Notes
    -----
    squared_norm
        As in :class:`Regulariser`.
    """

    is_half_square: ClassVar[bool] = True

    def shrinkage(self, squared_norm: float) -> float:
        """Return 1: every f is in the domain."""
        del squared_norm
        return 1.0

    def value(self, squared_norm: float) -> float:
        """Return 1/2 ||f||^2."""
        return 0.5 * squared_norm

    def conjugate(self, squared_norm: float) -> float:
        """Return 1/2 s^2."""
        return 0.5 * squared_norm


@dataclass(frozen=True)
class Ball:
    """0 where ||f||^2 <= R, else infinite; its conjugate is sqrt(R) s.

    Attributes
    ----------
    squared_radius
        R, above 0.

    Notes
    -----
    squared_norm
        As in :class:`Regulariser`.
    """

    squared_radius: float
    is_half_square: ClassVar[bool] = False

    def shrinkage(self, squared_norm: float) -> float:
        """Return the factor that brings f to the surface, or 1 inside."""
        return float(np.sqrt(self.squared_radius / squared_norm)) if squared_norm > self.squared_radius else 1.0

    def value(self, squared_norm: float) -> float:
        """Return 0."""
        del squared_norm
        return 0.0

    def conjugate(self, squared_norm: float) -> float:
        """Return sqrt(R) s."""
        return float(np.sqrt(self.squared_radius * max(squared_norm, 0.0)))
