# SPDX-License-Identifier: BSD-3-Clause
"""Soft margins for the tests of smo, and how it is called."""

from typing import Any

import numpy as np

from qpkernels import RBF, Gram
from qpkernels.problems import KernelQP
from qpkernels.solvers import Outcome, find_solver

__all__ = ["intercept", "soft", "soft_margin", "solve"]


def solve(program: KernelQP, **options: Any) -> Outcome:
    return find_solver("smo").solve(program, **options)


def intercept(outcome: Outcome) -> float:
    return float(outcome.multipliers[0]) if outcome.multipliers.size else 0.0


def soft_margin(gram: Gram, y: np.ndarray, C: float = 1.0, total: float | None = 0.0) -> KernelQP:
    return KernelQP(gram, y, np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0), total)


def soft(X: np.ndarray, y: np.ndarray, C: float, kernel: Any = None, total: float | None = 0.0) -> KernelQP:
    return soft_margin(Gram(kernel or RBF(1.0), X), y, C, total)
