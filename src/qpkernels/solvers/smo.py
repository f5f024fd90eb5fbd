# SPDX-License-Identifier: BSD-3-Clause
"""The project's own reference solver."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from qpkernels.arrays import finite_vector
from qpkernels.errors import UnsupportedOptionError
from qpkernels.gram import Gram
from qpkernels.kernels import RBF, Linear
from qpkernels.programs import KernelQP
from qpkernels.solvers.interface import Answer, Claim, Request, Solver

if TYPE_CHECKING:
    from qpkernels.smo import Iterate

__all__ = ["SMO"]


class SMO(Solver):
    """Sequential minimal optimisation; stops when the relative duality gap is at most ``tol``.

    max_iter counts pair steps (default: 10 million, or 1000 a sample if that is more); time_limit is checked after
    about every m steps, or every few blocks; warm_start is any beta. Ctrl-C returns the best point so far.
    """

    name = "smo"
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def load(self) -> None:
        """Compile the inner loops, or load their machine code from the cache."""
        _compile()

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Minimise, and say in words why it stopped."""
        from qpkernels.smo import minimise

        if options:
            raise UnsupportedOptionError(
                f"smo has no option {', '.join(options)}; it has {', '.join(sorted(self.options))}."
            )
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", len(program))
        max_iter = request.max_iter or max(10_000_000, 1000 * len(program))
        final = minimise(
            program,
            tol=request.tol,
            max_iter=max_iter,
            deadline=np.inf if request.time_limit is None else perf_counter() + request.time_limit,
            start=start,
            report=_print_progress if request.verbose else None,
        )
        claim, words = _verdict(final, request.tol, max_iter)
        multipliers = np.array([] if program.total is None else [final.intercept])
        return Answer(final.beta, multipliers, claim, words, final.iterations)


@cache
def _compile() -> None:
    """Solve a few samples, with and without the equation, as a whole and in blocks: this touches all compiled code."""
    from qpkernels.smo import block_iterates, minimise

    for gram in (Gram(RBF(1.0), np.eye(3)), Gram(Linear(), np.eye(3))):
        for total in (0.0, None):
            program = KernelQP(gram, np.array([1.0, -1.0, 1.0]), -1.0, 1.0, total)
            minimise(program, tol=1e-6, max_iter=10)
            for iterate in block_iterates(program, 1e-6, 1000, np.inf, np.zeros(3), 2**10):
                if iterate.proves(1e-6) or iterate.stalled:
                    break


def _verdict(final: Iterate, tol: float, max_iter: int) -> tuple[Claim, str]:
    reached = f"relative gap {final.gap.relative + final.doubt:.1e}"
    if final.proves(tol):
        return Claim.OPTIMAL, reached
    if final.diverging:
        return Claim.UNBOUNDED, "beta grows without end at no cost"
    if final.stalled:
        return Claim.STOPPED, f"no step improves in float64; {reached}"
    if final.interrupted:
        return Claim.STOPPED, f"interrupted; {reached}"
    limit = "iterations" if final.iterations >= max_iter else "time"
    return Claim.STOPPED, f"limit of {limit}; {reached}"


def _print_progress(iterate: Iterate) -> None:
    print(f"smo: {iterate.iterations:9d} steps, relative gap {iterate.gap.relative:.3e}")
