# SPDX-License-Identifier: BSD-3-Clause
"""Which constraints coefficients violate."""

from __future__ import annotations

import numpy as np
import pytest

from formulations import HardMargin, SoftMargin
from formulations.auditing.faults import faults_of
from qpkernels.problems import KernelQP

X, Y = np.array([[0.0], [1.0], [3.0], [4.0]]), [-1, -1, 1, 1]


def program(C: float = 0.5) -> KernelQP:
    stated = SoftMargin(X, Y, C=C).qp()
    assert stated is not None
    return stated


@pytest.mark.parametrize(
    ("beta", "unbalanced", "other_sign", "beyond"),
    [
        ([0.0, -0.5, 0.5, 0.0], False, [], []),
        ([0.0, -0.4, 0.5, 0.0], True, [], []),
        ([0.2, -0.5, 0.3, 0.0], False, [0], []),
        ([0.0, -0.7, 0.5, 0.2], False, [], [1]),
        ([0.1, -0.7, 0.5, -0.2], True, [0, 3], [1]),
    ],
)
def test_each_constraint_is_named(
    beta: list[float], unbalanced: bool, other_sign: list[int], beyond: list[int]
) -> None:
    faults = faults_of(np.array(beta), program())
    assert faults.is_unbalanced is unbalanced
    assert np.flatnonzero(faults.other_sign).tolist() == other_sign
    assert np.flatnonzero(faults.beyond).tolist() == beyond
    assert faults.any is bool(unbalanced or other_sign or beyond)
    assert not faults.shares[faults.other_sign].any()


def test_what_has_no_bound_does_not_exceed_it() -> None:
    stated = HardMargin(X, Y).qp()
    faults = faults_of(np.array([0.0, -1e6, 1e6, 0.0]), stated)
    assert not faults.any
    assert not faults.shares.any()


def test_the_digits_of_single_precision_are_no_fault() -> None:
    beta = np.array([0.0, -0.5, 0.5, 0.0]) * (1 + 2.0**-24)
    assert not faults_of(beta, program()).any
