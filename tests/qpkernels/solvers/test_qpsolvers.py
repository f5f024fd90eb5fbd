# SPDX-License-Identifier: BSD-3-Clause
"""The solvers behind qpsolvers, where it does not keep them from harm."""

import numpy as np

from builders import cone_program
from qpkernels.programs import Nonnegative
from qpkernels.solvers import Claim, find_solver


def test_large_entries_of_p_do_not_end_the_process() -> None:
    # min 1e16/2 |x|^2 + x1 + x2 s.t. x >= -1
    program = cone_program(1e16 * np.eye(2), [1, 1], -np.eye(2), [1, 1], [Nonnegative(2)])
    outcome = find_solver("highs").solve(program, isolate=True)
    assert outcome.claim is Claim.OPTIMAL, outcome.message
    assert np.abs(outcome.point).max() <= 1e-6
