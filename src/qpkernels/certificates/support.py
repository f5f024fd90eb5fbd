# SPDX-License-Identifier: BSD-3-Clause
"""Which samples carry an answer."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qpkernels.arrays import Indices, Vector
from qpkernels.programs.kernel_qp import KernelQP

__all__ = ["Support", "split_support"]

_ROUNDING = 1e-9
"""Share of its range within which a coefficient is at its end whatever the slopes say."""


@dataclass(frozen=True, eq=False)
class Support:
    """Support vectors: numbers of the samples whose coefficient is not 0.

    Attributes
    ----------
    free
        Strictly between 0 and the bound: these samples lie on the margin (or the edge of the tube).
    bounded
        At the bound: these samples pay a loss.
    """

    free: Indices
    bounded: Indices

    @property
    def indices(self) -> Indices:
        """All support vectors in ascending order."""
        return np.sort(np.concatenate([self.free, self.bounded]))

    def __len__(self) -> int:
        """Return the number of support vectors."""
        return self.free.size + self.bounded.size


def split_support(program: KernelQP, beta: Vector, decision: Vector) -> Support:
    """Return the support of an answer that may be inexact.

    An interior-point answer leaves no coefficient exactly at 0 or at a bound. Which end it means is read off strict
    complementarity: beta_i is at an end when its distance from there, as a share of its range, is smaller than the
    slope of the objective away from the end, as a share of the targets.

    Parameters
    ----------
    program
        The problem, for its bounds and targets.
    beta
        Coefficients, shape (m,).
    decision
        f(x_i) + b, shape (m,).
    """
    largest = float(np.abs(beta).max(initial=0.0)) or 1.0
    unit = float(np.abs(program.target).max()) or float(np.abs(decision).max()) or 1.0
    slope, width = (decision - program.target) / unit, program.epsilon / unit
    size = np.abs(beta)
    end = np.where(beta >= 0, program.upper, -program.lower)
    reach = np.where(end > 0, np.minimum(end, largest), largest)
    cost_up = np.where(program.upper > 0, slope + width, np.inf)
    cost_down = np.where(program.lower < 0, width - slope, np.inf)
    zero = _at_end(size / reach, np.minimum(cost_up, cost_down))
    outward = np.where(beta >= 0, -slope, slope) - width - program.ridge * size / unit
    bounded = ~zero & np.isfinite(end) & _at_end((end - size) / reach, outward)
    return Support(free=np.flatnonzero(~zero & ~bounded), bounded=np.flatnonzero(bounded))


def _at_end(distance: Vector, slope: Vector) -> NDArray[np.bool_]:
    return distance <= np.maximum(slope, _ROUNDING)
