# SPDX-License-Identifier: BSD-3-Clause
"""The kits of machine code, each given by problems, so small that they take no time, that use all of its functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numba
import numpy as np

from qpkernels.arrays.compiled import sources
from qpkernels.arrays.machine_code import Kit, mark
from qpkernels.families.batch.arrays import KernelQPs, solve_kernel_qps
from qpkernels.gram import Gram
from qpkernels.kernels import RBF
from qpkernels.solvers.smo import SMO

__all__ = ["compile_kits"]

_PRIORITY = 19


def _give_way() -> None:
    """Take the lowest priority, also as a session: Linux may share the processor among sessions first."""
    os.nice(_PRIORITY)
    with suppress(OSError):
        # Only where the kernel groups processes by sessions is there such a file.
        Path("/proc/self/autogroup").write_text(str(_PRIORITY), encoding="ascii")


def compile_kits(lock: int) -> None:
    """Compile all kits, those first that most need, and leave their marks; ``lock`` is the file that is held."""
    _give_way()
    kits: dict[Kit, Callable[[], None]] = {"arrays": _use_arrays, "descent": SMO().load, "features": _load_features}
    for kit, use in kits.items():
        use()
        found = sources()
        if found is None:
            return
        mark(kit, (*found, numba.__file__, np.__file__))
    os.ftruncate(lock, 0)


def _load_features() -> None:
    """Compile the Newton steps in explicit features, which is done when they are imported."""
    import qpkernels.solvers.semismooth_newton.machines  # noqa: F401


def _use_arrays() -> None:
    """Solve machines with and without b, of features and of a matrix, with samples held out."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    target, formed = np.where(np.arange(12) % 2 == 0, -1.0, 1.0), Gram(RBF(1.0), X)
    formed.dense  # noqa: B018  formed when first asked for
    terms = np.array((target, np.zeros(12), np.zeros(12), np.minimum(target, 0.0), np.maximum(target, 0.0)))
    for gram in (Gram(RBF(1.0), X), formed):
        for totals in (np.zeros(1), None):
            programs = KernelQPs(gram, np.arange(12), np.array([0, 12]), terms, totals, held_out=[np.arange(3)])
            solve_kernel_qps(programs, tol=1e-3, memory=2**20, jobs=1)
