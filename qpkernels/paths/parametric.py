# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP whose target, bounds and epsilon are linear in a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError
from qpkernels.problems import KernelQP

__all__ = ["LINEAR", "ParametricQP"]

LINEAR = ("target", "lower", "upper", "epsilon")
"""The vectors of a KernelQP in which its optimal beta and b are piecewise linear."""

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class ParametricQP:
    """The KernelQP problems on the line through two of them.

    At the parameter p, target, lower, upper and epsilon are ``start + (p - first) / (last - first) (end - start)``;
    kernel matrix, ridge and 1'beta = total are those of both. As p moves, the optimal beta and b are piecewise linear.

    Parameters
    ----------
    start, end
        The problems at p = first and p = last, whose bounds are finite and whose total is 0 or None.
    first, last
        Two numbers, in either order.

    Raises
    ------
    ParameterError
        If the two differ in more than that, or are none of these.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.paths import ParametricQP
    >>> model = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], C=0.1)
    >>> start = model.qp()
    >>> path = ParametricQP(start, model.set_params(C=1.0).qp(), first=0.1, last=1.0)
    >>> print(path.at(0.5).upper)
    [0.  0.5 0.  0.5]
    """

    start: KernelQP
    end: KernelQP
    first: float
    last: float

    def __post_init__(self) -> None:
        one, other = self.start, self.end
        if one.gram is not other.gram or one.total != other.total or not np.array_equal(one.ridge, other.ridge):
            raise ParameterError(
                "the KernelQPs at both ends must share their kernel matrix, ridge and total; a path goes along a "
                "parameter of target, bounds and epsilon."
            )
        if not (one.is_bounded and other.is_bounded) or one.total:
            raise ParameterError("a path needs finite bounds of beta, and a sum of 0 where one is given.")
        if self.first == self.last:
            raise ParameterError(f"a path needs two ends that differ, but both are {self.first:g}.")

    def __len__(self) -> int:
        """Return the number m of samples."""
        return len(self.start)

    @cached_property
    def vectors(self) -> dict[str, tuple[Vector, Vector]]:
        """Base and rate of each of the vectors by name: base + p rate."""
        return {name: self._line(getattr(self.start, name), getattr(self.end, name)) for name in LINEAR}

    def _line(self, one: Vector, other: Vector) -> tuple[Vector, Vector]:
        rate = (other - one) / (self.last - self.first)
        base = one - self.first * rate
        # What is proportional to p is so exactly, and what does not move stays.
        far, p = (other, self.last) if abs(self.last) > abs(self.first) else (one, self.first)
        proportional = np.abs(base) <= 8 * _EPS * np.maximum(np.abs(one), np.abs(other))
        base, rate = np.where(proportional, 0.0, base), np.where(proportional, far / p, rate)
        return np.where(one == other, one, base), np.where(one == other, 0.0, rate)

    def at(self, p: float) -> KernelQP:
        """Return the problem at p; those of the two ends are themselves.

        Parameters
        ----------
        p
            The parameter, between those of the two ends.
        """
        one = self.start
        if p in (self.first, self.last):
            return one if p == self.first else self.end
        parts = {name: base + p * rate for name, (base, rate) in self.vectors.items()}
        # Rounding may leave an epsilon that falls to 0 a little less than 0.
        parts["epsilon"] = np.maximum(parts["epsilon"], 0.0)
        return KernelQP(one.gram, **parts, total=one.total, ridge=one.ridge, name=one.name)
