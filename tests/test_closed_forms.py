# SPDX-License-Identifier: BSD-3-Clause
"""Problems solved by hand, one model that is another in disguise, and what nu and tau promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import formulations
from formulations import (
    ChebyshevFit,
    ChebyshevFitDual,
    HardMarginDual,
    HuberDual,
    HuberPrimal,
    KernelRidgeDual,
    LaplaceFit,
    LaplaceFitDual,
    LeastAbsoluteFit,
    LeastAbsoluteFitDual,
    LeastSquaresDual,
    LeastSquaresFit,
    LeastSquaresFitDual,
    LeastSquaresPrimal,
    LinearProgramDual,
    LinearProgramPrimal,
    LogisticDual,
    NuMarginDual,
    NuMarginPrimal,
    NuTubeDual,
    NuTubePrimal,
    OneClassDual,
    OneClassPrimal,
    PenalisedTube,
    QuantileDual,
    QuantilePrimal,
    ResidualLossDual,
    ResidualLossPrimal,
    SoftTubeDual,
    SquaredHingeDual,
    SquaredHingePrimal,
)
from formulations.losses import AbsolutePower, EpsilonInsensitive, Huber, LogisticResidual, Pinball, Squared
from model_data import FORMULATIONS, one_against_rest
from qpkernels.certificates import Status
from qpkernels.kernels import RBF, Kernel, Linear, Polynomial, Precomputed


def solved(model: Any, solver: str | None = "clarabel", tol: float = 1e-8) -> Any:
    solution = model.solve(solver, tol=tol)
    assert solution.status is Status.OPTIMAL, solution
    return solution


# --- two points, x = 1 and x = -1, with the labels +-1 or the targets +-2 ---

# By symmetry b = 0 and f(x) = w x, so that each problem is one in w alone:
#   C1   1/2 w^2, w >= 1                                        w = 1
#   C2   1/2 w^2 + 2C (1 - w)                                   w = 2C
#   C3   a_1 + a_2 + 2C (1 - a_1 - a_2), w = a_1 + a_2          w = 1 for C > 1/2, and 0 below
#   C4   1/2 w^2 + 2C log(1 + exp(-w))                          w = 2C / (1 + exp(w))
#   C7   1/2 w^2 + 2C (1 - w)^2                                 w = 4C / (1 + 4C)
#   C8   1/2 w^2 - nu w                                         w = rho = nu
#   D1   1/2 w^2, 2 - w <= epsilon                              w = 2 - epsilon, also without b (F1, F2)
#   D2   1/2 w^2 + 2C (2 - w - epsilon)                         w = 2C
#   D3   1/2 lambda w^2 + 2 - w - epsilon                       w = 1/lambda
#   D4   1/2 w^2 + C (2 - w) for tau = 1/2                      w = C
#   D5   1/2 w^2 + 2C (delta (2 - w) - delta^2/2)               w = 2C delta
#   D6   1/2 w^2 + 2C (2 - w)^p                                 w = 2Cp (2 - w)^(p-1)
#   D6   1/2 w^2 + 4C log cosh((2 - w)/2)                       w = 2C tanh((2 - w)/2)
#   D7   1/2 w^2 + 2C nu (2 - w)                                w = 2C nu, epsilon = 2 - w
#   E1   1/2 w^2 + C (2 - w)^2                                  w = 2C (2 - w)
#   E2   1/2 lambda w^2 + (2 - w)^2                             lambda w = 2 (2 - w)
#   F3   1/2 w^2, w = 2

_LOGISTIC_COST = (1 + np.e) / 2
_RESIDUAL_COST = 0.5 / np.tanh(0.5)
_LOGISTIC = 0.5 + (1 + np.e) * np.log1p(np.exp(-1))
_RESIDUAL = 0.5 + 4 * _RESIDUAL_COST * np.log(np.cosh(0.5))

BY_HAND: list[tuple[str, dict[str, Any], float, float]] = [
    ("HardMarginPrimal", {}, 1.0, 0.5),
    ("HardMarginGeometric", {}, 1.0, 1.0),
    ("HardMarginDual", {}, 1.0, -0.5),
    ("SoftMarginPrimal", {"C": 0.2}, 0.4, 0.32),
    ("SoftMarginHinge", {"C": 0.2}, 0.4, 0.32),
    ("SoftMarginDual", {"C": 0.2}, 0.4, -0.32),
    ("LinearProgramPrimal", {"C": 0.7}, 1.0, 1.0),
    ("LinearProgramDual", {"C": 0.7}, 1.0, 1.0),
    ("LinearProgramPrimal", {"C": 0.3}, 0.0, 0.6),
    ("LinearProgramDual", {"C": 0.3}, 0.0, 0.6),
    ("LogisticPrimal", {"C": _LOGISTIC_COST}, 1.0, _LOGISTIC),
    ("LogisticDual", {"C": _LOGISTIC_COST}, 1.0, _LOGISTIC),
    ("LogisticPenalised", {"regularisation": 0.5 / _LOGISTIC_COST}, 1.0, _LOGISTIC / _LOGISTIC_COST / 2),
    ("SquaredHingePrimal", {"C": 0.25}, 0.5, 0.25),
    ("SquaredHingeDual", {"C": 0.25}, 0.5, -0.25),
    ("NuMarginPrimal", {"nu": 0.6}, 0.6, -0.18),
    ("NuMarginDual", {"nu": 0.6}, 0.6, 0.18),
    ("HardTubePrimal", {"epsilon": 0.5}, 1.5, 1.125),
    ("HardTubeDual", {"epsilon": 0.5}, 1.5, -1.125),
    ("SparseApproximation", {"epsilon": 0.5}, 1.5, -1.125),
    ("SparseApproximationSplit", {"epsilon": 0.5}, 1.5, -1.125),
    ("SoftTubePrimal", {"C": 0.4, "epsilon": 0.5}, 0.8, 0.88),
    ("SoftTubeLoss", {"C": 0.4, "epsilon": 0.5}, 0.8, 0.88),
    ("SoftTubeDual", {"C": 0.4, "epsilon": 0.5}, 0.8, -0.88),
    ("PenalisedTube", {"regularisation": 1.0, "epsilon": 0.25}, 1.0, 1.25),
    ("QuantilePrimal", {"tau": 0.5, "C": 0.7}, 0.7, 1.155),
    ("QuantileDual", {"tau": 0.5, "C": 0.7}, 0.7, 1.155),
    ("HuberPrimal", {"C": 0.6, "delta": 0.5}, 0.6, 0.87),
    ("HuberDual", {"C": 0.6, "delta": 0.5}, 0.6, 0.87),
    ("ResidualLossPrimal", {"C": 1 / 3, "loss": AbsolutePower(1.5)}, 1.0, 7 / 6),
    ("ResidualLossDual", {"C": 1 / 3, "loss": AbsolutePower(1.5)}, 1.0, 7 / 6),
    ("ResidualLossPrimal", {"C": _RESIDUAL_COST, "loss": LogisticResidual()}, 1.0, _RESIDUAL),
    ("ResidualLossDual", {"C": _RESIDUAL_COST, "loss": LogisticResidual()}, 1.0, _RESIDUAL),
    ("NuTubePrimal", {"nu": 0.5, "C": 1.0}, 1.0, 1.5),
    ("NuTubeDual", {"nu": 0.5, "C": 1.0}, 1.0, -1.5),
    ("LeastSquaresPrimal", {"C": 0.5}, 1.0, 1.0),
    ("LeastSquaresDual", {"C": 0.5}, 1.0, 1.0),
    ("LeastSquaresSystem", {"C": 0.5}, 1.0, 0.0),
    ("LeastSquaresCentred", {"C": 0.5}, 1.0, 0.0),
    ("KernelRidgePrimal", {"regularisation": 2.0}, 1.0, 2.0),
    ("KernelRidgeDual", {"regularisation": 2.0}, 1.0, 1.0),
]


@pytest.mark.parametrize("solver", ["clarabel", None])
@pytest.mark.parametrize("kernel", [None, Linear()], ids=["explicit", "linear"])
@pytest.mark.parametrize(("name", "parameters", "w", "value"), BY_HAND, ids=lambda value: str(value)[:30])
def test_two_points(
    name: str, parameters: dict[str, Any], w: float, value: float, kernel: Kernel | None, solver: str | None
) -> None:
    form = getattr(formulations, name)
    y = [1.0, -1.0] if form.catalogue[0] == "C" else [2.0, -2.0]
    solution = solved(form([[1.0], [-1.0]], y, kernel, **parameters), solver)
    assert solution.objective == pytest.approx(value, rel=1e-6, abs=1e-12)
    assert solution.function([[1.0], [3.0]]) == pytest.approx([w, 3 * w], rel=0, abs=1e-5)


def test_every_model_but_fits_interpolation_and_one_class_is_solved_by_hand_on_two_points() -> None:
    missing = {form for form in FORMULATIONS if form.__name__ not in {row[0] for row in BY_HAND}}
    assert {form.catalogue.split("-")[0] for form in missing} == {"A1", "A2", "A2L", "A3", "B3", "C9", "F3"}


# --- one class, by hand ---


@pytest.mark.parametrize("solver", ["clarabel", "smo"])
@pytest.mark.parametrize("form", [OneClassDual, OneClassPrimal])
def test_one_class_on_two_points(form: type, solver: str) -> None:
    # x_1 = (1, 0) and x_2 = (0, 2): K = diag(1, 4), so a = (4, 1)/5 is least in a'Ka, f = 0.8 at both, rho = 0.8.
    # At most 1/(nu m) = 0.6 each: a = (0.6, 0.4), f = (0.6, 1.6); x_1 is an outlier, and rho = f(x_2).
    X = [[1.0, 0.0], [0.0, 2.0]]
    sign = 1.0 if form is OneClassDual else -1.0
    loose = solved(form(X, nu=0.5), solver)
    assert loose.objective == pytest.approx(sign * 0.4, rel=1e-7)
    assert loose.beta == pytest.approx([0.8, 0.2], abs=1e-6)
    assert loose.rho == pytest.approx(0.8, abs=1e-6)
    tight = solved(form(X, nu=1 / 1.2), solver)
    assert tight.objective == pytest.approx(sign * 0.5 * (0.36 + 0.64), rel=1e-7)
    assert tight.beta == pytest.approx([0.6, 0.4], abs=1e-6)
    assert tight.rho == pytest.approx(1.6, abs=1e-5)
    assert tight.slacks == pytest.approx([1.0, 0.0], abs=1e-5)
    assert tight.outliers.tolist() == [0]


# --- quantiles, by hand ---


@pytest.mark.parametrize("solver", ["clarabel", "smo"])
@pytest.mark.parametrize("form", [QuantilePrimal, QuantileDual])
@pytest.mark.parametrize(("tau", "level", "value"), [(0.5, 2.0, 4.5), (0.2, 1.0, 2.0), (0.9, 10.0, 1.7)])
def test_quantiles_of_three_numbers(form: type, solver: str, tau: float, level: float, value: float) -> None:
    # The feature is 0 everywhere: b is the quantile of 1, 2, 10, and the value C sum of the losses. For tau = 1/2:
    # half of 1 + 8; for 0.2: a fifth of 1 + 9; for 0.9: a tenth of 9 + 8.
    solution = solved(form(np.zeros((3, 1)), [2.0, 10.0, 1.0], tau=tau), solver)
    assert solution.objective == pytest.approx(value, rel=1e-7)
    assert solution.intercept == pytest.approx(level, abs=1e-5)


@pytest.mark.parametrize("form", [QuantilePrimal, QuantileDual])
def test_median_line_of_three_points(form: type) -> None:
    # 1/2 w^2 + |2 - w| has its minimum at w = 1: 1.5; the middle point is met.
    solution = solved(form([[-1.0], [0.0], [1.0]], [-1.0, 1.0, 3.0], tau=0.5))
    assert solution.objective == pytest.approx(1.5, rel=1e-7)
    assert solution.decision == pytest.approx([0.0, 1.0, 2.0], abs=1e-5)


# --- fits without regularisation, by hand ---

LINE = np.arange(5.0)[:, None]
RAISED = 2.0 * LINE[:, 0] + 1.0 + np.array([0.0, 0.0, 5.0, 0.0, 0.0])
"""The line 2x + 1 at 0, ..., 4, and 5 more in the middle."""


@pytest.mark.parametrize(
    ("forms", "value", "level"),
    [
        # The mean takes 5/5 of it: four residuals of -1 and one of 4.
        ((LeastSquaresFit, LeastSquaresFitDual), 20.0, 2.0),
        # The line itself, off by 5 in one place.
        ((LeastAbsoluteFit, LeastAbsoluteFitDual), 5.0, 1.0),
        # Half of it: -2.5, 2.5, -2.5 alternate at 0, 2 and 4.
        ((ChebyshevFit, ChebyshevFitDual), 2.5, 3.5),
    ],
    ids=["squares", "absolute", "Chebyshev"],
)
def test_fits_of_a_line_with_an_outlier(forms: tuple[type, type], value: float, level: float) -> None:
    for form in forms:
        solution = solved(form(LINE, RAISED))
        assert solution.objective == pytest.approx(value, rel=1e-7)
        assert solution.intercept == pytest.approx(level, abs=1e-5)
        assert solution.function([[10.0]])[0] == pytest.approx(20.0 + level, abs=1e-5)


@pytest.mark.parametrize("form", [LaplaceFit, LaplaceFitDual])
def test_laplace_fit_of_a_line_with_an_outlier(form: type) -> None:
    # The residuals add up to 0, so the fit is 1 higher on average: 4 in the middle and 1 +- d (x - 2) below elsewhere,
    # which is 4 in all for every |d| <= 1/2.
    solution = solved(form(LINE, RAISED))
    assert solution.objective == pytest.approx(8.0, rel=1e-7)
    assert solution.residuals.sum() == pytest.approx(0.0, abs=1e-7)
    assert solution.residuals[2] == pytest.approx(4.0, abs=1e-6)


@pytest.mark.parametrize("form", [LeastSquaresFit, LeastAbsoluteFit, LaplaceFit, ChebyshevFit])
def test_a_line_is_found_exactly(form: type) -> None:
    solution = solved(form(LINE, 2.0 * LINE[:, 0] + 1.0), None)
    assert solution.function(LINE) == pytest.approx(2.0 * LINE[:, 0] + 1.0, abs=1e-6)


@pytest.mark.parametrize("form", [LaplaceFit, LaplaceFitDual, LeastSquaresFit, LeastSquaresFitDual])
@pytest.mark.parametrize(
    ("seed", "samples", "tilt"),
    [(40, 4, 0.1), (162, 4, 0.1), (219, 4, 0.1), (1, 5, 0.005), (6, 5, 0.005), (7, 5, 0.005)],
)
def test_a_kernel_that_has_the_constants_already(form: type, seed: int, samples: int, tilt: float) -> None:
    """In the space of x'z + 1 the column of ones depends on the others, but for rounding, which must not fit anything.

    The seeds are those where rounding was just above what the rank of a matrix is usually judged by.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, 2))
    X[:, 1] = X[:, 0] + tilt * X[:, 1]
    y = rng.normal(size=samples)
    solution = solved(form(X, y, Polynomial(1, 1.0, 1.0)), None, 1e-7)
    plain = solved(form(X, y), None, 1e-7)
    assert solution.objective == pytest.approx(plain.objective, rel=1e-6)


