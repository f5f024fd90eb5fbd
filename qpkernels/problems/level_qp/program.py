# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP that also finds its tube width or margin, as the nu-machines do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.errors import ParameterError
from qpkernels.gram import Gram
from qpkernels.problems.kernel_qp.program import KernelQP
from qpkernels.problems.program import ExpansionProgram

__all__ = [
    "LevelQP",
]


@dataclass(frozen=True, eq=False)
class LevelQP(ExpansionProgram):
    """min 1/2 beta'K beta - target'beta  s.t.  lower <= beta <= upper, 1'beta = total, and a budget for 1'|beta|.

    The budget is the largest value that 1'|beta| may take or, if ``least``, the smallest. Its multiplier l is the
    level: at a given l the problem is a KernelQP that charges l for each unit of |beta|. With a budget from above, l >=
    0 is the half width of a tube. With one from below, every coefficient has one sign, and -l >= 0 is the margin that
    is required. As l rises 1'|beta| falls, piecewise linearly (Schoelkopf et al., 2000; Chang and Lin, 2001).

    Attributes
    ----------
    gram
        The kernel matrix K of m samples; positive semidefinite.
    target, lower, upper
        Shape (m,); lower <= 0 <= upper, all finite. If ``least``, one bound of each sample is 0, else lower is -upper.
    total
        The value of 1'beta, 0. With None, the model has no intercept b, and the equation is absent.
    budget
        Above 0.
    least
        Whether the budget bounds 1'|beta| from below.
    name
        The problem that the program states.

    Raises
    ------
    ParameterError
        If the bounds are not of this form.

    Examples
    --------
    >>> from formulations import NuMargin
    >>> from qpkernels.problems import LevelQP
    >>> model = NuMargin([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1], nu=0.5)
    >>> (program,) = model.programs(model.bounds())
    >>> print(isinstance(program, LevelQP), program.budget, program.least)
    True 0.5 True
    """

    usual_solver = "interior-point"

    gram: Gram
    target: Vector
    lower: Vector
    upper: Vector
    total: float | None
    budget: float
    least: bool
    name: str = "kernel quadratic program with a free level"

    def __post_init__(self) -> None:
        """Refuse bounds that form neither a tube nor a margin."""
        if (self.lower * self.upper).any() if self.least else (self.lower + self.upper).any():
            raise ParameterError(
                "a LevelQP whose budget is from below has a bound of 0 for each sample, and one whose budget is from "
                "above has lower = -upper, but other bounds came; state a margin, or a tube."
            )

    def at_level(self, level: float) -> KernelQP:
        """Return the problem at that level, whose objective is larger by l 1'|beta|.

        Parameters
        ----------
        level
            l, in the unit of the targets. With a budget from above it is at least 0, and the half width of a tube; if
            ``least``, it may have any sign, and -l is the margin.

        Raises
        ------
        ParameterError
            If it is below 0 and the budget is from above.
        """
        if self.least:
            signs = np.where(self.upper > 0, 1.0, -1.0)
            return KernelQP(self.gram, self.target - level * signs, self.lower, self.upper, self.total, name=self.name)
        return KernelQP(self.gram, self.target, self.lower, self.upper, self.total, epsilon=level, name=self.name)

    @property
    def middle(self) -> float:
        """The middle of the targets if a shift of them only changes b, as 1'beta = 0; otherwise 0."""
        return 0.5 * float(self.target.min() + self.target.max()) if self.total == 0.0 else 0.0

    def around(self, level: float) -> LevelQP:
        """Return the problem with ``level`` subtracted from the targets; if 1'beta = 0, only b changes, by as much.

        Parameters
        ----------
        level
            In the unit of the targets.
        """
        return replace(self, target=self.target - level) if level else self

    @property
    def highest(self) -> float:
        """A level at and beyond which beta = 0 solves the problem of that level."""
        if self.least:
            return 0.0
        if self.total is None:
            return float(np.abs(self.target).max())
        return 0.5 * float(np.ptp(self.target))
