# SPDX-License-Identifier: BSD-3-Clause
"""The squared hinge: the hard margin with a ridge, and where it says that a sample stands."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import HardMargin, SquaredHinge
from model_data import overlapping
from qpkernels.kernels import RBF, Precomputed


@pytest.mark.parametrize("solver", ["smo", "clarabel"])
def test_the_place_of_a_sample_follows_from_its_slack(solver: str) -> None:
    """Every sample with a slack is a free support vector here, and stands inside the margin all the same."""
    solution = SquaredHinge(*overlapping(), RBF(0.5)).dual.solve(solver, tol=1e-9)
    inside = np.flatnonzero((solution.margins > 0.05) & (solution.margins < 0.95))
    assert inside.size
    for sample in inside:
        assert sample in solution.support.free
        text = solution.explain(sample)
        assert f"y (f(x) + b) = {solution.margins[sample]:.6g} is inside the margin, slack xi" in text
        assert "on the margin" not in text
        assert f"slack xi = {1 - solution.margins[sample]:.3g}" in text
    beyond = np.flatnonzero(solution.margins > 1.05)
    assert all("is beyond the margin, slack xi = 0;" in solution.explain(sample) for sample in beyond)
    wrong = np.flatnonzero(solution.margins < -0.05)
    assert all("is on the wrong side" in solution.explain(sample) for sample in wrong)


def test_the_hard_margin_with_a_ridge() -> None:
    X, y = overlapping()
    C = np.linspace(0.3, 2.0, 30)
    soft = SquaredHinge(X, y, RBF(0.5), C=C).solve(tol=1e-12)
    hard = HardMargin(np.arange(30), y, Precomputed(RBF(0.5)(X) + np.diag(0.5 / C))).solve(tol=1e-12)
    assert soft.objective == pytest.approx(hard.objective, rel=1e-8)
    # The matrix is at least 0.25 I: a gap bounds the distance from the optimum by sqrt(8 gap).
    near = np.sqrt(8.0 * 1e-12 * (1.0 + soft.objective))
    assert soft.alpha == pytest.approx(hard.alpha, abs=2.0 * near)
    assert soft.alpha == pytest.approx(2 * C * soft.slacks, abs=2.0 * near)
