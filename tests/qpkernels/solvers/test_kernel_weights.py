# SPDX-License-Identifier: BSD-3-Clause
"""The weights of several kernels: each kind of penalty is solved to its gap, and useless kernels have none."""

import numpy as np
import pytest

from qpkernels import RBF, Gram, Linear
from qpkernels.problems import KernelQP, MultipleKernelQP, NormPenalty
from qpkernels.problems.multiple_kernel_qp import MultipleKernelBounds
from qpkernels.solvers import Claim, find_solver
from qpkernels.solvers.automatic import automatic_for
from together import together

RANDOM = np.random.default_rng(0)
M = 60
X = RANDOM.normal(size=(M, 3))
Y = np.sign(X[:, 0] * X[:, 1] + 0.3 * RANDOM.normal(size=M))
T = np.sin(X[:, 0]) + 0.1 * RANDOM.normal(size=M)
KERNELS = (RBF(0.02), RBF(0.2), RBF(2.0), Linear())
EVERY, ONES = np.arange(4), np.ones(4)
HINGE = {"target": Y, "lower": np.minimum(Y, 0), "upper": np.maximum(Y, 0)}
TUBE = {"target": T, "lower": np.full(M, -2.0), "upper": np.full(M, 2.0), "epsilon": 0.1}
SQUARES = {"target": T, "lower": np.full(M, -np.inf), "upper": np.full(M, np.inf), "ridge": 0.5}
PENALTIES = {
    "square of a sum": (NormPenalty(EVERY, ONES),),
    "square of a p-norm": (NormPenalty(EVERY, np.array([1.0, 2.0, 1.0, 3.0]), 4 / 3),),
    "sum": tuple(NormPenalty(np.array([j]), np.array([2.0]), squared=False) for j in range(4)),
    "p-norm": (NormPenalty(EVERY, ONES, 1.5, squared=False),),
    "several": (NormPenalty(EVERY[:2], ONES[:2]), NormPenalty(EVERY[2:], ONES[2:], 1.2, squared=False)),
}


def solved(program: MultipleKernelQP, tol: float = 1e-8) -> tuple[np.ndarray, float]:
    found = find_solver("kernel-weights").solve(program, tol=tol)
    certificate = MultipleKernelBounds(program).certify(found.point, found.multipliers)
    assert found.claim is Claim.OPTIMAL
    assert certificate.holds(tol)
    return found.multipliers, certificate.primal_value


@together("penalties", PENALTIES.values())
@together("losses", [HINGE, TUBE, SQUARES])
@together("total", [0.0, None])
def test_the_gap_of_every_kind_is_closed(
    penalties: tuple[NormPenalty, ...], losses: dict[str, np.ndarray], total: float | None
) -> None:
    solved(MultipleKernelQP(tuple(Gram(kernel, X) for kernel in KERNELS), penalties, total=total, **losses))


def test_a_kernel_that_is_of_no_use_has_no_weight() -> None:
    grams = (Gram(RBF(0.2), X), Gram(0.01 * RBF(0.2), X))
    multipliers, value = solved(MultipleKernelQP(grams, (NormPenalty(EVERY[:2], ONES[:2]),), total=0.0, **HINGE))
    alone = KernelQP(grams[0], total=0.0, **HINGE)
    assert multipliers[:2].tolist() == [1.0, 0.0]
    assert value == pytest.approx(-alone.objective(automatic_for(alone).solve(alone, tol=1e-9).point), rel=1e-8)


def test_two_kernels_that_are_one_share_its_work() -> None:
    grams = (Gram(RBF(0.2), X), Gram(RBF(0.2), X))
    _, value = solved(MultipleKernelQP(grams, (NormPenalty(EVERY[:2], ONES[:2]),), total=0.0, **HINGE))
    _, alone = solved(MultipleKernelQP(grams[:1], (NormPenalty(EVERY[:1], ONES[:1]),), total=0.0, **HINGE))
    assert value == pytest.approx(alone, rel=1e-8)


def test_a_large_price_leaves_no_function() -> None:
    penalties = tuple(NormPenalty(np.array([j]), np.array([1e3]), squared=False) for j in range(4))
    program = MultipleKernelQP(tuple(Gram(kernel, X) for kernel in KERNELS), penalties, total=0.0, **HINGE)
    # The best constant has the sign of most labels.
    _, value = solved(program, tol=1e-6)
    assert value == pytest.approx(2.0 * min((Y > 0).sum(), (Y < 0).sum()), rel=1e-5)


def test_limits_end_it_with_the_best_point() -> None:
    program = MultipleKernelQP(tuple(Gram(k, X) for k in KERNELS), PENALTIES["sum"], total=0.0, **HINGE)
    found = find_solver("kernel-weights").solve(program, tol=1e-12, max_iter=1)
    assert found.claim is Claim.STOPPED
    assert "limit of iterations" in found.message
    assert np.isfinite(MultipleKernelBounds(program).certify(found.point, found.multipliers).relative_gap)


@pytest.mark.parametrize("size", [1600, 2100])
def test_many_samples_begin_with_the_weights_of_some_and_are_proved_in_float64(size: int) -> None:
    X = np.random.default_rng(1).normal(size=(size, 3))
    y = np.sign(X[:, 0] * X[:, 1] + 0.3 * X[:, 2])
    grams = tuple(Gram(kernel, X) for kernel in KERNELS[:3])
    hinge = {"target": y, "lower": np.minimum(y, 0), "upper": np.maximum(y, 0)}
    solved(MultipleKernelQP(grams, (NormPenalty(EVERY[:3], ONES[:3]),), total=0.0, **hinge), tol=1e-7)
