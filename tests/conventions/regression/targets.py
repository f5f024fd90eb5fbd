# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of the models with real targets share: samples, and their statements solved by CVXPY."""

from __future__ import annotations

import cvxpy as cp
import numpy as np

from conventions.checks import Samples

__all__ = ["TOL", "expanded", "minimised", "real_targets"]

TOL = 1e-10
SHARP = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}


def real_targets(samples: int = 50) -> Samples:
    """Return samples in three features, and targets on a curved surface with noise of heavy tails."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(samples, 3))
    return Samples(X, np.sin(X[:, 0]) + X @ [0.5, -1.0, 0.3] + 0.4 + 0.3 * rng.standard_t(3, samples))


def minimised(objective: cp.Expression, *constraints: cp.Constraint) -> None:
    """Solve a problem of CVXPY sharply."""
    cp.Problem(cp.Minimize(objective), list(constraints)).solve(solver="CLARABEL", **SHARP)


def expanded(K: np.ndarray) -> tuple[cp.Variable, cp.Expression, cp.Expression]:
    """Return coefficients beta, the values K beta, and the squared norm of their function."""
    beta, lower = cp.Variable(len(K)), np.linalg.cholesky(K + 1e-13 * np.eye(len(K)))
    return beta, K @ beta, cp.sum_squares(lower.T @ beta)
