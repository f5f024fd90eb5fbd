# SPDX-License-Identifier: BSD-3-Clause
"""Which method comes first, by the structure alone."""

from __future__ import annotations

import numpy as np
import pytest

from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Kernel, Linear
from qpkernels.programs import KernelQP
from qpkernels.solvers import second_order_comes_first
from qpkernels.solvers.automatic.work import second_order_work, step_work


def program(m: int, d: int, kernel: Kernel, memory: float = 2**32) -> KernelQP:
    X = np.random.default_rng(m).normal(size=(m, d))
    return KernelQP(Gram(kernel, X, memory_limit=memory), np.sign(X[:, 0]), -1.0, 1.0)


@pytest.mark.parametrize(
    ("m", "d", "kernel", "first"),
    [
        (1500, 5, Linear(), True),
        (569, 30, Linear(), True),
        (20000, 20, Linear(), True),
        (30, 2, Linear(), False),
        (2000, 900, Linear(), False),
        (300, 5, RBF(0.1), False),
        (3000, 5, RBF(0.1), False),
    ],
)
def test_few_features_are_for_the_second_order_method(m: int, d: int, kernel: Kernel, first: bool) -> None:
    assert second_order_comes_first(program(m, d, kernel)) == first


def test_it_is_no_choice_where_its_matrices_exceed_the_memory_limit() -> None:
    assert np.isinf(second_order_work(program(200, 5, RBF(0.1), memory=10**6)))
    assert np.isfinite(second_order_work(program(200, 5, RBF(0.1), memory=10**7)))
    assert np.isfinite(second_order_work(program(200, 5, Linear(), memory=10**6)))


def test_a_step_is_as_much_work_as_its_block_is_large() -> None:
    assert step_work(program(100, 5, RBF(0.1))) < step_work(program(900, 5, RBF(0.1)))
    assert step_work(program(1500, 5, RBF(0.1))) == step_work(program(3000, 5, RBF(0.1)))
