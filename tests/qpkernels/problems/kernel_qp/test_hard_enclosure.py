# SPDX-License-Identifier: BSD-3-Clause
"""What is short of a hard constraint by less than a rounding is short of it."""

from __future__ import annotations

import numpy as np

from qpkernels.arrays.intervals import UNIT, Interval
from qpkernels.gram import Gram
from qpkernels.kernels import Linear
from qpkernels.problems import KernelQP
from qpkernels.problems.enclosing import Judged
from qpkernels.problems.kernel_qp.enclosure import excesses, forbidden


def test_the_edge_of_a_tube_is_not_rounded() -> None:
    """1 - 1.5 u is no float: what rounds it to 1 - 2 u lets pass a value of 1 - 2 u."""
    epsilon = 1.5 * UNIT
    assert 1.0 - epsilon == 1.0 - 2 * UNIT
    gram = Gram(Linear(), np.ones((1, 1)))
    program = KernelQP(gram, [1.0], lower=[-np.inf], upper=[np.inf], epsilon=[epsilon], total=None)
    values = Interval.of(np.array([1.0 - 2 * UNIT]))
    found = excesses(program, Judged(values, values.square().sum(), 0.0))
    short, over = forbidden(program, found)
    assert 0.5 * UNIT <= short[0] <= UNIT
    assert over[0] == 0.0
