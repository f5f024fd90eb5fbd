# SPDX-License-Identifier: BSD-3-Clause
"""The base class of programs: its usual solver, the size of its answers, and whether they are coefficients."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from qpkernels.arrays import Vector
from qpkernels.gram import Gram

__all__ = ["ExpansionProgram", "Program"]


class Program:
    """A problem that a solver can be given. Each kind of problem is a subclass, frozen and validated."""

    name: str
    """The name of the problem that it states."""

    usual_solver: ClassVar[str]
    """The solver that is used if none is named."""

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of entries of its point, and the number of its multipliers."""
        raise NotImplementedError(f"a {type(self).__name__} must say how long its answers are")

    @property
    def is_expansion(self) -> bool:
        """Whether its point is beta, the coefficients of f = sum_j beta_j k(x_j, .)."""
        return False


class ExpansionProgram(Program):
    """A problem whose point is beta, and whose multiplier is b if 1'beta is fixed."""

    gram: Gram
    lower: Vector
    upper: Vector
    total: float | None

    @cached_property
    def size(self) -> int:
        """The number m of samples."""
        return self.lower.size

    def __len__(self) -> int:
        """Return the number m of samples."""
        return self.size

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """The numbers of samples, and of intercepts: 1 or 0."""
        return self.size, 0 if self.total is None else 1

    @property
    def is_expansion(self) -> bool:
        """True."""
        return True
