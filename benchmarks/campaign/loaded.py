# SPDX-License-Identifier: BSD-3-Clause
"""All that trials need, imported, and its machine code loaded: processes forked from such a one start at once."""

from __future__ import annotations

import warnings

import numpy as np

import benchmarks.campaign.trials  # noqa: F401
from benchmarks.campaign.problems import FAMILIES, draw
from qpkernels.errors import QPKernelsError
from qpkernels.solvers import installed_solvers

__all__: list[str] = []

_SMALL = 400
"""Samples of a problem that is solved once, so that what is loaded at the first solve is there."""


def _load() -> None:
    for solver in installed_solvers():
        solver.load()
    missing = set(FAMILIES)
    for number in range(20 * len(FAMILIES)):
        case = draw(number)
        # HiGHS starts threads, which a fork leaves behind.
        if case.family not in missing or len(case.data[0]) > _SMALL or case.family.entry.cone_solver == "highs":
            continue
        missing.remove(case.family)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                case.state().solve(tol=1e-3)
            except QPKernelsError:
                # It has no answer, and has loaded what it needs all the same.
                continue


_load()
