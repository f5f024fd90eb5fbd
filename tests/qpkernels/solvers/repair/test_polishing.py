# SPDX-License-Identifier: BSD-3-Clause
"""Factors solve with the matrix of the conditions of optimality, whatever its shape."""

import numpy as np
import pytest
from scipy.sparse import block_diag, csc_array, diags_array, eye_array, random_array, vstack

from qpkernels.solvers.repair.polishing import factorise

RNG = np.random.default_rng(0)


def gram(size: int) -> np.ndarray:
    F = RNG.normal(size=(size, 5))
    return F @ F.T


SHAPES = {
    "dense": (csc_array(gram(40)), csc_array(RNG.normal(size=(3, 40)))),
    "sparse": (csc_array(eye_array(300)), csc_array(random_array((100, 300), density=0.01, rng=RNG))),
    "without rows": (csc_array(diags_array(RNG.uniform(1, 2, 50))), csc_array((0, 50))),
    "one full row": (csc_array(eye_array(2000)), csc_array(RNG.normal(size=(1, 2000)))),
    "a full block": (
        csc_array(block_diag([gram(700), csc_array((2300, 2300))])),
        csc_array(vstack([eye_array(3000), random_array((500, 3000), density=1e-3, rng=RNG)])),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_conditions_are_solved(shape: str) -> None:
    P, A = SHAPES[shape]
    factors = factorise(P, A, 1e-6)
    assert factors is not None
    assert factors.work > 0
    x, z = RNG.normal(size=P.shape[0]), RNG.normal(size=A.shape[0])
    right = np.concatenate([P @ x + 1e-6 * x + A.T @ z, A @ x - 1e-6 * z])
    solution = factors.solve(right)
    left = np.concatenate([P @ solution[: x.size] + A.T @ solution[x.size :], A @ solution[: x.size]])
    left += 1e-6 * np.concatenate([solution[: x.size], -solution[x.size :]])
    np.testing.assert_allclose(left, right, atol=1e-8 * np.abs(right).max())


def test_a_matrix_without_factors() -> None:
    assert factorise(csc_array((300, 300)), csc_array((0, 300)), 0.0) is None
