# SPDX-License-Identifier: BSD-3-Clause
"""A second-order method for a KernelQP: few iterations whatever the bounds, each with a matrix to factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Indices, finite_vector
from qpkernels.gram.panels.threads import blas_threads_for
from qpkernels.programs import KernelQP
from qpkernels.solvers.answer import Answer, Claim, Request
from qpkernels.solvers.interface import Solver
from qpkernels.solvers.interior_point.descent import minimise
from qpkernels.solvers.newton_systems import prepare_system

__all__ = ["InteriorPoint"]

_ITERATIONS = 100


class InteriorPoint(Solver):
    """Mehrotra's predictor-corrector method; stops when the certificate holds at ``tol``.

    The work of an iteration is that of m n^2 multiplications with n explicit features, or the numerical rank n of the
    kernel matrix, else m^3/3. It suits few features, low rank, and few samples; and bounds so large, or infinite, that
    descent by pairs makes little way.

    max_iter counts iterations (default: 100); time_limit is checked after each. A warm_start is any beta: it is tried
    first whether what it has at bounds is right, and if not, the path begins as without it.
    """

    name = "interior-point"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "scipy"
    install = "pip install scipy"

    def settings(self) -> Mapping[str, Any]:
        """Return that it has none of its own."""
        return {}

    def prepare(self, program: KernelQP) -> None:
        """Settle that the matrix is positive semidefinite, and compute it where there are no features."""
        prepare_system(program.gram)

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it stopped."""
        del options
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", len(program))
        max_iter = request.max_iter or _ITERATIONS
        # What cannot move is left out.
        (movable,) = np.nonzero(program.lower < program.upper)
        if movable.size == 0:
            zero = np.zeros(len(program))
            return Answer(zero, zero[: 0 if program.total is None else 1], Claim.OPTIMAL, "nothing can move", 0, zero)
        part = program if movable.size == len(program) else _part(program, movable)
        with blas_threads_for(movable.size):
            final = minimise(
                part.around(part.middle),
                tol=request.tol,
                max_iter=max_iter,
                deadline=np.inf if request.time_limit is None else perf_counter() + request.time_limit,
                start=None if start is None else start[movable],
                verbose=request.verbose,
            )
        beta, values = final.point.beta, final.point.values
        if part is not program:
            beta = np.zeros(len(program))
            beta[movable] = final.point.beta
            values = program.gram.product(beta)
        multipliers = np.array([] if program.total is None else [final.point.intercept + part.middle])
        return Answer(beta, multipliers, final.claim, final.message, final.iterations, values)


def _part(program: KernelQP, rows: Indices) -> KernelQP:
    """Return the problem of some of the samples, the others having the coefficient 0."""
    vectors = {name: getattr(program, name)[rows] for name in ("target", "lower", "upper", "epsilon", "ridge")}
    return replace(program, gram=program.gram.part(rows), **vectors)