# --- one model is another ---


def targets(m: int = 40) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(6)
    X = rng.uniform(-1.0, 1.0, (m, 2))
    return X, np.sin(3.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.standard_t(2, m)


def same(one: Any, other: Any, sign: float = 1.0, solvers: tuple[str, str] = ("clarabel", "clarabel")) -> None:
    """Assert that two models have the same function, and values that are equal up to the sign."""
    mine, theirs = solved(one, solvers[0], 1e-9), solved(other, solvers[1], 1e-9)
    new = np.random.default_rng(7).uniform(-1.0, 1.0, (20, 2))
    assert mine.objective == pytest.approx(sign * theirs.objective, rel=1e-7)
    assert mine.function(new) == pytest.approx(theirs.function(new), rel=0, abs=1e-4)
    assert abs(mine.function(new)).max() > 0.1


each_kernel = pytest.mark.parametrize("kernel", [None, RBF(0.8)], ids=["explicit", "rbf"])


@each_kernel
def test_huber_of_a_huge_delta_is_least_squares(kernel: Kernel | None) -> None:
    X, y = targets()
    same(HuberPrimal(X, y, kernel, delta=1e4, C=0.7), LeastSquaresPrimal(X, y, kernel, C=0.7))
    same(HuberDual(X, y, kernel, delta=1e4, C=0.7), LeastSquaresDual(X, y, kernel, C=0.7), solvers=("smo", "linear"))


@each_kernel
def test_huber_of_a_tiny_delta_is_the_absolute_loss(kernel: Kernel | None) -> None:
    """C h(r) = C delta |r| - C delta^2 / 2 for all |r| >= delta."""
    X, y = targets()
    huber = solved(HuberDual(X, y, kernel, delta=1e-6, C=0.7e6), "clarabel", 1e-7)
    absolute = solved(SoftTubeDual(X, y, kernel, epsilon=0.0, C=0.7), "smo", 1e-9)
    assert huber.objective == pytest.approx(-absolute.objective, rel=1e-5)


@each_kernel
@pytest.mark.parametrize("form", [ResidualLossPrimal, ResidualLossDual])
def test_residual_losses_that_have_a_model_of_their_own(form: type, kernel: Kernel | None) -> None:
    X, y = targets()
    losses = {
        # C r^2 is C'/2 r^2 with C' = 2C.
        AbsolutePower(2.0): (LeastSquaresDual(X, y, kernel, C=1.4), 1.0, "linear"),
        AbsolutePower(1.0): (SoftTubeDual(X, y, kernel, C=0.7, epsilon=0.0), -1.0, "clarabel"),
        Squared(): (LeastSquaresDual(X, y, kernel, C=0.7), 1.0, "linear"),
        Pinball(0.3): (QuantileDual(X, y, kernel, C=0.7, tau=0.3), 1.0, "clarabel"),
        # Half the absolute loss.
        Pinball(0.5): (SoftTubeDual(X, y, kernel, C=0.35, epsilon=0.0), -1.0, "clarabel"),
        EpsilonInsensitive(0.2): (SoftTubeDual(X, y, kernel, C=0.7, epsilon=0.2), -1.0, "clarabel"),
        Huber(0.4): (HuberDual(X, y, kernel, C=0.7, delta=0.4), 1.0, "clarabel"),
    }
    for loss, (other, sign, solver) in losses.items():
        same(form(X, y, kernel, loss=loss, C=0.7), other, sign, ("clarabel", solver))


@each_kernel
@pytest.mark.parametrize("form", [SquaredHingePrimal, SquaredHingeDual])
def test_squared_hinge_is_the_hard_margin_with_a_ridge(form: type, kernel: Kernel | None) -> None:
    X, y = one_against_rest("wine", 1)
    X, y = X[40:140], y[40:140]
    K = (kernel or Linear())(X)
    ridged = HardMarginDual(np.arange(len(y)), y, Precomputed(K + np.eye(len(y)) / (2 * 0.6)))
    theirs = solved(ridged, "clarabel", 1e-9)
    mine = solved(form(X, y, kernel, C=0.6), "smo", 1e-10)
    sign = -1.0 if form is SquaredHingePrimal else 1.0
    assert mine.objective == pytest.approx(sign * theirs.objective, rel=1e-7)
    assert mine.alpha == pytest.approx(theirs.alpha, abs=1e-4)
    assert mine.decision == pytest.approx(K @ theirs.beta + theirs.intercept, abs=1e-4)


@each_kernel
def test_penalised_forms_are_those_with_a_cost_without_intercept(kernel: Kernel | None) -> None:
    X, y = targets()
    mine = solved(PenalisedTube(X, y, kernel, regularisation=0.2, epsilon=0.1))
    theirs = solved(SoftTubeDual(X, y, kernel, C=2.5, epsilon=0.1, fit_intercept=False), "smo", 1e-9)
    assert mine.objective == pytest.approx(-2 * 0.2 / len(y) * theirs.objective, rel=1e-7)
    assert mine.decision == pytest.approx(theirs.decision, abs=1e-4)


@each_kernel
def test_kernel_ridge_is_least_squares_on_centred_coordinates(kernel: Kernel | None) -> None:
    """Where K and y are centred, b = 0 is best, and lambda = 1/C."""
    X, y = targets()
    centre = np.eye(len(y)) - 1.0 / len(y)
    K, t = centre @ (kernel or Linear())(X) @ centre, centre @ y
    ridge = solved(KernelRidgeDual(np.arange(len(y)), t, Precomputed(K), regularisation=0.5), "linear")
    squares = solved(LeastSquaresDual(np.arange(len(y)), t, Precomputed(K), C=2.0), "linear")
    assert squares.intercept == pytest.approx(0.0, abs=1e-12)
    assert squares.decision == pytest.approx(ridge.decision, rel=0, abs=1e-10)
    assert squares.objective == pytest.approx(ridge.objective, rel=1e-10)


@pytest.mark.parametrize("form", [LinearProgramPrimal, LinearProgramDual])
@pytest.mark.parametrize("solver", ["clarabel", "highs"])
def test_a_linear_program_whose_best_function_is_zero(form: type, solver: str) -> None:
    """A low cost buys no coefficient: 2 min(m+, m-) C are lost, and the rounding that is left in a is no residual."""
    X, y = one_against_rest("wine", 1)
    model = form(X[40:90:2], y[40:90:2], RBF(0.5), C=1e-3)
    fewest = min((model.y > 0).sum(), (model.y < 0).sum())
    solution = solved(model, solver, 1e-7)
    assert solution.objective == pytest.approx(2e-3 * fewest, rel=1e-6)
    assert np.abs(solution.beta).max() <= 1e-6


def test_an_entropy_that_rounding_takes_out_of_its_domain_has_a_value() -> None:
    X, y = one_against_rest("breast-cancer", 1)
    exact = solved(LogisticDual(X, y, C=1.0), "clarabel")
    rough = solved(LogisticDual(X, y, C=1.0), "scs", 1e-6)
    assert rough.objective == pytest.approx(exact.objective, rel=1e-6)


# --- what nu and tau promise ---


def slack(solution: Any) -> float:
    """Return what counts as on the edge: far above the accuracy of the solution, far below the spread of the values."""
    return 1e-5 * float(np.ptp(solution.decision))


@each_kernel
@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("form", [NuMarginPrimal, NuMarginDual])
def test_nu_bounds_margin_errors_and_support_vectors(form: type, nu: float, kernel: Kernel | None) -> None:
    X, y = one_against_rest("wine", 1)
    solution = solved(form(X, y, kernel, nu=nu))
    errors = np.mean(solution.margins < solution.margin_level - slack(solution))
    assert solution.margin_level > 0.0
    assert 0.0 < errors <= nu <= solution.n_support / len(y)
    assert solution.support.bounded.size <= nu * len(y)


@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("form", [OneClassPrimal, OneClassDual])
def test_nu_bounds_outliers_and_support_vectors(form: type, nu: float) -> None:
    X, _ = one_against_rest("wine", 1)
    solution = solved(form(X, RBF(0.3), nu=nu))
    outliers = np.mean(solution.decision < -slack(solution))
    assert 0.0 < outliers <= nu <= solution.n_support / len(X)
    assert solution.outliers.size <= nu * len(X)


@each_kernel
@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("form", [NuTubePrimal, NuTubeDual])
def test_nu_bounds_the_share_outside_the_tube(form: type, nu: float, kernel: Kernel | None) -> None:
    X, y = targets(80)
    solution = solved(form(X, y, kernel, nu=nu, C=2.0))
    outside = np.mean(np.abs(solution.residuals) > solution.epsilon + slack(solution))
    assert solution.epsilon > 0.0
    assert 0.0 < outside <= nu <= solution.n_support / len(y)
    assert solution.support.bounded.size <= nu * len(y)
    # The soft tube of that width is the same machine.
    tube = solved(SoftTubeDual(X, y, kernel, C=2.0, epsilon=solution.epsilon), "smo", 1e-10)
    assert tube.decision == pytest.approx(solution.decision, abs=1e-4)


@each_kernel
@pytest.mark.parametrize("tau", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("form", [QuantilePrimal, QuantileDual])
def test_tau_is_the_share_below(form: type, tau: float, kernel: Kernel | None) -> None:
    X, y = targets(80)
    solution = solved(form(X, y, kernel, tau=tau, C=2.0))
    below = np.mean(solution.residuals < -slack(solution))
    above = np.mean(solution.residuals > slack(solution))
    assert below <= tau <= 1.0 - above
    assert above <= 1.0 - tau
    assert below >= tau - 0.15
