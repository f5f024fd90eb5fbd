# SPDX-License-Identifier: BSD-3-Clause
"""The bounds of fits: below and above the optimum for any answer, equal at it, and finite for nothing else."""

from __future__ import annotations

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import SEEDS
from qpkernels.problems.norm_fit import NormFitBounds
from qpkernels.problems.norms import (
    AbsoluteFitBounds,
    BalancedAbsoluteFitBounds,
    LargestResidualBounds,
    SquaredFitBounds,
)
from qpkernels.problems.rounding import FunctionAtSamples

NORMS = {
    SquaredFitBounds: lambda r: (cp.sum_squares(r), []),
    AbsoluteFitBounds: lambda r: (cp.norm1(r), []),
    BalancedAbsoluteFitBounds: lambda r: (cp.norm1(r), [cp.sum(r) == 0]),
    LargestResidualBounds: lambda r: (cp.norm_inf(r), []),
}
every_norm = pytest.mark.parametrize("norm", NORMS)

RNG = np.random.default_rng(4)
F, Y = RNG.normal(size=(20, 3)), RNG.normal(size=20)


def state(norm: type[NormFitBounds], features: np.ndarray = F) -> NormFitBounds:
    return norm(features, Y, True)


def optimum(norm: type[NormFitBounds]) -> tuple[float, np.ndarray, float]:
    """Return the least loss, with f at the samples and b."""
    w, b = cp.Variable(3), cp.Variable()
    loss, constraints = NORMS[norm](Y - F @ w - b)
    value = cp.Problem(cp.Minimize(loss), constraints).solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11
    )
    return float(value), F @ w.value, float(b.value)


@every_norm
@given(seed=SEEDS, spread=st.sampled_from([1e-3, 1.0, 30.0]))
def test_the_optimum_lies_between_the_bounds_of_any_answer(norm: type[NormFitBounds], seed: int, spread: float) -> None:
    least, _, _ = OPTIMA[norm]
    rng = np.random.default_rng(seed)
    w, v = spread * rng.normal(size=3), spread * rng.normal(size=20)
    certificate = state(norm).certify(v, float(rng.normal()), FunctionAtSamples(F @ w, float(w @ w)))
    assert certificate.dual_value <= least + 1e-8
    assert certificate.primal_value >= least - 1e-8


OPTIMA = {norm: optimum(norm) for norm in NORMS}


@every_norm
def test_the_multipliers_that_the_residuals_suggest_prove_the_optimum(norm: type[NormFitBounds]) -> None:
    least, values, b = OPTIMA[norm]
    bounds = state(norm)
    v = bounds.multipliers(Y - values - b)
    certificate = bounds.certify(v, b, FunctionAtSamples(values, 0.0))
    assert certificate.holds(1e-7), certificate
    assert certificate.dual_value == pytest.approx(least, rel=1e-7)
    assert np.abs(F.T @ v).max() <= 1e-6
    assert abs(v.sum()) <= 1e-6
    assert not bounds.certify(v, b + 0.1, FunctionAtSamples(values, 0.0)).holds(1e-4)
    assert not bounds.certify(np.roll(v, 1), b, FunctionAtSamples(values, 0.0)).holds(1e-4)


@every_norm
def test_dependent_and_constant_features_change_nothing(norm: type[NormFitBounds]) -> None:
    least, values, b = OPTIMA[norm]
    bounds = state(norm, np.column_stack([F, F[:, 0] - 2.0 * F[:, 1], np.full(20, 3.0)]))
    v = bounds.multipliers(Y - values - b)
    certificate = bounds.certify(v, b, FunctionAtSamples(values, 0.0))
    assert certificate.holds(1e-7), certificate
    assert certificate.dual_value == pytest.approx(least, rel=1e-7)


@every_norm
def test_no_function_proves_nothing(norm: type[NormFitBounds]) -> None:
    assert not state(norm).certify(np.zeros(20), 0.0).holds(np.inf)
    at = FunctionAtSamples(np.zeros(20), 0.0)
    assert not state(norm).certify(np.zeros(20), np.nan, at).holds(np.inf)
    assert not state(norm).certify(np.full(20, np.inf), 0.0, at).holds(np.inf)


def test_medians_are_the_intercepts_of_the_absolute_fit() -> None:
    values = np.zeros(4)
    bounds = AbsoluteFitBounds(np.zeros((4, 1)), np.array([0.0, 1.0, 3.0, 8.0]), True)
    support = bounds.support(np.array([-1.0, -0.5, 0.5, 1.0]), values)
    assert support.bounded.tolist() == [0, 3]
    assert support.free.tolist() == [1, 2]
    assert bounds.interval(np.zeros(4), values, 2.0, support) == (1.0, 3.0)
    without = AbsoluteFitBounds(bounds.features, bounds.target, False)
    assert without.interval(np.zeros(4), values, 0.0, support) == (0.0, 0.0)
