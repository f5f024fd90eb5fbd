# SPDX-License-Identifier: BSD-3-Clause
"""Every regression model by hand, on two points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from formulations import (
    HardTube,
    Huber,
    KernelRidge,
    LeastSquares,
    NormConstrainedRegression,
    NuTube,
    PenalisedTube,
    Quantile,
    ResidualLossRegression,
    SoftTube,
    SparseApproximation,
)
from formulations.losses import AbsolutePower, LogisticResidual, Squared
from formulations.modelling import Model
from model_data import MODELS
from qpkernels.kernels import Kernel, Linear
from regression_data import solved
from together import together

# At x = 1 and x = -1 with the targets 2 and -2, b = 0 by symmetry and f(x) = w x, so each problem is one in w alone:
#   D1   1/2 w^2, 2 - w <= epsilon                              w = 2 - epsilon, also without b (F1, F2)
#   D2   1/2 w^2 + 2C (2 - w - epsilon)                         w = 2C
#   D3   1/2 lambda w^2 + 2 - w - epsilon                       w = 1/lambda
#   D4   1/2 w^2 + C (2 - w) for tau = 1/2                      w = C
#   D5   1/2 w^2 + 2C (delta (2 - w) - delta^2/2)               w = 2C delta
#   D6   1/2 w^2 + 2C (2 - w)^p                                 w = 2Cp (2 - w)^(p-1)
#   D6   1/2 w^2 + 4C log cosh((2 - w)/2)                       w = 2C tanh((2 - w)/2)
#   D7   1/2 w^2 + 2C nu (2 - w)                                w = 2C nu, epsilon = 2 - w
#   D8   (2 - w)^2 or 2 (2 - w), w^2 <= R                       w = sqrt(R)
#   E1   1/2 w^2 + C (2 - w)^2                                  w = 2C (2 - w)
#   E2   1/2 lambda w^2 + (2 - w)^2                             lambda w = 2 (2 - w)

_RESIDUAL_COST = 0.5 / np.tanh(0.5)
_RESIDUAL = 0.5 + 4 * _RESIDUAL_COST * np.log(np.cosh(0.5))

BY_HAND: list[tuple[type[Model], str, dict[str, Any], float, float]] = [
    (HardTube, "primal", {"epsilon": 0.5}, 1.5, 1.125),
    (HardTube, "dual", {"epsilon": 0.5}, 1.5, -1.125),
    (SparseApproximation, "l1", {"epsilon": 0.5}, 1.5, -1.125),
    (SparseApproximation, "split", {"epsilon": 0.5}, 1.5, -1.125),
    (SparseApproximation, "primal", {"epsilon": 0.5}, 1.5, 1.125),
    (SoftTube, "primal", {"C": 0.4, "epsilon": 0.5}, 0.8, 0.88),
    (SoftTube, "loss", {"C": 0.4, "epsilon": 0.5}, 0.8, 0.88),
    (SoftTube, "dual", {"C": 0.4, "epsilon": 0.5}, 0.8, -0.88),
    (PenalisedTube, "loss", {"regularisation": 1.0, "epsilon": 0.25}, 1.0, 1.25),
    (PenalisedTube, "dual", {"regularisation": 1.0, "epsilon": 0.25}, 1.0, -1.25),
    (Quantile, "primal", {"tau": 0.5, "C": 0.7}, 0.7, 1.155),
    (Quantile, "dual", {"tau": 0.5, "C": 0.7}, 0.7, 1.155),
    (Huber, "primal", {"C": 0.6, "delta": 0.5}, 0.6, 0.87),
    (Huber, "dual", {"C": 0.6, "delta": 0.5}, 0.6, 0.87),
    *(
        (ResidualLossRegression, form, {"C": 1 / 3, "loss": AbsolutePower(1.5)}, 1.0, 7 / 6)
        for form in ("primal", "dual")
    ),
    *(
        (ResidualLossRegression, form, {"C": _RESIDUAL_COST, "loss": LogisticResidual()}, 1.0, _RESIDUAL)
        for form in ("primal", "dual")
    ),
    (NuTube, "primal", {"nu": 0.5, "C": 1.0}, 1.0, 1.5),
    (NuTube, "dual", {"nu": 0.5, "C": 1.0}, 1.0, -1.5),
    *((NormConstrainedRegression, form, {"R": 2.25, "loss": Squared()}, 1.5, 0.25) for form in ("primal", "dual")),
    *(
        (NormConstrainedRegression, form, {"R": 2.25, "loss": AbsolutePower(1.0)}, 1.5, 1.0)
        for form in ("primal", "dual")
    ),
    (LeastSquares, "primal", {"C": 0.5}, 1.0, 1.0),
    (LeastSquares, "constrained", {"C": 0.5}, 1.0, 1.0),
    (LeastSquares, "dual", {"C": 0.5}, 1.0, 1.0),
    (LeastSquares, "system", {"C": 0.5}, 1.0, 0.0),
    (LeastSquares, "centred", {"C": 0.5}, 1.0, 0.0),
    (KernelRidge, "primal", {"regularisation": 2.0}, 1.0, 2.0),
    (KernelRidge, "dual", {"regularisation": 2.0}, 1.0, 1.0),
]


@pytest.mark.parametrize("solver", ["clarabel", None])
@pytest.mark.parametrize("kernel", [None, Linear()], ids=["explicit", "linear"])
@together("model, form, parameters, w, value", BY_HAND)
def test_two_points(
    model: Any, form: str, parameters: dict[str, Any], w: float, value: float, kernel: Kernel | None, solver: str | None
) -> None:
    stated = model([[1.0], [-1.0]], [2.0, -2.0], kernel, **parameters)
    solution = solved(stated.forms[form], solver)
    assert solution.objective == pytest.approx(value, rel=1e-6, abs=1e-12)
    assert solution.function([[1.0], [3.0]]) == pytest.approx([w, 3 * w], rel=0, abs=1e-5)


def test_every_form_but_those_of_fits_and_interpolation_is_solved_by_hand_on_two_points() -> None:
    models = [model for model in MODELS if model.__module__.startswith("formulations.models.regression")]
    stated = {(model, name) for model, name, *_ in BY_HAND}
    X = [[1.0], [-1.0]]
    missing = {
        model.__name__ for model in models for name in model(X, [2.0, -2.0]).forms if (model, name) not in stated
    }
    assert missing == {"LeastSquaresFit", "LeastAbsoluteFit", "LaplaceFit", "ChebyshevFit", "Interpolation"}
