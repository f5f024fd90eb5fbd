# SPDX-License-Identifier: BSD-3-Clause
"""Models of classes by hand on two points, one model that is another in disguise, and what nu promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import (
    HardMargin,
    LeastSquaresClassifier,
    LinearProgramMachine,
    Logistic,
    NormConstrainedClassifier,
    NuMargin,
    OneClass,
    PenalisedLogistic,
    SoftMargin,
    SquaredHinge,
)
from formulations.losses import Hinge, LogisticLoss, SquaredMargin
from formulations.losses import SquaredHinge as SquaredHingeLoss
from formulations.modelling import Model, Stated
from model_data import MODELS, one_against_rest
from qpkernels.kernels import RBF, Kernel, Linear, Precomputed
from regression_data import each_kernel, slack, solved
from together import together

# At x = 1 and x = -1 with the labels 1 and -1, b = 0 by symmetry and f(x) = w x, so each problem is one in w alone:
#   C1   1/2 w^2, w >= 1                                        w = 1
#   C2   1/2 w^2 + 2C (1 - w)                                   w = 2C
#   C3   a_1 + a_2 + 2C (1 - a_1 - a_2), w = a_1 + a_2          w = 1 for C > 1/2, and 0 below
#   C4   1/2 w^2 + 2C log(1 + exp(-w))                          w = 2C / (1 + exp(w))
#   C7   1/2 w^2 + 2C (1 - w)^2                                 w = 4C / (1 + 4C)
#   C8   1/2 w^2 - nu w                                         w = rho = nu
#   C11  psi(w), w^2 <= R                                        w = sqrt(R) for R < 1
#   E1c  1/2 w^2 + C (1 - w)^2                                  w = 2C / (1 + 2C)

_LOGISTIC_COST = (1 + np.e) / 2
_LOGISTIC = 0.5 + (1 + np.e) * np.log1p(np.exp(-1))
_PENALTY = {"regularisation": 0.5 / _LOGISTIC_COST}

BY_HAND: list[tuple[type[Model], str, dict[str, Any], float, float]] = [
    (HardMargin, "primal", {}, 1.0, 0.5),
    (HardMargin, "geometric", {}, 1.0, 1.0),
    (HardMargin, "dual", {}, 1.0, -0.5),
    (SoftMargin, "primal", {"C": 0.2}, 0.4, 0.32),
    (SoftMargin, "hinge", {"C": 0.2}, 0.4, 0.32),
    (SoftMargin, "dual", {"C": 0.2}, 0.4, -0.32),
    (LinearProgramMachine, "primal", {"C": 0.7}, 1.0, 1.0),
    (LinearProgramMachine, "dual", {"C": 0.7}, 1.0, 1.0),
    (LinearProgramMachine, "primal", {"C": 0.3}, 0.0, 0.6),
    (LinearProgramMachine, "dual", {"C": 0.3}, 0.0, 0.6),
    (Logistic, "primal", {"C": _LOGISTIC_COST}, 1.0, _LOGISTIC),
    (Logistic, "dual", {"C": _LOGISTIC_COST}, 1.0, _LOGISTIC),
    (PenalisedLogistic, "penalised", _PENALTY, 1.0, _LOGISTIC / _LOGISTIC_COST / 2),
    (PenalisedLogistic, "dual", _PENALTY, 1.0, _LOGISTIC),
    (SquaredHinge, "primal", {"C": 0.25}, 0.5, 0.25),
    (SquaredHinge, "dual", {"C": 0.25}, 0.5, -0.25),
    (NuMargin, "primal", {"nu": 0.6}, 0.6, -0.18),
    (NuMargin, "dual", {"nu": 0.6}, 0.6, 0.18),
    *(
        (NormConstrainedClassifier, form, {"R": 0.16, "loss": loss}, 0.4, value)
        for form in ("primal", "dual")
        for loss, value in (
            (Hinge(), 0.6),
            (SquaredHingeLoss(), 0.36),
            (SquaredMargin(), 0.18),
            (LogisticLoss(), float(np.log1p(np.exp(-0.4)))),
        )
    ),
    *((LeastSquaresClassifier, form, {"C": 0.5}, 0.5, 0.25) for form in ("primal", "constrained", "dual")),
]


@pytest.mark.parametrize("solver", ["clarabel", None])
@pytest.mark.parametrize("kernel", [None, Linear()], ids=["explicit", "linear"])
@together("model, form, parameters, w, value", BY_HAND)
def test_two_points(
    model: Any, form: str, parameters: dict[str, Any], w: float, value: float, kernel: Kernel | None, solver: str | None
) -> None:
    solution = solved(model([[1.0], [-1.0]], [1.0, -1.0], kernel, **parameters).forms[form], solver)
    assert solution.objective == pytest.approx(value, rel=1e-6, abs=1e-12)
    near, far = solution.function([[1.0], [3.0]])
    assert far - near == pytest.approx(2 * w, rel=0, abs=1e-5)
    # A constant that costs the same at both points may be any.
    assert near == pytest.approx(w, rel=0, abs=1e-5) or (w == 0 and abs(near) <= 1.0)


def test_every_form_but_those_of_separability_one_class_and_any_loss_is_solved_by_hand_on_two_points() -> None:
    models = {model for model in MODELS if model.__module__.startswith("formulations.models.classification")}
    stated = {(model, name) for model, name, *_ in BY_HAND}
    missing = {model.__name__ for model in models for name, _ in Stated.of(model) if (model, name) not in stated}
    assert missing == {"Separability", "OneClass", "MarginLossClassifier"}


@pytest.mark.parametrize("solver", ["clarabel", "smo"])
@pytest.mark.parametrize(("form", "sign"), [("dual", 1.0), ("primal", -1.0)])
def test_one_class_on_two_points(form: str, sign: float, solver: str) -> None:
    # x_1 = (1, 0) and x_2 = (0, 2): K = diag(1, 4), so a = (4, 1)/5 is least in a'Ka, f = 0.8 at both, rho = 0.8.
    # At most 1/(nu m) = 0.6 each: a = (0.6, 0.4), f = (0.6, 1.6); x_1 is an outlier, and rho = f(x_2).
    X = [[1.0, 0.0], [0.0, 2.0]]
    loose = solved(OneClass(X, nu=0.5).forms[form], solver)
    assert loose.objective == pytest.approx(sign * 0.4, rel=1e-7)
    assert loose.beta == pytest.approx([0.8, 0.2], abs=1e-6)
    assert loose.rho == pytest.approx(0.8, abs=1e-6)
    tight = solved(OneClass(X, nu=1 / 1.2).forms[form], solver)
    assert tight.objective == pytest.approx(sign * 0.5 * (0.36 + 0.64), rel=1e-7)
    assert tight.beta == pytest.approx([0.6, 0.4], abs=1e-6)
    assert tight.rho == pytest.approx(1.6, abs=1e-5)
    assert tight.slacks == pytest.approx([1.0, 0.0], abs=1e-5)
    assert tight.outliers.tolist() == [0]


# --- one model is another ---


@each_kernel
@pytest.mark.parametrize(("form", "sign"), [("primal", -1.0), ("dual", 1.0)])
def test_squared_hinge_is_the_hard_margin_with_a_ridge(form: str, sign: float, kernel: Kernel | None) -> None:
    X, y = one_against_rest("wine", 1)
    X, y = X[40:140], y[40:140]
    K = (kernel or Linear())(X)
    ridged = HardMargin(np.arange(len(y)), y, Precomputed(K + np.eye(len(y)) / (2 * 0.6)))
    theirs = solved(ridged.dual, "clarabel", 1e-9)
    mine = solved(SquaredHinge(X, y, kernel, C=0.6).forms[form], "smo", 1e-10)
    assert mine.objective == pytest.approx(sign * theirs.objective, rel=1e-7)
    assert mine.alpha == pytest.approx(theirs.alpha, abs=1e-4)
    assert mine.decision == pytest.approx(K @ theirs.beta + theirs.intercept, abs=1e-4)


@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("solver", ["clarabel", "highs"])
def test_a_linear_program_whose_best_function_is_zero(form: str, solver: str) -> None:
    """A low cost buys no coefficient: 2 min(m+, m-) C are lost, and the rounding that is left in a is no residual."""
    X, y = one_against_rest("wine", 1)
    model = LinearProgramMachine(X[40:90:2], y[40:90:2], RBF(0.5), C=1e-3)
    fewest = min((model.y > 0).sum(), (model.y < 0).sum())
    solution = solved(model.forms[form], solver, 1e-7)
    assert solution.objective == pytest.approx(2e-3 * fewest, rel=1e-6)
    assert np.abs(solution.beta).max() <= 1e-6


def test_an_entropy_that_rounding_takes_out_of_its_domain_has_a_value() -> None:
    X, y = one_against_rest("breast-cancer", 1)
    exact = solved(Logistic(X, y, C=1.0).dual, "clarabel")
    rough = solved(Logistic(X, y, C=1.0).dual, "scs", 1e-6)
    assert rough.objective == pytest.approx(exact.objective, rel=1e-6)


# --- what nu promises ---


@each_kernel
@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_nu_bounds_margin_errors_and_support_vectors(form: str, nu: float, kernel: Kernel | None) -> None:
    X, y = one_against_rest("wine", 1)
    solution = solved(NuMargin(X, y, kernel, nu=nu).forms[form])
    errors = np.mean(solution.margins < solution.margin_level - slack(solution))
    assert solution.margin_level > 0.0
    assert 0.0 < errors <= nu <= solution.n_support / len(y)
    assert solution.support.bounded.size <= nu * len(y)


@pytest.mark.parametrize("nu", [0.1, 0.25, 0.6])
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_nu_bounds_outliers_and_support_vectors(form: str, nu: float) -> None:
    X, _ = one_against_rest("wine", 1)
    solution = solved(OneClass(X, RBF(0.3), nu=nu).forms[form])
    outliers = np.mean(solution.decision < -slack(solution))
    assert 0.0 < outliers <= nu <= solution.n_support / len(X)
    assert solution.outliers.size <= nu * len(X)
