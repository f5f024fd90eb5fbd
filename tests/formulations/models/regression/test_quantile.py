# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles: three numbers and a line by hand, and what tau promises."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import Quantile
from qpkernels.kernels import Kernel
from regression_data import each_kernel, slack, solved, targets

each_form = pytest.mark.parametrize("form", ["primal", "dual"])


@pytest.mark.parametrize("solver", ["clarabel", "smo"])
@each_form
@pytest.mark.parametrize(("tau", "level", "value"), [(0.5, 2.0, 4.5), (0.2, 1.0, 2.0), (0.9, 10.0, 1.7)])
def test_quantiles_of_three_numbers(form: str, solver: str, tau: float, level: float, value: float) -> None:
    # The feature is 0 everywhere: b is the quantile of 1, 2, 10, and the value C sum of the losses. For tau = 1/2:
    # half of 1 + 8; for 0.2: a fifth of 1 + 9; for 0.9: a tenth of 9 + 8.
    model = Quantile(np.zeros((3, 1)), [2.0, 10.0, 1.0], tau=tau)
    solution = solved(model.forms[form], solver)
    assert solution.objective == pytest.approx(value, rel=1e-7)
    assert solution.intercept == pytest.approx(level, abs=1e-5)


@each_form
def test_median_line_of_three_points(form: str) -> None:
    # 1/2 w^2 + |2 - w| has its minimum at w = 1: 1.5; the middle point is met.
    model = Quantile([[-1.0], [0.0], [1.0]], [-1.0, 1.0, 3.0], tau=0.5)
    solution = solved(model.forms[form])
    assert solution.objective == pytest.approx(1.5, rel=1e-7)
    assert solution.decision == pytest.approx([0.0, 1.0, 2.0], abs=1e-5)


@each_kernel
@pytest.mark.parametrize("tau", [0.1, 0.5, 0.8])
@each_form
def test_tau_is_the_share_below(form: str, tau: float, kernel: Kernel | None) -> None:
    X, y = targets(80)
    solution = solved(Quantile(X, y, kernel, tau=tau, C=2.0).forms[form])
    below = np.mean(solution.residuals < -slack(solution))
    above = np.mean(solution.residuals > slack(solution))
    assert below <= tau <= 1.0 - above
    assert above <= 1.0 - tau
    assert below >= tau - 0.15
