# SPDX-License-Identifier: BSD-3-Clause
"""Which coefficients may still change: the others are left where they are until the end, and then looked at again."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays import Indices, Vector
from qpkernels.programs.kernel_qp import KernelQP
from qpkernels.smo.steps import Arrays
from qpkernels.smo.working_set import slopes

__all__ = ["may_change"]

_MARGIN = 10.0
"""Violations by which a slope is on the right side of optimality where its sample is left out."""


def may_change(program: KernelQP, beta: Vector, values: Vector) -> tuple[Indices, float]:
    """Return the samples that may change before the optimum, and the violation of optimality.

    A sample at a bound or a kink does not change if its slopes stay on their side of -b. While the slopes of the
    others close a gap of the size of the violation, they move by about as much, so a sample is left out only if its
    own keep a distance of several times that.
    """
    arrays = Arrays(np.empty((0, 0)), program.target, program.epsilon, program.ridge, program.lower, program.upper)
    up, down = np.empty(beta.size), np.empty(beta.size)
    lowest, highest = slopes(arrays, beta, values, up, down)
    if program.total is None:
        lowest, highest = min(lowest, 0.0), max(highest, 0.0)
    reach = _MARGIN * max(highest - lowest, 0.0)
    active = (up <= highest + reach) | (down >= lowest - reach)
    inside = (beta > program.lower) & (beta < program.upper) & ((beta != 0) | (program.epsilon == 0))
    return np.flatnonzero(active | inside), highest - lowest
