# SPDX-License-Identifier: BSD-3-Clause
"""The solvers behind qpsolvers, where it does not keep them from harm."""

import numpy as np

from builders import cone_program
from qpkernels.problems import Nonnegative
from qpkernels.solvers import Claim, find_solver


def test_large_entries_of_p_do_not_end_the_process() -> None:
    # min 1e16/2 x1^2 + x1 + x2 s.t. x >= -1
    program = cone_program(np.diag([1e16, 0.0]), [1, 1], -np.eye(2), [1, 1], [Nonnegative(2)])
    outcome = find_solver("highs").solve(program, isolate=True)
    assert outcome.claim is Claim.OPTIMAL, outcome.message
    np.testing.assert_allclose(outcome.point, [0, -1], atol=1e-6)
