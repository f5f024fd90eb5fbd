# SPDX-License-Identifier: BSD-3-Clause
"""The project's own reference solver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from qpkernels.arrays import check_flag, check_positive, finite_vector, log
from qpkernels.errors import UnsupportedOptionError, UnsupportedProgramError
from qpkernels.problems import KernelQP, LevelQP
from qpkernels.solvers.interface import Answer, Claim, Request, Solver
from qpkernels.solvers.smo.plain import minimise as minimise_plainly

if TYPE_CHECKING:
    from qpkernels.solvers.smo.iterate import Iterate

__all__ = ["CACHE_SIZE", "SMO", "step_limit"]

CACHE_SIZE = 2048.0
"""MiB for kernel values where nobody says otherwise."""

_EVERY = 30.0
"""Seconds between two checkpoints, at least."""


class SMO(Solver):
    """Sequential minimal optimisation; stops when the relative duality gap is at most ``tol``.

    max_iter counts pair steps (default: 10 million, or 1000 a sample if that is more); time_limit is checked after
    each block; warm_start is any beta, and values the product K beta there, where it is known; shrinking=False goes on
    with all samples, which is slower in most cases. ``watch`` is called with each iterate whose gap is computed, and
    ends the descent by returning True; ``report`` with each line of progress that verbose would print. Ctrl-C returns
    the best point so far.

    cache_size bounds the memory for rows of the kernel matrix that are kept, in MiB (default 2048), and memory_budget
    all that is held beside the samples and the program (default: no bound): kept rows take what the features of the
    samples leave of it, and features that do not fit are made as they are asked for.

    ``checkpoint`` names a file (.npz) that keeps the descent on its way, every ``checkpoint_every`` seconds (default
    30) and at the end. Where it is there, the descent goes on from it, whatever warm_start, and its steps count. A file
    of another problem is refused.

    Parameters
    ----------
    compiled
        Whether the steps are taken by compiled loops. Without, they are taken in NumPy, of a KernelQP without hard
        constraints: where no machine code is there yet, few samples need not wait for it. Options that concern the way
        of the compiled descent change nothing then.
    """

    name = "smo"
    foreign = False
    programs: ClassVar = (KernelQP, LevelQP)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def __init__(self, *, compiled: bool = True) -> None:
        self._compiled = check_flag(compiled, "compiled")

    def load(self, program: KernelQP | LevelQP | None = None) -> None:
        """Compile the inner loops, or load their machine code from the cache: those that ``program`` begins with."""
        if not self._compiled:
            return
        from qpkernels.solvers.smo.descent import compile_all, compile_for

        if program is None:
            compile_all()
        else:
            compile_for(program)

    def settings(self) -> Mapping[str, Any]:
        """Return what it has beside the options of every solver."""
        return {
            "cache_size": CACHE_SIZE,
            "memory_budget": np.inf,
            "shrinking": True,
            "values": None,
            "watch": None,
            "report": None,
            "checkpoint": None,
            "checkpoint_every": _EVERY,
        }

    def prepare(self, program: KernelQP | LevelQP) -> None:
        """Settle that the matrix is positive semidefinite, and compute it where it is not formed row by row."""
        program.gram.require_psd()
        if not self._compiled:
            return
        from qpkernels.solvers.smo.descent import forms_matrix

        if forms_matrix(program):
            program.gram.dense  # noqa: B018  formed when first asked for

    def run(
        self,
        program: KernelQP | LevelQP,
        request: Request,
        *,
        cache_size: float = CACHE_SIZE,
        memory_budget: float = np.inf,
        values: ArrayLike | None = None,
        watch: Callable[[Iterate], bool] | None = None,
        report: Callable[[str], None] | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_every: float = _EVERY,
        shrinking: bool = True,
        **options: Any,
    ) -> Answer:
        """Minimise, and say in words why it stopped."""
        start = None if request.warm_start is None else finite_vector(request.warm_start, "warm_start", program.size)
        cache = int(2**20 * check_positive(cache_size, "cache_size"))
        max_iter = request.max_iter or step_limit(program)
        deadline = np.inf if request.time_limit is None else perf_counter() + request.time_limit
        if not self._compiled:
            if isinstance(program, LevelQP) or program.is_hard:
                raise UnsupportedProgramError(
                    "SMO(compiled=False) takes programs whose level is given and whose bounds are finite; leave it out."
                )
            if memory_budget != np.inf:
                cache = min(cache, int(2**20 * check_positive(memory_budget, "memory_budget")))
            return minimise_plainly(program, start, tol=request.tol, limit=max_iter, deadline=deadline, memory=cache)
        from qpkernels.solvers.smo.checkpoint import Checkpoint
        from qpkernels.solvers.smo.descent import minimise
        from qpkernels.solvers.smo.report import Report
        from qpkernels.solvers.smo.rows import Memory

        del options
        every = check_positive(checkpoint_every, "checkpoint_every")
        kept = None
        if checkpoint is not None:
            if isinstance(program, LevelQP):
                raise UnsupportedOptionError(
                    "checkpoint is for programs whose level is given, but that of this one is free; leave it out."
                )
            kept = Checkpoint(checkpoint, program, every)
        saved = None if kept is None else kept.read()
        write = report or (log.report if request.verbose else None)
        told = None if write is None else Report(request.tol, write, 0.0 if saved is None else saved.seconds)
        if values is not None and start is None:
            raise UnsupportedOptionError("values are K beta at warm_start, which is missing; give both, or neither.")
        left = _within(program, memory_budget)
        final = minimise(
            program.around(program.middle),
            tol=request.tol,
            max_iter=max_iter,
            deadline=deadline,
            start=start,
            report=partial(_tell, [observer for observer in (told, kept) if observer is not None]),
            memory=Memory(cache, left),
            values=None if values is None else finite_vector(values, "values", program.size),
            watch=watch,
            shrinking=check_flag(shrinking, "shrinking"),
            saved=saved,
        )
        if kept is not None and not final.interrupted:
            kept.write(final)
        claim, message = _verdict(final, request.tol, max_iter)
        multipliers = np.array([] if program.total is None else [final.intercept + program.middle])
        return Answer(final.beta, multipliers, claim, message, final.iterations, final.values)


def step_limit(program: KernelQP | LevelQP) -> int:
    """Return how many pair steps there are at most where nobody says otherwise."""
    return max(10_000_000, 1000 * program.size)


def _verdict(final: Iterate, tol: float, max_iter: int) -> tuple[Claim, str]:
    reached = f"relative gap {'about ' * final.estimated}{final.gap.relative + final.gap_error:.1e}"
    if final.proves(tol):
        return Claim.OPTIMAL, reached
    if final.diverging:
        return Claim.UNBOUNDED, "unbounded below: beta grows along a direction of no cost"
    if final.gap.shortfall + final.gap_error - final.rounding <= tol < final.rounding:
        return (
            Claim.STOPPED,
            f"{reached}, of which {final.rounding:.1e} is rounding, or the matrix positive semidefinite only up to it",
        )
    if final.stalled:
        return Claim.STOPPED, f"no step improves in float64; {reached}"
    if final.interrupted:
        return Claim.INTERRUPTED, f"interrupted; {reached}"
    limit = f"limit of {'iterations' if final.iterations >= max_iter else 'time'}"
    return Claim.STOPPED, f"{f'gave up after {final.iterations} steps' if final.given_up else limit}; {reached}"


def _within(program: KernelQP | LevelQP, budget: float) -> float:
    """Return the bytes that a budget in MiB leaves for features and rows, or refuse it."""
    from qpkernels.solvers.smo.descent import forms_matrix
    from qpkernels.solvers.smo.rows import remaining

    if budget == np.inf:
        return np.inf
    return remaining(program, 2**20 * check_positive(budget, "memory_budget"), forms_matrix=forms_matrix(program))


def _tell(observers: list[Callable[[Iterate], None]], iterate: Iterate) -> None:
    for observe in observers:
        observe(iterate)
