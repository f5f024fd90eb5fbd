# SPDX-License-Identifier: BSD-3-Clause
"""Models whose constraints have no slack: what is called optimal meets each of them in its own unit, to 60 digits."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exact import exact, exact_kernel, exact_matrix
from formulations import HardMargin, HardTube, Interpolation, SoftMargin, SparseApproximation
from formulations.modelling import Solution
from handed_out import HandedOut
from qpkernels.errors import InfeasibleError, QPKernelsError
from qpkernels.kernels import RBF, Laplacian, Linear, Matern, Polynomial
from qpkernels.problems import Status

FAR = [[0.0], [0.0], [1.0]]
"""Two samples at one place."""


@pytest.mark.parametrize(
    ("model", "parameters", "targets", "options"),
    [
        (Interpolation, {}, [0.0, 0.5, 1e7], {}),
        (SparseApproximation, {"epsilon": 0.1}, [0.0, 0.5, 1e7], {}),
        (SparseApproximation, {"epsilon": 0.001}, [0.0, 0.003, 1.0], {"tol": 1e-2}),
        (HardTube, {"epsilon": 0.1}, [0.0, 0.5, 1e6], {"solver": "osqp", "tol": 1e-3}),
    ],
)
def test_a_target_far_away_hides_no_contradiction(model: Any, parameters: Any, targets: Any, options: Any) -> None:
    with pytest.raises(InfeasibleError):
        model(FAR, targets, RBF(1.0), **parameters).solve(**options)


def test_samples_near_each_other_are_not_called_optimal_below_the_optimum() -> None:
    """A dual point has D = 2.255e12."""
    solution = HardTube([[0.0], [1e-7], [1.0]], [0.0, 0.5, 1e6], RBF(1.0), epsilon=0.1).solve()
    assert solution.certificate.primal_value >= 2.255e12 * (1.0 - 1e-6)
    assert solution.certificate.uncounted == 0.0


def test_the_function_is_the_one_that_was_judged() -> None:
    model = SoftMargin([[-3, 2, 0], [0, -2, -1]], [1, -1], Matern(0.1525316044407525, 1.5), C=84607.19221608019)
    solution = model.solve("scs", tol=1e-6)
    assert solution.status is Status.OPTIMAL
    handed = HandedOut(model, solution)
    assert handed.primal_value == pytest.approx(solution.certificate.primal_value, rel=1e-12)
    assert handed.primal_value - handed.dual_value <= 1e-6 * handed.primal_value
    assert np.abs(solution.decision - solution.function(model.gram.X)).max() <= 1e-15


def exact_values(solution: Solution, X: np.ndarray) -> tuple[list[Any], list[Any], Any]:
    """Return f(x_i), what rounding of it is measured by, and 1/2 ||f||^2.

    That is what the sizes of its terms add up to, as the lengths of the samples in the space of the kernel bound them.
    """
    f = solution.function
    k, coefficients = exact_kernel(f.kernel), exact(f.coefficients)
    K = exact_matrix(k, X, np.asarray(f.centers))
    values = [mp.fdot(row, coefficients) for row in K.tolist()]
    own = exact_matrix(k, np.asarray(f.centers))
    half = mp.fsum(a * b * own[i, j] for i, a in enumerate(coefficients) for j, b in enumerate(coefficients)) / 2
    lengths = [mp.sqrt(own[j, j]) for j in range(own.rows)]
    size = mp.fsum(abs(c) * length for c, length in zip(coefficients, lengths, strict=True))
    return values, [size * mp.sqrt(k(x, x)) for x in map(exact, X)], half


def exact_dual_value(solution: Solution, K: Any, targets: np.ndarray, epsilon: float, *, balanced: bool) -> Any:
    """Return D at the point of the dual, the largest coefficient of which makes up for the rounding of their sum."""
    beta = exact(solution.beta)
    if balanced:
        beta[int(np.argmax(np.abs(solution.beta)))] -= mp.fsum(beta)
    size = K.rows
    half = mp.fsum(beta[i] * beta[j] * K[i, j] for i in range(size) for j in range(size)) / 2
    return mp.fdot(exact(targets), beta) - mp.mpf(epsilon) * mp.fsum(map(abs, beta)) - half


SCALES = st.floats(-6.0, 6.0)
KERNELS = st.sampled_from(
    [Linear(), Polynomial(2, 1.0, 1.0), Polynomial(3, 0.5, 1.0), RBF(1.0), RBF(1e-2), Laplacian(1.0), Matern(1.0, 1.5)]
)


@st.composite
def hard_models(draw: st.DrawFn) -> tuple[Any, np.ndarray, np.ndarray, float, bool]:
    """Draw a model of two to four samples, some of them at one place or next to each other."""
    m = draw(st.integers(2, 4))
    unit = st.integers(-3, 3).map(float)
    X = np.array(draw(st.lists(unit, min_size=m, max_size=m)))[:, None]
    X[1] = X[0] + draw(st.sampled_from([X[1, 0] - X[0, 0], 0.0, 1.0])) * 10.0 ** draw(st.floats(-7.0, 0.0))
    scale = draw(SCALES)
    y = np.array([draw(unit) * 10.0 ** draw(SCALES) for _ in range(m)])
    kernel = draw(KERNELS)
    kind = draw(st.sampled_from([HardMargin, HardTube, Interpolation, SparseApproximation]))
    if kind is HardMargin:
        y = np.where(np.arange(m) % 2 == 0, -1.0, 1.0)
        return kind(10.0**scale * X, y, kernel), 10.0**scale * X, y, 0.0, True
    epsilon = 0.0 if kind is Interpolation else 10.0**scale
    parameters = {} if kind is Interpolation else {"epsilon": epsilon}
    return kind(X, y, kernel, **parameters), X, y, epsilon, kind is HardTube


ROUTES = st.sampled_from([None, None, "smo", "clarabel", "osqp", "scs", "daqp", "interior-point"])


@settings(max_examples=60)
@given(stated=hard_models(), solver=ROUTES, tol=st.sampled_from([1e-2, 1e-4, 1e-6, 1e-8]))
def test_what_is_optimal_is_optimal_to_sixty_digits(
    stated: tuple[Any, np.ndarray, np.ndarray, float, bool], solver: str | None, tol: float
) -> None:
    model, X, y, epsilon, balanced = stated
    solution = None
    with suppress(QPKernelsError):
        solution = model.solve(solver, tol=tol)
    assume(solution is not None and solution.status is Status.OPTIMAL)
    assert solution is not None
    values, sizes, primal_value = exact_values(solution, X)
    b = mp.mpf(solution.intercept)
    K = exact_matrix(exact_kernel(model.gram.kernel), X)
    for value, size, target in zip(values, sizes, exact(y), strict=True):
        residual = target - value - b
        rounding = 1e-14 * (abs(target - b) + size + mp.mpf(epsilon)) + 1e-15 * abs(b)
        excess = target * residual if isinstance(model, HardMargin) else abs(residual) - mp.mpf(epsilon)
        assert excess <= rounding, (solution, excess)
    dual_value = exact_dual_value(solution, K, y, epsilon, balanced=balanced)
    assert primal_value - dual_value <= 1.01 * tol * max(abs(primal_value), abs(dual_value)), solution
