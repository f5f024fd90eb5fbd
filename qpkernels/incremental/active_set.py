# SPDX-License-Identifier: BSD-3-Clause
r"""An active-set method for a KernelQP that was solved before one of its samples changed.

The samples F strictly inside their bounds and off their kinks are free, and optimal where their slopes are -b:

    K_FF d + ridge_F d + b 1 = -(g_F + epsilon_F sign beta_F),    1'd = total - 1'beta,

for the step d from beta. It goes as far as the first bound or kink, whose sample is free no more; once it is whole, the
slopes of all samples are brought up to date, and those that violate optimality become free. The inverse of K_FF +
ridge_F follows each sample that comes or goes, from one change to the next (Cauwenberghs and Poggio, Incremental and
decremental support vector machine learning, 2001, of whose method this is the form for any bounds, kinks and ridge).

Where free samples depend on each other, or there are too many of them, sequential minimal optimisation goes on; a
problem of equations alone is left to linear algebra, which says so by the claim ``failed``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from qpkernels.arrays import Vector
from qpkernels.arrays.threads import blas_threads_for
from qpkernels.gram.changing import stored
from qpkernels.incremental.inverse import Inverse
from qpkernels.incremental.search import Search
from qpkernels.problems import KernelQP
from qpkernels.solvers.answer import Answer, Claim, Request
from qpkernels.solvers.interface import Solver
from qpkernels.solvers.smo import SMO

__all__ = ["ActiveSet"]

_STEPS = 200
"""Pair steps for each sample, after which a start tells nothing: whoever asked had better choose another method."""


class ActiveSet(Solver):
    """Solves one KernelQP after the other, each on samples of a :class:`~qpkernels.gram.ChangingGram`.

    It takes a start from the problem before: warm_start, and the values K beta there.
    """

    name = "active-set"
    foreign = False
    programs: ClassVar = (KernelQP,)
    options = frozenset({"tol", "max_iter", "time_limit", "warm_start"})
    module = "numba"
    install = "pip install numba"

    def __init__(self) -> None:
        self._inverse = Inverse()

    def forget(self) -> None:
        """Begin anew, where what was noted of the samples no longer holds."""
        self._inverse = Inverse()

    def run(self, program: KernelQP, request: Request, **options: Any) -> Answer:
        """Go from the start to the optimum, by sequential minimal optimisation where need be.

        Parameters
        ----------
        program, request, options
            As in :meth:`qpkernels.solvers.Solver.run`.
        """
        assert request.warm_start is not None
        known, beta = stored(program.gram), request.warm_start
        values: Vector = options.pop("values")
        if known is not None:
            search = Search(program.around(program.middle), known, self._inverse, beta, values)
            with blas_threads_for(self._inverse.members.size):
                solved = search.run(request.tol)
            beta, values = search.beta, search.values
            if solved:
                b = np.array([] if program.total is None else [search.intercept + program.middle])
                message = f"relative gap about {search.gap:.1e}"
                # What this moves is rounding, and so is what it changes in the values.
                beta = program.project(beta)
                return Answer(beta, b, Claim.OPTIMAL, message, search.steps, values)
        self.forget()
        if _is_linear(program):
            nothing = np.full(0 if program.total is None else 1, np.nan)
            return Answer(np.full(len(program), np.nan), nothing, Claim.FAILED, "left to linear algebra")
        limit = min(request.max_iter or _STEPS * len(program), _STEPS * len(program))
        rest = replace(request, warm_start=beta, max_iter=limit)
        answer = SMO().run(program, rest, values=values, **options)
        # The next change goes on from the product, which smo may have left to the certificate.
        values = program.gram.product(answer.point) if answer.values is None else answer.values
        return replace(answer, message=f"by smo: {answer.message}", values=values)


def _is_linear(program: KernelQP) -> bool:
    """Return whether equations are all there is, so that linear algebra solves it from nothing."""
    bounded = np.isfinite(program.lower).any() or np.isfinite(program.upper).any()
    return not bounded and not program.epsilon.any()
