# SPDX-License-Identifier: BSD-3-Clause
"""A KernelQP with several free directions: one direction is an intercept, more are those of CVXPY's problem."""

import cvxpy as cp
import numpy as np
import pytest

from qpkernels import RBF, Gram, Linear
from qpkernels.errors import ParameterError, ShapeError
from qpkernels.kernels.kernel import Kernel
from qpkernels.problems import KernelQP, SemiparametricQP
from qpkernels.problems.semiparametric_qp import SemiparametricBounds
from qpkernels.solvers import find_solver

RANDOM = np.random.default_rng(0)
M = 30
X = RANDOM.normal(size=(M, 3))
T = np.sin(X[:, 0]) + X[:, 1] + 0.1 * RANDOM.normal(size=M)
TREND = np.column_stack([np.ones(M), X[:, 1], X[:, 1] ** 2])
TUBE = {"lower": np.full(M, -2.0), "upper": np.full(M, 2.0), "epsilon": np.full(M, 0.1), "ridge": np.zeros(M)}


def stated(kernel: Kernel, directions: np.ndarray, totals: np.ndarray, **changes: np.ndarray) -> SemiparametricQP:
    return SemiparametricQP(Gram(kernel, X), T, directions=directions, totals=totals, **{**TUBE, **changes})


def test_one_direction_of_ones_is_an_intercept() -> None:
    program = stated(RBF(0.5), np.ones((M, 1)), np.zeros(1))
    other = KernelQP(program.gram, T, -2.0, 2.0, 0.0, 0.1)
    found, usual = (find_solver("interior-point").solve(each, tol=1e-9) for each in (program, other))
    assert found.multipliers == pytest.approx(usual.multipliers, abs=1e-7)
    assert other.objective(found.point) == pytest.approx(other.objective(usual.point), rel=1e-9)


@pytest.mark.parametrize("kernel", [RBF(0.5), Linear()], ids=["dense", "features"])
@pytest.mark.parametrize("ridge", [0.0, 0.5])
def test_the_optimum_is_that_of_the_primal(kernel: Kernel, ridge: float) -> None:
    totals = np.array([0.0, 1.0, -0.5])
    program = stated(kernel, TREND, totals, ridge=np.full(M, ridge))
    found = find_solver("interior-point").solve(program, tol=1e-9)
    certificate = SemiparametricBounds(program).certify(found.point, found.multipliers)
    assert certificate.holds(1e-9)
    factor = program.gram.factor
    u, z, s = cp.Variable(factor.shape[1]), cp.Variable(3), cp.Variable(M)
    # Each loss is the conjugate of what the dual charges: of a ridge, a Huber loss beside the tube.
    excess = cp.pos(cp.abs(T - factor @ u - TREND @ z) - 0.1)
    loss = 2 * cp.sum(excess) if ridge == 0 else cp.sum(cp.huber(s, 2 * ridge)) / (2 * ridge)
    rows = [] if ridge == 0 else [s >= excess]
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(u) + loss + totals @ z), rows)
    problem.solve("CLARABEL")
    assert certificate.primal_value == pytest.approx(problem.value, rel=1e-6)


def test_a_point_that_misses_the_totals_is_moved_and_told() -> None:
    program = stated(RBF(0.5), TREND, np.array([0.0, 1.0, -0.5]))
    beta = program.project(RANDOM.normal(size=M))
    assert TREND.T @ beta == pytest.approx(program.totals, abs=1e-12)
    assert np.abs(beta).max() <= 2.0
    certificate = SemiparametricBounds(program).certify(beta + 0.1, np.zeros(3))
    assert certificate.dual_residual > 1e-2
    unreachable = stated(RBF(0.5), TREND, np.array([100.0, 0.0, 0.0]))
    assert not SemiparametricBounds(unreachable).certify(unreachable.project(beta), np.zeros(3)).holds(0.5)


def test_directions_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ShapeError, match="a row of directions for each of 30 samples"):
        stated(RBF(0.5), TREND[:5], np.zeros(3))
    with pytest.raises(ParameterError, match="depend on each other"):
        stated(RBF(0.5), np.ones((M, 2)), np.zeros(2))
