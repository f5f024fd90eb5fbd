# SPDX-License-Identifier: BSD-3-Clause
"""OSQP: the vertex of a linear program is found, limits bound all stages together, and options given are obeyed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csc_array

from formulations import (
    ChebyshevFit,
    HardMargin,
    LaplaceFit,
    LeastAbsoluteFit,
    LinearProgramMachine,
    SoftMargin,
    SoftTube,
)
from formulations.modelling import Form, Model
from qpkernels.kernels import RBF, Kernel
from qpkernels.problems import Block, ConeProgram, Nonnegative, Status, certify_cone_program
from qpkernels.solvers import Claim, find_solver
from qpkernels.solvers.repair import repair

FITS = [LeastAbsoluteFit, LaplaceFit, ChebyshevFit]
each_side = pytest.mark.parametrize("side", ["primal", "dual"])


def two_classes(seed: int, samples: int, gap: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(samples) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X = rng.normal(size=(samples, 3)) + 0.7 * y[:, None]
    if gap is not None:
        X[:, 0] = y * (gap + np.abs(X[:, 0]))
    return X, y


def targets(seed: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(samples, 3))
    return X, X @ rng.normal(size=3) + rng.laplace(size=samples)


def assert_proved(form: Form, tol: float = 1e-6) -> None:
    solution = form.solve("osqp", tol=tol)
    assert solution.status is Status.OPTIMAL, solution
    assert solution.certificate.holds(tol)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("samples", [20, 60])
@pytest.mark.parametrize("kernel", [None, RBF(0.5)])
@each_side
def test_the_linear_programming_machine_is_proved(side: str, kernel: Kernel | None, samples: int, seed: int) -> None:
    assert_proved(LinearProgramMachine(*two_classes(seed, samples), kernel, C=1.0).forms[side])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("samples", [20, 60])
@pytest.mark.parametrize("fit", FITS)
@each_side
def test_the_fits_that_are_linear_programs_are_proved(
    side: str, fit: Callable[..., Model[Any]], samples: int, seed: int
) -> None:
    assert_proved(fit(*targets(seed, samples)).forms[side])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kernel", [None, RBF(0.5)])
@each_side
def test_hard_margins_are_proved(side: str, kernel: Kernel | None, seed: int) -> None:
    assert_proved(HardMargin(*two_classes(seed, 60, gap=0.1), kernel).forms[side])


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
@each_side
def test_quadratic_forms_are_proved_at_the_tolerance_asked(side: str, tol: float) -> None:
    assert_proved(SoftMargin(*two_classes(0, 80), RBF(0.3), C=1.0).forms[side], tol)
    assert_proved(SoftTube(*targets(0, 80), RBF(0.3), C=1.0, epsilon=0.3).forms[side], tol)


def program() -> ConeProgram:
    """Return a linear program that needs several stages."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(120, 20))
    return ConeProgram(
        P=csc_array((20, 20)),
        q=-A.T @ rng.uniform(size=120),
        A=csc_array(A),
        b=A @ rng.normal(size=20) + rng.uniform(size=120),
        cones=(Nonnegative(120),),
        variables=(Block("x", 0, 20),),
        rows=(Block("rows", 0, 120),),
    )


def test_the_limit_of_iterations_bounds_all_stages_together() -> None:
    osqp = find_solver("osqp")
    free = osqp.solve(program(), tol=1e-6)
    assert free.claim is Claim.OPTIMAL
    assert free.iterations is not None
    assert free.iterations > 50
    for limit in (25, 50, free.iterations - 25):
        limited = osqp.solve(program(), tol=1e-6, max_iter=limit)
        assert limited.iterations is not None
        assert limited.iterations <= limit
    assert osqp.solve(program(), tol=1e-6, max_iter=free.iterations).claim is Claim.OPTIMAL


def test_an_instant_is_a_limit_of_time() -> None:
    stopped = find_solver("osqp").solve(program(), tol=1e-6, time_limit=1e-9)
    assert stopped.claim is Claim.STOPPED
    assert "time limit" in stopped.message


def test_options_given_replace_those_of_the_adapter() -> None:
    osqp = find_solver("osqp")
    ours = osqp.solve(program(), tol=1e-6)
    rough = osqp.solve(program(), tol=1e-6, eps_abs=1e-2, eps_rel=1e-2, polishing=False)
    assert rough.claim is Claim.OPTIMAL
    assert rough.iterations is not None
    assert ours.iterations is not None
    assert rough.iterations < ours.iterations
    assert repair(program(), ours.point, ours.multipliers, 1e-6).certificate.holds(1e-6)
    assert not certify_cone_program(program(), rough.point, rough.multipliers).holds(1e-6)
    assert osqp.solve(program(), tol=1e-6, polishing=False).claim is Claim.OPTIMAL
