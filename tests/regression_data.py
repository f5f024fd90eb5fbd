# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the regression models share: noisy targets, and when two models are one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qpkernels.kernels import RBF
from qpkernels.problems import Status

each_kernel = pytest.mark.parametrize("kernel", [None, RBF(0.8)], ids=["explicit", "rbf"])


def targets(m: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Return samples in a square, and targets on a curved surface with outliers."""
    rng = np.random.default_rng(6)
    X = rng.uniform(-1.0, 1.0, (m, 2))
    return X, np.sin(3.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(2, m)


def solved(problem: Any, solver: str | None = "clarabel", tol: float = 1e-8) -> Any:
    """Return the proved answer of a model or a form."""
    solution = problem.solve(solver, tol=tol)
    assert solution.status is Status.OPTIMAL, solution
    return solution


def same(one: Any, other: Any, sign: float = 1.0, solvers: tuple[str, str] = ("clarabel", "clarabel")) -> None:
    """Assert that two problems have the same function, and values that are equal up to the sign."""
    mine, theirs = solved(one, solvers[0], 1e-9), solved(other, solvers[1], 1e-9)
    new = np.random.default_rng(7).uniform(-1.0, 1.0, (20, 2))
    assert mine.objective == pytest.approx(sign * theirs.objective, rel=1e-7)
    assert mine.function(new) == pytest.approx(theirs.function(new), rel=0, abs=1e-4)
    assert abs(mine.function(new)).max() > 0.1


def slack(solution: Any) -> float:
    """Return what counts as on the edge: far above the accuracy of the solution, far below the spread of the values."""
    return 1e-5 * float(np.ptp(solution.decision))
