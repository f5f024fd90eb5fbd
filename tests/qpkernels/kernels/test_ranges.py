# SPDX-License-Identifier: BSD-3-Clause
"""Parameters outside their range are refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qpkernels import RBF, Kernel, Laplacian, Matern, Polynomial, Sigmoid
from qpkernels.errors import ParameterError
from together import together


@together("bad", [0.0, -1.0, np.nan, np.inf, "scale", None, 1e-200j])
@together(
    "make", [RBF, RBF.from_sigma, RBF.from_c, RBF.from_theta, lambda g: Polynomial(2, g), Laplacian, Sigmoid, Matern]
)
def test_a_width_must_be_a_finite_number_above_zero(make: Callable[[Any], Kernel], bad: Any) -> None:
    with pytest.raises(ParameterError, match="above 0"):
        make(bad)


@pytest.mark.parametrize("make", [RBF.from_sigma, RBF.from_c])
@pytest.mark.parametrize("bad", [1e-200, 1e200])
def test_a_width_whose_square_leaves_float64_is_refused(make: Callable[[float], Kernel], bad: float) -> None:
    with pytest.raises(ParameterError):
        make(bad)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "1", None])
def test_constants_must_be_finite(bad: Any) -> None:
    with pytest.raises(ParameterError, match="coef0 must be a finite number"):
        Polynomial(2, 1.0, bad)
    with pytest.raises(ParameterError, match="b must be a finite number"):
        Sigmoid(1.0, bad)
