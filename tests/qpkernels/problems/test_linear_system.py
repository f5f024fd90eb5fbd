# SPDX-License-Identifier: BSD-3-Clause
"""Linear systems measure their residual."""

import numpy as np
import pytest

from qpkernels import RBF, Gram
from qpkernels.problems import LinearSystem
from qpkernels.problems.linear_system import RidgedGram

GRAM = Gram(RBF(1.0), np.arange(8.0).reshape(4, 2))


def test_linear_systems_measure_their_residual() -> None:
    H, rhs = np.diag([2.0, 4.0]), np.array([2.0, 4.0])
    plain = LinearSystem(H, rhs)
    assert plain.residual(np.ones(2), 0.0) == 0.0
    assert plain.residual(np.zeros(2), 0.0) == 1.0
    # b counts in a bordered system only.
    assert plain.residual(np.ones(2), 7.0) == 0.0
    bordered = LinearSystem(H, rhs, bordered=True)
    x, b = np.array([-1 / 3, 1 / 3]), 8 / 3
    np.testing.assert_allclose(H @ x + b, rhs, rtol=1e-14)
    assert bordered.residual(x, b) <= 1e-15
    assert bordered.residual(x, b + 1.0) == pytest.approx(np.sqrt(2) / np.linalg.norm(rhs), rel=1e-12)
    assert bordered.residual(np.ones(2), 0.0) == 1.0
    assert LinearSystem(H, np.zeros(2)).residual(np.zeros(2), 0.0) == 0.0


def test_a_ridged_kernel_matrix_is_a_product_or_a_matrix() -> None:
    ridge, v = np.arange(4.0), np.random.default_rng(0).normal(size=4)
    matrix = RidgedGram(GRAM, ridge)
    assert matrix.shape == (4, 4)
    np.testing.assert_array_equal(matrix.dense(), GRAM.dense + np.diag(ridge))
    np.testing.assert_allclose(matrix.product(v), matrix.dense() @ v, rtol=1e-14)
    np.testing.assert_array_equal(GRAM.dense, RBF(1.0)(GRAM.X))
    assert LinearSystem(matrix, v).product(v) == pytest.approx(matrix.dense() @ v, rel=1e-14)
