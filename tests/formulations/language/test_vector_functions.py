# SPDX-License-Identifier: BSD-3-Clause
"""Functions with several outputs: their optima are those of dense matrices k(x, z) B in CVXPY."""

from typing import Any

import cvxpy as cp
import numpy as np
import pytest

from formulations import Function, Machine, VectorFunction, load
from qpkernels import RBF
from qpkernels.errors import ParameterError, ShapeError

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(18, 2))
Y = np.column_stack([np.sin(X[:, 0]), np.cos(X[:, 1]), X[:, 0] - X[:, 1]]) + 0.1 * RANDOM.normal(size=(18, 3))
FULL = np.array([[1.0, 0.8, 0.1], [0.8, 1.2, 0.0], [0.1, 0.0, 0.5]])
OF_RANK_1 = np.outer([1.0, -0.5, 2.0], [1.0, -0.5, 2.0])
KERNEL = RBF(0.7)

each_matrix = pytest.mark.parametrize("B", [FULL, OF_RANK_1, np.eye(3)], ids=["full", "rank 1", "independent"])


def dense(B: Any, loss: Any) -> tuple[float, Any]:
    """Return the optimum and f(X) + b by CVXPY with the whole matrix."""
    K = np.kron(KERNEL(X), B)
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    u, b = cp.Variable(len(K)), cp.Variable(3)
    g = cp.reshape(root @ u, (18, 3), order="C") + cp.vstack([b] * 18)
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(u) + loss(g)))
    problem.solve(solver="CLARABEL", tol_gap_rel=1e-11, tol_gap_abs=1e-11, tol_feas=1e-11)
    return float(problem.value), g.value


LOSSES = {
    "tube": (lambda g: 3 * cp.sum(cp.pos(cp.abs(g - Y) - 0.05)), "a SemiparametricQP of 54 functionals and 3 free dir"),
    "distances": (lambda g: 3 * cp.sum(cp.norm(g - Y, axis=1)), "a ConeProgram in coordinates"),
}


@each_matrix
@pytest.mark.parametrize("name", LOSSES)
def test_the_optimum_is_that_of_the_whole_matrix(B: Any, name: str) -> None:
    loss, program = LOSSES[name]
    f, b = VectorFunction(KERNEL, outputs=B), cp.Variable(3, name="b")
    machine = Machine(cp.Minimize(0.5 * f.squared_norm + loss(f(X) + cp.vstack([b] * 18))))
    solution = machine.solve(tol=1e-8)
    assert machine.recognised.startswith(program)
    objective, values = dense(B, loss)
    assert solution.objective == pytest.approx(objective, rel=1e-6)
    assert f(X).value + b.value == pytest.approx(values, abs=1e-3)
    assert f.norm.value**2 == pytest.approx(f.squared_norm.value)
    predictor = solution.predictor(lambda Z: f(Z) + cp.reshape(b, (1, 3), order="C"))
    assert predictor.predict(X[:4]) == pytest.approx(f(X[:4]).value + b.value, abs=1e-9)
    assert solution.function(f[0])(X[:4]) == pytest.approx(f[0](X[:4]).value)


def test_it_is_saved_and_its_outputs_are_functions(tmp_path: Any) -> None:
    f = VectorFunction(KERNEL, outputs=2)
    slope = f.derivative(X[:5], axis=1)
    statement = f.squared_norm + cp.sum_squares(f(X) - Y[:, :2]), [slope[:, 0] >= 0, (f[0] - f[1])(X[:1]) == 0.3]
    solution = Machine(cp.Minimize(statement[0]), statement[1]).solve()
    assert slope.value[:, 0].min() >= -1e-6
    assert f(X[:1]).value @ [1.0, -1.0] == pytest.approx(0.3, abs=1e-6)
    solution.predictor(f).save(tmp_path / "f.npz")
    assert load(tmp_path / "f.npz").predict(X[:3]) == pytest.approx(f(X[:3]).value)


def test_independent_outputs_are_functions_of_their_own() -> None:
    f, own = VectorFunction(KERNEL, outputs=2), [Function(KERNEL), Function(KERNEL)]
    together = Machine(cp.Minimize(f.squared_norm + cp.sum(cp.abs(f(X) - Y[:, :2])))).solve(tol=1e-9)
    apart = [Machine(cp.Minimize(g.squared_norm + cp.norm1(g(X) - Y[:, k]))).solve(tol=1e-9) for k, g in enumerate(own)]
    assert together.objective == pytest.approx(sum(each.objective for each in apart), rel=1e-7)


@pytest.mark.parametrize(
    ("outputs", "error", "words"),
    [
        (0, ParameterError, "has an output at least, but outputs=0 came"),
        ([[1.0, 0.5]], ShapeError, "a symmetric matrix with a row for each, but"),
        ([[1.0, 0.5], [0.4, 1.0]], ShapeError, "symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], ParameterError, "its least eigenvalue is -1,"),
        ([[1.0, 0.0], [0.0, 0.0]], ParameterError, r"its diagonal .*0\.0"),
    ],
)
def test_other_matrices_of_outputs_are_refused_in_words(outputs: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        VectorFunction(KERNEL, outputs)


def test_the_whole_is_no_function_of_one_output() -> None:
    f = VectorFunction(KERNEL, outputs=2)
    solution = Machine(cp.Minimize(f.squared_norm + cp.sum_squares(f(X) - Y[:, :2]))).solve()
    with pytest.raises(ParameterError, match=r"solution\.function\(f\[0\]\)"):
        solution.function(f)
