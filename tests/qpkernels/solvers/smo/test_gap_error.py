# SPDX-License-Identifier: BSD-3-Clause
"""The estimated error of the gap."""

from __future__ import annotations

import numpy as np

from builders import two_classes
from qpkernels import RBF, Gram
from qpkernels.problems import KernelQP, certify_kernel_qp
from qpkernels.solvers import Claim, find_solver


def test_a_gap_error_that_every_so_manieth_sample_would_hide() -> None:
    m = 255 * 16 + 1
    X, _ = two_classes(m, shift=0.3, features=3)
    X[np.arange(m) % 5 < 2] += 1000
    ridge = np.where(np.arange(m) % 16 == 0, 1e12, 1.0)
    program = KernelQP(Gram(RBF(0.5), X), np.sin(X[:, 0]), -np.inf, np.inf, 0.0, 0.0, ridge)
    outcome = find_solver("smo").solve(program, tol=1e-3)
    proof = certify_kernel_qp(program, outcome.point, float(outcome.multipliers[0]))
    assert outcome.claim is Claim.OPTIMAL
    assert proof.holds(2e-3)
