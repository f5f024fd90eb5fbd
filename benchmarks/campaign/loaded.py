# SPDX-License-Identifier: BSD-3-Clause
"""All that trials need, imported, and its machine code loaded: processes forked from such a one start at once."""

from __future__ import annotations

import warnings

import numpy as np

import benchmarks.campaign.trials  # noqa: F401
from formulations import SoftMargin
from qpkernels.solvers import installed_solvers

__all__: list[str] = []


def _load() -> None:
    for solver in installed_solvers():
        solver.load()
    # CVXPY imports parts of itself when it first compiles a problem.
    X = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        SoftMargin(X, np.array([1.0, 1.0, -1.0, -1.0])).primal.solve("clarabel")


_load()
