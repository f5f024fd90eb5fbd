# SPDX-License-Identifier: BSD-3-Clause
"""Dual coordinate descent as a solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qpkernels.arrays import check_count, check_flag, finite_vector
from qpkernels.arrays.log import report
from qpkernels.problems import KernelQP
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

if TYPE_CHECKING:
    from qpkernels.solvers.coordinate_descent.descent import Measured

__all__ = ["CoordinateDescent", "visit_limit"]

_LEAST, _PASSES = 10_000_000, 1000
"""Visits to samples at most where nobody says otherwise, and for each sample."""


class CoordinateDescent(Solver):
    """Dual coordinate descent in explicit features, as LIBLINEAR has it; stops when the relative duality gap is small.

    It holds w = sum_j beta_j z_j, so that a step in one coefficient is a pass over the values of one row, of which
    sparse features have few. It suits many samples, and features that are sparse or many; the features of a kernel that
    has none are the factor of its matrix. Where coefficients are free in great number, steps by conjugate gradients in
    all of them are taken between its sweeps.

    max_iter counts visits to samples, m of which are an iteration of LIBLINEAR (default: 10 million, or 1000 a sample
    if that is more); time_limit is checked after each sweep; warm_start is any beta; shrinking=False visits all samples
    in each sweep; random_state, an int, settles their order. ``watch`` is called with each point whose gap is computed,
    and ends the descent by returning True. Ctrl-C returns the best point so far.
    """

    name = "coordinate-descent"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def load(self, program: KernelQP | None = None) -> None:
        """Compile the sweeps, or load their machine code from the cache."""
        from qpkernels.solvers.coordinate_descent.descent import compile_sweeps

        del program
        compile_sweeps()

    def settings(self) -> Mapping[str, Any]:
        """Return what it has beside the options of every solver."""
        return {"shrinking": True, "random_state": 0, "watch": None}

    def prepare(self, program: KernelQP) -> None:
        """Settle that the matrix is positive semidefinite."""
        program.gram.require_psd()

    def run(
        self,
        program: KernelQP,
        request: Request,
        *,
        shrinking: bool = True,
        random_state: int = 0,
        watch: Callable[[Measured], bool] | None = None,
        **options: Any,
    ) -> Answer:
        """Minimise, and say in words why it stopped."""
        from qpkernels.solvers.coordinate_descent.descent import DescentState, descend

        del options
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        seed = check_count(random_state, "random_state", least=0)
        shifted = program.around(program.middle)
        descent = DescentState(shifted, start, seed, shrinking=check_flag(shrinking, "shrinking"))
        point, interrupted = None, False
        try:
            for point in descend(descent, request.tol, request.max_iter or visit_limit(program), deadline, watch):
                if request.verbose:
                    _report_progress(point)
        except KeyboardInterrupt:
            interrupted = True
        if point is None:
            point = descent.measure()
        claim, message = _verdict(point, request.tol, interrupted=interrupted)
        values = program.gram.product(point.beta)
        multipliers = np.array([] if program.total is None else [descent.intercept_for(point, values) + program.middle])
        return Answer(point.beta, multipliers, claim, message, point.iterations, values)


def visit_limit(program: KernelQP) -> int:
    """Return how many visits to samples there are at most where nobody says otherwise."""
    return max(_LEAST, _PASSES * program.size)


def _verdict(point: Measured, tol: float, *, interrupted: bool) -> tuple[Claim, str]:
    reached = f"relative gap {point.gap.relative:.1e}"
    if point.error <= tol:
        return Claim.OPTIMAL, reached
    if point.diverging:
        return Claim.UNBOUNDED, "unbounded below: beta grows along a direction of no cost"
    if interrupted:
        return Claim.INTERRUPTED, f"interrupted; {reached}"
    return Claim.STOPPED, f"{point.ended}{reached}"


def _report_progress(point: Measured) -> None:
    visits = f"{point.iterations:11d} visits"
    report(f"coordinate-descent: {visits}, relative gap {point.gap.relative:.3e}")
