# SPDX-License-Identifier: BSD-3-Clause
"""The method that a linear system deserves: iterations, a factorisation, or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from qpkernels.problems import KernelQP, LevelQP, LinearSystem, Program, RidgedGram
from qpkernels.solvers.answer import Claim, Outcome, Request
from qpkernels.solvers.automatic.budget import Budget
from qpkernels.solvers.automatic.relay import THEN, Automatic
from qpkernels.solvers.automatic.watch import Watch
from qpkernels.solvers.conjugate_gradient import ConjugateGradient, Progress
from qpkernels.solvers.interface import COMMON, Method
from qpkernels.solvers.linear import LinearAlgebra
from qpkernels.solvers.registry import find_solver

__all__ = ["AutomaticSystem", "automatic_for"]

_SMALL, _OF_FEATURES = 2000, 400
"""Samples up to which a factorisation takes a moment; and where there are few explicit features, so that it spares
nothing but what m^2 entries take."""

_FACTORISATION = 40
"""A factorisation of m unknowns takes as long as m / 40 products of the matrix, or more where m is larger."""

_MATRICES = 3
"""Matrices of m^2 numbers that it holds in memory."""


class AutomaticSystem(Method):
    """Conjugate gradients where they are expected to be less work than a Cholesky factorisation, else that.

    What is expected before the first iteration, and later the progress, is held against the work of a factorisation,
    unless that does not fit in memory.

    Parameters
    ----------
    together
        Systems with one kernel matrix, which share what they can: kernel values, or the factor of equal matrices.

    Notes
    -----
    Arguments of the methods:

    program
        A LinearSystem.
    request
        What is asked; its limits are those of all together.
    options
        Further ones of the solver chosen.
    """

    name = "automatic"
    options = COMMON

    def __init__(self, together: Sequence[LinearSystem] = ()) -> None:
        self._count = max(1, len(together))
        self._iterating = ConjugateGradient(together=together)
        self._factoring = LinearAlgebra(keeps_factor=len(together) > 1)

    def prepare(self, program: Any) -> None:
        """Compute the kernel matrix where it fits in memory and there are no explicit features."""
        (self._iterating if _deserves_iterations(program) else self._factoring).prepare(program)

    def ask(self, program: Any, request: Request, **options: Any) -> Outcome:
        """Solve ``program``; a factorisation has no iterations to limit."""
        if not _deserves_iterations(program):
            # It has no start, and refuses one.
            return self._factoring.ask(program, request.having(max_iter=None), **options)
        budget = Budget(request.max_iter, request.time_limit)
        watch = _watch(len(program.rhs) / (_FACTORISATION * self._count), request.tol) if _fits(program) else None
        iterated = self._iterating.ask(program, request, watch=watch, **options)
        budget.spend(iterated.iterations)
        if iterated.claim is not Claim.STOPPED or not _fits(program) or budget.is_spent:
            return iterated
        left = request.having(max_iter=None, time_limit=budget.seconds_left, warm_start=None)
        factored = self._factoring.ask(program, left, **options)
        return replace(
            factored,
            solver=f"{iterated.solver}, {factored.solver}" if iterated.iterations else factored.solver,
            message=f"{iterated.solver}: {iterated.message}{THEN}{factored.solver}: {factored.message}",
            iterations=iterated.iterations or None,
            seconds=iterated.seconds + factored.seconds,
        )


def _watch(allowed: float, tol: float) -> Callable[[Progress], bool]:
    """Return who gives up where more iterations than ``allowed`` are expected, and later by the progress."""
    later = Watch(allowed, tol)

    def gives_up(point: Progress) -> bool:
        return later(point) if point.iterations else point.expected > allowed

    return gives_up


def _deserves_iterations(program: LinearSystem) -> bool:
    """Return whether conjugate gradients are to be tried."""
    if not isinstance(program.matrix, RidgedGram):
        return False
    gram, m = program.matrix.gram, program.rhs.size
    if not _fits(program):
        return True
    if not program.matrix.ridge.all():
        return False
    few = gram.explicit is not None and 2 * gram.explicit.shape[1] < m
    return m > (_OF_FEATURES if few else _SMALL)


def _fits(program: LinearSystem) -> bool:
    """Return whether a factorisation fits in the memory that the matrix may take."""
    if not isinstance(program.matrix, RidgedGram):
        return True
    return _MATRICES * 8 * program.rhs.size**2 <= program.matrix.gram.memory_limit


def automatic_for(program: Program) -> Method:
    """Return who chooses a method for a program, or the solver that is usual where there is no choice.

    Parameters
    ----------
    program
        What is to be solved.

    Examples
    --------
    >>> from formulations import SoftMargin
    >>> from qpkernels.solvers import automatic_for
    >>> program = SoftMargin([[0.0], [2.0]], [-1, 1], C=1.0).qp()
    >>> outcome = automatic_for(program).solve(program, tol=1e-9)
    >>> print(outcome.claim, outcome.solver, outcome.point.round(3))
    optimal smo [-0.5  0.5]
    """
    if isinstance(program, KernelQP | LevelQP):
        return Automatic()
    return AutomaticSystem() if isinstance(program, LinearSystem) else find_solver(program.usual_solver)
