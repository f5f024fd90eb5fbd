# SPDX-License-Identifier: BSD-3-Clause
"""Linear fits without regularisation: a line with an outlier by hand, exact lines, and dependent features."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import ChebyshevFit, LaplaceFit, LeastAbsoluteFit, LeastSquaresFit
from qpkernels.kernels import RBF, Polynomial
from regression_data import solved, targets

LINE = np.arange(5.0)[:, None]
RAISED = 2.0 * LINE[:, 0] + 1.0 + np.array([0.0, 0.0, 5.0, 0.0, 0.0])
"""The line 2x + 1 at 0, ..., 4, and 5 more in the middle."""

each_norm = pytest.mark.parametrize("model", [LeastSquaresFit, LeastAbsoluteFit, ChebyshevFit, LaplaceFit])
each_form = pytest.mark.parametrize("form", ["primal", "dual"])


@pytest.mark.parametrize(
    ("model", "value", "level"),
    [
        # The mean takes 5/5 of it: four residuals of -1 and one of 4.
        (LeastSquaresFit, 20.0, 2.0),
        # The line itself, off by 5 in one place.
        (LeastAbsoluteFit, 5.0, 1.0),
        # Half of it: -2.5, 2.5, -2.5 alternate at 0, 2 and 4.
        (ChebyshevFit, 2.5, 3.5),
    ],
    ids=["squares", "absolute", "Chebyshev"],
)
@each_form
def test_fits_of_a_line_with_an_outlier(form: str, model: Any, value: float, level: float) -> None:
    solution = solved(model(LINE, RAISED).forms[form])
    assert solution.objective == pytest.approx(value, rel=1e-7)
    assert solution.intercept == pytest.approx(level, abs=1e-5)
    assert solution.function([[10.0]])[0] == pytest.approx(20.0 + level, abs=1e-5)


@each_form
def test_laplace_fit_of_a_line_with_an_outlier(form: str) -> None:
    # The residuals add up to 0, so the fit is 1 higher on average: 4 in the middle and 1 +- d (x - 2) below elsewhere,
    # which is 4 in all for every |d| <= 1/2.
    solution = solved(LaplaceFit(LINE, RAISED).forms[form])
    assert solution.objective == pytest.approx(8.0, rel=1e-7)
    assert solution.residuals.sum() == pytest.approx(0.0, abs=1e-7)
    assert solution.residuals[2] == pytest.approx(4.0, abs=1e-6)


@each_norm
def test_a_line_is_found_exactly(model: Any) -> None:
    solution = solved(model(LINE, 2.0 * LINE[:, 0] + 1.0), None)
    assert solution.function(LINE) == pytest.approx(2.0 * LINE[:, 0] + 1.0, abs=1e-6)


@each_form
@pytest.mark.parametrize("model", [LaplaceFit, LeastSquaresFit])
@pytest.mark.parametrize(
    ("seed", "samples", "tilt"),
    [(40, 4, 0.1), (162, 4, 0.1), (219, 4, 0.1), (1, 5, 0.005), (6, 5, 0.005), (7, 5, 0.005)],
)
def test_a_kernel_that_has_the_constants_already(model: Any, form: str, seed: int, samples: int, tilt: float) -> None:
    """In the space of x'z + 1 the column of ones depends on the others, but for rounding, which must not fit anything.

    The seeds are those where rounding was just above what the rank of a matrix is usually judged by.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, 2))
    X[:, 1] = X[:, 0] + tilt * X[:, 1]
    y = rng.normal(size=samples)
    solution = solved(model(X, y, Polynomial(1, 1.0, 1.0)).forms[form], None, 1e-7)
    plain = solved(model(X, y).forms[form], None, 1e-7)
    assert solution.objective == pytest.approx(plain.objective, rel=1e-6)


@pytest.mark.parametrize("kernel", [None, Polynomial(2, 1.0, 1.0)], ids=["explicit", "polynomial"])
def test_a_solved_system_shows_in_the_primal(kernel: Polynomial | None) -> None:
    """The multipliers of a fit are no coefficients of its function, which is written by its coordinates."""
    X, y = targets()
    model = LeastSquaresFit(X, y, kernel)
    solution = solved(model, "linear")
    problem = model.primal.problem
    assert problem.value == pytest.approx(solution.certificate.primal_value, rel=1e-9)
    assert model.primal.g.value == pytest.approx(solution.decision, abs=1e-8)
    assert model.primal.r.value == pytest.approx(solution.residuals, abs=1e-8)
    assert model.primal.constraint("residual").dual_value == pytest.approx(2.0 * solution.residuals, abs=1e-8)


@each_norm
def test_as_many_coordinates_as_samples_meet_every_target_by_linear_algebra(model: Any) -> None:
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(60, 4)), rng.normal(size=60)
    solution = model(X, y, RBF(2.0)).solve()
    assert (solution.status, solution.solver) == ("optimal", "linear")
    assert np.abs(solution.residuals).max() <= 1e-10
    # A sample that comes twice with two targets: no fit is exact, and another solver finds the best.
    twice = model(np.vstack([X, X[:1]]), np.append(y, y[0] + 1.0), RBF(2.0)).solve()
    assert twice.status == "optimal"
    assert np.abs(twice.residuals).sum() == pytest.approx(1.0, rel=1e-6)
