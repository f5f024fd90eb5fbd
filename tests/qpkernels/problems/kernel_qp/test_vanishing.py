# SPDX-License-Identifier: BSD-3-Clause
"""The points of an optimum of 0: found to the last digit where there is one, and not at all elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from qpkernels import RBF, Gram, Linear
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.bounds import null_combination, vanishing_point

X = np.random.default_rng(0).normal(size=(20, 3))


def test_the_origin_as_a_mean_of_samples() -> None:
    everyone, upper = np.ones((1, 20)), np.full(20, 0.2)
    alpha = null_combination(Gram(Linear(), X), np.ones(20), upper, everyone, np.ones(1))
    assert alpha is not None
    assert np.abs(alpha @ X).max() <= 1e-15
    assert alpha.sum() == pytest.approx(1.0, rel=1e-15)
    assert (alpha.min() >= 0.0, alpha.max() <= 0.2) == (True, True)


@pytest.mark.parametrize("kernel", [Linear(), RBF(1.0)], ids=str)
def test_a_mean_that_is_not_the_origin_is_none(kernel: Linear | RBF) -> None:
    everyone, upper = np.ones((1, 20)), np.full(20, 0.2)
    gram = Gram(kernel, np.abs(X) + 0.1)
    assert null_combination(gram, np.ones(20), upper, everyone, np.ones(1)) is None
    assert vanishing_point(KernelQP(gram, 0.0, 0.0, 0.2, total=1.0)) is None


def test_the_b_that_costs_nothing() -> None:
    gram, targets = Gram(Linear(), X[:4]), np.array([5.0, 5.2, 5.4, 5.2])
    tube = vanishing_point(KernelQP(gram, targets, -1.0, 1.0, epsilon=0.3))
    assert tube is not None
    assert tube[0].tolist() == [0.0] * 4
    assert tube[1] == pytest.approx(5.2)
    without = vanishing_point(KernelQP(gram, targets, -1.0, 1.0, None, epsilon=0.3))
    assert without is not None
    assert without[1] == 0.0
    assert vanishing_point(KernelQP(gram, targets, 0.0, 1.0, total=1.0)) is None
