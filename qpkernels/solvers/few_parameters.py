# SPDX-License-Identifier: BSD-3-Clause
r"""The common part of Newton's method for few parameters of a KernelQP whose coefficients smo minimises over.

Parameters u change the slopes of the coefficients by W du: weights of kernels have the columns K_j beta, coefficients
of free directions have these as columns. While the free coefficients F stay the same ones, they go to

    beta_F + S (right - W_F du),   S = the inverse of (K + diag(ridge))_FF, with the intercept eliminated,

where the right side is what is missing of their optimality. W_F'S W_F is the curvature of the least value in u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from qpkernels.arrays import Indices, Matrix, Vector
from qpkernels.arrays.machine_code import at_hand
from qpkernels.problems import KernelQP
from qpkernels.problems.kernel_qp.program import nearest_feasible
from qpkernels.solvers.automatic.work import expected_steps
from qpkernels.solvers.interface import Claim, Request
from qpkernels.solvers.smo.plain import expected_seconds

if TYPE_CHECKING:
    from qpkernels.solvers.smo.mixed import MixedRows

__all__ = ["FEW_FIRST", "FreeFace", "Stepping", "compiled_rows", "load_descent", "some_samples", "steps_to_the_end"]

FEW_FIRST = 1500
"""Samples from which on the parameters of some of them come first."""

_SHARE, _ENOUGH = 4, 1000
"""The part of all samples that these are, and how many do."""

_STEPS = 200
"""Steps where nobody says otherwise."""

_JITTER, _JITTER_OF_SINGLE = 1e-12, 1e-6
"""Part of the largest entry that is added to the diagonal of a matrix that is factorised; that of one in float32."""

_MOST_FREE = 3000
"""Free coefficients up to which their equations are solved."""


class Stepping(Protocol):
    """Parameters on their way: steps so far, whether they have arrived, and a step, False where none is left."""

    count: int

    @property
    def is_done(self) -> bool:
        """Whether what is asked for is there."""

    def step(self) -> bool:
        """Go on, and return whether there was anything to do."""


def steps_to_the_end(descent: Stepping, request: Request, deadline: float) -> tuple[Claim, str]:
    """Take steps until they are done, or a limit is reached; return what is claimed, and why it is no more.

    Parameters
    ----------
    descent
        What takes steps.
    request
        What is asked.
    deadline
        When to end, by the clock of :func:`time.perf_counter`.
    """
    while not descent.is_done:
        if perf_counter() >= deadline:
            return Claim.STOPPED, "limit of time; "
        if descent.count >= (request.max_iter or _STEPS):
            return Claim.STOPPED, "limit of iterations; "
        if not descent.step():
            return Claim.STOPPED, "no step improves in float64; "
    return Claim.OPTIMAL, ""


def load_descent(programs: Sequence[KernelQP] | None) -> None:
    """Compile the loops of the descent, or load their machine code, where they are what it is to use.

    Parameters
    ----------
    programs
        Those that it begins with; None: any.
    """
    if not at_hand("descent"):
        return
    from qpkernels.solvers.smo.descent import compile_all, compile_for

    if programs is None:
        compile_all()
    for program in programs or ():
        compile_for(program)


def compiled_rows(left: KernelQP, programs: Sequence[KernelQP]) -> MixedRows | None:
    """Return what makes rows in compiled code; None: that is not there yet, and steps without it take less time.

    Parameters
    ----------
    left
        What the parameters leave.
    programs
        The same of each kernel alone.
    """
    if not at_hand("descent", expected_seconds(left.size, expected_steps(left))):
        return None
    from qpkernels.solvers.smo.mixed import MixedRows

    return MixedRows(programs)


def some_samples(m: int) -> Indices:
    """Return some of m samples, chosen by chance: parameters for all of them begin near those of these."""
    n = min(m // _SHARE, _ENOUGH)
    return np.asarray((np.arange(n) + np.random.default_rng(m).random(n)) * (m / n)).astype(np.intp)


@dataclass(frozen=True, eq=False)
class FreeFace:
    """The free coefficients, and where they go with the parameters.

    Attributes
    ----------
    free
        F.
    low, high
        Their ends, those at kinks included.
    columns
        W_F.
    settled
        What takes them to the minimum at the parameters as they are.
    responses
        S W_F.
    curvatures
        W_F'S W_F.
    """

    free: Indices
    low: Vector
    high: Vector
    columns: Matrix
    settled: Vector
    responses: Matrix
    curvatures: Matrix

    @classmethod
    def of(
        cls, left: KernelQP, beta: Vector, values: Vector, columns: Matrix, rows: MixedRows | None = None
    ) -> FreeFace | None:
        """Return that of a point; None: it has none, or too many, or their equations are singular.

        Parameters
        ----------
        left
            What the parameters leave.
        beta, values
            A point, and K beta.
        columns
            W.
        rows
            What makes the entries between free coefficients, unless the matrix itself does.
        """
        free = np.flatnonzero((beta > left.lower) & (beta < left.upper) & ((beta != 0) | (left.epsilon == 0)))
        if not 0 < free.size <= _MOST_FREE:
            return None
        x, W = beta[free], columns[free]
        K = left.gram.entries(free) if rows is None else rows.among(free)
        signs = np.where(left.epsilon[free] > 0, np.sign(x), 0.0)
        right = left.target[free] - (values[free] + left.ridge[free] * x + left.epsilon[free] * signs)
        jitter = _JITTER if rows is None or rows.exact else _JITTER_OF_SINGLE
        K[np.diag_indices(free.size)] += left.ridge[free] + jitter * float(K.diagonal().max())
        sides = np.column_stack([np.ones(free.size), right, W])
        try:
            found = cho_solve(cho_factor(K, overwrite_a=True, check_finite=False), sides, check_finite=False)
        except LinAlgError:
            return None
        if left.total is not None:
            tied = found[:, 0]
            found = found - np.outer(tied, tied @ sides / tied.sum())
        low = np.where(signs > 0, np.maximum(left.lower[free], 0.0), left.lower[free])
        high = np.where(signs < 0, np.minimum(left.upper[free], 0.0), left.upper[free])
        settled, responses = np.clip(x + found[:, 1], low, high) - x, found[:, 2:]
        return cls(free, low, high, W, settled, responses, W.T @ responses)

    def moved(self, left: KernelQP, beta: Vector, change: Vector) -> Vector:
        """Return beta with the free coefficients where they go with this change of the parameters."""
        moved, own = beta.copy(), beta[self.free]
        total = None if left.total is None else float(own.sum())
        moved[self.free] = nearest_feasible(own + self.settled - self.responses @ change, self.low, self.high, total)
        return moved
