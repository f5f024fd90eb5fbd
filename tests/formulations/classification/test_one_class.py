# SPDX-License-Identifier: BSD-3-Clause
"""One class: a sample far away from all others."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import OneClass
from qpkernels.certificates import Status


@pytest.mark.parametrize("solver", ["scs", "clarabel", "smo"])
def test_one_class_with_one_sample_far_away(solver: str) -> None:
    samples = np.vstack([np.random.default_rng(0).normal(size=(30, 2)) + 3.0, [[3e3, 0.0]]])
    model = OneClass(samples, nu=0.5)
    optimum = model.dual.solve("smo", tol=1e-10).objective
    solution = model.dual.solve(solver)
    if solution.status is Status.OPTIMAL:
        assert solution.objective == pytest.approx(optimum, rel=1e-5)
