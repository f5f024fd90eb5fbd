# SPDX-License-Identifier: BSD-3-Clause
"""A second-order method for a KernelQP in few explicit features, and any number of samples."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import finite_vector
from qpkernels.arrays.threads import without_blas_threads
from qpkernels.gram.features import FeaturesInMemory
from qpkernels.problems import KernelQP
from qpkernels.solvers.answer import Answer, Request
from qpkernels.solvers.interface import Solver

__all__ = ["SemismoothNewton"]

_STEPS = 2000

_SPREAD = 2**24
"""Numbers of features from which on products with them are worth more than one thread."""


class SemismoothNewton(Solver):
    """Proximal point method with semismooth Newton steps; stops when the certificate holds at ``tol``.

    For kernels with explicit features that are few against the samples: linear and polynomial ones, and those of
    :class:`~qpkernels.gram.LowRank`; of others it takes the factor of the whole matrix. A Newton step has r + 1
    equations for r features, to which only samples strictly inside their bounds add anything; most steps visit few of
    the samples, and there are some 50 passes over all.

    max_iter counts Newton steps (default: 2000); time_limit is checked after each visit of all samples. A warm_start is
    any beta.
    """

    name = "semismooth-newton"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def load(self, program: KernelQP | None = None) -> None:
        """Compile the loops, or load their machine code."""
        del program
        import qpkernels.solvers.semismooth_newton.loops  # noqa: F401

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it stopped."""
        # They load the compiler.
        from qpkernels.solvers.semismooth_newton.proximal_point import Limits, minimise
        from qpkernels.solvers.semismooth_newton.subproblem import Work

        del options
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", len(program))
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        limits = Limits(request.tol, deadline, request.verbose)
        gram, work = program.gram, Work(limit=request.max_iter or _STEPS)
        Z = FeaturesInMemory(gram.factor) if gram.explicit is None else gram.explicit
        with nullcontext() if Z.shape[0] * Z.shape[1] > _SPREAD else without_blas_threads():
            final = minimise(program.around(program.middle), Z, limits, work, start)
        multipliers = np.array([] if program.total is None else [final.intercept + program.middle])
        return Answer(final.beta, multipliers, final.claim, final.message, final.work.steps, final.values)
